/**
 * Layer 2: what this package checks of NIST P-256 (SEC 2 section 2.4.2) by its own arithmetic, so that a
 * key has passed the same test whichever backend later does the signature equation.
 */
import { encodeHex } from "../encoding/hex.js";

/** The prime p that coordinates are reduced by. */
export const P256_FIELD: bigint = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;

/** The curve is y^2 = x^3 - 3x + b. */
export const P256_B: bigint = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** The order n of the group, which is prime; r and s of a signature lie in [1, n-1]. */
export const P256_ORDER: bigint = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** A signature is low-S when s is at most this. */
export const P256_HALF_ORDER: bigint = P256_ORDER >> 1n;

/** Length of an uncompressed point: `04`, 32 bytes of x, 32 bytes of y. */
export const P256_POINT_BYTES = 65;

/**
 * True when the 65 bytes are an uncompressed point (SEC 1 section 2.3.3) with both coordinates reduced
 * and on the curve. Compressed, hybrid and infinity encodings are false: a key has one spelling here.
 * The group has cofactor 1, so there is no subgroup to check.
 */
export function isP256Point(point: Uint8Array): boolean {
  if (point.length !== P256_POINT_BYTES || point[0] !== 4) return false;
  const x = BigInt(encodeHex(point.subarray(1, 33)));
  const y = BigInt(encodeHex(point.subarray(33)));
  return x < P256_FIELD && y < P256_FIELD && (y * y - (x * x * x - 3n * x + P256_B)) % P256_FIELD === 0n;
}
