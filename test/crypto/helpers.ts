import { existsSync, readFileSync } from "node:fs";
import type { Backend } from "../../src/crypto/backend.js";
import { backend as node } from "../../src/crypto/backend-node.js";
import { backend as portable } from "../../src/crypto/backend-portable.js";
import { type PublicKey, parsePublicKey } from "../../src/crypto/keys.js";
import { verifySignatureWith } from "../../src/crypto/signature.js";
import { decodeHex } from "../../src/encoding/hex.js";

export const backends: readonly Backend[] = [portable, node];

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

/** More uses than the portable backend sees before it makes a table for a key. */
export const MANY_USES = 8;

/** Strict signatures that say nothing. */
const IDLE = {
  ECDSA_P256: hex("3006020101020101"),
  ED25519: hex("02".repeat(32) + "00".repeat(32)),
} as const;

let busy: PublicKey | null = null;

/** The key once more, as one that has come back often. */
function busyKey(key: PublicKey): PublicKey {
  if (busy?.thumbprint === key.thumbprint) return busy;
  busy = keyOf(key.spki);
  for (let use = 0; use < MANY_USES; use += 1) {
    verifySignatureWith(portable, busy, new Uint8Array(0), IDLE[busy.algorithm]);
  }
  return busy;
}

/** The one answer of both backends, of the portable one for a new key and for a busy one; throws when they differ. */
export function verifyEverywhere(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const asked = [
    ...backends.map((backend) => ({ backend, key, as: "given" })),
    { backend: portable, key: keyOf(key.spki), as: "new" },
    { backend: portable, key: busyKey(key), as: "busy" },
  ];
  const answers = asked.map((each) => verifySignatureWith(each.backend, each.key, message, signature));
  const [first, ...others] = answers;
  if (first === undefined || others.some((answer) => answer !== first)) {
    const said = asked.map(({ backend, as }, i) => `${backend.name} ${as} ${answers[i]}`);
    throw new Error(`backends differ: ${said.join(", ")}`);
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
