import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeEcdsaSignature,
  encodeEcdsaSignature,
  isStrictEcdsa,
  normalizeLowS,
} from "../../src/crypto/der.js";
import { P256_HALF_ORDER, P256_ORDER } from "../../src/crypto/p256.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { OsaProofError } from "../../src/errors.js";
import { hex, toHex } from "./helpers.js";

const n = P256_ORDER;

function padded(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof OsaProofError) return error.code;
    throw error;
  }
  return "none";
}

/** Scalars of every byte length, so that leading zero bytes are common rather than rare. */
const scalar = fc
  .tuple(fc.integer({ min: 1, max: 32 }), fc.bigInt({ min: 1n, max: n - 1n }))
  .map(([bytes, value]) => {
    const cut = value >> BigInt(8 * (32 - bytes));
    return cut === 0n ? 1n : cut;
  });

describe("strict DER of ECDSA signatures", () => {
  it("F024 10,000 random signatures survive DER to raw to DER, leading zero bytes included", () => {
    fc.assert(
      fc.property(scalar, scalar, (r, s) => {
        const der = encodeEcdsaSignature(r, s);
        const parts = decodeEcdsaSignature(der);
        expect(parts).toEqual({ r, s });
        const raw = hex(padded(parts?.r ?? 0n) + padded(parts?.s ?? 0n));
        const low = s > n / 2n ? n - s : s;
        const expected = toHex(encodeEcdsaSignature(r, low));
        expect(toHex(normalizeLowS(raw, "raw"))).toBe(expected);
        expect(toHex(normalizeLowS(der, "der"))).toBe(expected);
        expect(isStrictEcdsa(der)).toBe(s === low);
      }),
      { numRuns: 10_000 },
    );
  });

  it("F024 one to three leading zero bytes in r or s, written out", () => {
    for (const zeros of [1, 2, 3]) {
      const short = `${"00".repeat(zeros)}80${"11".repeat(31 - zeros)}`;
      const long = `7f${"22".repeat(31)}`;
      for (const raw of [hex(short + long), hex(long + short)]) {
        const parts = decodeEcdsaSignature(normalizeLowS(raw));
        expect(padded(parts?.r ?? 0n) + padded(parts?.s ?? 0n)).toBe(toHex(raw));
      }
    }
  });

  it("whatever decodes encodes back to the same bytes", () => {
    const valid = encodeEcdsaSignature(n >> 3n, n >> 9n);
    const edit = fc.tuple(fc.nat(valid.length), fc.nat(2), fc.uint8Array({ maxLength: 3 }));
    fc.assert(
      fc.property(edit, ([at, removed, inserted]) => {
        const bytes = concatBytes(valid.slice(0, at), inserted, valid.slice(at + removed));
        const parts = decodeEcdsaSignature(bytes);
        if (parts !== null) expect(toHex(encodeEcdsaSignature(parts.r, parts.s))).toBe(toHex(bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  it("takes the smallest and the largest signature", () => {
    expect(decodeEcdsaSignature(hex("3006020101020101"))).toEqual({ r: 1n, s: 1n });
    expect(decodeEcdsaSignature(encodeEcdsaSignature(n - 1n, n - 1n))).toEqual({ r: n - 1n, s: n - 1n });
    expect(isStrictEcdsa(encodeEcdsaSignature(n - 1n, P256_HALF_ORDER))).toBe(true);
    expect(isStrictEcdsa(encodeEcdsaSignature(n - 1n, P256_HALF_ORDER + 1n))).toBe(false);
    expect(normalizeLowS(encodeEcdsaSignature(1n, n - 1n))).toEqual(hex("3006020101020101"));
    const half = encodeEcdsaSignature(1n, P256_HALF_ORDER);
    expect(normalizeLowS(half)).toEqual(half);
    expect(normalizeLowS(encodeEcdsaSignature(1n, P256_HALF_ORDER + 1n))).toEqual(half);
  });

  it("takes n - s where s is within every power of two of n", () => {
    for (let bits = 0n; bits < 255n; bits += 1n) {
      for (const low of [2n ** bits, 2n ** bits - 1n, 2n ** bits + 1n]) {
        if (low < 1n || low > P256_HALF_ORDER) continue;
        const r = n - low;
        expect(normalizeLowS(encodeEcdsaSignature(r, n - low))).toEqual(encodeEcdsaSignature(r, low));
      }
    }
  });

  it("gives bytes of its own, low or not", () => {
    for (const s of [1n, n - 1n]) {
      const der = encodeEcdsaSignature(1n, s);
      normalizeLowS(der).fill(0);
      expect(der).toEqual(encodeEcdsaSignature(1n, s));
    }
  });

  it.each([
    ["nothing", ""],
    ["only a tag", "30"],
    ["an empty sequence", "3000"],
    ["one integer", "3003020101"],
    ["r = 0", "3006020100020101"],
    ["s = 0", "3006020101020100"],
    ["r = n", `30260221 00${padded(n)}020101`],
    ["s = n", `30260201010221 00${padded(n)}`],
    ["r = 2^256", `302602210100${"00".repeat(31)}020101`],
    ["r of 34 bytes", `302702220100${"00".repeat(32)}020101`],
    ["an empty integer", "30050200020101"],
    ["negative r", "3006020181020101"],
    ["negative s", "3006020101020181"],
    ["r of 80 and nothing else, which is negative", "3006020180020101"],
    ["s of 80 and nothing else, which is negative", "3006020101020180"],
    ["needless zero in r", "300702020001020101"],
    ["needless zero in s", "300702010102020001"],
    ["long form of the sequence length", "308106020101020101"],
    ["long form of r's length", "300702810101020101"],
    ["long form of s's length", "300702010102810101"],
    ["two-byte long form", "30820006020101020101"],
    ["indefinite length", "30800201010201010000"],
    ["bytes after the sequence", "300602010102010100"],
    ["bytes after s, inside", "300702010102010100"],
    ["NULL after s, inside", "30080201010201010500"],
    ["a length too short", "3005020101020101"],
    ["a length too long", "3007020101020101"],
    ["s running over the end", "3006020101020201"],
    ["a set instead of a sequence", "3106020101020101"],
    ["an octet string as r", "3006040101020101"],
    ["an octet string as s", "3006020101040101"],
    ["64 raw bytes", `${padded(1n)}${padded(1n)}`],
  ])("F021 refuses %s", (_, digits) => {
    const bytes = hex(digits.replaceAll(" ", ""));
    expect(decodeEcdsaSignature(bytes)).toBeNull();
    expect(isStrictEcdsa(bytes)).toBe(false);
    expect(codeOf(() => normalizeLowS(bytes, "der"))).toBe("SIGNER_FAILED");
  });

  it("writes and normalises only r and s in range", () => {
    for (const bad of [0n, -1n, n, n + 1n, 2n ** 256n]) {
      expect(codeOf(() => encodeEcdsaSignature(bad, 1n))).toBe("SIGNER_FAILED");
      expect(codeOf(() => encodeEcdsaSignature(1n, bad))).toBe("SIGNER_FAILED");
    }
    for (const raw of [padded(0n) + padded(1n), padded(1n) + padded(0n), padded(1n) + padded(n)]) {
      expect(codeOf(() => normalizeLowS(hex(raw), "raw"))).toBe("SIGNER_FAILED");
    }
    for (const length of [0, 63, 65, 66]) {
      expect(codeOf(() => normalizeLowS(new Uint8Array(length).fill(1), "raw"))).toBe("SIGNER_FAILED");
    }
    expect(codeOf(() => normalizeLowS(hex(padded(1n) + padded(n - 1n)), "raw"))).toBe("none");
  });
});
