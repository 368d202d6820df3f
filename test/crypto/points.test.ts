/** The arithmetic of the portable backend, against noble's. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckedKey } from "../../src/crypto/backend.js";
import { ED25519_FIELD, ED25519_ORDER, isEd25519Key } from "../../src/crypto/ed25519.js";
import {
  ED25519_BASE,
  ED25519_IDENTITY,
  Ed25519Point,
  ed25519PointOf,
  littleEndian,
} from "../../src/crypto/ed25519-point.js";
import { inverse, modulo } from "../../src/crypto/modular.js";
import { OddMultiples } from "../../src/crypto/multiples.js";
import { P256_FIELD, P256_ORDER } from "../../src/crypto/p256.js";
import { P256_BASE, P256_INFINITY, type P256Point, p256PointOf } from "../../src/crypto/p256-point.js";
import { SumOfMultiples } from "../../src/crypto/sum-of-multiples.js";
import { hex, MANY_USES, toHex } from "./helpers.js";

type NoblePoint = typeof ed25519.Point.BASE;
const { BASE, ZERO } = ed25519.Point;
const EIGHTH = ed25519.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
const own = ({ X, Y, Z, T }: NoblePoint): Ed25519Point => new Ed25519Point(X, Y, Z, T);
const times = (scalar: bigint): NoblePoint => BASE.multiplyUnsafe(scalar);

/** Of any order: a multiple of the base point, and one of a point of order 8. */
const mixed = fc
  .tuple(fc.bigInt({ min: 0n, max: ED25519_ORDER - 1n }), fc.bigInt({ min: 0n, max: 7n }))
  .map(([large, small]) => times(large).add(EIGHTH.multiplyUnsafe(small)));

function expectSame(point: Ed25519Point, expected: NoblePoint): void {
  expect(toHex(point.toBytes())).toBe(expected.toHex());
  // The fourth coordinate belongs to the others, or the next addition would be wrong.
  expect(modulo(point.X * point.Y - point.Z * point.T, ED25519_FIELD)).toBe(0n);
}

describe("Ed25519Point", () => {
  it("adds, doubles and negates as noble does, in whatever coordinates a point comes", () => {
    fc.assert(
      fc.property(mixed, mixed, fc.bigInt({ min: 1n, max: ED25519_FIELD - 1n }), (p, q, z) => {
        const scaled = new Ed25519Point(-p.X * z, (-p.Y * z) % ED25519_FIELD, -p.Z * z, -p.T * z);
        for (const same of [own(p), scaled]) {
          expectSame(same, p);
          expectSame(same.add(own(q)), p.add(q));
          expectSame(own(q).add(same), p.add(q));
          expectSame(same.double(), p.double());
          expectSame(same.negate(), p.negate());
        }
      }),
      { numRuns: 100 },
    );
  });

  it("adds equal points, opposite ones, the identity and all of small order, and what results of them", () => {
    const small = Array.from({ length: 8 }, (_, i) => EIGHTH.multiplyUnsafe(BigInt(i)));
    const all = [...small, BASE, BASE.negate(), BASE.double(), times(ED25519_ORDER - 2n), BASE.add(EIGHTH)];
    for (const p of all) {
      expectSame(own(p).double(), p.double());
      for (const q of all) {
        expectSame(own(p).add(own(q)), p.add(q));
        // Once more with a sum that is not reduced.
        expectSame(own(p).add(own(q)).add(own(q.negate())), p);
      }
    }
  });

  it("has noble's base point and identity", () => {
    expectSame(ED25519_BASE, BASE);
    expectSame(ED25519_IDENTITY, ZERO);
  });

  it("comes out of the bytes of every key as noble's does", () => {
    fc.assert(
      fc.property(mixed, (point) => {
        const bytes = point.toBytes();
        if (isEd25519Key(bytes)) expectSame(ed25519PointOf(bytes), point);
      }),
      { numRuns: 100 },
    );
    let read = 0;
    for (let y = 2; y < 200; y += 1) {
      for (const sign of ["00", "80"]) {
        const bytes = hex(`${y.toString(16).padStart(2, "0")}${"00".repeat(30)}${sign}`);
        if (!isEd25519Key(bytes)) continue;
        expectSame(ed25519PointOf(bytes), ed25519.Point.fromBytes(bytes));
        read += 1;
      }
    }
    expect(read).toBeGreaterThan(150);
  });
});

describe("numbers modulo a prime", () => {
  it.each([P256_FIELD, P256_ORDER, ED25519_FIELD, ED25519_ORDER])(
    "have remainders and inverses, %d",
    (prime) => {
      const { Fn } = p256.Point;
      const check = (value: bigint): void => {
        const remainder = modulo(value, prime);
        expect(remainder >= 0n && remainder < prime && (value - remainder) % prime === 0n).toBe(true);
        if (remainder === 0n) expect(() => inverse(value, prime)).toThrow(RangeError);
        else expect(modulo(inverse(value, prime) * value, prime)).toBe(1n);
        if (prime === P256_ORDER && remainder !== 0n)
          expect(inverse(value, prime)).toBe(Fn.inv(Fn.create(value)));
      };
      for (const value of [0n, 1n, 2n, prime - 1n, prime, prime + 1n, 2n ** 255n]) {
        check(value);
        check(-value);
      }
      fc.assert(fc.property(fc.bigInt({ min: -(2n ** 520n), max: 2n ** 520n }), check), { numRuns: 200 });
    },
  );

  it("are read little-endian, and leave the bytes as they are", () => {
    const bytes = hex("0102ff");
    expect(littleEndian(bytes)).toBe(0xff0201n);
    expect(toHex(bytes)).toBe("0102ff");
    // A Buffer's own slice would share memory.
    const buffer = Buffer.from(bytes);
    expect(littleEndian(buffer)).toBe(0xff0201n);
    expect(toHex(buffer)).toBe("0102ff");
  });
});

const scalar = fc.bigInt({ min: 0n, max: P256_ORDER - 1n });
const modP = (value: bigint): bigint => modulo(value, P256_FIELD);
const noblesP256 = ({ X, Y, Z }: P256Point): typeof p256.Point.BASE =>
  new p256.Point(modP(X), modP(Y), modP(Z));

describe("OddMultiples", () => {
  it.each([2, 3, 5, 7])("of %i bits give terms that add up to the multiple", (windowBits) => {
    const odd = new OddMultiples(P256_BASE, windowBits);
    const sumOf = (value: bigint): P256Point =>
      odd
        .termsOf(value)
        .toReversed()
        .reduce(
          (sum: P256Point, term) => (term === undefined ? sum.double() : sum.double().add(term)),
          P256_INFINITY,
        );
    const check = (value: bigint): void => {
      if (!noblesP256(sumOf(value)).equals(p256.Point.BASE.multiplyUnsafe(value)))
        expect.fail(`another multiple than noble's for ${value}`);
    };
    for (const value of [0n, 1n, P256_ORDER - 1n, P256_ORDER >> 1n]) check(value);
    for (let value = 0n; value < 260n; value += 1n) check(value);
    fc.assert(fc.property(scalar, check), { numRuns: 30 });
  });
});

describe("SumOfMultiples", () => {
  const edges = [0n, 1n, 2n, 15n, 16n, 17n, 2n ** 128n, P256_ORDER >> 1n, P256_ORDER - 2n, P256_ORDER - 1n];

  /** Every sum by doublings, under a key that is new, and by tables, under one that has come back. */
  function everySum<P>(
    sum: { of(a: bigint, b: bigint, key: CheckedKey): P },
    spki: Uint8Array,
    check: (result: P, a: bigint, b: bigint) => void,
  ): void {
    const busy = { spki };
    for (let use = 0; use < MANY_USES; use += 1) sum.of(1n, 1n, busy);
    const both = (a: bigint, b: bigint): void => {
      for (const key of [{ spki }, busy]) check(sum.of(a, b, key), a, b);
    };
    for (const a of edges) for (const b of edges) both(a, b);
    fc.assert(fc.property(scalar, scalar, both), { numRuns: 20 });
  }

  it.each([1n, 2n, 5n, P256_ORDER - 1n, 0xdeadbeefcafen])(
    "is noble's for the P-256 key of secret %d",
    (secret) => {
      const point = p256.Point.BASE.multiplyUnsafe(secret);
      const sum = new SumOfMultiples(P256_BASE, P256_INFINITY, ({ spki }) => p256PointOf(spki));
      everySum(sum, point.toBytes(false), (result, a, b) => {
        const expected = p256.Point.BASE.multiplyUnsafe(modulo(a + b * secret, P256_ORDER));
        expect(result.isInfinity()).toBe(expected.is0());
        if (!noblesP256(result).equals(expected)) expect.fail(`another sum than noble's for ${a}, ${b}`);
      });
    },
  );

  it.each([1n, ED25519_ORDER - 1n, 0xdeadbeefcafen])(
    "is noble's for the Ed25519 key of secret %d",
    (secret) => {
      for (const [order, part] of [
        [1n, ZERO],
        [8n, EIGHTH],
      ] as const) {
        const point = times(secret).add(part);
        const sum = new SumOfMultiples(ED25519_BASE, ED25519_IDENTITY, ({ spki }) => ed25519PointOf(spki));
        everySum(sum, point.toBytes(), (result, a, b) => {
          const expected = times(modulo(a + b * secret, ED25519_ORDER)).add(part.multiplyUnsafe(b % order));
          expect(toHex(result.toBytes())).toBe(expected.toHex());
        });
      }
    },
  );
});
