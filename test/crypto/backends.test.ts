import { createHash, createPrivateKey, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { normalizeLowS } from "../../src/crypto/der.js";
import { sha256, sha256Hex, sha256HexOfText, sha256Into } from "../../src/crypto/digest.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { createLocalSigner } from "../../src/runtime/local-signer.js";
import { backends, hex, keyOf, MANY_USES, toHex, verifyEverywhere } from "./helpers.js";

describe.each(backends)("SHA-256 of $name", (backend) => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ])("hashes %j", (text, digest) => {
    const bytes = encodeUtf8(text);
    expect(backend.sha256Hex(bytes)).toBe(digest);
    expect(backend.sha256HexOfText(text)).toBe(digest);
    expect(toHex(backend.sha256(bytes))).toBe(digest);
    const target = new Uint8Array(40).fill(0xee);
    backend.sha256Into(bytes, target, 5);
    expect(toHex(target)).toBe(`eeeeeeeeee${digest}eeeeee`);
  });

  it("hashes every length around a block, and a view into a larger array", () => {
    const all = Uint8Array.from({ length: 200 }, (_, i) => i);
    for (let length = 0; length <= 130; length++) {
      const view = all.subarray(3, 3 + length);
      const digest = createHash("sha256").update(view).digest("hex");
      expect(backend.sha256Hex(view)).toBe(digest);
      expect(toHex(backend.sha256(view))).toBe(digest);
    }
  });

  it("gives every byte of digests that hold byte order marks and halves of surrogate pairs", () => {
    // The first begins with ff fe; among the others every value of a byte occurs at every place.
    for (const text of ["2610408", ...Array.from({ length: 3000 }, (_, i) => `${i}`)]) {
      const digest = createHash("sha256").update(text).digest("hex");
      expect(toHex(backend.sha256(encodeUtf8(text)))).toBe(digest);
    }
  });
});

describe("a runtime whose node:crypto", () => {
  it.each([
    [
      "refuses",
      () => {
        throw new TypeError("unknown encoding");
      },
    ],
    ["misreads", () => "\ufffd".repeat(16)],
  ])("%s digests in pairs of bytes is read byte by byte", async (_, pairs) => {
    const real = await vi.importActual<typeof import("node:crypto")>("node:crypto");
    const encodings: unknown[] = [];
    const hash = (algorithm: string, data: Uint8Array, encoding: "hex"): unknown => {
      encodings.push(encoding);
      return String(encoding) === "utf16le" ? pairs() : real.hash(algorithm, data, encoding);
    };
    vi.doMock("node:crypto", () => ({ ...real, default: real, hash }));
    vi.resetModules();
    try {
      const { backend } = await import("../../src/crypto/backend-node.js");
      expect(encodings).toEqual(["utf16le"]);
      for (const text of ["", "abc", "2610408"]) {
        const bytes = encodeUtf8(text);
        expect(toHex(backend.sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
      }
      expect(encodings).toEqual(["utf16le", "binary", "binary", "binary"]);
    } finally {
      vi.doUnmock("node:crypto");
      vi.resetModules();
    }
  });
});

it("digest.ts writes digests as text and bytes", () => {
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(sha256Hex(encodeUtf8("abc"))).toBe(`0x${digest}`);
  expect(sha256HexOfText("abc")).toBe(`0x${digest}`);
  expect(sha256HexOfText("é")).toBe(sha256Hex(encodeUtf8("é")));
  expect(toHex(sha256(encodeUtf8("abc")))).toBe(digest);
  const target = new Uint8Array(32);
  sha256Into(encodeUtf8("abc"), target, 0);
  expect(toHex(target)).toBe(digest);
});

const pkcs8 = {
  ECDSA_P256: "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420",
  ED25519: "302e020100300506032b657004220420",
} as const;

/** A signature by OpenSSL, so that neither side of the comparison made it alone. */
function nativeSignature(algorithm: keyof typeof pkcs8, secret: Uint8Array, message: Uint8Array): Uint8Array {
  const der = Buffer.from(pkcs8[algorithm] + toHex(secret), "hex");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return algorithm === "ED25519"
    ? sign(null, message, key)
    : normalizeLowS(sign("sha256", message, key), "der");
}

describe.each(["ECDSA_P256", "ED25519"] as const)("portable against native, %s", (algorithm) => {
  it("agree on random keys, on honest signatures and on changed ones", () => {
    const secretKey = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((b) => (b[0] ?? 0) < 0xff && b.some(Boolean));
    const change = fc.tuple(fc.nat(71), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(secretKey, fc.uint8Array({ maxLength: 80 }), change, (secret, message, [at, mask]) => {
        const { publicKey } = createLocalSigner({ keyId: "k", algorithm, privateKey: secret });
        const key = keyOf(publicKey);
        const signature = nativeSignature(algorithm, secret, message);
        expect(verifyEverywhere(key, message, signature)).toBe(true);
        const changed = new Uint8Array(signature);
        const index = at % changed.length;
        changed[index] = (changed[index] ?? 0) ^ mask;
        expect(verifyEverywhere(key, message, changed)).toBe(false);
        expect(verifyEverywhere(key, hex(`${toHex(message)}00`), signature)).toBe(false);
        // Node hands out Buffers, whose slice shares memory: the answer and the bytes stay the same.
        const buffers = [Buffer.from(message), Buffer.from(signature)] as const;
        expect(verifyEverywhere(key, ...buffers)).toBe(true);
        expect(buffers.map(toHex)).toEqual([toHex(message), toHex(signature)]);
      }),
      { numRuns: 60 },
    );
  });

  it("stay right with more busy keys than the portable backend keeps tables for", () => {
    const keys = Array.from({ length: 36 }, (_, i) => {
      const secret = new Uint8Array(32).fill(i + 1);
      const { publicKey } = createLocalSigner({ keyId: "k", algorithm, privateKey: secret });
      return { key: keyOf(publicKey), signature: nativeSignature(algorithm, secret, hex("00")) };
    });
    for (const { key, signature } of keys) {
      for (let use = 0; use < MANY_USES; use++)
        expect(verifyEverywhere(key, hex("00"), signature)).toBe(true);
    }
    for (const { key, signature } of keys) {
      expect(verifyEverywhere(key, hex("00"), signature)).toBe(true);
      expect(verifyEverywhere(key, hex("01"), signature)).toBe(false);
    }
  });
});
