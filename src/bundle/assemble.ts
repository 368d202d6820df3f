/** Packs a bundle: exactly what the chosen targets need, nothing else (docs/SPEC.md, "Assembly"). */
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";
import { evidenceTree } from "../tree/merkle.js";
import { contentsOf, groupBy, runtimeKeyName } from "./contents.js";
import type { Anchor, ClaimScope, EvidenceTreeV1, ProofBundleV3 } from "./format.js";
import { referenced } from "./references.js";

/** An evidence tree as its maker keeps it: all leaves, in tree order, and the anchors of its root. */
export interface SealedTree {
  readonly leaves: readonly string[];
  readonly anchors: readonly Anchor[];
}

/** Everything a packer may draw from; more than one session and mission is fine. */
export interface ProofMaterial
  extends Omit<
    ProofBundleV3,
    "protocol" | "type" | "namespace_id" | "mission_id" | "claim" | "evidence_trees"
  > {
  readonly evidence_trees: readonly SealedTree[];
}

export interface BundleClaim {
  readonly scope: ClaimScope;
  /** Digests of the receipts that the bundle is about. */
  readonly targets: readonly string[];
}

function incomplete(what: string): OsaProofError {
  return new OsaProofError("BUNDLE_INCOMPLETE", `the material has no ${what}`);
}

/**
 * Assembles the bundle of a claim. Scope `causal` takes the targets and their ancestors; scope `session`
 * takes the whole session of the targets, with closes and seals. Disclosures in the material are kept
 * where they open a receipt of the claim: pass only those that may be shown.
 * @throws OsaProofError BUNDLE_INCOMPLETE naming what is missing; ARGUMENT_INVALID for an empty claim
 */
export function assembleBundle(material: ProofMaterial, claim: BundleClaim): ProofBundleV3 {
  if (claim.targets.length === 0)
    throw new OsaProofError("ARGUMENT_INVALID", "claim: expected at least one target");
  const session = claim.scope === "session";
  const everything = contentsOf({
    ...material,
    protocol: "OSA_PROOF_V3",
    type: "ProofBundleV3",
    namespace_id: "",
    mission_id: "",
    claim,
    session_closes: session ? material.session_closes : [],
    session_seals: session ? material.session_seals : [],
    evidence_trees: [],
  });
  const first = everything.receipts.find((receipt) => receipt.digest === claim.targets[0])?.statement;
  if (first === undefined) throw incomplete(`target receipt ${claim.targets[0]}`);
  const kept = referenced(everything, claim);
  const keep = <T extends object>(items: readonly T[]): readonly T[] =>
    items.filter((item) => kept.has(item));
  const statements = <T>(items: readonly { readonly statement: T }[]): readonly T[] =>
    keep(items).map((item) => item.statement);
  const shown = new Set(
    [...keep(everything.receipts), ...keep(everything.closes), ...keep(everything.seals)].map(
      (leaf) => leaf.digest,
    ),
  );

  const bundle: ProofBundleV3 = {
    protocol: "OSA_PROOF_V3",
    type: "ProofBundleV3",
    namespace_id: first.namespace_id,
    mission_id: first.mission_id,
    claim: { scope: claim.scope, targets: [...claim.targets] },
    identity_records: statements(everything.identityRecords),
    root_rotations: material.root_rotations,
    agent_key_certificates: statements(everything.agentCertificates),
    runtime_key_certificates: statements(everything.runtimeCertificates),
    delegations: statements(everything.delegations),
    policies: keep(everything.policies).map((policy) => policy.value as ProofBundleV3["policies"][number]),
    receipts: statements(everything.receipts),
    session_closes: statements(everything.closes),
    session_seals: statements(everything.seals),
    evidence_trees: material.evidence_trees.flatMap((tree) => showTree(tree, shown)),
    revocation_lists: material.revocation_lists,
    attestations: keep(everything.attestations).map((attestation) => attestation.value),
    disclosures: keep(everything.disclosures).map((disclosure) => disclosure.value),
  };
  requireComplete(bundle, claim, shown);
  return bundle;
}

/** The whole tree where every leaf is shown, else one inclusion proof for each leaf that is. */
function showTree(tree: SealedTree, shown: ReadonlySet<string>): readonly EvidenceTreeV1[] {
  const indexes = tree.leaves.flatMap((leaf, index) => (shown.has(leaf) ? [index] : []));
  if (indexes.length === 0) return [];
  const built = evidenceTree(tree.leaves.map((leaf) => decodeHex(leaf) ?? new Uint8Array(0)));
  const common = { root: encodeHex(built.root), tree_size: built.size, anchors: tree.anchors };
  if (indexes.length === tree.leaves.length)
    return [{ ...common, mode: "complete", leaves: [...tree.leaves] }];
  const proofs = indexes.map((index) => ({
    statement_digest: tree.leaves[index] ?? "",
    leaf_index: index,
    audit_path: built.inclusionProof(index).map(encodeHex),
  }));
  return [{ ...common, mode: "inclusion", proofs }];
}

/** Finds at packing time what the verifier would miss, and names it. */
function requireComplete(bundle: ProofBundleV3, claim: BundleClaim, shown: ReadonlySet<string>): void {
  const contents = contentsOf({ ...bundle, evidence_trees: [] });
  const has = (items: readonly { readonly digest: string }[]): ReadonlySet<string> =>
    new Set(items.map((item) => item.digest));
  const [receipts, delegations, agentCertificates] = [
    has(contents.receipts),
    has(contents.delegations),
    has(contents.agentCertificates),
  ];
  const runtimeKeys = groupBy(contents.runtimeCertificates, (certificate) =>
    runtimeKeyName(certificate.statement),
  );
  const records = new Set(bundle.identity_records.map((record) => record.agent_id));
  const included = new Set(
    bundle.evidence_trees.flatMap(
      (tree) => tree.leaves ?? tree.proofs?.map((proof) => proof.statement_digest) ?? [],
    ),
  );

  for (const target of claim.targets) if (!receipts.has(target)) throw incomplete(`target receipt ${target}`);
  for (const { statement, digest } of contents.receipts) {
    for (const parent of statement.parent_receipt_digests) {
      if (!receipts.has(parent)) throw incomplete(`receipt ${parent}, a parent of ${digest}`);
    }
    if (!delegations.has(statement.delegation_digest))
      throw incomplete(`delegation ${statement.delegation_digest}`);
    if (!runtimeKeys.has(runtimeKeyName(statement)))
      throw incomplete(`certificate for runtime key ${statement.runtime_key_id}`);
    if (!records.has(statement.agent_id)) throw incomplete(`identity record of ${statement.agent_id}`);
  }
  for (const { statement } of [...contents.delegations, ...contents.runtimeCertificates]) {
    const named = statement.agent_key_certificate_digest;
    if (!agentCertificates.has(named)) throw incomplete(`agent key certificate ${named}`);
  }
  for (const { statement } of contents.delegations) {
    const parent = statement.parent_delegation_digest;
    if (parent !== undefined && !delegations.has(parent)) throw incomplete(`delegation ${parent}`);
  }
  for (const leaf of shown) if (!included.has(leaf)) throw incomplete(`evidence tree that holds ${leaf}`);
  if (claim.scope === "session") requireCloses(bundle, claim.targets, contents.receipts);
}

function requireCloses(
  bundle: ProofBundleV3,
  targets: readonly string[],
  receipts: ReturnType<typeof contentsOf>["receipts"],
): void {
  const session = receipts.find((receipt) => receipt.digest === targets[0])?.statement.session_id;
  const closed = new Set(bundle.session_closes.map((close) => close.runtime_id));
  for (const receipt of bundle.receipts) {
    if (receipt.session_id === session && !closed.has(receipt.runtime_id)) {
      throw incomplete(`session close of runtime ${receipt.runtime_id}`);
    }
  }
}

/**
 * A bundle without some of its disclosures, salts included; nothing else depends on them.
 * `withhold` says which go; without it all do.
 */
export function withholdDisclosures(
  bundle: ProofBundleV3,
  withhold: (disclosure: ProofBundleV3["disclosures"][number]) => boolean = () => true,
): ProofBundleV3 {
  if (typeof withhold !== "function") {
    throw new OsaProofError("ARGUMENT_INVALID", "withhold: expected a function of one disclosure");
  }
  return { ...bundle, disclosures: bundle.disclosures.filter((disclosure) => !withhold(disclosure)) };
}
