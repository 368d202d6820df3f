/** Tables of multiples, and the point arithmetic under them, against noble's own. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backend } from "../../src/crypto/backend-portable.js";
import { encodeEcdsaSignature } from "../../src/crypto/der.js";
import { sha256 } from "../../src/crypto/digest.js";
import { spkiFromP256Point } from "../../src/crypto/keys.js";
import { Multiples, RecentTables } from "../../src/crypto/multiples.js";
import { P256_FIELD, P256_ORDER } from "../../src/crypto/p256.js";
import { P256Point } from "../../src/crypto/p256-point.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { hex, keyOf, MANY_USES, verifyEverywhere } from "./helpers.js";

type NoblePoint = typeof p256.Point.BASE;
const { BASE, ZERO } = p256.Point;
const own = ({ X, Y, Z }: NoblePoint): P256Point => new P256Point(X, Y, Z);
const modP = (value: bigint): bigint => ((value % P256_FIELD) + P256_FIELD) % P256_FIELD;
const nobles = ({ X, Y, Z }: P256Point): NoblePoint => new p256.Point(modP(X), modP(Y), modP(Z));
const times = (scalar: bigint): NoblePoint => BASE.multiplyUnsafe(scalar);

const scalar = fc.bigInt({ min: 0n, max: P256_ORDER - 1n });
/** Where digits carry, are halves, or are all alike. */
const edges = [
  0n,
  1n,
  2n,
  P256_ORDER - 1n,
  P256_ORDER >> 1n,
  (P256_ORDER >> 1n) + 1n,
  ...Array.from({ length: 255 }, (_, bit) => 2n ** BigInt(bit)).flatMap((power) => [power, power - 1n]),
  ...Array.from({ length: 64 }, (_, digit) => BigInt(`0x${"0123456789abcdef"[digit % 16]}`.padEnd(65, "7"))),
].filter((value) => value < P256_ORDER);

function expectSame(sum: P256Point, expected: NoblePoint): void {
  expect(sum.isInfinity()).toBe(expected.is0());
  if (!nobles(sum).equals(expected)) expect.fail("another point than noble's");
  if (expected.is0()) return;
  const { x } = expected.toAffine();
  expect(sum.hasX(x)).toBe(true);
  expect(sum.hasX(x ^ 1n)).toBe(false);
  expect(sum.hasX(x + P256_FIELD)).toBe(false);
}

describe("P256Point", () => {
  it("adds, doubles and negates as noble does, in whatever coordinates a point comes", () => {
    fc.assert(
      fc.property(scalar, scalar, fc.bigInt({ min: 1n, max: P256_FIELD - 1n }), (a, b, z) => {
        const [p, q] = [times(a), times(b)];
        const scaled = new P256Point(-p.X * z, (-p.Y * z) % P256_FIELD, (-p.Z * z) % P256_FIELD);
        for (const same of [own(p), scaled]) {
          expectSame(same, p);
          expectSame(same.add(own(q)), p.add(q));
          expectSame(own(q).add(same), p.add(q));
          expectSame(same.double(), p.double());
          expectSame(same.negate(), p.negate());
        }
      }),
      { numRuns: 200 },
    );
  });

  it("adds equal points, opposite ones and infinity, and what results of them", () => {
    const small = [
      ZERO,
      BASE,
      BASE.negate(),
      BASE.double(),
      times(3n),
      times(3n).negate(),
      times(P256_ORDER - 2n),
    ];
    for (const p of small) {
      for (const q of small) {
        expectSame(own(p).add(own(q)), p.add(q));
        // Once more with a sum that is not reduced.
        expectSame(own(p).add(own(q)).add(own(q.negate())), p);
        expectSame(
          own(p)
            .add(own(q))
            .add(own(p.add(q).negate())),
          ZERO,
        );
      }
    }
  });
});

describe("Multiples", () => {
  it.each([1, 2, 3, 5, 6, 7])("of windows of %i bits add up to the multiple", (windowBits) => {
    const point = times(0xdeadbeefcafen);
    const table = new Multiples(own(point), 256, windowBits);
    for (const value of edges) expectSame(table.addTo(own(ZERO), value), point.multiplyUnsafe(value));
    fc.assert(
      fc.property(scalar, scalar, (a, b) => {
        expectSame(table.addTo(own(times(b)), a), point.multiplyUnsafe(a).add(times(b)));
      }),
      { numRuns: 40 },
    );
  });

  it("refuse a scalar of more bits than they were made for, and take every one of as many", () => {
    for (const [bits, windowBits] of [
      [8, 3],
      [8, 4],
      [9, 3],
      [10, 7],
    ] as const) {
      const table = new Multiples(own(BASE), bits, windowBits);
      for (let value = 0; value < 2 ** bits; value += 1) {
        expectSame(table.addTo(own(ZERO), BigInt(value)), times(BigInt(value)));
      }
      for (const value of [2n ** BigInt(bits + windowBits), 2n ** 300n]) {
        expect(() => table.addTo(own(ZERO), value)).toThrow(RangeError);
      }
    }
  });

  it("of a point with a part of order 8 are multiples by the number itself, not modulo the order", () => {
    const eighth = ed25519.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
    const mixed = ed25519.Point.BASE.add(eighth);
    const table = new Multiples(mixed, 256, 6);
    for (const value of [0n, 1n, 7n, 8n, 2n ** 252n, ed25519.Point.Fn.ORDER - 1n]) {
      const expected = ed25519.Point.BASE.multiplyUnsafe(value).add(eighth.multiplyUnsafe(value % 8n));
      expect(table.addTo(ed25519.Point.ZERO, value).equals(expected)).toBe(true);
    }
  });
});

describe("RecentTables", () => {
  it("keep as many as they may, and let go of the one that was used longest ago", () => {
    const tables = new RecentTables<P256Point>(2);
    const [a, b, c] = [{}, {}, {}];
    const table = new Multiples(own(BASE), 4, 2);
    for (const owner of [a, b]) tables.add(owner, table);
    expect(tables.get(a)).toBe(table);
    tables.add(c, table);
    expect([a, b, c].map((owner) => tables.get(owner) !== undefined)).toEqual([true, false, true]);
  });
});

describe("the P-256 equation on keys and signatures that meet on the way", () => {
  const message = hex("00");
  const e = BigInt(encodeHex(sha256(message)));
  const mod = (value: bigint): bigint => p256.Point.Fn.create(value);
  const inverse = (value: bigint): bigint => p256.Point.Fn.inv(value);

  /** A signature under the key `secret` with this nonce; either s of the two. */
  function sign(secret: bigint, nonce: bigint): Uint8Array {
    const r = mod(times(nonce).toAffine().x);
    const s = mod(inverse(nonce) * (e + r * secret));
    return encodeEcdsaSignature(r, s > P256_ORDER >> 1n ? P256_ORDER - s : s);
  }

  it("accepts the right and refuses the next, for keys that are small multiples of the base point", () => {
    for (const secret of [1n, 2n, 3n, 63n, 64n, 65n, P256_ORDER - 1n, P256_ORDER - 2n]) {
      const key = keyOf(spkiFromP256Point(times(secret).toBytes(false)));
      for (const nonce of [1n, 2n, 3n, secret, P256_ORDER - 1n, mod(e)]) {
        const signature = sign(secret, nonce);
        expect(verifyEverywhere(key, message, signature), `${secret} ${nonce}`).toBe(true);
        expect(verifyEverywhere(key, hex("01"), signature)).toBe(false);
      }
    }
  });

  it("refuses a sum of infinity, on both ways", () => {
    // With the secret -e/r the two multiples are opposite, whatever s is.
    for (const r of [1n, 5n, mod(times(7n).toAffine().x)]) {
      const secret = mod(-e * inverse(r));
      const key = keyOf(spkiFromP256Point(times(secret).toBytes(false)));
      for (const s of [1n, 2n, 12345n]) {
        expect(verifyEverywhere(key, message, encodeEcdsaSignature(r, s))).toBe(false);
      }
    }
  });

  it("doubles where both multiples are the same point", () => {
    // With the secret e/r the two multiples are equal: their sum is 2(e/s)G.
    const nonce = 11n;
    const r = mod(times(nonce).toAffine().x);
    const secret = mod(e * inverse(r));
    const s = mod(2n * e * inverse(nonce));
    const key = keyOf(spkiFromP256Point(times(secret).toBytes(false)));
    const low = s > P256_ORDER >> 1n ? P256_ORDER - s : s;
    expect(verifyEverywhere(key, message, encodeEcdsaSignature(r, low))).toBe(true);
    expect(verifyEverywhere(key, message, encodeEcdsaSignature(r + 1n, low))).toBe(false);
  });

  it("accepts an x above the order by its remainder, and no other number for it", () => {
    // x between n and p: about one point in 2^32, so the key is made for the point and not the point for a key.
    let x = P256_ORDER;
    let point: NoblePoint | undefined;
    for (; point === undefined; x += 1n) {
      try {
        point = p256.Point.fromHex(`02${x.toString(16)}`);
      } catch {
        // No point has this x.
      }
    }
    const r = mod(x - 1n);
    const s = 3n;
    // R = (e/s)G + (r/s)Q, so Q = (s/r)(R - (e/s)G).
    const q = point.subtract(times(mod(e * inverse(s)))).multiplyUnsafe(mod(s * inverse(r)));
    const key = keyOf(spkiFromP256Point(q.toBytes(false)));
    expect(r).toBeLessThan(P256_FIELD - P256_ORDER);
    expect(verifyEverywhere(key, message, encodeEcdsaSignature(r, s))).toBe(true);
    expect(verifyEverywhere(key, message, encodeEcdsaSignature(r + 1n, s))).toBe(false);
    for (let use = 0; use < MANY_USES; use += 1) {
      expect(backend.verifyP256(key, message, encodeEcdsaSignature(r, s))).toBe(true);
    }
  });
});
