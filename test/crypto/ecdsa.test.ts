import { verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decodeEcdsaSignature, encodeEcdsaSignature, normalizeLowS } from "../../src/crypto/der.js";
import { spkiFromP256Point } from "../../src/crypto/keys.js";
import { P256_HALF_ORDER, P256_ORDER } from "../../src/crypto/p256.js";
import { isStrictSignature, verifySignature, verifySignatureWith } from "../../src/crypto/signature.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { backends, hex, keyOf, readVectors, verifyEverywhere, type WycheproofGroup } from "./helpers.js";

// RFC 6979 appendix A.2.5, SHA-256, "sample". The published s is the high one.
const key = keyOf(
  spkiFromP256Point(
    hex(
      "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6" +
        "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
    ),
  ),
);
const message = encodeUtf8("sample");
const r = BigInt("0xefd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716");
const high = BigInt("0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");
const low = P256_ORDER - high;
const valid = encodeEcdsaSignature(r, low);

const pem = {
  key: `-----BEGIN PUBLIC KEY-----\n${Buffer.from(key.spki).toString("base64")}\n-----END PUBLIC KEY-----`,
};

describe("ECDSA P-256: one rule on both backends", () => {
  it("accepts the RFC 6979 signature with low s, again and again", () => {
    for (let i = 0; i < 8; i++) expect(verifyEverywhere(key, message, valid)).toBe(true);
    expect(verifySignature(key, message, valid)).toBe(true);
  });

  it("F022 refuses the same signature with high s, which the platform alone accepts", () => {
    const published = encodeEcdsaSignature(r, high);
    expect(verify("sha256", message, pem, published)).toBe(true);
    expect(verifyEverywhere(key, message, published)).toBe(false);
    expect(isStrictSignature("ECDSA_P256", published)).toBe(false);
    expect(verifyEverywhere(key, message, normalizeLowS(published))).toBe(true);
  });

  it("refuses another message, another key, another algorithm's shape and no signature", () => {
    const generator = keyOf(
      spkiFromP256Point(
        hex(
          "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        ),
      ),
    );
    expect(verifyEverywhere(key, encodeUtf8("sampl"), valid)).toBe(false);
    expect(verifyEverywhere(generator, message, valid)).toBe(false);
    expect(verifyEverywhere(key, message, new Uint8Array(64).fill(1))).toBe(false);
    expect(verifyEverywhere(key, message, new Uint8Array())).toBe(false);
  });

  const rTail = valid.slice(5, 37);
  it.each([
    ["long form of the sequence length", concatBytes(hex("3081"), valid.slice(1))],
    ["extra leading zero in r", concatBytes(hex("304602220000"), rTail, valid.slice(37))],
    ["r negative for lack of its zero", concatBytes(hex("30440220"), rTail, valid.slice(37))],
    ["extra leading zero in s", concatBytes(hex("3046"), valid.slice(2, 37), hex("022100"), valid.slice(39))],
    ["a byte after the sequence", concatBytes(valid, hex("00"))],
    ["a byte after s inside the sequence", concatBytes(hex("3046"), valid.slice(2), hex("00"))],
    ["r and s raw", concatBytes(rTail, valid.slice(39))],
    ["r + n", hex(`3046022101${(r + P256_ORDER).toString(16).slice(1)}02200${low.toString(16)}`)],
    ["r = 0", hex(`302502010002200${low.toString(16)}`)],
    ["s = n", hex(`30460221 00${r.toString(16)}022100${P256_ORDER.toString(16)}`.replace(" ", ""))],
  ])("F021 refuses %s", (_, signature) => {
    expect(isStrictSignature("ECDSA_P256", signature)).toBe(false);
    expect(verifyEverywhere(key, message, signature)).toBe(false);
    expect(verifyEverywhere(key, message, valid)).toBe(true);
  });

  it("refuses r = s = 1 and r = n-1, which are in range but verify nothing", () => {
    expect(isStrictSignature("ECDSA_P256", encodeEcdsaSignature(1n, 1n))).toBe(true);
    expect(verifyEverywhere(key, message, encodeEcdsaSignature(1n, 1n))).toBe(false);
    expect(verifyEverywhere(key, message, encodeEcdsaSignature(P256_ORDER - 1n, 1n))).toBe(false);
  });

  it("has no shape for an algorithm that it does not know", () => {
    expect(isStrictSignature("ECDSA_P256", valid)).toBe(true);
    for (const name of ["RSA", "ecdsa_p256", "", undefined]) {
      expect(isStrictSignature(name as unknown as "ED25519", valid)).toBe(false);
    }
  });

  it("refuses a key object that parsePublicKey did not make, and survives nonsense", () => {
    for (const backend of backends) {
      expect(verifySignatureWith(backend, { ...key }, message, valid)).toBe(false);
    }
    const nonsense: unknown = null;
    expect(verifySignature(nonsense as typeof key, message, valid)).toBe(false);
    expect(verifySignature(key, nonsense as Uint8Array, valid)).toBe(false);
    expect(verifySignature(key, message, nonsense as Uint8Array)).toBe(false);
  });
});

// Wycheproof's verdict is about any verifier; ours adds one demand, low s. Its "invalid" BER, range and type
// cases are invalid here too, so high s is the only class in which the two differ.
const wycheproof = readVectors("wycheproof/ecdsa_secp256r1_sha256_test.json") as {
  testGroups: WycheproofGroup[];
} | null;

describe("Wycheproof ECDSA P-256 with SHA-256, DER", () => {
  it.skipIf(wycheproof === null)(
    "F021 F022 gives the expected outcome on every vector and both backends",
    () => {
      let count = 0;
      const refusedForHighS: number[] = [];
      for (const group of wycheproof?.testGroups ?? []) {
        const groupKey = keyOf(hex(group.publicKeyDer));
        for (const test of group.tests) {
          count += 1;
          const s = decodeEcdsaSignature(hex(test.sig))?.s;
          const expected = test.result === "valid" && s !== undefined && s <= P256_HALF_ORDER;
          expect(verifyEverywhere(groupKey, hex(test.msg), hex(test.sig)), `tcId ${test.tcId}`).toBe(
            expected,
          );
          if (test.result !== "valid" || expected) continue;
          refusedForHighS.push(test.tcId);
          expect(s).toBeGreaterThan(P256_HALF_ORDER);
          expect(verifyEverywhere(groupKey, hex(test.msg), normalizeLowS(hex(test.sig), "der"))).toBe(true);
        }
      }
      expect(count).toBe(484);
      expect(refusedForHighS.length).toBeGreaterThan(0);
    },
  );
});
