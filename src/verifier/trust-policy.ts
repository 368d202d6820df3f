/** TrustPolicyV1: what the auditor pins. Never taken from a bundle (docs/SPEC.md, "Trust policy"). */
import { type Operator, type TlogTrust, policyFault as tlogFault } from "../anchors/tlog-trust.js";
import { parseVerifierKey } from "../anchors/verifier-key.js";
import type { AttestationType } from "../bundle/format.js";
import { type PublicKey, parsePublicKey, type SigningAlgorithm } from "../crypto/keys.js";
import { decodeHex } from "../encoding/hex.js";
import * as LIMITS from "../limits.js";
import * as fields from "../statements/fields.js";
import {
  array,
  boolean,
  integer,
  object,
  oneOf,
  optional,
  type Schema,
  text,
  version,
} from "../statements/schema.js";

/** A root key that the auditor has checked out of band. */
export interface PinnedRoot {
  readonly key_id: string;
  readonly public_key: string;
  /** The rotation that made it the root; 0 for a namespace's first. */
  readonly rotation_number: number;
}

export interface NamespaceTrust {
  readonly namespace_id: string;
  readonly roots: readonly PinnedRoot[];
  /** DNS names that agents of this namespace may bear, compared whole. */
  readonly agent_domains: readonly string[];
  /** Agents whose delegation may have no parent. */
  readonly top_delegators: readonly string[];
  readonly minimum_revocation_list_number: number;
  /** When present, every delegation's policy digest must be one of these. */
  readonly required_policy_digests?: readonly string[];
}

export interface PinnedLog {
  readonly origin: string;
  readonly vkey: string;
  readonly operator: Operator;
}

export interface PinnedWitness {
  readonly name: string;
  readonly vkey: string;
  readonly operator: Operator;
}

export interface WitnessGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

export interface TlogPins {
  readonly logs: readonly PinnedLog[];
  readonly witnesses: readonly PinnedWitness[];
  readonly groups: readonly WitnessGroup[];
  /** A witness or group name, or "none". */
  readonly quorum: string;
}

/** A platform that runtimes must be attested by, with the measurements that are allowed. */
export interface AttestationRequirement {
  readonly type: AttestationType;
  readonly measurements: readonly string[];
}

export interface TrustPolicyV1 {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "TrustPolicyV1";
  readonly namespaces: readonly NamespaceTrust[];
  readonly accepted_algorithms: readonly SigningAlgorithm[];
  readonly tlog: TlogPins;
  /** Default false: a checkpoint that only its operator signed does not count. */
  readonly accept_operator_only?: boolean;
  readonly clock_skew_seconds?: number;
  readonly max_runtime_key_lifetime_seconds?: number;
  readonly max_anchor_delay_seconds?: number;
  readonly max_revocation_age_seconds?: number;
  readonly require_session_close: boolean;
  readonly require_session_seal: boolean;
  /** Default false: a close signed by the agent for a crashed runtime is refused. */
  readonly accept_agent_close?: boolean;
  readonly attestation_requirements?: readonly AttestationRequirement[];
  readonly limits?: { readonly max_bundle_bytes?: number; readonly max_receipts?: number };
}

const operator: Schema<Operator> = oneOf("own", "independent");
const name = text("1 to 128 printable characters", (value) => /^[!-~\u00a1-\uffff]{1,128}$/u.test(value));
const origin = text(
  "a checkpoint origin line",
  (value) =>
    value.length >= 1 && value.length <= LIMITS.maxOriginCharacters && !/[\u0000-\u001f]/.test(value),
);
const vkey = text("a C2SP verifier key", (value) => parseVerifierKey(value) !== null);
const duration = integer(1, LIMITS.maxDurationSeconds);

const namespaceTrust: Schema<NamespaceTrust> = object<NamespaceTrust>({
  namespace_id: fields.identifier,
  roots: array(
    object<PinnedRoot>({
      key_id: fields.identifier,
      public_key: fields.publicKey,
      rotation_number: integer(0),
    }),
    { minimum: 1, maximum: LIMITS.maxPolicyEntries },
  ),
  agent_domains: array(fields.dnsName, { minimum: 1, maximum: LIMITS.maxPolicyEntries, unique: true }),
  top_delegators: array(fields.agentId, { minimum: 1, maximum: LIMITS.maxPolicyEntries, unique: true }),
  minimum_revocation_list_number: integer(1),
  required_policy_digests: optional(
    array(fields.digest, { minimum: 1, maximum: LIMITS.maxPolicyEntries, unique: true }),
  ),
});

export const trustPolicy: Schema<TrustPolicyV1> = object<TrustPolicyV1>({
  protocol: fields.protocol,
  type: version("TrustPolicyV1"),
  namespaces: array(namespaceTrust, { minimum: 1, maximum: LIMITS.maxPolicyEntries }),
  accepted_algorithms: array(fields.signingAlgorithm, { minimum: 1, maximum: 2, unique: true }),
  tlog: object<TlogPins>({
    logs: array(object<PinnedLog>({ origin, vkey, operator }), {
      minimum: 1,
      maximum: LIMITS.maxPolicyEntries,
    }),
    witnesses: array(object<PinnedWitness>({ name, vkey, operator }), { maximum: LIMITS.maxPolicyEntries }),
    groups: array(
      object<WitnessGroup>({
        name,
        threshold: integer(1, LIMITS.maxPolicyEntries),
        members: array(name, { minimum: 1, maximum: LIMITS.maxPolicyEntries, unique: true }),
      }),
      { maximum: LIMITS.maxPolicyEntries },
    ),
    quorum: name,
  }),
  accept_operator_only: optional(boolean),
  clock_skew_seconds: optional(integer(0, LIMITS.maxClockSkewSeconds)),
  max_runtime_key_lifetime_seconds: optional(duration),
  max_anchor_delay_seconds: optional(duration),
  max_revocation_age_seconds: optional(duration),
  require_session_close: boolean,
  require_session_seal: boolean,
  accept_agent_close: optional(boolean),
  attestation_requirements: optional(
    array(
      object<AttestationRequirement>({
        type: oneOf("nitro", "sev_snp"),
        measurements: array(fields.hexBytes, { minimum: 1, maximum: LIMITS.maxPolicyEntries, unique: true }),
      }),
      { minimum: 1, maximum: 2 },
    ),
  ),
  limits: optional(
    object<NonNullable<TrustPolicyV1["limits"]>>({
      max_bundle_bytes: optional(integer(1, LIMITS.maxBundleBytes)),
      max_receipts: optional(integer(1, LIMITS.maxReceipts)),
    }),
  ),
});

/** A policy with its defaults filled in, times in milliseconds and keys parsed. */
export interface Trust {
  readonly namespaces: ReadonlyMap<string, NamespaceTrust>;
  readonly acceptedAlgorithms: ReadonlySet<SigningAlgorithm>;
  readonly tlog: TlogTrust;
  readonly acceptOperatorOnly: boolean;
  readonly skew: number;
  readonly maxRuntimeKeyLifetime: number;
  readonly maxAnchorDelay: number;
  readonly maxRevocationAge: number;
  readonly requireSessionClose: boolean;
  readonly requireSessionSeal: boolean;
  readonly acceptAgentClose: boolean;
  readonly attestationRequirements: readonly AttestationRequirement[];
  readonly maxBundleBytes: number;
  /** Of a bundle in the streaming form. */
  readonly maxStreamBytes: number;
  readonly maxReceipts: number;
}

/** A key that the policy schema has already accepted. */
export function pinnedKey(hex: string): PublicKey | null {
  const bytes = decodeHex(hex);
  return bytes === null ? null : parsePublicKey(bytes);
}

/** What is wrong with a policy that its schema accepts, or null: pins that contradict one another. */
export function policyFault(
  policy: TrustPolicyV1,
): { readonly pointer: string; readonly detail: string } | null {
  const seen = new Set<string>();
  for (const [index, namespace] of policy.namespaces.entries()) {
    const pointer = `/namespaces/${index}`;
    if (seen.has(namespace.namespace_id)) return { pointer, detail: "this namespace is pinned twice" };
    seen.add(namespace.namespace_id);
    const fault = rootsFault(namespace, pointer);
    if (fault !== null) return fault;
    const outside = namespace.top_delegators.findIndex(
      (agent) => !namespace.agent_domains.includes(fields.agentDomain(agent)),
    );
    if (outside >= 0) {
      return {
        pointer: `${pointer}/top_delegators/${outside}`,
        detail: "its DNS name is not in agent_domains",
      };
    }
  }
  const platforms = (policy.attestation_requirements ?? []).map(({ type }) => type);
  const repeated = platforms.findIndex((type, index) => platforms.indexOf(type) !== index);
  if (repeated >= 0) {
    return { pointer: `/attestation_requirements/${repeated}`, detail: "this platform is required twice" };
  }
  const tlog = tlogFault(tlogTrust(policy.tlog));
  return tlog === null ? null : { pointer: "/tlog", detail: tlog };
}

function rootsFault(
  namespace: NamespaceTrust,
  pointer: string,
): { readonly pointer: string; readonly detail: string } | null {
  const used = new Set<string>();
  for (const [index, root] of namespace.roots.entries()) {
    // Each is held against its own kind: a key id may look like another root's key.
    for (const name of ["key_id", "public_key", "rotation_number"] as const) {
      const part = `${name} ${root[name]}`;
      if (used.has(part)) {
        return {
          pointer: `${pointer}/roots/${index}`,
          detail: "a key id, key or rotation number is pinned twice",
        };
      }
      used.add(part);
    }
  }
  return null;
}

function tlogTrust(pins: TlogPins): TlogTrust {
  const logs = pins.logs.flatMap(({ origin: from, vkey: text, operator: by }) => {
    const key = parseVerifierKey(text);
    return key === null ? [] : [{ origin: from, key, operator: by }];
  });
  const witnesses = pins.witnesses.flatMap(({ name: known, vkey: text, operator: by }) => {
    const key = parseVerifierKey(text);
    return key === null ? [] : [{ name: known, key, operator: by }];
  });
  return { logs, witnesses, groups: pins.groups, quorum: pins.quorum };
}

const SECOND = 1_000;

/** Fills in the defaults of docs/SPEC.md, "Trust policy". The policy has passed schema and {@link policyFault}. */
export function resolveTrust(policy: TrustPolicyV1): Trust {
  return {
    namespaces: new Map(policy.namespaces.map((namespace) => [namespace.namespace_id, namespace])),
    acceptedAlgorithms: new Set(policy.accepted_algorithms),
    tlog: tlogTrust(policy.tlog),
    acceptOperatorOnly: policy.accept_operator_only ?? false,
    skew: (policy.clock_skew_seconds ?? 60) * SECOND,
    maxRuntimeKeyLifetime: (policy.max_runtime_key_lifetime_seconds ?? 1_800) * SECOND,
    maxAnchorDelay: (policy.max_anchor_delay_seconds ?? 86_400) * SECOND,
    maxRevocationAge: (policy.max_revocation_age_seconds ?? 86_400) * SECOND,
    requireSessionClose: policy.require_session_close,
    requireSessionSeal: policy.require_session_seal,
    acceptAgentClose: policy.accept_agent_close ?? false,
    attestationRequirements: policy.attestation_requirements ?? [],
    maxBundleBytes: policy.limits?.max_bundle_bytes ?? LIMITS.maxBundleBytes,
    maxStreamBytes: policy.limits?.max_bundle_bytes ?? LIMITS.maxStreamBytes,
    maxReceipts: policy.limits?.max_receipts ?? LIMITS.maxReceipts,
  };
}
