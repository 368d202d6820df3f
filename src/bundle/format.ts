/** ProofBundleV3: one file with everything a verifier needs beside its trust policy (docs/SPEC.md, "Bundle"). */
import { decodeHex } from "../encoding/hex.js";
import type { JsonObject } from "../encoding/json-value.js";
import * as LIMITS from "../limits.js";
import { type CommittedValue, committedValue } from "../statements/commitment.js";
import { type DelegationV1, delegation } from "../statements/delegation.js";
import * as fields from "../statements/fields.js";
import {
  type AgentKeyCertificateV1,
  agentKeyCertificate,
  type IdentityRecordV1,
  identityRecord,
  type RuntimeKeyCertificateV1,
  runtimeKeyCertificate,
} from "../statements/identity.js";
import { type ActionReceiptV3, actionReceipt } from "../statements/receipt.js";
import { type RevocationListV1, revocationList } from "../statements/revocation.js";
import { type RootRotationV1, rootRotation } from "../statements/rotation.js";
import {
  acceptKnown,
  array,
  type Fault,
  integer,
  isObject,
  object,
  oneOf,
  optional,
  refine,
  type Schema,
  version,
  wrongType,
} from "../statements/schema.js";
import { type SessionCloseV1, type SessionSealV1, sessionClose, sessionSeal } from "../statements/session.js";

export type ClaimScope = "session" | "causal";
export type AnchorType = "tlog" | "rfc3161" | "opentimestamps" | "rekor";
export type AttestationType = "nitro" | "sev_snp";

/** A ledger's proof for the anchor entry of the root or list it stands beside. */
export interface Anchor {
  readonly type: AnchorType;
  /** `tlog`: C2SP tlog-proof text. `rfc3161`, `opentimestamps`: `0x` hex. `rekor`: JSON text. */
  readonly proof: string;
}

/** Where one leaf sits in a tree of `tree_size` leaves; hashes from leaf to root. */
export interface InclusionPath {
  readonly leaf_index: number;
  readonly tree_size: number;
  readonly audit_path: readonly string[];
}

export interface TreeProof {
  readonly statement_digest: string;
  readonly leaf_index: number;
  readonly audit_path: readonly string[];
}

export interface EvidenceTreeV1 {
  readonly root: string;
  readonly tree_size: number;
  readonly mode: "complete" | "inclusion";
  /** Mode `complete`: every leaf in tree order. */
  readonly leaves?: readonly string[];
  /** Mode `inclusion`: one proof for each shown leaf. */
  readonly proofs?: readonly TreeProof[];
  readonly anchors: readonly Anchor[];
}

export interface AnchoredRevocationList {
  readonly list: RevocationListV1;
  readonly anchors: readonly Anchor[];
}

/** Opens one commitment of one receipt. */
export interface Disclosure {
  readonly receipt_digest: string;
  readonly salt: string;
  readonly value: CommittedValue;
  /** Present exactly for `evidence`: the item's place in the action tree. */
  readonly inclusion?: InclusionPath;
}

export interface Attestation {
  readonly type: AttestationType;
  /** The document's bytes as `0x` hex. */
  readonly document: string;
}

export interface ProofBundleV3 {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "ProofBundleV3";
  readonly namespace_id: string;
  readonly mission_id: string;
  readonly claim: { readonly scope: ClaimScope; readonly targets: readonly string[] };
  readonly identity_records: readonly IdentityRecordV1[];
  readonly root_rotations: readonly RootRotationV1[];
  readonly agent_key_certificates: readonly AgentKeyCertificateV1[];
  readonly runtime_key_certificates: readonly RuntimeKeyCertificateV1[];
  readonly delegations: readonly DelegationV1[];
  /** Preimages (JCS) of policy digests; withheld ones are simply absent. */
  readonly policies: readonly JsonObject[];
  readonly receipts: readonly ActionReceiptV3[];
  readonly session_closes: readonly SessionCloseV1[];
  readonly session_seals: readonly SessionSealV1[];
  readonly evidence_trees: readonly EvidenceTreeV1[];
  readonly revocation_lists: readonly AnchoredRevocationList[];
  readonly attestations: readonly Attestation[];
  readonly disclosures: readonly Disclosure[];
}

const proofText: Schema<string> = {
  shape: { text: "a proof" },
  decode(value, pointer, into) {
    if (typeof value !== "string") return wrongType(into, pointer, "string", value);
    if (value.length > LIMITS.maxAnchorProofCharacters) {
      into.report({
        code: "FORMAT_TOO_LARGE",
        pointer,
        detail: `expected at most ${LIMITS.maxAnchorProofCharacters} characters`,
      });
      return undefined;
    }
    if (value.length > 0) return value;
    into.report({
      code: "FORMAT_VALUE_INVALID",
      pointer,
      detail: "expected a proof, found an empty text",
    });
    return undefined;
  },
};

const anchorShape: Schema<Anchor> = object<Anchor>({
  type: oneOf("tlog", "rfc3161", "opentimestamps", "rekor"),
  proof: proofText,
});

export const anchor: Schema<Anchor> = refine(anchorShape, (value, pointer) => {
  const binary = value.type === "rfc3161" || value.type === "opentimestamps";
  if (!binary || decodeHex(value.proof) !== null) return null;
  return {
    code: "FORMAT_VALUE_INVALID",
    pointer: `${pointer}/proof`,
    detail: "expected 0x and lowercase hex digits",
  };
});

const anchors = array(anchor, { maximum: LIMITS.maxAnchorsPerTree });
const auditPath = array(fields.digest, { maximum: LIMITS.maxAuditPathHashes });

/** A tree without its leaves and proofs, which have lines of their own in the streaming form. */
export type EvidenceTreeHead = Omit<EvidenceTreeV1, "leaves" | "proofs">;

const treeMembers = {
  root: fields.digest,
  tree_size: integer(1),
  mode: oneOf("complete", "inclusion"),
  anchors,
};

export const evidenceTreeHead: Schema<EvidenceTreeHead> = object<EvidenceTreeHead>(treeMembers);

export const treeProof: Schema<TreeProof> = acceptKnown(
  object<TreeProof>({
    statement_digest: fields.digest,
    leaf_index: integer(0),
    audit_path: auditPath,
  }),
);

const treeShape: Schema<EvidenceTreeV1> = object<EvidenceTreeV1>({
  ...treeMembers,
  leaves: optional(array(fields.digest, { minimum: 1, maximum: LIMITS.maxReceipts })),
  proofs: optional(array(treeProof, { minimum: 1, maximum: LIMITS.maxReceipts })),
});

/** One member present and its counterpart absent, as a discriminating member says. */
function exactly(
  pointer: string,
  members: readonly (readonly [name: string, present: boolean, wanted: boolean])[],
): Fault | null {
  for (const [name, present, wanted] of members) {
    if (present === wanted) continue;
    const code = wanted ? "FORMAT_MISSING_MEMBER" : "FORMAT_UNKNOWN_MEMBER";
    const detail = wanted ? "required here" : "not allowed here";
    return { code, pointer: `${pointer}/${name}`, detail };
  }
  return null;
}

export const evidenceTreeShape: Schema<EvidenceTreeV1> = refine(treeShape, (tree, pointer) =>
  exactly(pointer, [
    ["leaves", tree.leaves !== undefined, tree.mode === "complete"],
    ["proofs", tree.proofs !== undefined, tree.mode === "inclusion"],
  ]),
);

const disclosureShape: Schema<Disclosure> = object<Disclosure>({
  receipt_digest: fields.digest,
  salt: fields.salt,
  value: committedValue,
  inclusion: optional(
    object<InclusionPath>({ leaf_index: integer(0), tree_size: integer(1), audit_path: auditPath }),
  ),
});

export const disclosure: Schema<Disclosure> = refine(disclosureShape, (shown, pointer) =>
  exactly(pointer, [["inclusion", shown.inclusion !== undefined, shown.value.kind === "evidence"]]),
);

export const anchoredList: Schema<AnchoredRevocationList> = object<AnchoredRevocationList>({
  list: revocationList,
  anchors,
});

export const attestation: Schema<Attestation> = object<Attestation>({
  type: oneOf("nitro", "sev_snp"),
  document: fields.hexBytes,
});

/** A policy document: any JSON object. Its content is not judged, only its digest. */
export const policy: Schema<JsonObject> = {
  shape: { kind: "object" },
  decode: (value, pointer, into) => (isObject(value) ? value : wrongType(into, pointer, "object", value)),
};

function many<T>(item: Schema<T>): Schema<readonly T[]> {
  return array(item, { maximum: LIMITS.maxStatementsPerKind });
}

export const proofBundle: Schema<ProofBundleV3> = object<ProofBundleV3>({
  protocol: fields.protocol,
  type: version("ProofBundleV3"),
  namespace_id: fields.identifier,
  mission_id: fields.identifier,
  claim: object<ProofBundleV3["claim"]>({
    scope: oneOf("session", "causal"),
    targets: array(fields.digest, { maximum: LIMITS.maxReceipts, unique: true }),
  }),
  identity_records: many(identityRecord),
  root_rotations: array(rootRotation, { maximum: LIMITS.maxRootRotations }),
  agent_key_certificates: many(agentKeyCertificate),
  runtime_key_certificates: many(runtimeKeyCertificate),
  delegations: many(delegation),
  policies: many(policy),
  receipts: array(actionReceipt, { maximum: LIMITS.maxReceipts }),
  session_closes: many(sessionClose),
  session_seals: many(sessionSeal),
  evidence_trees: many(evidenceTreeShape),
  revocation_lists: many(anchoredList),
  attestations: many(attestation),
  disclosures: array(disclosure, { maximum: LIMITS.maxReceipts }),
});
