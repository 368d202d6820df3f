/**
 * Layer 2: public keys as SubjectPublicKeyInfo DER (RFC 5280 section 4.1, RFC 5480, RFC 8410), in the one
 * spelling that is accepted: a fixed prefix, a fixed length, and a point this package has checked itself.
 * A key file is attacker's input: a point at infinity aborts OpenSSL 3.0 inside Node, and platforms take
 * compressed and hybrid points and trailing bytes, which would give one key many thumbprints.
 */
import { concatBytes } from "../encoding/bytes.js";
import { decodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";
import { sha256Hex } from "./digest.js";
import { ED25519_BYTES, isEd25519Key } from "./ed25519.js";
import { isP256Point, P256_POINT_BYTES } from "./p256.js";

export type SigningAlgorithm = "ECDSA_P256" | "ED25519";

/** A key that passed {@link parsePublicKey}. `spki` is shared, not copied out: nobody changes it. */
export interface PublicKey {
  readonly algorithm: SigningAlgorithm;
  /** SubjectPublicKeyInfo DER: 91 bytes for P-256, 44 for Ed25519. */
  readonly spki: Uint8Array;
  /** "0x" and the SHA-256 of `spki`. */
  readonly thumbprint: string;
}

const P256_PREFIX = hexConstant("0x3059301306072a8648ce3d020106082a8648ce3d030107034200");
const ED25519_PREFIX = hexConstant("0x302a300506032b6570032100");

/** Only these objects reach a backend; one put together by hand does not, whatever its members say. */
const parsed = new WeakSet<PublicKey>();

/**
 * The key in these bytes, or null when they are not exactly one accepted encoding: P-256 uncompressed and on
 * the curve, or Ed25519 canonical, on the curve and not of small order. Copies its input.
 */
export function parsePublicKey(spki: Uint8Array): PublicKey | null {
  if (spki.length > P256_PREFIX.length + P256_POINT_BYTES) return null;
  // First a copy, so that what was checked is what is kept. Not slice: a Buffer's slice shares memory.
  const copy = new Uint8Array(spki);
  const algorithm = algorithmOf(copy);
  if (algorithm === null) return null;
  const key = Object.freeze({ algorithm, spki: copy, thumbprint: sha256Hex(copy) });
  parsed.add(key);
  return key;
}

/** True for the objects that {@link parsePublicKey} made. */
export function isParsedKey(key: PublicKey): boolean {
  return parsed.has(key);
}

/** SPKI of an uncompressed point of 65 bytes. Throws `KEY_INVALID` on another length; does not check the curve. */
export function spkiFromP256Point(point65: Uint8Array): Uint8Array {
  return spkiOf(P256_PREFIX, point65, P256_POINT_BYTES);
}

/** SPKI of a raw key of 32 bytes. Throws `KEY_INVALID` on another length; does not check the curve. */
export function spkiFromEd25519(raw32: Uint8Array): Uint8Array {
  return spkiOf(ED25519_PREFIX, raw32, ED25519_BYTES);
}

function algorithmOf(spki: Uint8Array): SigningAlgorithm | null {
  const p256 = bodyAfter(P256_PREFIX, spki);
  if (p256 !== null) return isP256Point(p256) ? "ECDSA_P256" : null;
  const ed25519 = bodyAfter(ED25519_PREFIX, spki);
  return ed25519 !== null && isEd25519Key(ed25519) ? "ED25519" : null;
}

/** What follows the prefix, or null when the bytes do not start with it. */
function bodyAfter(prefix: Uint8Array, spki: Uint8Array): Uint8Array | null {
  return prefix.every((byte, index) => spki[index] === byte) ? spki.subarray(prefix.length) : null;
}

function spkiOf(prefix: Uint8Array, point: Uint8Array, length: number): Uint8Array {
  if (point.length !== length) {
    throw new OsaProofError("KEY_INVALID", `a public key of ${point.length} bytes, expected ${length}`);
  }
  return concatBytes(prefix, point);
}

function hexConstant(text: string): Uint8Array {
  return decodeHex(text) ?? new Uint8Array();
}
