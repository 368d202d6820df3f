/**
 * Layer 2: the portable backend, over noble's hashes and point arithmetic. The two signature equations are
 * written out here: noble's own Ed25519 check multiplies by the cofactor even in its strict mode, which
 * accepts signatures that OpenSSL refuses, and its ECDSA check cannot reuse a table for a key.
 */

import { mulAddUnsafe } from "@noble/curves/abstract/curve.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, equalBytes } from "../encoding/bytes.js";
import { encodeHex } from "../encoding/hex.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import type { Backend, CheckedKey } from "./backend.js";
import { decodeEcdsaSignature } from "./der.js";
import { ED25519_BYTES } from "./ed25519.js";
import { type GroupPoint, Multiples, RecentTables } from "./multiples.js";
import { ed25519, p256 } from "./noble-curves.js";
import { P256_ORDER, P256_POINT_BYTES } from "./p256.js";
import { P256Point } from "./p256-point.js";

/** A table of multiples costs about as much as three checks without one, and makes each later one five times faster. */
const USES_BEFORE_TABLE = 6;
const KEY_WINDOW_BITS = 6;
/** There is one of these for each curve, made once. */
const BASE_WINDOW_BITS = 7;
/** A table takes a third of a megabyte. */
const MAX_TABLES = 16;
const SCALAR_BITS = 256;

/** a times the base point, plus b times a key's point: the sum that both signature equations are about. */
class SumOfMultiples<P extends GroupPoint<P>> {
  readonly #base: P;
  readonly #zero: P;
  readonly #pointOf: (key: CheckedKey) => P;
  readonly #plainly: (points: [P, P], scalars: [bigint, bigint]) => P;
  readonly #uses = new WeakMap<CheckedKey, { readonly point: P; count: number }>();
  readonly #tables = new RecentTables<P>(MAX_TABLES);
  #baseTable: Multiples<P> | undefined;

  constructor(
    { BASE, ZERO }: { readonly BASE: P; readonly ZERO: P },
    pointOf: (key: CheckedKey) => P,
    plainly: (points: [P, P], scalars: [bigint, bigint]) => P,
  ) {
    this.#base = BASE;
    this.#zero = ZERO;
    this.#pointOf = pointOf;
    this.#plainly = plainly;
  }

  of(a: bigint, b: bigint, key: CheckedKey): P {
    const known = this.#tables.get(key);
    if (known !== undefined) return this.#byTables(a, b, known);
    let use = this.#uses.get(key);
    if (use === undefined) {
      use = { point: this.#pointOf(key), count: 0 };
      this.#uses.set(key, use);
    }
    use.count += 1;
    if (use.count < USES_BEFORE_TABLE) return this.#plainly([this.#base, use.point], [a, b]);
    // Should its table have to make room for another, it counts anew.
    use.count = 0;
    const table = new Multiples(use.point, SCALAR_BITS, KEY_WINDOW_BITS);
    this.#tables.add(key, table);
    return this.#byTables(a, b, table);
  }

  #byTables(a: bigint, b: bigint, table: Multiples<P>): P {
    this.#baseTable ??= new Multiples(this.#base, SCALAR_BITS, BASE_WINDOW_BITS);
    return table.addTo(this.#baseTable.addTo(this.#zero, a), b);
  }
}

type NobleP256Point = typeof p256.Point.BASE;

const own = ({ X, Y, Z }: NobleP256Point): P256Point => new P256Point(X, Y, Z);
const nobles = ({ X, Y, Z }: P256Point): NobleP256Point => new p256.Point(X, Y, Z);

const p256Sum = new SumOfMultiples(
  { BASE: own(p256.Point.BASE), ZERO: own(p256.Point.ZERO) },
  (key) => own(p256.Point.fromBytes(key.spki.slice(-P256_POINT_BYTES))),
  (points, scalars) => own(mulAddUnsafe(p256.Point, points.map(nobles), scalars)),
);

/** Of -A, since the equation subtracts [k]A. */
const ed25519Sum = new SumOfMultiples(
  ed25519.Point,
  (key) => ed25519.Point.fromBytes(key.spki.slice(-ED25519_BYTES)).negate(),
  (points, scalars) => mulAddUnsafe(ed25519.Point, points, scalars),
);

/** FIPS 186-5 section 6.4.2: x of [e/s]G + [r/s]Q, reduced modulo n, equals r. */
function verifyP256(key: CheckedKey, message: Uint8Array, der: Uint8Array): boolean {
  const parts = decodeEcdsaSignature(der);
  if (parts === null) return false;
  const { Fn } = p256.Point;
  const inverse = Fn.inv(parts.s);
  const e = Fn.create(BigInt(encodeHex(sha256(message))));
  const sum = p256Sum.of(Fn.mul(e, inverse), Fn.mul(parts.r, inverse), key);
  // Two numbers below the field's prime may be r modulo n.
  return !sum.isInfinity() && (sum.hasX(parts.r) || sum.hasX(parts.r + P256_ORDER));
}

/** RFC 8032 section 5.1.7 with the equation that is sufficient there: no cofactor, R compared as bytes. */
function verifyEd25519(key: CheckedKey, message: Uint8Array, signature: Uint8Array): boolean {
  const { Fn } = ed25519.Point;
  const r = signature.subarray(0, ED25519_BYTES);
  const s = bytesToNumberLE(signature.slice(ED25519_BYTES));
  const k = Fn.create(bytesToNumberLE(sha512(concatBytes(r, key.spki.slice(-ED25519_BYTES), message))));
  return equalBytes(ed25519Sum.of(s, k, key).toBytes(), r);
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
