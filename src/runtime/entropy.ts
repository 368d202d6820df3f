/** Layer 8: the random values of the protocol, from the platform's generator (`globalThis.crypto`). */
import { encodeHex } from "../encoding/hex.js";

const SALT_BYTES = 32;
const ID_BYTES = 16;

/** 32 random bytes, for one commitment only. */
export function newSalt(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(SALT_BYTES));
}

/** `prefix-` and 32 random hex digits: an identifier that nobody else has. */
export function newId(prefix: string): string {
  const random = globalThis.crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return `${prefix}-${encodeHex(random).slice(2)}`;
}
