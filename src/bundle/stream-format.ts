/**
 * The streaming form of a bundle: one line for each part of it, in the order in which a verifier needs them, so that
 * neither side ever holds all of it (docs/SPEC.md, "Streaming form").
 */

import { asciiJson } from "../encoding/ascii-json.js";
import type { JsonValue } from "../encoding/json-value.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { LIMITS } from "../limits.js";
import { delegation } from "../statements/delegation.js";
import * as fields from "../statements/fields.js";
import { agentKeyCertificate, identityRecord, runtimeKeyCertificate } from "../statements/identity.js";
import { actionReceipt } from "../statements/receipt.js";
import { rootRotation } from "../statements/rotation.js";
import { array, integer, object, oneOf, type Schema, version } from "../statements/schema.js";
import { sessionClose, sessionSeal } from "../statements/session.js";
import {
  anchoredList,
  attestation,
  type ClaimScope,
  disclosure,
  evidenceTreeHead,
  policy,
  treeProof,
} from "./format.js";

/** First line: what the bundle says of itself. */
export interface StreamHeader {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "ProofStreamV3";
  readonly namespace_id: string;
  readonly mission_id: string;
  readonly scope: ClaimScope;
}

/** Last line: how many lines of each name came before it, and the SHA-256 of all their bytes. */
export interface StreamTrailer {
  readonly counts: Readonly<Record<LineName, number>>;
  readonly digest: string;
}

const digests = array(fields.digest, { minimum: 1, maximum: LIMITS.maxDigestsPerLine });

export const streamHeader: Schema<StreamHeader> = object<StreamHeader>({
  protocol: fields.protocol,
  type: version("ProofStreamV3"),
  namespace_id: fields.identifier,
  mission_id: fields.identifier,
  scope: oneOf("session", "causal"),
});

/** The one member of a line between header and trailer. */
export type LineName =
  | "targets"
  | "identity_records"
  | "root_rotations"
  | "agent_key_certificates"
  | "runtime_key_certificates"
  | "delegations"
  | "policies"
  | "attestations"
  | "revocation_lists"
  | "receipts"
  | "disclosures"
  | "session_closes"
  | "session_seals"
  | "evidence_trees"
  | "leaves"
  | "proofs";

/** The schema of the value of each line. */
export const LINES: Readonly<Record<LineName, Schema<unknown>>> = {
  targets: digests,
  identity_records: identityRecord,
  root_rotations: rootRotation,
  agent_key_certificates: agentKeyCertificate,
  runtime_key_certificates: runtimeKeyCertificate,
  delegations: delegation,
  policies: policy,
  attestations: attestation,
  revocation_lists: anchoredList,
  receipts: actionReceipt,
  disclosures: disclosure,
  session_closes: sessionClose,
  session_seals: sessionSeal,
  evidence_trees: evidenceTreeHead,
  leaves: digests,
  proofs: treeProof,
};

export const LINE_NAMES: readonly LineName[] = Object.keys(LINES) as LineName[];

/** Lines come in this order; a receipt is followed by its disclosures, a tree by its leaves or proofs. */
const SECTIONS: Readonly<Record<LineName, number>> = {
  targets: 1,
  identity_records: 2,
  root_rotations: 3,
  agent_key_certificates: 4,
  runtime_key_certificates: 5,
  delegations: 6,
  policies: 7,
  attestations: 8,
  revocation_lists: 9,
  receipts: 10,
  disclosures: 10,
  session_closes: 11,
  session_seals: 12,
  evidence_trees: 13,
  leaves: 13,
  proofs: 13,
};

/** The most lines of a name; digests have several in a line. */
export const MOST_LINES: Readonly<Record<LineName, number>> = {
  targets: LIMITS.maxReceipts,
  identity_records: LIMITS.maxStatementsPerKind,
  root_rotations: LIMITS.maxRootRotations,
  agent_key_certificates: LIMITS.maxStatementsPerKind,
  runtime_key_certificates: LIMITS.maxStatementsPerKind,
  delegations: LIMITS.maxStatementsPerKind,
  policies: LIMITS.maxStatementsPerKind,
  attestations: LIMITS.maxStatementsPerKind,
  revocation_lists: LIMITS.maxStatementsPerKind,
  receipts: LIMITS.maxReceipts,
  disclosures: LIMITS.maxReceipts,
  session_closes: LIMITS.maxStatementsPerKind,
  session_seals: LIMITS.maxStatementsPerKind,
  evidence_trees: LIMITS.maxStatementsPerKind,
  leaves: LIMITS.maxReceipts,
  proofs: LIMITS.maxReceipts,
};

export function sectionOf(name: LineName): number {
  return SECTIONS[name];
}

export function isLineName(name: string): name is LineName {
  return Object.hasOwn(LINES, name);
}

export const streamTrailer: Schema<StreamTrailer> = object<StreamTrailer>({
  counts: object<StreamTrailer["counts"]>(
    Object.fromEntries(LINE_NAMES.map((name) => [name, integer(0)])) as unknown as {
      readonly [K in LineName]: Schema<number>;
    },
  ),
  digest: fields.digest,
});

/** What every stream begins with: the name of its first line. */
export const STREAM_BEGINNING: Uint8Array = encodeUtf8('{"header":{');

/** True for the first bytes of a bundle in the streaming form. */
export function isStream(bytes: Uint8Array): boolean {
  return STREAM_BEGINNING.every((byte, index) => bytes[index] === byte);
}

/** One line in its one spelling, its end included: ASCII, RFC 8785 but for what is escaped to be so. */
export function streamLine(name: LineName | "header" | "trailer", value: object): Uint8Array {
  // Parts of a bundle are JSON by construction; their interface types have no index signature to say so.
  return encodeUtf8(`${asciiJson({ [name]: value as unknown as JsonValue })}\n`);
}

export const NO_COUNTS: Readonly<Record<LineName, number>> = Object.fromEntries(
  LINE_NAMES.map((name) => [name, 0]),
) as Record<LineName, number>;
