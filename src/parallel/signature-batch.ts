/** Signatures to check, packed into memory that threads share: message and signature of each, one behind the other. */
import type { PublicKey } from "../crypto/keys.js";
import { verifySignature } from "../crypto/signature.js";

/** Bytes of the batches that receipts of common size fill; a larger message gets a batch of its own size. */
const BATCH_BYTES = 262_144;
/** Key, length of the message, length of the signature. */
const NUMBERS = 3;
const NUMBER_BYTES = 4;
const MOST_ENTRIES = 1024;
const TABLE_BYTES = MOST_ENTRIES * NUMBERS * NUMBER_BYTES;

/** What a thread is sent: the numbers of the entries, then their bytes. */
export interface PackedSignatures {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
}

export class SignatureBatch {
  /** Of each signature's receipt. */
  readonly positions: number[] = [];
  readonly #memory: SharedArrayBuffer;
  readonly #numbers: Uint32Array;
  readonly #bytes: Uint8Array;
  #end = TABLE_BYTES;

  /** Has room for at least one entry of `bytes` bytes. */
  constructor(bytes: number) {
    this.#memory = new SharedArrayBuffer(TABLE_BYTES + Math.max(bytes, BATCH_BYTES));
    this.#numbers = new Uint32Array(this.#memory, 0, MOST_ENTRIES * NUMBERS);
    this.#bytes = new Uint8Array(this.#memory);
  }

  hasRoomFor(bytes: number): boolean {
    return this.positions.length < MOST_ENTRIES && this.#end + bytes <= this.#bytes.length;
  }

  add(position: number, key: number, message: Uint8Array, signature: Uint8Array): void {
    this.#numbers.set([key, message.length, signature.length], this.positions.length * NUMBERS);
    this.positions.push(position);
    this.#bytes.set(message, this.#end);
    this.#bytes.set(signature, this.#end + message.length);
    this.#end += message.length + signature.length;
  }

  /** Begins anew in the same memory. */
  clear(): void {
    this.positions.length = 0;
    this.#end = TABLE_BYTES;
  }

  get packed(): PackedSignatures {
    return { memory: this.#memory, count: this.positions.length };
  }
}

/** The places in a batch of the signatures that do not verify under `keys`. */
export function invalidPlaces(
  { memory, count }: PackedSignatures,
  keys: readonly (PublicKey | null)[],
): number[] {
  const numbers = new Uint32Array(memory, 0, count * NUMBERS);
  const bytes = new Uint8Array(memory);
  const invalid: number[] = [];
  let at = TABLE_BYTES;
  for (let place = 0; place < count; place += 1) {
    const [number = 0, messageLength = 0, signatureLength = 0] = numbers.subarray(place * NUMBERS);
    const key = keys[number] ?? null;
    const message = bytes.subarray(at, at + messageLength);
    at += messageLength;
    // A backend may ask for memory that is not shared, which so few bytes are quickly copied to.
    const signature = bytes.slice(at, at + signatureLength);
    at += signatureLength;
    if (key === null || !verifySignature(key, message, signature)) invalid.push(place);
  }
  return invalid;
}
