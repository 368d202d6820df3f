/**
 * Layer 8: a signer over a WebCrypto key pair whose private key cannot be extracted, not even by this process.
 * WebCrypto gives ECDSA signatures as r and s and in half of the cases with a high s; both are put right.
 */
import type { SigningAlgorithm } from "../crypto/keys.js";
import type { Signer } from "../crypto/signer.js";
import { OsaProofError } from "../errors.js";
import { createExternalSigner } from "./external-signer.js";

/** The platform's CryptoKey, by whichever type declarations the program has. */
type PlatformKey = Parameters<typeof globalThis.crypto.subtle.exportKey>[1];

export interface WebCryptoKeyPair {
  /** Not extractable, with usage "sign": ECDSA over P-256, or Ed25519. */
  readonly privateKey: PlatformKey;
  /** Extractable, as public keys are. */
  readonly publicKey: PlatformKey;
}

const PARAMETERS = {
  ECDSA_P256: { generate: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
  ED25519: { generate: { name: "Ed25519" }, sign: { name: "Ed25519" } },
} as const;

/** Makes a new pair and a signer over it. Rejects with `KEY_INVALID` where the platform lacks the algorithm. */
export async function generateWebCryptoSigner(options: {
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
}): Promise<Signer> {
  const { keyId, algorithm } = options;
  let keyPair: unknown;
  try {
    keyPair = await globalThis.crypto.subtle.generateKey(PARAMETERS[algorithm].generate, false, [
      "sign",
      "verify",
    ]);
  } catch (cause) {
    throw new OsaProofError("KEY_INVALID", `this platform's WebCrypto cannot make a ${algorithm} key`, {
      cause,
    });
  }
  // generateKey is declared as "key or pair"; for signature algorithms it is always a pair.
  return createWebCryptoSigner({ keyId, keyPair: keyPair as WebCryptoKeyPair });
}

/**
 * A signer over an existing pair. Rejects with `KEY_INVALID` when the private key is extractable, may not sign
 * or is of another algorithm or curve. That the two belong together shows at the first signature.
 */
export async function createWebCryptoSigner(options: {
  readonly keyId: string;
  readonly keyPair: WebCryptoKeyPair;
}): Promise<Signer> {
  const { keyId } = options;
  const { privateKey, publicKey } = options.keyPair;
  const algorithm = algorithmOf(privateKey);
  if (algorithm === null || algorithmOf(publicKey) !== algorithm) {
    throw new OsaProofError("KEY_INVALID", `the key pair of ${keyId} is not ECDSA P-256 or Ed25519`);
  }
  if (privateKey.type !== "private" || privateKey.extractable || !privateKey.usages.includes("sign")) {
    throw new OsaProofError(
      "KEY_INVALID",
      `the private key of ${keyId} must be for signing and not extractable`,
    );
  }
  return createExternalSigner({
    keyId,
    encoding: "raw",
    publicKey: await exportSpki(keyId, publicKey),
    sign: async (message) => {
      const bytes = new Uint8Array(message);
      return new Uint8Array(
        await globalThis.crypto.subtle.sign(PARAMETERS[algorithm].sign, privateKey, bytes),
      );
    },
  });
}

async function exportSpki(keyId: string, publicKey: PlatformKey): Promise<Uint8Array> {
  try {
    return new Uint8Array(await globalThis.crypto.subtle.exportKey("spki", publicKey));
  } catch (cause) {
    throw new OsaProofError("KEY_INVALID", `the public key of ${keyId} cannot be exported`, { cause });
  }
}

function algorithmOf(key: PlatformKey): SigningAlgorithm | null {
  const { name } = key.algorithm;
  if (name === "Ed25519") return "ED25519";
  const curve = "namedCurve" in key.algorithm ? key.algorithm.namedCurve : undefined;
  return name === "ECDSA" && curve === "P-256" ? "ECDSA_P256" : null;
}
