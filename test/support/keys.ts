/** Keys, salts and times of the fixture world: all fixed, so that every run makes the same bytes. */
import { sha256, sha256Hex } from "../../src/crypto/digest.js";
import type { SigningAlgorithm } from "../../src/crypto/keys.js";
import type { Signer } from "../../src/crypto/signer.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { formatTime } from "../../src/encoding/time.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { createLocalSigner } from "../../src/runtime/local-signer.js";

export interface TestKey {
  readonly signer: Signer;
  /** SubjectPublicKeyInfo as `0x` hex. */
  readonly spki: string;
  readonly thumbprint: string;
}

const keys = new Map<string, TestKey>();

/**
 * The key of a label: its private key is the SHA-256 of the label. Anybody can compute it, so it must never
 * be trusted outside of tests. The key id is the label.
 */
export function testKey(label: string, algorithm: SigningAlgorithm = "ECDSA_P256"): TestKey {
  const name = `${algorithm} ${label}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const privateKey = sha256(encodeUtf8(`osa-proof fixture key ${name}`));
  const signer = createLocalSigner({ keyId: label, algorithm, privateKey });
  const key = { signer, spki: encodeHex(signer.publicKey), thumbprint: sha256Hex(signer.publicKey) };
  keys.set(name, key);
  return key;
}

/** The 32-byte salt of a label. */
export function testSalt(label: string): Uint8Array {
  return sha256(encodeUtf8(`osa-proof fixture salt ${label}`));
}

/** The digest of a label: for a digest that names nothing. */
export function testDigest(label: string): string {
  return sha256Hex(encodeUtf8(`osa-proof fixture digest ${label}`));
}

/** 2026-11-02T09:00:00Z, where every fixture session begins. */
const BEGIN = Date.UTC(2026, 10, 2, 9);

export const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;

/** The time so many seconds after the begin of the fixture session. */
export function at(seconds: number): string {
  return formatTime(BEGIN + seconds * 1_000);
}

/** The same in whole seconds since 1970, as witnesses write it. */
export function unixSeconds(seconds: number): number {
  return BEGIN / 1_000 + seconds;
}
