/** Layer 8: making the signature lines of logs and witnesses with a `Signer` of algorithm ED25519. */
import { cosignatureMessage, formatCosignature } from "../anchors/cosignature.js";
import type { NoteSignature } from "../anchors/note.js";
import {
  COSIGNATURE_ED25519,
  makeVerifierKey,
  NOTE_ED25519,
  type VerifierKey,
} from "../anchors/verifier-key.js";
import { verifySignature } from "../crypto/signature.js";
import type { Signer } from "../crypto/signer.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";

/** A verifier key and the signer behind it. */
export interface NoteSigner {
  readonly key: VerifierKey;
  readonly signer: Signer;
}

/** The note signer of a log. Throws `ARGUMENT_INVALID` when the name or the signer cannot sign notes. */
export function logNoteSigner(name: string, signer: Signer): NoteSigner {
  return { key: keyOf(name, NOTE_ED25519, signer), signer };
}

/** The note signer of a witness. Throws `ARGUMENT_INVALID` when the name or the signer cannot sign notes. */
export function witnessNoteSigner(name: string, signer: Signer): NoteSigner {
  return { key: keyOf(name, COSIGNATURE_ED25519, signer), signer };
}

function keyOf(
  name: string,
  type: typeof NOTE_ED25519 | typeof COSIGNATURE_ED25519,
  signer: Signer,
): VerifierKey {
  const key = signer.algorithm === "ED25519" ? makeVerifierKey(name, type, signer.publicKey) : null;
  if (key !== null) return key;
  throw new OsaProofError(
    "ARGUMENT_INVALID",
    `${JSON.stringify(name)} needs an Ed25519 key and a name without white space or + to sign notes`,
  );
}

/** The log's line over a checkpoint text. Throws `SIGNER_FAILED`. */
export async function signCheckpoint({ key, signer }: NoteSigner, text: string): Promise<NoteSignature> {
  const signature = await signChecked(key, signer, encodeUtf8(text));
  return { name: key.name, keyId: key.keyId, signature };
}

/** The witness's line over a checkpoint text at a time in seconds since 1970. Throws `SIGNER_FAILED`. */
export async function cosignCheckpoint(
  { key, signer }: NoteSigner,
  text: string,
  time: number,
): Promise<NoteSignature> {
  const signature = await signChecked(key, signer, cosignatureMessage(text, time));
  return { name: key.name, keyId: key.keyId, signature: formatCosignature({ time, signature }) };
}

async function signChecked(key: VerifierKey, signer: Signer, message: Uint8Array): Promise<Uint8Array> {
  const signature = await signer.sign(message);
  if (verifySignature(key.key, message, signature)) return signature;
  throw new OsaProofError(
    "SIGNER_FAILED",
    `the signer of "${key.name}" gave a signature that does not verify`,
  );
}
