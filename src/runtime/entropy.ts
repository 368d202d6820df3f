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

/** What one action needs at least. Everything is used once. */
export interface ActionRandoms {
  readonly receiptId: string;
  readonly actionId: string;
  readonly inputSalt: Uint8Array;
  readonly outputSalt: Uint8Array;
}

export function newActionRandoms(): ActionRandoms {
  return {
    receiptId: idOf("receipt", takeRandom(ID_BYTES)),
    actionId: idOf("action", takeRandom(ID_BYTES)),
    inputSalt: takeRandom(SALT_BYTES),
    outputSalt: takeRandom(SALT_BYTES),
  };
}

/** {@link newSalt} for actions, out of one draw with others. */
export function takeSalt(): Uint8Array {
  return takeRandom(SALT_BYTES);
}

/** For about forty actions: asking the generator costs far more than the bytes. */
const pool = new Uint8Array(4096);
let used = pool.length;

/** New random bytes, out of one draw with others. They are given out once, and nothing stays in their place. */
function takeRandom(count: number): Uint8Array {
  if (used + count > pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  const taken = pool.slice(used, used + count);
  pool.fill(0, used, used + count);
  used += count;
  return taken;
}
