/** Layer 2: what the makers of statements need of a signer. Implementations hold private keys and live in the runtime layer. */
import type { SigningAlgorithm } from "./keys.js";

export interface Signer {
  /** The name that a certificate or trust policy gives this key. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** SubjectPublicKeyInfo DER, in the form that `parsePublicKey` accepts. */
  readonly publicKey: Uint8Array;
  /** Signs these bytes: strict DER and low-S for ECDSA_P256, 64 bytes for ED25519. Rejects with `SIGNER_FAILED`. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** Signs before it returns, and keeps nothing of the message, which is lent. Throws `SIGNER_FAILED`. */
export type SignAtOnce = (message: Uint8Array) => Uint8Array;

const trusted = new WeakMap<Signer, SignAtOnce | null>();

/**
 * Notes that makers need not verify what this signer gives: it has verified each signature itself, or its public key
 * was derived from the private key that OpenSSL signs with in this very process. `atOnce` gives what `sign` promises,
 * for a signer that waits for nobody.
 */
export function noteTrusted(signer: Signer, atOnce: SignAtOnce | null = null): Signer {
  trusted.set(signer, atOnce);
  return signer;
}

/** True for a signer, this very object, that {@link noteTrusted} was called with. */
export function isTrusted(signer: Signer): boolean {
  return trusted.has(signer);
}

/** How this signer, this very object, signs without a promise; null for most. */
export function signAtOnceOf(signer: Signer): SignAtOnce | null {
  return trusted.get(signer) ?? null;
}
