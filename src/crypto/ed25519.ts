/**
 * Layer 2: the part of this package's one Ed25519 rule (docs/SPEC.md, "Signatures") that is about encodings.
 * Libraries disagree on exactly these inputs, so they are settled here, before any backend is asked.
 *
 * Encodings are RFC 8032 section 5.1: 32 bytes little-endian, 255 bits of y and the sign of x on top.
 */
import { decodeHex, encodeHex } from "../encoding/hex.js";

/** The field prime p. */
export const ED25519_FIELD: bigint = 2n ** 255n - 19n;
/** The d of the curve -x^2 + y^2 = 1 + d x^2 y^2. */
export const ED25519_D: bigint = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

/** The order L of the group that the base point makes. */
export const ED25519_ORDER: bigint = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Length of a key, of R and of S. */
export const ED25519_BYTES = 32;

/** L, little-endian as S is. */
const ORDER = bytesOf("0xedd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/** The field prime p = 2^255 - 19: a canonical y is below it. */
const FIELD_BYTES = bytesOf("0xedffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

/**
 * Every y, sign bit cleared, under which a point of order 1, 2, 4 or 8 can be written: 1, -1, 0, the two of
 * order 8, and 0 and 1 once more unreduced. With either sign bit these are all 14 such encodings, and they
 * include every encoding of x = 0, so "minus zero" needs no rule of its own.
 */
const SMALL_ORDER_Y: readonly Uint8Array[] = [
  "0x0100000000000000000000000000000000000000000000000000000000000000",
  "0xecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0x0000000000000000000000000000000000000000000000000000000000000000",
  "0x26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "0xc7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "0xedffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0xeeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].map(bytesOf);

/** True when the 32 bytes are a canonical encoding of a point on the curve that is not of small order. */
export function isEd25519Key(key: Uint8Array): boolean {
  return key.length === ED25519_BYTES && isUsableEncoding(key) && hasPoint(key);
}

/**
 * True when a signature has 64 bytes, R is canonical and not of small order, and S < L. That R is on the
 * curve is not tested here: the equation compares R with the encoding of a computed point, byte for byte,
 * and no computed point encodes as bytes that are off the curve.
 */
export function isStrictEd25519(signature: Uint8Array): boolean {
  return (
    signature.length === 2 * ED25519_BYTES &&
    isBelow(signature, ED25519_BYTES, ORDER, 0xff) &&
    isUsableEncoding(signature)
  );
}

/** The first 32 bytes: y < p, and not one of the 14 encodings of small order. */
function isUsableEncoding(bytes: Uint8Array): boolean {
  return isBelow(bytes, 0, FIELD_BYTES, 0x7f) && !SMALL_ORDER_Y.some((y) => hasY(bytes, y));
}

function hasY(bytes: Uint8Array, y: Uint8Array): boolean {
  for (let i = 0; i < ED25519_BYTES - 1; i++) if (bytes[i] !== y[i]) return false;
  return ((bytes[ED25519_BYTES - 1] ?? 0) & 0x7f) === y[ED25519_BYTES - 1];
}

/** Compares 32 little-endian bytes at `at`, the top one masked, with a bound. */
function isBelow(bytes: Uint8Array, at: number, bound: Uint8Array, topMask: number): boolean {
  for (let i = ED25519_BYTES - 1; i >= 0; i--) {
    const byte = (bytes[at + i] ?? 0) & (i === ED25519_BYTES - 1 ? topMask : 0xff);
    const limit = bound[i] ?? 0;
    if (byte !== limit) return byte < limit;
  }
  return false;
}

/**
 * Whether some x belongs to this y (RFC 8032 section 5.1.3): x^2 = u/v with u = y^2 - 1, v = d y^2 + 1.
 * u/v is a square exactly when u*v is; v is never 0, and u is 0 only for y = 1 and -1, ruled out before.
 */
function hasPoint(key: Uint8Array): boolean {
  const bigEndian = key.toReversed();
  bigEndian[0] = (bigEndian[0] ?? 0) & 0x7f;
  const y = BigInt(encodeHex(bigEndian));
  const y2 = (y * y) % ED25519_FIELD;
  return isSquare(((y2 - 1n) * (ED25519_D * y2 + 1n)) % ED25519_FIELD);
}

/**
 * Whether the Jacobi symbol of the value over p is 1, by the law of quadratic reciprocity. It takes a third of the time
 * of Euler's criterion, z^((p-1)/2) = 1. False for multiples of p.
 */
function isSquare(value: bigint): boolean {
  let top = ((value % ED25519_FIELD) + ED25519_FIELD) % ED25519_FIELD;
  let bottom = ED25519_FIELD;
  let square = true;
  while (top !== 0n) {
    const rest = Number(BigInt.asUintN(3, bottom));
    for (let zeros = trailingZeros(top); zeros > 0; zeros = trailingZeros(top)) {
      top >>= BigInt(zeros);
      if (zeros % 2 === 1 && (rest === 3 || rest === 5)) square = !square;
    }
    if (BigInt.asUintN(2, top) === 3n && rest % 4 === 3) square = !square;
    // Not by taking an array apart, which takes as long as the division before the code is compiled.
    const remainder = bottom % top;
    bottom = top;
    top = remainder;
  }
  return square;
}

/** How many of the lowest bits are 0, counted up to 30, of which that many are seen at once. */
function trailingZeros(value: bigint): number {
  const low = Number(BigInt.asUintN(30, value));
  return low === 0 ? 30 : 31 - Math.clz32(low & -low);
}

function bytesOf(hex: string): Uint8Array {
  return decodeHex(hex) ?? new Uint8Array(ED25519_BYTES);
}
