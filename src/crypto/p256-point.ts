/** Layer 2: points of NIST P-256 for verification. What is added here is public. */
import { encodeHex } from "../encoding/hex.js";
import type { GroupPoint } from "./multiples.js";
import { P256_B, P256_FIELD } from "./p256.js";

/**
 * (X : Y : Z) stands for x = X/Z and y = Y/Z, and Z = 0 for infinity. Coordinates may be negative: they count modulo p.
 * Whether a point is on the curve is not checked.
 */
export class P256Point implements GroupPoint<P256Point> {
  readonly X: bigint;
  readonly Y: bigint;
  readonly Z: bigint;

  constructor(X: bigint, Y: bigint, Z: bigint) {
    this.X = X;
    this.Y = Y;
    this.Z = Z;
  }

  /**
   * Renes, Costello and Batina, "Complete addition formulas for prime order elliptic curves" (2015), for a = -3: right
   * for every two points, equal ones, opposite ones and infinity included, since the order of the group is odd.
   */
  add(other: P256Point): P256Point {
    const { X: x1, Y: y1, Z: z1 } = this;
    const { X: x2, Y: y2, Z: z2 } = other;
    const xx = (x1 * x2) % P256_FIELD;
    const yy = (y1 * y2) % P256_FIELD;
    const zz = (z1 * z2) % P256_FIELD;
    const xy = (x1 * y2 + x2 * y1) % P256_FIELD;
    const xz = (x1 * z2 + x2 * z1) % P256_FIELD;
    const yz = (y1 * z2 + y2 * z1) % P256_FIELD;
    const c = 3n * ((xz - P256_B * zz) % P256_FIELD);
    const d = (P256_B * xz - xx - 3n * zz) % P256_FIELD;
    const e = 3n * (xx - zz);
    return new P256Point(
      (xy * (yy + c) - 3n * yz * d) % P256_FIELD,
      (3n * e * d + (yy - c) * (yy + c)) % P256_FIELD,
      (yz * (yy - c) + xy * e) % P256_FIELD,
    );
  }

  double(): P256Point {
    return this.add(this);
  }

  negate(): P256Point {
    return new P256Point(this.X, -this.Y, this.Z);
  }

  isInfinity(): boolean {
    return this.Z % P256_FIELD === 0n;
  }

  /** Whether a point other than infinity has this x, which is a number from 0 to p - 1. Takes no division. */
  hasX(x: bigint): boolean {
    return x < P256_FIELD && (x * this.Z - this.X) % P256_FIELD === 0n;
  }
}

export const P256_INFINITY: P256Point = new P256Point(0n, 1n, 0n);
/** SEC 2 section 2.4.2. */
export const P256_BASE: P256Point = new P256Point(
  0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  1n,
);

/** The point of the 65 bytes that `isP256Point` takes. */
export function p256PointOf(point: Uint8Array): P256Point {
  return new P256Point(BigInt(encodeHex(point.subarray(1, 33))), BigInt(encodeHex(point.subarray(33))), 1n);
}
