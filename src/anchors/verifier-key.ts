/**
 * Layer 5: the public keys of logs and witnesses in their C2SP text form, "vkey" (C2SP signed-note, "Verifier keys").
 *
 * ```
 * name + "+" + key id (8 lowercase hex digits) + "+" + base64(type byte, key bytes)
 * ```
 *
 * The key id is a lookup hint of 32 bits and commits to nothing: what is pinned is always the whole key.
 */

import { sha256 } from "../crypto/digest.js";
import { type PublicKey, parsePublicKey, spkiFromEd25519 } from "../crypto/keys.js";
import { decodeBase64, encodeBase64 } from "../encoding/base64.js";
import { concatBytes } from "../encoding/bytes.js";
import { encodeHex } from "../encoding/hex.js";
import { encodeUtf8, isWellFormed } from "../encoding/utf8.js";

/**
 * The signature types read here: Ed25519 over the note text, ECDSA over the note text, and the timestamped Ed25519
 * cosignature. Every other type is a key that this package does not know.
 */
export const NOTE_ED25519 = 0x01;
export const NOTE_ECDSA = 0x02;
export const COSIGNATURE_ED25519 = 0x04;
export type VerifierKeyType = typeof NOTE_ED25519 | typeof NOTE_ECDSA | typeof COSIGNATURE_ED25519;

/** A key that a note line may name. Two are the same identity only if name, type and key are all equal. */
export interface VerifierKey {
  /** The text form, which `parseVerifierKey` reads back. */
  readonly vkey: string;
  readonly name: string;
  /** 8 lowercase hex digits. */
  readonly keyId: string;
  readonly type: VerifierKeyType;
  readonly key: PublicKey;
}

const MAX_VKEY_CHARACTERS = 1024;
const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/;
// Not \s: in JavaScript that is another set than the property.
const NAME_FORBIDS = /[\p{White_Space}\p{Cc}+]/u;

/** True for a text that may stand as a key name: not empty, well-formed, no white space, no `+`, no control character. */
export function isKeyName(name: string): boolean {
  return name !== "" && isWellFormed(name) && !NAME_FORBIDS.test(name);
}

/** Reads a vkey. Null when it is not exactly the text `makeVerifierKey` writes for some name, type and valid key. */
export function parseVerifierKey(vkey: string): VerifierKey | null {
  if (vkey.length > MAX_VKEY_CHARACTERS) return null;
  const fields = VKEY.exec(vkey);
  const name = fields?.[1];
  const bytes = decodeBase64(fields?.[3] ?? "");
  if (name === undefined || bytes === null) return null;
  const made = keyFromBytes(name, bytes);
  // The comparison covers the key id as well: it is recomputed, never believed.
  return made !== null && made.vkey === vkey ? made : null;
}

/**
 * The verifier key of a name and a SubjectPublicKeyInfo. Null when the name cannot stand in a note, when the key is
 * not valid, or when its algorithm is not that of the type.
 */
export function makeVerifierKey(name: string, type: VerifierKeyType, spki: Uint8Array): VerifierKey | null {
  const key = parsePublicKey(spki);
  if (key === null || !isKeyName(name)) return null;
  if (key.algorithm !== (type === NOTE_ECDSA ? "ECDSA_P256" : "ED25519")) return null;
  // An Ed25519 key stands in a vkey as its 32 bytes, which end the SPKI; an ECDSA key as the whole SPKI.
  const keyBytes = type === NOTE_ECDSA ? key.spki : key.spki.subarray(-32);
  const typed = concatBytes(Uint8Array.of(type), keyBytes);
  const keyId = keyIdOf(name, type, typed, key);
  return { vkey: `${name}+${keyId}+${encodeBase64(typed)}`, name, keyId, type, key };
}

function keyFromBytes(name: string, bytes: Uint8Array): VerifierKey | null {
  const type = bytes[0];
  const keyBytes = bytes.subarray(1);
  if (type === NOTE_ECDSA) return makeVerifierKey(name, type, keyBytes);
  if (type !== NOTE_ED25519 && type !== COSIGNATURE_ED25519) return null;
  return keyBytes.length === 32 ? makeVerifierKey(name, type, spkiFromEd25519(keyBytes)) : null;
}

/** C2SP signed-note, "Signature types": for ECDSA neither the name nor the type is hashed. */
function keyIdOf(name: string, type: VerifierKeyType, typed: Uint8Array, key: PublicKey): string {
  const hashed = type === NOTE_ECDSA ? key.spki : concatBytes(encodeUtf8(`${name}\n`), typed);
  return encodeHex(sha256(hashed).subarray(0, 4)).slice(2);
}
