import { existsSync, readFileSync } from "node:fs";
import type { Backend } from "../../src/crypto/backend.js";
import { backend as noble } from "../../src/crypto/backend-noble.js";
import { backend as node } from "../../src/crypto/backend-node.js";
import { type PublicKey, parsePublicKey } from "../../src/crypto/keys.js";
import { verifySignatureWith } from "../../src/crypto/signature.js";
import { decodeHex } from "../../src/encoding/hex.js";

export const backends: readonly Backend[] = [noble, node];

/** Bytes of hex digits without a prefix, as vectors write them. */
export function hex(digits: string): Uint8Array {
  const bytes = decodeHex(`0x${digits}`);
  if (bytes === null) throw new Error(`not hex: ${digits}`);
  return bytes;
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A key that must be acceptable. */
export function keyOf(spki: Uint8Array): PublicKey {
  const key = parsePublicKey(spki);
  if (key === null) throw new Error("the key of this test was refused");
  return key;
}

/** The one answer of both backends; throws when they differ. */
export function verifyEverywhere(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const answers = backends.map((backend) => verifySignatureWith(backend, key, message, signature));
  const [first, ...others] = answers;
  if (first === undefined || others.some((answer) => answer !== first)) {
    throw new Error(`backends differ: ${backends.map((b, i) => `${b.name} ${answers[i]}`).join(", ")}`);
  }
  return first;
}

const vectorsFolder = new URL("../../../shared/vectors/", import.meta.url);

/** A public vector file, or null and one printed line when the folder is not there. */
export function readVectors(name: string): unknown {
  const file = new URL(name, vectorsFolder);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  console.warn(`skipped: ../shared/vectors/${name} is not here; the project's own cases test the same rules`);
  return null;
}

export interface WycheproofGroup {
  readonly publicKeyDer: string;
  readonly tests: readonly {
    readonly tcId: number;
    readonly comment: string;
    readonly flags: readonly string[];
    readonly msg: string;
    readonly sig: string;
    readonly result: "valid" | "invalid";
  }[];
}
