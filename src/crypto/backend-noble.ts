/**
 * Layer 2: the portable backend, over noble's hashes and point arithmetic. The two signature equations are
 * written out here: noble's own Ed25519 check multiplies by the cofactor even in its strict mode, which
 * accepts signatures that OpenSSL refuses, and its ECDSA check cannot reuse a table for a key.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, equalBytes } from "../encoding/bytes.js";
import { encodeHex } from "../encoding/hex.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import type { Backend, CheckedKey } from "./backend.js";
import { decodeEcdsaSignature } from "./der.js";
import { ED25519_BYTES } from "./ed25519.js";
import { P256_ORDER, P256_POINT_BYTES } from "./p256.js";

/** A table of multiples costs about three checks to build and makes each later one three times faster. */
const USES_BEFORE_TABLE = 4;
const TABLE_WINDOW_BITS = 5;
/** A table takes a third of a megabyte, and an attacker chooses how many keys come back: the oldest makes room. */
const MAX_TABLES = 32;
/** Window of 1: noble's way to say that a point has no table. */
const NO_TABLE = 1;

interface CachedPoint {
  readonly point: { precompute(windowBits: number): unknown };
  uses: number;
}

const withTable: CachedPoint[] = [];

function countUse(entry: CachedPoint): void {
  entry.uses += 1;
  if (entry.uses !== USES_BEFORE_TABLE) return;
  entry.point.precompute(TABLE_WINDOW_BITS);
  if (withTable.push(entry) <= MAX_TABLES) return;
  const oldest = withTable.shift();
  if (oldest === undefined) return;
  oldest.point.precompute(NO_TABLE);
  oldest.uses = 0;
}

/** A cache of decoded key points that gives a table to a key that keeps coming back. */
function pointCache<Point extends CachedPoint["point"]>(
  decode: (key: CheckedKey) => Point,
): (key: CheckedKey) => Point {
  const cache = new WeakMap<CheckedKey, CachedPoint & { readonly point: Point }>();
  return (key) => {
    let entry = cache.get(key);
    if (entry === undefined) {
      entry = { point: decode(key), uses: 0 };
      cache.set(key, entry);
    }
    countUse(entry);
    return entry.point;
  };
}

const p256Point = pointCache((key) => p256.Point.fromBytes(key.spki.slice(-P256_POINT_BYTES)));

/** -A, since the equation subtracts [k]A. */
const ed25519Negated = pointCache((key) => ed25519.Point.fromBytes(key.spki.slice(-ED25519_BYTES)).negate());

/** FIPS 186-5 section 6.4.2: x of [e/s]G + [r/s]Q, reduced modulo n, equals r. */
function verifyP256(key: CheckedKey, message: Uint8Array, der: Uint8Array): boolean {
  const parts = decodeEcdsaSignature(der);
  if (parts === null) return false;
  const { Point } = p256;
  const inverse = Point.Fn.inv(parts.s);
  const e = Point.Fn.create(BigInt(encodeHex(sha256(message))));
  const sum = Point.BASE.multiplyUnsafe(Point.Fn.mul(e, inverse)).add(
    p256Point(key).multiplyUnsafe(Point.Fn.mul(parts.r, inverse)),
  );
  return !sum.is0() && sum.toAffine().x % P256_ORDER === parts.r;
}

/** RFC 8032 section 5.1.7 with the equation that is sufficient there: no cofactor, R compared as bytes. */
function verifyEd25519(key: CheckedKey, message: Uint8Array, signature: Uint8Array): boolean {
  const { Point } = ed25519;
  const r = signature.subarray(0, ED25519_BYTES);
  const s = bytesToNumberLE(signature.slice(ED25519_BYTES));
  const k = Point.Fn.create(bytesToNumberLE(sha512(concatBytes(r, key.spki.slice(-ED25519_BYTES), message))));
  const computed = Point.BASE.multiplyUnsafe(s).add(ed25519Negated(key).multiplyUnsafe(k));
  return equalBytes(computed.toBytes(), r);
}

export const backend: Backend = {
  name: "noble",
  sha256: (bytes) => sha256(bytes),
  sha256Into: (bytes, target, offset) => target.set(sha256(bytes), offset),
  sha256Hex: (bytes) => encodeHex(sha256(bytes)).slice(2),
  sha256Stream() {
    const made = sha256.create();
    return { update: (bytes) => void made.update(bytes), hex: () => encodeHex(made.digest()).slice(2) };
  },
  sha256HexOfText: (text) => encodeHex(sha256(encodeUtf8(text))).slice(2),
  verifyP256,
  verifyEd25519,
};
