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

/** More than this is joined in memory of its own. */
const MOST_KEPT = 1_048_576;

/** {@link joinBytes} in one piece of memory again and again: what it gives holds until it is asked again. */
export class Joiner {
  #memory = new Uint8Array(0);

  join(parts: readonly Uint8Array[]): Uint8Array {
    const length = lengthOf(parts);
    if (length > MOST_KEPT) return joinBytes(parts);
    if (length > this.#memory.length) this.#memory = new Uint8Array(Math.min(2 * length, MOST_KEPT));
    copyParts(parts, this.#memory);
    return this.#memory.subarray(0, length);
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
