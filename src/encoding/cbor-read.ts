/**
 * Layer 1: from CBOR bytes that passed the scan to the value they stand for, and never believed: what comes out must
 * encode to the bytes that went in (docs/decisions/own-cbor-reader.md).
 */

import { equalBytes } from "./bytes.js";
import { halfValue } from "./cbor-float.js";
import { writeCbor } from "./cbor-write.js";
import { encodeHex } from "./hex.js";
import { emptyObject, type JsonValue } from "./json-value.js";
import { decodeUtf8 } from "./utf8.js";

/**
 * The value of `bytes`, which `scanCbor` found without fault. Undefined when reading throws, or gives anything that
 * does not encode to the very same bytes. Never throws.
 */
export function readScanned(bytes: Uint8Array): JsonValue | undefined {
  try {
    const value = new CborReader(bytes).item();
    return equalBytes(writeCbor(value, bytes.length), bytes) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads items one behind the other. Recursive, and sure of every length: the scan has bounded depth and claims. */
export class CborReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  item(): JsonValue {
    const initial = this.#unsigned(1);
    const info = initial & 0x1f;
    switch (initial >> 5) {
      case 0:
        return this.#argument(info);
      case 1:
        return -1 - this.#argument(info);
      case 2:
        return encodeHex(this.#content(info));
      case 3:
        return this.#text(info);
      case 4:
        return this.#array(info);
      case 5:
        return this.#object(info);
      default:
        return this.#simpleOrFloat(info);
    }
  }

  #array(info: number): JsonValue {
    const items: JsonValue[] = [];
    for (let left = this.#argument(info); left > 0; left--) items.push(this.item());
    return items;
  }

  #object(info: number): JsonValue {
    const object = emptyObject();
    for (let left = this.#argument(info); left > 0; left--) {
      const name = this.#text(this.#unsigned(1) & 0x1f);
      object[name] = this.item();
    }
    return object;
  }

  #text(info: number): string {
    const text = decodeUtf8(this.#content(info));
    if (text === null) throw new TypeError("not the UTF-8 that the scan passed");
    return text;
  }

  #content(info: number): Uint8Array {
    const length = this.#argument(info);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** The rest of a head (RFC 8949 section 3). */
  #argument(info: number): number {
    return info < 24 ? info : this.#unsigned(2 ** (info - 24));
  }

  #unsigned(size: number): number {
    const at = this.#at;
    this.#at += size;
    if (size === 1) return this.#view.getUint8(at);
    if (size === 2) return this.#view.getUint16(at);
    if (size === 4) return this.#view.getUint32(at);
    return this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
  }

  #simpleOrFloat(info: number): JsonValue {
    if (info === 20) return false;
    if (info === 21) return true;
    if (info === 22) return null;
    const at = this.#at;
    this.#at += 2 ** (info - 24);
    if (info === 25) return halfValue(this.#view.getUint16(at));
    return info === 26 ? this.#view.getFloat32(at) : this.#view.getFloat64(at);
  }
}
