/** A decoded bundle with every statement beside its digest, its signed bytes and its place. */
import { sha256Hex } from "../crypto/digest.js";
import { decodeHex } from "../encoding/hex.js";
import { canonicalBytes } from "../encoding/jcs.js";
import { canonicalStatement } from "../statements/canonical.js";
import type { DelegationV1 } from "../statements/delegation.js";
import type {
  AgentKeyCertificateV1,
  IdentityRecordV1,
  RuntimeKeyCertificateV1,
} from "../statements/identity.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { RevocationListV1 } from "../statements/revocation.js";
import type { RootRotationV1 } from "../statements/rotation.js";
import type { SessionCloseV1, SessionSealV1 } from "../statements/session.js";
import type { Anchor, Attestation, Disclosure, EvidenceTreeV1, ProofBundleV3 } from "./format.js";

/** A statement with what others know it by. */
export interface Identified<T> {
  readonly statement: T;
  readonly digest: string;
  readonly signedBytes: Uint8Array;
  readonly pointer: string;
}

/** Something in a bundle that is no signed statement: a policy, a tree, an attestation, a disclosure. */
export interface Placed<T> {
  readonly value: T;
  readonly pointer: string;
}

/** A policy or attestation, named by the digest of its bytes. */
export interface Named<T> extends Placed<T> {
  readonly digest: string;
}

export interface AnchoredList extends Identified<RevocationListV1> {
  readonly anchors: readonly Anchor[];
}

export interface Contents {
  readonly identityRecords: readonly Identified<IdentityRecordV1>[];
  readonly rotations: readonly Identified<RootRotationV1>[];
  readonly agentCertificates: readonly Identified<AgentKeyCertificateV1>[];
  readonly runtimeCertificates: readonly Identified<RuntimeKeyCertificateV1>[];
  readonly delegations: readonly Identified<DelegationV1>[];
  readonly policies: readonly Named<object>[];
  readonly receipts: readonly Identified<ActionReceiptV3>[];
  readonly closes: readonly Identified<SessionCloseV1>[];
  readonly seals: readonly Identified<SessionSealV1>[];
  readonly trees: readonly Placed<EvidenceTreeV1>[];
  readonly lists: readonly AnchoredList[];
  readonly attestations: readonly Named<Attestation>[];
  readonly disclosures: readonly Placed<Disclosure>[];
}

/** Computes digest and signed bytes of one decoded statement. */
export function identify<T extends object>(statement: T, pointer: string): Identified<T> {
  const { digest, signedBytes } = canonicalStatement(statement);
  return { statement, digest, signedBytes, pointer };
}

function identifyAll<T extends object>(statements: readonly T[], pointer: string): readonly Identified<T>[] {
  return statements.map((statement, index) => identify(statement, `${pointer}/${index}`));
}

function placeAll<T>(values: readonly T[], pointer: string): readonly Placed<T>[] {
  return values.map((value, index) => ({ value, pointer: `${pointer}/${index}` }));
}

/** Lists that stand beside their anchors; the statement is one level below its array entry. */
export function identifyLists(
  lists: readonly { readonly list: RevocationListV1; readonly anchors: readonly Anchor[] }[],
  pointer: string,
): readonly AnchoredList[] {
  return lists.map(({ list, anchors }, index) => ({
    ...identify(list, `${pointer}/${index}/list`),
    anchors,
  }));
}

/** SHA-256 of an attestation document's bytes. */
export function attestationDigest(attestation: Attestation): string {
  return sha256Hex(decodeHex(attestation.document) ?? new Uint8Array(0));
}

/** All but the receipts, which can be too many to stand beside one another as objects. */
export type ContentsBesideReceipts = Omit<Contents, "receipts">;

/** Identifies everything in a decoded bundle; the order of each array is kept. */
export function contentsOf(bundle: ProofBundleV3): Contents {
  return { ...contentsBesideReceipts(bundle), receipts: identifyAll(bundle.receipts, "/receipts") };
}

/** {@link contentsOf} without the receipts. */
export function contentsBesideReceipts(bundle: Omit<ProofBundleV3, "receipts">): ContentsBesideReceipts {
  return {
    identityRecords: identifyAll(bundle.identity_records, "/identity_records"),
    rotations: identifyAll(bundle.root_rotations, "/root_rotations"),
    agentCertificates: identifyAll(bundle.agent_key_certificates, "/agent_key_certificates"),
    runtimeCertificates: identifyAll(bundle.runtime_key_certificates, "/runtime_key_certificates"),
    delegations: identifyAll(bundle.delegations, "/delegations"),
    policies: bundle.policies.map((policy, index) => ({
      value: policy,
      pointer: `/policies/${index}`,
      digest: sha256Hex(canonicalBytes(policy)),
    })),
    closes: identifyAll(bundle.session_closes, "/session_closes"),
    seals: identifyAll(bundle.session_seals, "/session_seals"),
    trees: placeAll(bundle.evidence_trees, "/evidence_trees"),
    lists: identifyLists(bundle.revocation_lists, "/revocation_lists"),
    attestations: bundle.attestations.map((attestation, index) => ({
      value: attestation,
      pointer: `/attestations/${index}`,
      digest: attestationDigest(attestation),
    })),
    disclosures: placeAll(bundle.disclosures, "/disclosures"),
  };
}

/** Items by a text key; several items may share one. */
export function groupBy<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Items by digest; a repeated digest keeps its first item. */
export function byDigest<T extends { readonly digest: string }>(items: Iterable<T>): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const item of items) if (!map.has(item.digest)) map.set(item.digest, item);
  return map;
}

/** A receipt or a runtime key certificate, which find each other by these. */
export interface RuntimeKeyBearer {
  readonly namespace_id: string;
  readonly agent_id: string;
  readonly runtime_id: string;
  readonly session_id: string;
  readonly runtime_key_id: string;
}

/** The text under which a receipt and its runtime certificate find each other. */
export function runtimeKeyName(bearer: RuntimeKeyBearer): string {
  // No member can hold a space, so the joined text has one reading.
  return `${bearer.namespace_id} ${bearer.agent_id} ${bearer.runtime_id} ${bearer.session_id} ${bearer.runtime_key_id}`;
}

/** The digests that a tree shows, in the order shown. */
export function shownLeaves(tree: EvidenceTreeV1): readonly string[] {
  return tree.leaves ?? tree.proofs?.map((proof) => proof.statement_digest) ?? [];
}
