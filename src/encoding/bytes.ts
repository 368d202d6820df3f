/** Layer 1: joining and comparing byte arrays. */

/** A new array with the bytes of all parts, one after the other. */
export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** {@link concatBytes} of a list, which may be longer than what a call takes as arguments. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(lengthOf(parts));
  copyParts(parts, joined);
  return joined;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

function copyParts(parts: readonly Uint8Array[], target: Uint8Array): void {
  let at = 0;
  for (const part of parts) {
    target.set(part, at);
    at += part.length;
  }
}

/** More than this is not kept once it has been taken. */
const MOST_KEPT = 1_048_576;

/** Bytes that come in pieces of any size, one behind the other in one piece of memory. */
export class Gatherer {
  #memory = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#memory.length));
      grown.set(this.#memory.subarray(0, this.#length));
      this.#memory = grown;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  /** All that came, and begins anew; what it gives holds until more is added. */
  take(): Uint8Array {
    const all = this.#memory.subarray(0, this.#length);
    this.#length = 0;
    if (this.#memory.length > MOST_KEPT) this.#memory = new Uint8Array(0);
    return all;
  }
}

/** True when both have the same length and bytes. Not constant-time: for public values only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false;
  }
  return true;
}

/**
 * Order by the first byte that differs, as unsigned numbers; a prefix sorts before what it begins.
 * Negative, zero or positive like a sort comparator. Not constant-time.
 */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
