/**
 * Layer 8: private keys as plain bytes. 32 bytes each: a big-endian scalar in [1, n-1] for P-256 (SEC 1
 * section 3.2.1), a seed for Ed25519 (RFC 8032 section 5.1.5). No message ever quotes one.
 */
import type { SigningAlgorithm } from "../crypto/keys.js";
import { P256_ORDER } from "../crypto/p256.js";
import { encodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";

export const PRIVATE_KEY_BYTES = 32;

/** What {@link Signer}s over key bytes are made from. */
export interface PrivateKeyOptions {
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** 32 bytes, see above. Copied; the caller may overwrite its own afterwards. */
  readonly privateKey: Uint8Array;
}

/** A new private key from the platform's random generator (`globalThis.crypto`). */
export function generatePrivateKey(algorithm: SigningAlgorithm): Uint8Array {
  if (algorithm !== "ECDSA_P256" && algorithm !== "ED25519") {
    throw new OsaProofError("ARGUMENT_INVALID", "algorithm: expected ECDSA_P256 or ED25519");
  }
  for (;;) {
    const candidate = globalThis.crypto.getRandomValues(new Uint8Array(PRIVATE_KEY_BYTES));
    // For P-256 about one candidate in 2^32 is out of range; drawing again keeps the rest uniform.
    if (isPrivateKey(algorithm, candidate)) return candidate;
  }
}

/** A private copy of the key bytes. Throws `KEY_INVALID` for an unknown algorithm, length or range. */
export function copyPrivateKey({ keyId, algorithm, privateKey }: PrivateKeyOptions): Uint8Array {
  if (!isPrivateKey(algorithm, privateKey)) {
    throw new OsaProofError(
      "KEY_INVALID",
      `the private key of ${keyId} is not a ${algorithm} key of 32 bytes`,
    );
  }
  return new Uint8Array(privateKey);
}

function isPrivateKey(algorithm: SigningAlgorithm, bytes: Uint8Array): boolean {
  if (bytes.length !== PRIVATE_KEY_BYTES) return false;
  if (algorithm === "ED25519") return true;
  if (algorithm !== "ECDSA_P256") return false;
  const scalar = BigInt(encodeHex(bytes));
  return scalar >= 1n && scalar < P256_ORDER;
}
