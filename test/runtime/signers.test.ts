import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { decodeEcdsaSignature, encodeEcdsaSignature } from "../../src/crypto/der.js";
import { type SigningAlgorithm, spkiFromEd25519 } from "../../src/crypto/keys.js";
import { P256_HALF_ORDER, P256_ORDER } from "../../src/crypto/p256.js";
import { isStrictSignature } from "../../src/crypto/signature.js";
import type { Signer } from "../../src/crypto/signer.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import { createExternalSigner } from "../../src/runtime/external-signer.js";
import { createLocalSigner, generatePrivateKey } from "../../src/runtime/local-signer.js";
import { createNodeSigner } from "../../src/runtime/node-signer.js";
import { createWebCryptoSigner, generateWebCryptoSigner } from "../../src/runtime/webcrypto-signer.js";
import { hex, keyOf, toHex, verifyEverywhere } from "../crypto/helpers.js";

const message = encodeUtf8("sample");
const algorithms: readonly SigningAlgorithm[] = ["ECDSA_P256", "ED25519"];
// RFC 6979 appendix A.2.5 and RFC 8032 section 7.1 test 1.
const privateKeys = {
  ECDSA_P256: hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"),
  ED25519: hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
} as const;

async function codeOf(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (error instanceof OsaProofError) return error.code;
    throw error;
  }
  return "none";
}

const makers: readonly (readonly [string, (algorithm: SigningAlgorithm) => Signer | Promise<Signer>])[] = [
  ["local", (algorithm) => createLocalSigner({ keyId: "k1", algorithm, privateKey: privateKeys[algorithm] })],
  ["node", (algorithm) => createNodeSigner({ keyId: "k1", algorithm, privateKey: privateKeys[algorithm] })],
  ["webcrypto", (algorithm) => generateWebCryptoSigner({ keyId: "k1", algorithm })],
];

describe.each(makers)("%s signer", (_, make) => {
  it.each(algorithms)("F022 gives strict %s signatures that verify on both backends", async (algorithm) => {
    const signer = await make(algorithm);
    expect(signer.keyId).toBe("k1");
    expect(signer.algorithm).toBe(algorithm);
    const key = keyOf(signer.publicKey);
    for (let i = 0; i < 12; i++) {
      const bytes = Uint8Array.of(i);
      const signature = await signer.sign(bytes);
      expect(isStrictSignature(algorithm, signature)).toBe(true);
      expect(Object.getPrototypeOf(signature)).toBe(Uint8Array.prototype);
      expect(verifyEverywhere(key, bytes, signature)).toBe(true);
      expect(verifyEverywhere(key, message, signature)).toBe(false);
    }
  });

  it.each(algorithms)(
    "%s: signs what it was given, even if the caller's array changes",
    async (algorithm) => {
      const signer = await make(algorithm);
      const mutable = new Uint8Array(message);
      const pending = signer.sign(mutable);
      mutable.fill(0);
      expect(verifyEverywhere(keyOf(signer.publicKey), message, await pending)).toBe(true);
    },
  );
});

describe("signers over key bytes", () => {
  it.each(algorithms)(
    "%s: local and node derive one public key, and never show the private one",
    async (algorithm) => {
      const privateKey = privateKeys[algorithm];
      const local = createLocalSigner({ keyId: "k1", algorithm, privateKey });
      const node = createNodeSigner({ keyId: "k1", algorithm, privateKey });
      expect(toHex(local.publicKey)).toBe(toHex(node.publicKey));
      for (const signer of [local, node]) {
        const shown = [
          inspect(signer, { depth: 20, showHidden: true, maxArrayLength: null }),
          JSON.stringify(signer),
          String(Object.values(signer)),
        ].join("\n");
        for (const form of [
          toHex(privateKey),
          Buffer.from(privateKey).toString("base64"),
          privateKey.join(","),
          privateKey.join(", "),
        ]) {
          expect(shown).not.toContain(form);
        }
      }
    },
  );

  it("a node signer that is given no bytes says so in a typed error", async () => {
    const node = createNodeSigner({
      keyId: "k1",
      algorithm: "ECDSA_P256",
      privateKey: privateKeys.ECDSA_P256,
    });
    await expect(node.sign(Uint8Array.of(1))).resolves.toBeInstanceOf(Uint8Array);
    await expect(node.sign(7 as never)).rejects.toMatchObject({ code: "SIGNER_FAILED" });
  });

  it("local signatures are deterministic: RFC 6979 with s made low, RFC 8032", async () => {
    const [ecdsa, eddsa] = algorithms.map((algorithm) =>
      createLocalSigner({ keyId: "k", algorithm, privateKey: privateKeys[algorithm] }),
    );
    expect(toHex((await ecdsa?.sign(message)) ?? message)).toBe(
      "3045022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf371602200834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9",
    );
    expect(toHex((await eddsa?.sign(new Uint8Array())) ?? message)).toBe(
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    );
  });

  it.each([
    ["0", "00".repeat(32)],
    ["n", P256_ORDER.toString(16)],
    ["31 bytes", "11".repeat(31)],
    ["33 bytes", "11".repeat(33)],
    ["nothing", ""],
  ])("refuses a P-256 private key that is %s, without quoting it", async (_, digits) => {
    const options = { keyId: "k1", algorithm: "ECDSA_P256", privateKey: hex(digits) } as const;
    for (const make of [createLocalSigner, createNodeSigner]) {
      expect(await codeOf(() => make(options))).toBe("KEY_INVALID");
      try {
        make(options);
      } catch (error) {
        if (digits !== "") expect(inspect(error, { depth: 20 })).not.toContain(digits);
      }
    }
  });

  it("takes the smallest and largest P-256 private key, and refuses an unknown algorithm", async () => {
    for (const scalar of [1n, P256_ORDER - 1n]) {
      const privateKey = hex(scalar.toString(16).padStart(64, "0"));
      for (const make of [createLocalSigner, createNodeSigner]) {
        const signer = make({ keyId: "k", algorithm: "ECDSA_P256", privateKey });
        expect(verifyEverywhere(keyOf(signer.publicKey), message, await signer.sign(message))).toBe(true);
      }
    }
    const algorithm = "RSA" as SigningAlgorithm;
    expect(
      await codeOf(() => createLocalSigner({ keyId: "k", algorithm, privateKey: privateKeys.ED25519 })),
    ).toBe("KEY_INVALID");
  });

  it.each(["ES256", "", undefined, null])("generates no key for %s", async (wrong) => {
    expect(await codeOf(() => generatePrivateKey(wrong as SigningAlgorithm))).toBe("ARGUMENT_INVALID");
  });

  it.each(algorithms)("generates %s keys that differ and work", async (algorithm) => {
    const [first, second] = [generatePrivateKey(algorithm), generatePrivateKey(algorithm)];
    expect(toHex(first)).not.toBe(toHex(second));
    const signer = createLocalSigner({ keyId: "k", algorithm, privateKey: first });
    expect(verifyEverywhere(keyOf(signer.publicKey), message, await signer.sign(message))).toBe(true);
  });
});

describe("external signers", () => {
  const local = createLocalSigner({
    keyId: "k",
    algorithm: "ECDSA_P256",
    privateKey: privateKeys.ECDSA_P256,
  });

  /** r and s of the reference signature, low or high as some driver would give it. */
  async function parts(bytes: Uint8Array, high: boolean): Promise<{ r: bigint; s: bigint }> {
    const decoded = decodeEcdsaSignature(await local.sign(bytes));
    if (decoded === null) throw new Error("the local signer gave no DER");
    expect(decoded.s).toBeLessThanOrEqual(P256_HALF_ORDER);
    return high ? { r: decoded.r, s: P256_ORDER - decoded.s } : decoded;
  }

  it("F025 a holder that returns DER and one that returns raw, low or high s, give identical bytes", async () => {
    const common = { keyId: "k", publicKey: local.publicKey };
    for (let i = 0; i < 8; i++) {
      const results = new Set<string>();
      for (const high of [false, true]) {
        const der = createExternalSigner({
          ...common,
          encoding: "der",
          sign: async (bytes) => {
            const { r, s } = await parts(bytes, high);
            return encodeEcdsaSignature(r, s);
          },
        });
        const raw = createExternalSigner({
          ...common,
          encoding: "raw",
          sign: async (bytes) => {
            const { r, s } = await parts(bytes, high);
            return hex(r.toString(16).padStart(64, "0") + s.toString(16).padStart(64, "0"));
          },
        });
        for (const signer of [der, raw]) results.add(toHex(await signer.sign(Uint8Array.of(i))));
      }
      expect([...results]).toEqual([toHex(await local.sign(Uint8Array.of(i)))]);
    }
  });

  it.each([
    ["throws", () => Promise.reject(new Error("token removed"))],
    ["gives nothing", async () => new Uint8Array()],
    ["gives something else than bytes", async () => "signature" as unknown as Uint8Array],
    ["gives the wrong encoding", async () => new Uint8Array(64).fill(1)],
    ["signs another message", () => local.sign(encodeUtf8("other"))],
    ["changes the message", (bytes: Uint8Array) => local.sign(bytes.fill(0))],
  ])("a holder that %s ends in SIGNER_FAILED", async (_, sign) => {
    const signer = createExternalSigner({ keyId: "k", publicKey: local.publicKey, encoding: "der", sign });
    expect(await codeOf(() => signer.sign(message))).toBe("SIGNER_FAILED");
    const honest = createExternalSigner({ ...signer, encoding: "der", sign: local.sign });
    expect(await codeOf(() => honest.sign(message))).toBe("none");
  });

  it("refuses a public key that the protocol does not accept", async () => {
    const publicKey = spkiFromEd25519(new Uint8Array(32));
    expect(await codeOf(() => createExternalSigner({ ...local, publicKey, encoding: "der" }))).toBe(
      "KEY_INVALID",
    );
  });
});

describe("WebCrypto pairs", () => {
  const { subtle } = globalThis.crypto;
  const p256 = { name: "ECDSA", namedCurve: "P-256" };

  it("takes an existing pair whose private key stays inside", async () => {
    const keyPair = await subtle.generateKey(p256, false, ["sign", "verify"]);
    const signer = await createWebCryptoSigner({ keyId: "k", keyPair });
    expect(verifyEverywhere(keyOf(signer.publicKey), message, await signer.sign(message))).toBe(true);
    await expect(subtle.exportKey("pkcs8", keyPair.privateKey)).rejects.toThrow();
  });

  it("refuses an extractable private key, another curve, another use and swapped keys", async () => {
    const extractable = await subtle.generateKey(p256, true, ["sign", "verify"]);
    const p384 = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, false, ["sign", "verify"]);
    const exchange = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
    const good = await subtle.generateKey(p256, false, ["sign", "verify"]);
    const swapped = { privateKey: good.publicKey, publicKey: good.privateKey };
    for (const keyPair of [extractable, p384, exchange, swapped]) {
      expect(await codeOf(() => createWebCryptoSigner({ keyId: "k", keyPair }))).toBe("KEY_INVALID");
    }
  });

  it("notices at the first signature that the two keys are not a pair", async () => {
    const [a, b] = [
      await subtle.generateKey(p256, false, ["sign", "verify"]),
      await subtle.generateKey(p256, false, ["sign", "verify"]),
    ];
    const keyPair = { privateKey: a.privateKey, publicKey: b.publicKey };
    const signer = await createWebCryptoSigner({ keyId: "k", keyPair });
    expect(await codeOf(() => signer.sign(message))).toBe("SIGNER_FAILED");
  });
});
