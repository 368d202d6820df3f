/** Layer 5: does this key's line on this note verify (C2SP signed-note, "Signatures" and "Verifying")? */

import { lowSOfDer } from "../crypto/der.js";
import { verifySignature } from "../crypto/signature.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { cosignatureMessage, parseCosignature } from "./cosignature.js";
import { parseNote, type SignedNote } from "./note.js";
import { COSIGNATURE_ED25519, NOTE_ECDSA, type VerifierKey } from "./verifier-key.js";

/** `absent`: the note has no line with the key's name and id. `time` is null where the type carries none. */
export type LineOutcome =
  | { readonly kind: "absent" }
  | { readonly kind: "wrong" }
  | { readonly kind: "verified"; readonly time: number | null };

/** Looks for the line that carries both the name and the id of the key, and verifies it under the key. Never throws. */
export function checkNoteSignature(note: SignedNote, key: VerifierKey): LineOutcome {
  const line = note.signatures.find((one) => one.name === key.name && one.keyId === key.keyId);
  if (line === undefined) return { kind: "absent" };
  if (key.type === COSIGNATURE_ED25519) {
    const cosignature = parseCosignature(line.signature);
    if (cosignature === null) return { kind: "wrong" };
    const message = cosignatureMessage(note.text, cosignature.time);
    if (!verifySignature(key.key, message, cosignature.signature)) return { kind: "wrong" };
    return { kind: "verified", time: cosignature.time };
  }
  // Logs of other people do not normalise S, and their format does not ask for it. Both forms are one statement by one
  // key, so the low one is made first and the package's one rule for ECDSA applies unchanged.
  const signature = key.type === NOTE_ECDSA ? lowSOfDer(line.signature) : line.signature;
  const verified = signature !== null && verifySignature(key.key, encodeUtf8(note.text), signature);
  return verified ? { kind: "verified", time: null } : { kind: "wrong" };
}

/** A key and what its line said. */
export interface VerifiedLine {
  readonly key: VerifierKey;
  readonly time: number | null;
}

/**
 * Opens a note with the keys given: its text and the lines that verified, at least one. Null when the note is not
 * well-formed, when a line of one of the keys does not verify, or when none of them signed. Lines of other keys are
 * ignored, and so is a line where only the name or only the key id fits.
 */
export function openNote(
  note: string,
  keys: readonly VerifierKey[],
): { readonly text: string; readonly verified: readonly VerifiedLine[] } | null {
  const parsed = parseNote(note);
  if (parsed === null) return null;
  const verified: VerifiedLine[] = [];
  for (const key of keys) {
    const outcome = checkNoteSignature(parsed, key);
    if (outcome.kind === "wrong") return null;
    if (outcome.kind === "verified") verified.push({ key, time: outcome.time });
  }
  return verified.length === 0 ? null : { text: parsed.text, verified };
}
