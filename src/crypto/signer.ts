/** Layer 2: what the makers of statements need of a signer. Implementations hold private keys and live in the runtime layer. */
import type { SigningAlgorithm } from "./keys.js";

export interface Signer {
  /** The name that a certificate or trust policy gives this key. */
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  /** SubjectPublicKeyInfo DER, in the form that `parsePublicKey` accepts. */
  readonly publicKey: Uint8Array;
  /**
   * Signs these bytes: strict DER and low-S for ECDSA_P256, 64 bytes for ED25519. Rejects with `SIGNER_FAILED`.
   * The result already verifies under `publicKey`.
   */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

const verifying = new WeakSet<Signer>();

/** Notes that a signer verifies every signature before it hands it out, so that makers need not do it again. */
export function noteVerifying(signer: Signer): Signer {
  verifying.add(signer);
  return signer;
}

/** True for a signer, this very object, that {@link noteVerifying} was called with. */
export function isVerifying(signer: Signer): boolean {
  return verifying.has(signer);
}
