/** Layer 2: SHA-256 and SHA-512 (FIPS 180-4) for where there is no `node:crypto`. */
import { encodeHex } from "../encoding/hex.js";
import type { DigestStream } from "./backend.js";
import { compress256, compress512, START_256, START_512 } from "./sha2-block.js";

/** Adds a block of `view` to a state. */
type Compress = (state: Int32Array, view: DataView, at: number) => void;

/** Of the two functions one with its state: sections 5.1, 5.2 and the loop of 6.2 and 6.4. */
class Hash {
  readonly #compress: Compress;
  readonly #state: Int32Array;
  /** The beginning of a block that is not yet whole. */
  readonly #rest: Uint8Array;
  readonly #view: DataView;
  #length = 0;

  constructor(compress: Compress, state: Int32Array) {
    this.#compress = compress;
    this.#state = state;
    this.#rest = new Uint8Array(8 * state.length);
    this.#view = new DataView(this.#rest.buffer);
  }

  update(bytes: Uint8Array): this {
    const size = this.#rest.length;
    const used = this.#length % size;
    this.#length += bytes.length;
    let at = 0;
    if (used > 0) {
      at = Math.min(size - used, bytes.length);
      this.#rest.set(bytes.subarray(0, at), used);
      if (used + at < size) return this;
      this.#compress(this.#state, this.#view, 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + size <= bytes.length; at += size) this.#compress(this.#state, view, at);
    this.#rest.set(bytes.subarray(at));
    return this;
  }

  /** Ends it. */
  digest(): Uint8Array {
    const rest = this.#rest;
    const used = this.#length % rest.length;
    rest[used] = 0x80;
    rest.fill(0, used + 1);
    // The length takes the last eighth of a block.
    if (used >= (7 * rest.length) / 8) {
      this.#compress(this.#state, this.#view, 0);
      rest.fill(0);
    }
    this.#view.setUint32(rest.length - 8, this.#length / 2 ** 29);
    this.#view.setUint32(rest.length - 4, this.#length << 3);
    this.#compress(this.#state, this.#view, 0);
    const digest = new Uint8Array(4 * this.#state.length);
    for (let i = 0; i < digest.length; i += 1) digest[i] = (this.#state[i >> 2] ?? 0) >>> (24 - 8 * (i & 3));
    return digest;
  }
}

const new256 = (): Hash => new Hash(compress256, START_256.slice());

/** 32 new bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new256().update(bytes).digest();
}

/** SHA-256 of bytes that come in pieces. */
export function sha256Stream(): DigestStream {
  const hash = new256();
  return { update: (bytes) => void hash.update(bytes), hex: () => encodeHex(hash.digest()).slice(2) };
}

/** 64 new bytes. */
export function sha512(bytes: Uint8Array): Uint8Array {
  return new Hash(compress512, START_512.slice()).update(bytes).digest();
}
