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
  return idOf(prefix, globalThis.crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}

function idOf(prefix: string, random: Uint8Array): string {
  return `${prefix}-${encodeHex(random).slice(2)}`;
}

/** What one action needs at least. Everything is used once: nothing of the draw is kept for a later action. */
export interface ActionRandoms {
  readonly receiptId: string;
  readonly actionId: string;
  readonly inputSalt: Uint8Array;
  readonly outputSalt: Uint8Array;
}

/** In one draw: asking the generator costs more than the bytes. */
export function newActionRandoms(): ActionRandoms {
  const drawn = globalThis.crypto.getRandomValues(new Uint8Array(2 * SALT_BYTES + 2 * ID_BYTES));
  const ids = drawn.subarray(2 * SALT_BYTES);
  return {
    inputSalt: drawn.subarray(0, SALT_BYTES),
    outputSalt: drawn.subarray(SALT_BYTES, 2 * SALT_BYTES),
    receiptId: idOf("receipt", ids.subarray(0, ID_BYTES)),
    actionId: idOf("action", ids.subarray(ID_BYTES)),
  };
}
