/**
 * Layer 2: points of edwards25519 for verification, in the extended coordinates of RFC 8032 section 5.1.4. What is added
 * here is public.
 */

import { encodeHex } from "../encoding/hex.js";
import { ED25519_BYTES, ED25519_D, ED25519_FIELD } from "./ed25519.js";
import { inverse, modulo } from "./modular.js";
import type { GroupPoint } from "./multiples.js";

/** A square root of -1 (RFC 8032 section 5.1.1). */
const ROOT_OF_MINUS_ONE = 0x2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0n;
const TWICE_D = 2n * ED25519_D;

/**
 * (X : Y : Z : T) stands for x = X/Z and y = Y/Z, with xy = T/Z; (0 : 1 : 1 : 0) is the identity. Coordinates may be
 * negative: they count modulo p. Whether a point is on the curve is not checked.
 */
export class Ed25519Point implements GroupPoint<Ed25519Point> {
  readonly X: bigint;
  readonly Y: bigint;
  readonly Z: bigint;
  readonly T: bigint;

  constructor(X: bigint, Y: bigint, Z: bigint, T: bigint) {
    this.X = X;
    this.Y = Y;
    this.Z = Z;
    this.T = T;
  }

  /** RFC 8032 section 5.1.4: right for every two points, since -1 is a square modulo p and d is none. */
  add(other: Ed25519Point): Ed25519Point {
    const a = ((this.Y - this.X) * (other.Y - other.X)) % ED25519_FIELD;
    const b = ((this.Y + this.X) * (other.Y + other.X)) % ED25519_FIELD;
    const c = (((this.T * other.T) % ED25519_FIELD) * TWICE_D) % ED25519_FIELD;
    const d = (2n * this.Z * other.Z) % ED25519_FIELD;
    return fromFactors(b - a, b + a, d - c, d + c);
  }

  double(): Ed25519Point {
    const xx = (this.X * this.X) % ED25519_FIELD;
    const yy = (this.Y * this.Y) % ED25519_FIELD;
    const zz = (this.Z * this.Z) % ED25519_FIELD;
    const difference = yy - xx;
    return fromFactors((2n * this.X * this.Y) % ED25519_FIELD, yy + xx, 2n * zz - difference, difference);
  }

  negate(): Ed25519Point {
    return new Ed25519Point(-this.X, this.Y, this.Z, -this.T);
  }

  /** The 32 bytes of RFC 8032 section 5.1.2: y, little-endian, with the lowest bit of x on top. */
  toBytes(): Uint8Array {
    const scale = inverse(this.Z, ED25519_FIELD);
    const x = modulo(this.X * scale, ED25519_FIELD);
    let rest = modulo(this.Y * scale, ED25519_FIELD) + ((x & 1n) << 255n);
    return Uint8Array.from({ length: ED25519_BYTES }, () => {
      const byte = Number(rest & 0xffn);
      rest >>= 8n;
      return byte;
    });
  }
}

export const ED25519_IDENTITY: Ed25519Point = new Ed25519Point(0n, 1n, 1n, 0n);
export const ED25519_BASE: Ed25519Point = fromAffine(
  0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an,
  0x6666666666666666666666666666666666666666666666666666666666666658n,
);

/** A number of any length, little-endian. */
export function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(encodeHex(Uint8Array.from(bytes).reverse()));
}

/**
 * The point of 32 bytes that `isEd25519Key` takes (RFC 8032 section 5.1.3); some other point, of which nothing is
 * promised, for bytes that it does not take.
 */
export function ed25519PointOf(key: Uint8Array): Ed25519Point {
  const number = littleEndian(key);
  const y = number & (2n ** 255n - 1n);
  const u = (y * y - 1n) % ED25519_FIELD;
  const v = (ED25519_D * ((y * y) % ED25519_FIELD) + 1n) % ED25519_FIELD;
  const v3 = (((v * v) % ED25519_FIELD) * v) % ED25519_FIELD;
  const uv7 = (((u * v3) % ED25519_FIELD) * ((v3 * v) % ED25519_FIELD)) % ED25519_FIELD;
  // (p - 5) / 8 is 2^252 - 3, which is four times 2^250 - 1 and one more.
  const power = (squared(toOnes(uv7, 250), 2) * uv7) % ED25519_FIELD;
  const candidate = (((u * v3) % ED25519_FIELD) * power) % ED25519_FIELD;
  const isRoot = (v * ((candidate * candidate) % ED25519_FIELD) - u) % ED25519_FIELD === 0n;
  const x = modulo(isRoot ? candidate : candidate * ROOT_OF_MINUS_ONE, ED25519_FIELD);
  return fromAffine((x & 1n) === number >> 255n ? x : ED25519_FIELD - x, y);
}

function fromAffine(x: bigint, y: bigint): Ed25519Point {
  return new Ed25519Point(x, y, 1n, (x * y) % ED25519_FIELD);
}

/** The point of x = e/g and y = h/f, as both formulas give it. */
function fromFactors(e: bigint, h: bigint, f: bigint, g: bigint): Ed25519Point {
  return new Ed25519Point(
    (e * f) % ED25519_FIELD,
    (g * h) % ED25519_FIELD,
    (f * g) % ED25519_FIELD,
    (e * h) % ED25519_FIELD,
  );
}

/** value^(2^count). */
function squared(value: bigint, count: number): bigint {
  let result = value;
  for (let i = 0; i < count; i += 1) result = (result * result) % ED25519_FIELD;
  return result;
}

/** value^(2^bits - 1): to the power of as many ones. */
function toOnes(value: bigint, bits: number): bigint {
  if (bits === 1) return value;
  const half = bits >> 1;
  const start = toOnes(value, half);
  const even = (squared(start, half) * start) % ED25519_FIELD;
  return bits === 2 * half ? even : (squared(even, 1) * value) % ED25519_FIELD;
}
