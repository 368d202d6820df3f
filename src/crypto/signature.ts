/**
 * Layer 2: one verification rule per algorithm (docs/SPEC.md, "Signatures"), the same on every backend.
 *
 * ECDSA_P256: SHA-256, strict DER, r in [1, n-1], s in [1, n>>1]. ED25519: RFC 8032 pure; key and R canonical
 * and not of small order, S < L, the equation without cofactor. A platform verifier on its own takes high-S,
 * small-order keys and more, and two platforms differ; so the shape is checked first, here.
 */
import { backend } from "#backend";
import type { Backend } from "./backend.js";
import { isStrictEcdsa } from "./der.js";
import { isStrictEd25519 } from "./ed25519.js";
import { isParsedKey, type PublicKey, type SigningAlgorithm } from "./keys.js";

/**
 * True when the bytes are a signature in the one accepted shape: strict DER, ranges and low-S, or 64 bytes with
 * S < L and R canonical and not of small order. Says nothing about any key or message.
 */
export function isStrictSignature(algorithm: SigningAlgorithm, signature: Uint8Array): boolean {
  switch (algorithm) {
    case "ECDSA_P256":
      return isStrictEcdsa(signature);
    case "ED25519":
      return isStrictEd25519(signature);
    default:
      return false;
  }
}

/**
 * True when `signature` is strict and verifies over `message` under `key`, which must come from
 * `parsePublicKey`. The algorithm is the key's own. Never throws; every doubt is false.
 */
export function verifySignature(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verifySignatureWith(backend, key, message, signature);
}

/** {@link verifySignature} on a named backend, so that tests can put the same question to each. */
export function verifySignatureWith(
  chosen: Backend,
  key: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    if (!isParsedKey(key) || !isStrictSignature(key.algorithm, signature)) return false;
    return key.algorithm === "ECDSA_P256"
      ? chosen.verifyP256(key, message, signature)
      : chosen.verifyEd25519(key, message, signature);
  } catch {
    return false;
  }
}
