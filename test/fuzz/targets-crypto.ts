/** Fuzz targets of layer 2: ECDSA DER, SubjectPublicKeyInfo, and signatures put to both backends. */
import { createPublicKey } from "node:crypto";
import { backend as native } from "../../src/crypto/backend-node.js";
import { backend as portable } from "../../src/crypto/backend-portable.js";
import {
  decodeEcdsaSignature,
  encodeEcdsaSignature,
  isStrictEcdsa,
  normalizeLowS,
} from "../../src/crypto/der.js";
import { type PublicKey, parsePublicKey } from "../../src/crypto/keys.js";
import { isStrictSignature, verifySignatureWith } from "../../src/crypto/signature.js";
import { equalBytes } from "../../src/encoding/bytes.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { testKey } from "../support/keys.js";
import { type FuzzTarget, hold } from "./target.js";

const MESSAGE = encodeUtf8("what is signed");
const signers = { p256: testKey("fuzz"), ed25519: testKey("fuzz", "ED25519") };

function keyOf(spki: Uint8Array): PublicKey {
  const key = parsePublicKey(spki);
  if (key === null) throw new Error("a test key must be valid");
  return key;
}

const keys = [keyOf(signers.p256.signer.publicKey), keyOf(signers.ed25519.signer.publicKey)] as const;

function bothVerify(key: PublicKey, signature: Uint8Array): boolean {
  const answer = verifySignatureWith(native, key, MESSAGE, signature);
  hold(answer === verifySignatureWith(portable, key, MESSAGE, signature), "the backends disagree");
  return answer;
}

const genuine: Uint8Array[] = [];

async function signatureSeeds(): Promise<readonly Uint8Array[]> {
  if (genuine.length === 0) {
    genuine.push(await signers.p256.signer.sign(MESSAGE), await signers.ed25519.signer.sign(MESSAGE));
  }
  return genuine;
}

function runDer(input: Uint8Array): void {
  const parts = decodeEcdsaSignature(input);
  const strict = isStrictEcdsa(input);
  hold(!strict || parts !== null, "strict, and cannot be read");
  if (parts === null) return;
  hold(equalBytes(encodeEcdsaSignature(parts.r, parts.s), input), "accepted, and encodes to other bytes");
  const low = normalizeLowS(input, "der");
  hold(isStrictEcdsa(low) && equalBytes(low, input) === strict, "low s and strict are not one thing");
}

/** The same bytes as a signature of either algorithm; only the genuine one may verify. */
function runSignature(input: Uint8Array): void {
  for (const key of keys) {
    const answer = bothVerify(key, input);
    hold(!answer || isStrictSignature(key.algorithm, input), "verified without being strict");
    hold(!answer || genuine.some((signature) => equalBytes(signature, input)), "a second signature verifies");
  }
}

function runSpki(input: Uint8Array): void {
  const key = parsePublicKey(input);
  if (key === null) return;
  hold(equalBytes(key.spki, input), "the key is kept as other bytes");
  const platform = createPublicKey({ key: Buffer.from(input), format: "der", type: "spki" });
  hold(platform.export({ format: "der", type: "spki" }).equals(input), "the platform writes another key");
  for (const signature of genuine) {
    const answer = bothVerify(key, signature);
    hold(!answer || keys.some(({ thumbprint }) => thumbprint === key.thumbprint), "another key verifies");
  }
}

const hex = (text: string): Uint8Array => Buffer.from(text, "hex");

const DER_TOKENS = [
  "30",
  "0220",
  "022100",
  "0200",
  "020100",
  "308145",
  "30820045",
  "3080",
  "0000",
  "ff",
  "81",
  "80",
].map(hex);

export const CRYPTO_TARGETS: readonly FuzzTarget[] = [
  {
    name: "der",
    seeds: async () => [
      ...(await signatureSeeds()),
      encodeEcdsaSignature(1n, 1n),
      encodeEcdsaSignature(255n, 2n ** 200n),
    ],
    tokens: DER_TOKENS,
    maxBytes: 160,
    run: runDer,
  },
  {
    name: "signature",
    seeds: signatureSeeds,
    tokens: [
      ...DER_TOKENS,
      hex("edd3f55c1a631258d69cf7a2def9de14"),
      new Uint8Array(32),
      new Uint8Array(32).fill(0xff),
    ],
    maxBytes: 160,
    run: runSignature,
  },
  {
    name: "spki",
    seeds: async () => {
      await signatureSeeds();
      return keys.map(({ spki }) => spki);
    },
    tokens: [
      hex("3059301306072a8648ce3d020106082a8648ce3d030107034200"),
      ...[
        "04",
        "02",
        "03",
        "00",
        "302a300506032b6570032100",
        "302a300506032b656f032100",
        "06052b81040022",
      ].map(hex),
    ],
    maxBytes: 128,
    run: runSpki,
  },
];
