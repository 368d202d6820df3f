/** Layer 2: numbers modulo a prime. For public numbers only: the time taken tells them. */

/** The remainder from 0 to `modulus` - 1, of a negative number too. */
export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** The number that gives 1 when multiplied by `value`, by Euclid's algorithm. Throws for a multiple of the modulus. */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [high, low] = [modulus, modulo(value, modulus)];
  let [ofHigh, ofLow] = [0n, 1n];
  while (low !== 0n) {
    const times = high / low;
    [high, low] = [low, high - times * low];
    [ofHigh, ofLow] = [ofLow, ofHigh - times * ofLow];
  }
  if (high !== 1n) throw new RangeError("a number without an inverse");
  return modulo(ofHigh, modulus);
}
