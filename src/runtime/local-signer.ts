/**
 * Layer 8: a signer over private key bytes in this process, portable and deterministic: ECDSA nonces by
 * RFC 6979, Ed25519 by RFC 8032, so the same key and message always give the same signature.
 * The key sits in a closure: no inspection or serialisation of the signer reaches it.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { spkiFromEd25519, spkiFromP256Point } from "../crypto/keys.js";
import type { Signer } from "../crypto/signer.js";
import { createExternalSigner } from "./external-signer.js";
import { copyPrivateKey, type PrivateKeyOptions } from "./private-key.js";

export { generatePrivateKey } from "./private-key.js";

export type LocalSignerOptions = PrivateKeyOptions;

/** Throws `KEY_INVALID` when the bytes are no private key of this algorithm. */
export function createLocalSigner(options: LocalSignerOptions): Signer {
  const secret = copyPrivateKey(options);
  const common = { keyId: options.keyId, encoding: "der" } as const;
  if (options.algorithm === "ED25519") {
    return createExternalSigner({
      ...common,
      publicKey: spkiFromEd25519(ed25519.getPublicKey(secret)),
      sign: async (message) => ed25519.sign(message, secret),
    });
  }
  return createExternalSigner({
    ...common,
    publicKey: spkiFromP256Point(p256.getPublicKey(secret, false)),
    sign: async (message) => p256.sign(message, secret, { format: "der", prehash: true, lowS: true }),
  });
}
