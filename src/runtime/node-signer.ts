/**
 * Layer 8: a signer over private key bytes that works through `node:crypto`, some twenty times faster than
 * the portable one, for the command and for busy Node services. ECDSA signatures are not deterministic.
 * They are brought into the one accepted form, but not verified one by one as those of an external signer
 * are: that would take three times as long, and the public key comes from this very key. The key becomes a
 * KeyObject in a closure: no inspection of the signer reaches it.
 */
import { createPrivateKey, createPublicKey, type KeyObject, type PrivateKeyInput, sign } from "node:crypto";
import { normalizeLowS } from "../crypto/der.js";
import type { SigningAlgorithm } from "../crypto/keys.js";
import { noteTrusted, type Signer } from "../crypto/signer.js";
import { concatBytes } from "../encoding/bytes.js";
import { decodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";
import { copyPrivateKey, type PrivateKeyOptions } from "./private-key.js";

export type NodeSignerOptions = PrivateKeyOptions;

/** PKCS#8 (RFC 5958) up to the 32 key bytes; P-256 without the optional public key (RFC 5915). */
const PKCS8_PREFIX: Readonly<Record<SigningAlgorithm, string>> = {
  ECDSA_P256: "0x3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420",
  ED25519: "0x302e020100300506032b657004220420",
};

/** Throws `KEY_INVALID` when the bytes are no private key of this algorithm. */
export function createNodeSigner(options: NodeSignerOptions): Signer {
  const { keyId, algorithm } = options;
  const secret = privateKeyObject(options);
  const isEcdsa = algorithm === "ECDSA_P256";
  const atOnce = (message: Uint8Array): Uint8Array => {
    const signature = signatureOf(keyId, isEcdsa ? "sha256" : null, message, secret);
    return isEcdsa ? normalizeLowS(signature, "der") : new Uint8Array(signature);
  };
  const signer: Signer = Object.freeze({
    keyId,
    algorithm,
    publicKey: new Uint8Array(createPublicKey(secret).export({ type: "spki", format: "der" })),
    sign: async (message: Uint8Array) => atOnce(message),
  });
  return noteTrusted(signer, atOnce);
}

function signatureOf(
  keyId: string,
  digest: string | null,
  message: Uint8Array,
  secret: KeyObject,
): Uint8Array {
  try {
    return sign(digest, message, secret);
  } catch (cause) {
    throw new OsaProofError("SIGNER_FAILED", `${keyId} could not sign`, { cause });
  }
}

function privateKeyObject(options: NodeSignerOptions): KeyObject {
  const bytes = copyPrivateKey(options);
  const pkcs8 = concatBytes(decodeHex(PKCS8_PREFIX[options.algorithm]) ?? new Uint8Array(), bytes);
  // The declared type of `key` is Buffer; the function takes any byte view.
  const input: unknown = { key: pkcs8, format: "der", type: "pkcs8" };
  try {
    return createPrivateKey(input as PrivateKeyInput);
  } catch {
    // No cause: what a parser says about key bytes stays out of messages.
    throw new OsaProofError(
      "KEY_INVALID",
      `the private key of ${options.keyId} cannot be used by node:crypto`,
    );
  } finally {
    bytes.fill(0);
    pkcs8.fill(0);
  }
}
