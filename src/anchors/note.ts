/**
 * Layer 5: the signed note (C2SP signed-note, "Format"), read and written as text.
 *
 * ```
 * <text: lines, the last one ended>\n
 * \n
 * — <name> <base64(key id of 4 bytes, signature)>\n      one or more
 * ```
 *
 * What is signed is the text with its last line end; the blank line between is not part of it.
 */
import { decodeBase64, encodeBase64 } from "../encoding/base64.js";
import { concatBytes } from "../encoding/bytes.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { isWellFormed } from "../encoding/utf8.js";
import * as LIMITS from "../limits.js";
import { isKeyName } from "./verifier-key.js";

/** One signature line. Nothing about it is verified. */
export interface NoteSignature {
  readonly name: string;
  /** 8 lowercase hex digits. */
  readonly keyId: string;
  /** What follows the key id, at least one byte. */
  readonly signature: Uint8Array;
}

export interface SignedNote {
  /** Ends with a line end; may hold empty lines. */
  readonly text: string;
  /** At least one; no two with the same name and key id. */
  readonly signatures: readonly NoteSignature[];
}

const LINE_START = "\u2014 ";

/**
 * Splits a note. Null when it is not well-formed: a control character other than the line end, no blank line, no or
 * more than `LIMITS.maxNoteSignatures` signature lines, a line not in its one spelling, or two lines with the same
 * name and key id (a threshold counts keys, and a second line of one key could only be there to be counted).
 * Checks no signature.
 */
export function parseNote(note: string): SignedNote | null {
  if (note.length > LIMITS.maxTlogProofBytes || !isWellFormed(note)) return null;
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note) || !note.endsWith("\n")) return null;
  // The text may hold blank lines itself, so the separator is the last one.
  const separator = note.lastIndexOf("\n\n");
  if (separator === -1) return null;
  const lines = note.slice(separator + 2, -1).split("\n");
  if (lines.length > LIMITS.maxNoteSignatures) return null;
  const signatures: NoteSignature[] = [];
  const seen = new Set<string>();
  for (const line of lines) {
    const signature = parseSignatureLine(line);
    if (signature === null) return null;
    const identity = `${signature.name}+${signature.keyId}`;
    if (seen.has(identity)) return null;
    seen.add(identity);
    signatures.push(signature);
  }
  return { text: note.slice(0, separator + 1), signatures };
}

/** Reads one signature line without its line end; null when it is not exactly what `formatSignatureLine` writes. */
export function parseSignatureLine(line: string): NoteSignature | null {
  if (!line.startsWith(LINE_START)) return null;
  const fields = line.slice(LINE_START.length).split(" ");
  const [name, base64] = fields;
  if (fields.length !== 2 || name === undefined || base64 === undefined || !isKeyName(name)) return null;
  const bytes = decodeBase64(base64);
  if (bytes === null || bytes.length < 5) return null;
  return { name, keyId: encodeHex(bytes.subarray(0, 4)).slice(2), signature: bytes.subarray(4) };
}

/** One signature line without its line end. The name and key id must be well-formed already. */
export function formatSignatureLine(signature: NoteSignature): string {
  const keyId = decodeHex(`0x${signature.keyId}`) ?? new Uint8Array();
  return `${LINE_START}${signature.name} ${encodeBase64(concatBytes(keyId, signature.signature))}`;
}

/** The note of a text that ends with a line end, and its signatures in the order given. */
export function formatNote(text: string, signatures: readonly NoteSignature[]): string {
  return `${text}\n${signatures.map((signature) => `${formatSignatureLine(signature)}\n`).join("")}`;
}
