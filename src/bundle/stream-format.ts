/**
 * The streaming form of a bundle: one line for each part of it, in the order in which a verifier needs them, so that
 * neither side ever holds all of it (docs/SPEC.md, "Streaming form").
 */

import { asciiLine } from "../encoding/ascii-json.js";
import type { JsonValue } from "../encoding/json-value.js";
import * as LIMITS from "../limits.js";
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

/** What is said of lines of one name. */
export interface LineKind {
  /** Of the value. */
  readonly schema: Schema<unknown>;
  /** Sections come in ascending order; lines of one section are mixed as their names say. */
  readonly section: number;
  /** How many there may be; digests have several in a line. */
  readonly most: number;
  /** The line that must have come before it in its section: what it belongs to. */
  readonly of?: LineName;
}

const { maxReceipts, maxStatementsPerKind: maxStatements } = LIMITS;

/** In their order. */
export const LINES: Readonly<Record<LineName, LineKind>> = {
  targets: { schema: digests, section: 1, most: maxReceipts },
  identity_records: { schema: identityRecord, section: 2, most: maxStatements },
  root_rotations: { schema: rootRotation, section: 3, most: LIMITS.maxRootRotations },
  agent_key_certificates: { schema: agentKeyCertificate, section: 4, most: maxStatements },
  runtime_key_certificates: { schema: runtimeKeyCertificate, section: 5, most: maxStatements },
  delegations: { schema: delegation, section: 6, most: maxStatements },
  policies: { schema: policy, section: 7, most: maxStatements },
  attestations: { schema: attestation, section: 8, most: maxStatements },
  revocation_lists: { schema: anchoredList, section: 9, most: maxStatements },
  receipts: { schema: actionReceipt, section: 10, most: maxReceipts },
  disclosures: { schema: disclosure, section: 10, most: maxReceipts, of: "receipts" },
  session_closes: { schema: sessionClose, section: 11, most: maxStatements },
  session_seals: { schema: sessionSeal, section: 12, most: maxStatements },
  evidence_trees: { schema: evidenceTreeHead, section: 13, most: maxStatements },
  leaves: { schema: digests, section: 13, most: maxReceipts, of: "evidence_trees" },
  proofs: { schema: treeProof, section: 13, most: maxReceipts, of: "evidence_trees" },
};

export const LINE_NAMES: readonly LineName[] = Object.keys(LINES) as LineName[];

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

/** One line in its one spelling, its end included: ASCII, RFC 8785 but for what is escaped to be so. */
export function streamLine(name: LineName | "header" | "trailer", value: object): Uint8Array {
  // Parts of a bundle are JSON by construction; their interface types have no index signature to say so.
  return asciiLine(name, value as unknown as JsonValue);
}

export const NO_COUNTS: Readonly<Record<LineName, number>> = Object.fromEntries(
  LINE_NAMES.map((name) => [name, 0]),
) as Record<LineName, number>;
