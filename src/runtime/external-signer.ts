/**
 * Layer 8: the one way in which a key becomes a {@link Signer}, wherever it lives: in this process, behind
 * WebCrypto, in a KMS or an HSM. What comes back is brought into the one accepted encoding and verified
 * before anybody sees it, so that a driver that returns high-S, raw or plain wrong signatures is
 * noticed here and not by an auditor.
 */
import { type EcdsaEncoding, normalizeLowS } from "../crypto/der.js";
import { type PublicKey, parsePublicKey } from "../crypto/keys.js";
import { verifySignature } from "../crypto/signature.js";
import { noteTrusted, type Signer } from "../crypto/signer.js";
import { OsaProofError } from "../errors.js";

export interface ExternalSignerOptions {
  readonly keyId: string;
  /** SubjectPublicKeyInfo DER; it decides the algorithm. */
  readonly publicKey: Uint8Array;
  /** How `sign` encodes ECDSA: "der" (most KMS, OpenSSL) or "raw", r and s (WebCrypto, PKCS#11). Ed25519 has one form. */
  readonly encoding: EcdsaEncoding;
  /** Signs the message itself, not a digest of it: ECDSA with SHA-256, or pure Ed25519. High-S is fine. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}

/**
 * A signer over a key held elsewhere. Throws `KEY_INVALID` when the public key is not one the protocol
 * accepts. `sign` rejects with `SIGNER_FAILED` when the holder fails or its signature does not verify.
 */
export function createExternalSigner(options: ExternalSignerOptions): Signer {
  const { keyId, encoding, sign } = options;
  const key = parsePublicKey(options.publicKey);
  if (key === null) {
    throw new OsaProofError(
      "KEY_INVALID",
      `the public key of ${keyId} is not an accepted P-256 or Ed25519 SPKI`,
    );
  }
  const signer: Signer = Object.freeze({
    keyId,
    algorithm: key.algorithm,
    publicKey: new Uint8Array(key.spki),
    async sign(message: Uint8Array): Promise<Uint8Array> {
      // A copy: the caller's array may change while the holder is at work.
      const copy = new Uint8Array(message);
      const signature = strictForm(key, await answerOf(keyId, sign, copy), encoding);
      if (!verifySignature(key, copy, signature)) {
        throw new OsaProofError(
          "SIGNER_FAILED",
          `${keyId} gave a signature that does not verify under its own key`,
        );
      }
      return signature;
    },
  });
  return noteTrusted(signer);
}

async function answerOf(
  keyId: string,
  sign: ExternalSignerOptions["sign"],
  message: Uint8Array,
): Promise<Uint8Array> {
  let answer: unknown;
  try {
    // The holder gets its own copy, so that it cannot change what is verified afterwards.
    answer = await sign(new Uint8Array(message));
  } catch (cause) {
    throw new OsaProofError("SIGNER_FAILED", `${keyId} could not sign`, { cause });
  }
  if (answer instanceof Uint8Array) return answer;
  throw new OsaProofError("SIGNER_FAILED", `${keyId} gave something that is not bytes`);
}

/** Ed25519 has one encoding; its shape is part of the verification that follows. */
function strictForm(key: PublicKey, signature: Uint8Array, encoding: EcdsaEncoding): Uint8Array {
  return key.algorithm === "ECDSA_P256" ? normalizeLowS(signature, encoding) : new Uint8Array(signature);
}
