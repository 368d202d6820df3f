/** Layer 4: how long a column of memory is made when it has no room left. */

/** From here on a column is made as long as it may ever become, so that it is not copied again. */
const LARGE = 65_536;

/**
 * The new length for a column that has to hold `wanted` entries and will never hold more than `most`. It doubles while
 * it is small. Memory that is reserved and not written is not taken by the systems that this runs on, while a copy of
 * what is large takes it twice.
 */
export function roomFor(wanted: number, length: number, most: number): number {
  if (wanted <= length) return length;
  if (wanted < LARGE || wanted > most) return Math.max(wanted, 2 * length);
  return most;
}
