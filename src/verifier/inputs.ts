/** The optional side inputs of a verification: expectations, supplement and known heads (docs/SPEC.md, "Side inputs"). */
import { type AnchoredRevocationList, anchoredList, type ClaimScope } from "../bundle/format.js";
import * as LIMITS from "../limits.js";
import { type ActionStatus, actionStatus } from "../statements/commitment.js";
import * as fields from "../statements/fields.js";
import { type RootRotationV1, rootRotation } from "../statements/rotation.js";
import { array, integer, object, oneOf, optional, type Schema, text, version } from "../statements/schema.js";

/** What the auditor asked. Each member present must hold; agent, tool, status and file are judged on every target. */
export interface ExpectationsV1 {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "ExpectationsV1";
  readonly namespace_id?: string;
  readonly mission_id?: string;
  readonly session_id?: string;
  readonly agent_id?: string;
  readonly tool?: string;
  /** Exactly these targets, in any order. */
  readonly target_receipt_digests?: readonly string[];
  readonly scope?: ClaimScope;
  readonly status?: ActionStatus;
  /** SHA-256 of the file that the disclosed output must be. */
  readonly output_sha256?: string;
}

/** That the tree of a log with `new_size` entries begins with the one of `old_size` (RFC 6962 section 2.1.2). */
export interface LogConsistency {
  readonly origin: string;
  readonly old_size: number;
  readonly new_size: number;
  readonly hashes: readonly string[];
}

/** Newer revocation lists and rotations, checked as if they were in the bundle. */
export interface SupplementV1 {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "SupplementV1";
  readonly namespace_id: string;
  readonly root_rotations: readonly RootRotationV1[];
  readonly revocation_lists: readonly AnchoredRevocationList[];
  /** When present, logs with known heads must be shown to continue them. */
  readonly log_consistency?: readonly LogConsistency[];
}

/** A number and what it stands for. */
export interface KnownHead {
  readonly number: number;
  readonly digest: string;
}

export interface NamespaceHeads {
  readonly namespace_id: string;
  readonly revocation_list?: KnownHead;
  readonly root_rotation?: KnownHead;
}

export interface LogHead {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
}

/** The highest lists, rotations and checkpoints a verifier has seen. */
export interface KnownHeadsV1 {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "KnownHeadsV1";
  readonly namespaces: readonly NamespaceHeads[];
  readonly logs: readonly LogHead[];
}

export const expectations: Schema<ExpectationsV1> = object<ExpectationsV1>({
  protocol: fields.protocol,
  type: version("ExpectationsV1"),
  namespace_id: optional(fields.identifier),
  mission_id: optional(fields.identifier),
  session_id: optional(fields.identifier),
  agent_id: optional(fields.agentId),
  tool: optional(fields.toolName),
  target_receipt_digests: optional(
    array(fields.digest, { minimum: 1, maximum: LIMITS.maxReceipts, unique: true }),
  ),
  scope: optional(oneOf("session", "causal")),
  status: optional(actionStatus),
  output_sha256: optional(fields.digest),
});

const origin: Schema<string> = text(
  "a checkpoint origin line",
  (value) => value.length >= 1 && value.length <= LIMITS.maxOriginCharacters,
);

export const supplement: Schema<SupplementV1> = object<SupplementV1>({
  protocol: fields.protocol,
  type: version("SupplementV1"),
  namespace_id: fields.identifier,
  root_rotations: array(rootRotation, { maximum: LIMITS.maxRootRotations }),
  revocation_lists: array(anchoredList, { maximum: LIMITS.maxStatementsPerKind }),
  log_consistency: optional(
    array(
      object<LogConsistency>({
        origin,
        old_size: integer(1),
        new_size: integer(1),
        hashes: array(fields.digest, { maximum: LIMITS.maxAuditPathHashes }),
      }),
      { maximum: LIMITS.maxKnownHeads },
    ),
  ),
});

const head: Schema<KnownHead> = object<KnownHead>({ number: integer(1), digest: fields.digest });

export const knownHeads: Schema<KnownHeadsV1> = object<KnownHeadsV1>({
  protocol: fields.protocol,
  type: version("KnownHeadsV1"),
  namespaces: array(
    object<NamespaceHeads>({
      namespace_id: fields.identifier,
      revocation_list: optional(head),
      root_rotation: optional(head),
    }),
    { maximum: LIMITS.maxKnownHeads },
  ),
  logs: array(
    object<LogHead>({
      origin,
      size: integer(1),
      root: fields.digest,
    }),
    { maximum: LIMITS.maxKnownHeads },
  ),
});

/** True for bytes themselves: a Proxy around them is an `instanceof` too, and throws when it is read. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && ArrayBuffer.isView(value);
}

/** A namespace or log named twice, or expectations that ask nothing; null when the input is usable. */
export function headsFault(heads: KnownHeadsV1): string | null {
  const namespaces = new Set(heads.namespaces.map((entry) => entry.namespace_id));
  const logs = new Set(heads.logs.map((entry) => entry.origin));
  if (namespaces.size !== heads.namespaces.length) return "a namespace appears twice";
  return logs.size === heads.logs.length ? null : "a log appears twice";
}

export function expectationsFault(asked: ExpectationsV1): string | null {
  return Object.keys(asked).length > 2 ? null : "it asks nothing; leave it out, or say what is expected";
}
