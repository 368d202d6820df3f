/** Lengths that are claimed and not there: nothing is reserved for a claim, in CBOR or in DER. */
import { describe, expect, it } from "vitest";
import { decodeEcdsaSignature, isStrictEcdsa } from "../../src/crypto/der.js";
import { parsePublicKey } from "../../src/crypto/keys.js";
import { parseCbor } from "../../src/encoding/cbor.js";
import { decodeHex } from "../../src/encoding/hex.js";
import * as LIMITS from "../../src/limits.js";
import { testKey } from "../support/keys.js";

const limits = { maxBytes: LIMITS.maxBundleBytes, maxDepth: LIMITS.maxDepth };
const LENGTHS = [
  0xffffn,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];

/** The shortest head of a major type with this argument. */
function head(major: number, argument: bigint): number[] {
  const size = argument < 2n ** 16n ? 2 : argument < 2n ** 32n ? 4 : 8;
  const bytes = [(major << 5) | (24 + Math.log2(size))];
  for (let at = size - 1; at >= 0; at -= 1) bytes.push(Number((argument >> BigInt(8 * at)) & 0xffn));
  return bytes;
}

describe("CBOR", () => {
  it.each(LENGTHS.flatMap((length) => [2, 3, 4, 5].map((major) => [major, length] as const)))(
    "major type %i that announces %i is truncated, at the top and inside",
    (major, length) => {
      const claim = head(major, length);
      for (const bytes of [claim, [...claim, 0], [0x81, ...claim], [0xa1, 0x61, 0x61, ...claim, 0, 0]]) {
        const { value, faults } = parseCbor(Uint8Array.from(bytes), limits);
        expect(value).toBeUndefined();
        expect(faults.map(({ code }) => code)).toEqual(["FORMAT_TRUNCATED"]);
      }
    },
  );

  it("reads a length that is there", () => {
    const bytes = new Uint8Array([...head(3, 0xffffn), ...new Array<number>(0xffff).fill(0x61)]);
    expect(parseCbor(bytes, limits).value).toBe("a".repeat(0xffff));
  });
});

describe("DER", () => {
  const key = testKey("root-0");
  const spki = decodeHex(key.spki) ?? new Uint8Array();
  const long = [
    [0x81, 0x80],
    [0x82, 0xff, 0xff],
    [0x84, 0xff, 0xff, 0xff, 0xff],
    [0x88, ...new Array<number>(8).fill(0xff)],
    [0x80],
    [0xff],
  ];

  it("takes the signature and the key that the claims are put into", async () => {
    expect(isStrictEcdsa(await key.signer.sign(spki))).toBe(true);
    expect(parsePublicKey(spki)).not.toBeNull();
  });

  it.each(long)("a signature with a length of %j is none, wherever it stands", async (...length) => {
    const good = [...(await key.signer.sign(spki))];
    for (const at of [1, 3, 5 + (good[3] ?? 0)]) {
      const bytes = Uint8Array.from([...good.slice(0, at), ...length, ...good.slice(at + 1)]);
      expect(isStrictEcdsa(bytes)).toBe(false);
      expect(decodeEcdsaSignature(bytes)).toBeNull();
    }
  });

  it.each(long)("a public key with a length of %j is none, wherever it stands", (...length) => {
    for (const at of [1, 3, 5, 14, 24]) {
      const bytes = Uint8Array.from([...spki.slice(0, at), ...length, ...spki.slice(at + 1)]);
      expect(parsePublicKey(bytes)).toBeNull();
    }
  });
});
