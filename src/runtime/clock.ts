/** Layer 8: the one clock. */

/** Milliseconds since 1970 by the platform's clock. */
export function systemClock(): number {
  return Date.now();
}
