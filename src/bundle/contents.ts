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
import type {
  Anchor,
  AnchoredRevocationList,
  Attestation,
  Disclosure,
  EvidenceTreeV1,
  ProofBundleV3,
} from "./format.js";

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

/** A list that stands beside its anchors; the statement is one level below its array entry. */
export function identifyList({ list, anchors }: AnchoredRevocationList, pointer: string): AnchoredList {
  return { ...identify(list, `${pointer}/list`), anchors };
}

function place<T>(value: T, pointer: string): Placed<T> {
  return { value, pointer };
}

/** SHA-256 of an attestation document's bytes. */
function attestationDigest(attestation: Attestation): string {
  return sha256Hex(decodeHex(attestation.document) ?? new Uint8Array(0));
}

/** All but the receipts, which can be too many to stand beside one another as objects. */
export type ContentsBesideReceipts = Omit<Contents, "receipts">;

/** The members of a bundle whose entries become contents. */
export type PartName = Exclude<
  keyof ProofBundleV3,
  "protocol" | "type" | "namespace_id" | "mission_id" | "claim" | "receipts"
>;

/** Where the entries of each member go, and what is made of one with its pointer. */
const PARTS: {
  readonly [Name in PartName]: {
    readonly into: keyof ContentsBesideReceipts;
    readonly make: (entry: ProofBundleV3[Name][number], pointer: string) => object;
  };
} = {
  identity_records: { into: "identityRecords", make: identify },
  root_rotations: { into: "rotations", make: identify },
  agent_key_certificates: { into: "agentCertificates", make: identify },
  runtime_key_certificates: { into: "runtimeCertificates", make: identify },
  delegations: { into: "delegations", make: identify },
  policies: {
    into: "policies",
    make: (policy, pointer) => ({ ...place(policy, pointer), digest: sha256Hex(canonicalBytes(policy)) }),
  },
  session_closes: { into: "closes", make: identify },
  session_seals: { into: "seals", make: identify },
  evidence_trees: { into: "trees", make: place },
  revocation_lists: { into: "lists", make: identifyList },
  attestations: {
    into: "attestations",
    make: (document, pointer) => ({ ...place(document, pointer), digest: attestationDigest(document) }),
  },
  disclosures: { into: "disclosures", make: place },
};

const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

/** Contents to which nothing has been added. */
export function emptyContents(): ContentsBesideReceipts {
  const into = Object.values(PARTS).map((part) => [part.into, []]);
  // Every array of the interface is named by a part.
  return Object.fromEntries(into) as ContentsBesideReceipts;
}

/** Adds an entry of a member of a bundle, decoded by that member's schema, as the one of this index. */
export function addPart(
  contents: ContentsBesideReceipts,
  name: PartName,
  index: number,
  entry: unknown,
): void {
  const { into, make } = PARTS[name];
  // The table holds name, entry and array together; only here they are taken apart.
  (contents[into] as object[]).push(make(entry as never, `/${name}/${index}`));
}

/** Identifies everything in a decoded bundle; the order of each array is kept. */
export function contentsOf(bundle: ProofBundleV3): Contents {
  const receipts = bundle.receipts.map((receipt, index) => identify(receipt, `/receipts/${index}`));
  return { ...contentsBesideReceipts(bundle), receipts };
}

/** {@link contentsOf} without the receipts. */
export function contentsBesideReceipts(bundle: Omit<ProofBundleV3, "receipts">): ContentsBesideReceipts {
  const contents = emptyContents();
  for (const name of PART_NAMES)
    for (const [index, entry] of bundle[name].entries()) addPart(contents, name, index, entry);
  return contents;
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
