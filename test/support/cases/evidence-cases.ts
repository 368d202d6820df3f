/** Check 7, EVIDENCE: every statement is a leaf of a shown root, and every opening fits. */
import { testDigest } from "../keys.js";
import { casesFrom, type InvalidCase } from "./invalid.js";
import { oneBitOff } from "./signatures.js";

const entry = casesFrom("fork-and-merge");

const TREE = "/evidence_trees/0";
const PROOFS = { parent: "inclusion-proofs" } as const;
const OPENINGS = { parent: "disclosures" } as const;

export const EVIDENCE_CASES: readonly InvalidCase[] = [
  entry(
    "EVIDENCE_NOT_INCLUDED",
    "no-tree",
    "/receipts/0",
    "A receipt under no root is anchored nowhere, and could have been made at any time.",
    "All trees were taken out.",
    {
      parent: "one-receipt",
      bundle: (bundle) => {
        bundle["evidence_trees"] = [];
      },
    },
  ),
  entry(
    "EVIDENCE_NOT_INCLUDED",
    "receipt-in-no-tree",
    "/receipts/2",
    "Each receipt needs its own leaf; its children's do not cover it.",
    "The tree was made, and anchored, without the coder's receipt.",
    {
      world: {
        leaves: { tree: (leaves, world) => leaves.filter((leaf) => leaf !== world.digest("receipt:3")) },
      },
    },
  ),
  entry(
    "EVIDENCE_NOT_INCLUDED",
    "close-in-no-tree",
    "/session_closes/1",
    "A close is anchored like a receipt, or a key stolen later could sign a shorter ending.",
    "The tree was made, and anchored, without the second close.",
    {
      parent: "session-without-seal",
      world: {
        leaves: { tree: (leaves, world) => leaves.filter((leaf) => leaf !== world.digest("close:rt-2")) },
      },
    },
  ),
  entry(
    "EVIDENCE_ROOT_MISMATCH",
    "another-order",
    TREE,
    "The order of leaves is fixed, so that any two assemblers get one root.",
    "The tree was made, and anchored, with its leaves reversed.",
    { world: { leaves: { tree: (leaves) => leaves.reverse() } } },
  ),
  entry(
    "EVIDENCE_ROOT_MISMATCH",
    "another-root",
    TREE,
    "The root must be that of the leaves shown.",
    "One bit of `root` was changed.",
    {
      bundle: (bundle) => {
        bundle["evidence_trees"][0].root = oneBitOff(bundle["evidence_trees"][0].root);
      },
    },
  ),
  entry(
    "EVIDENCE_ROOT_MISMATCH",
    "another-size",
    TREE,
    "The size is part of what was anchored, and must be the number of leaves.",
    "`tree_size` was raised by one.",
    {
      bundle: (bundle) => {
        bundle["evidence_trees"][0].tree_size += 1;
      },
    },
  ),
  entry(
    "EVIDENCE_ROOT_MISMATCH",
    "leaf-left-out",
    TREE,
    "Leaves that do not give the root are not the ones that were anchored.",
    "A leaf of a complete tree was taken out; its receipt stands under the second tree.",
    {
      parent: "second-tree-without-anchor",
      bundle: (bundle) => {
        const [whole, single] = bundle["evidence_trees"];
        whole.leaves = whole.leaves.filter((leaf: string) => leaf !== single.leaves[0]);
      },
    },
  ),
  entry(
    "EVIDENCE_PROOF_INVALID",
    "path-changed",
    `${TREE}/proofs/0`,
    "The audit path must lead from the leaf to the root.",
    "One bit of the first hash of an audit path was changed.",
    {
      ...PROOFS,
      bundle: (bundle) => {
        const { audit_path } = bundle["evidence_trees"][0].proofs[0];
        audit_path[0] = oneBitOff(audit_path[0]);
      },
    },
  ),
  entry(
    "EVIDENCE_PROOF_INVALID",
    "another-place",
    `${TREE}/proofs/1`,
    "A path leads from one place only.",
    "`leaf_index` of the second proof was set to a place that no proof has.",
    {
      ...PROOFS,
      bundle: (bundle) => {
        bundle["evidence_trees"][0].proofs[1].leaf_index = 3;
      },
    },
  ),
  entry(
    "EVIDENCE_PROOF_INVALID",
    "path-too-short",
    `${TREE}/proofs/0`,
    "The length of a path follows from place and size; a shorter one would end at an inner node.",
    "The last hash of an audit path was taken out.",
    {
      ...PROOFS,
      bundle: (bundle) => {
        bundle["evidence_trees"][0].proofs[0].audit_path.pop();
      },
    },
  ),
  entry(
    "EVIDENCE_PROOF_INVALID",
    "leaf-proven-twice",
    `${TREE}/proofs/2`,
    "A leaf has one place, and is proven once.",
    "The first proof was added a second time.",
    {
      ...PROOFS,
      bundle: (bundle) => {
        const { proofs } = bundle["evidence_trees"][0];
        proofs.push(proofs[0]);
      },
    },
  ),
  entry(
    "EVIDENCE_PROOF_INVALID",
    "leaf-twice-in-a-complete-tree",
    `${TREE}/leaves/4`,
    "No digest twice: trees that repeat their last leaf have roots that several lists of leaves give.",
    "The tree was made, and anchored, with its last leaf repeated.",
    { world: { leaves: { tree: (leaves) => [...leaves, ...leaves.slice(-1)] } } },
  ),
  entry(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "value-changed",
    "/disclosures/1",
    "What is shown must be what was committed.",
    "A disclosed output was changed from `total: 42` to `total: 43`.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        bundle["disclosures"][1].value.json = "total: 43\n";
      },
    },
  ),
  entry(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "status-changed",
    "/disclosures/1",
    "The status sits inside the commitment, so that an outcome cannot be denied later.",
    "The status of a disclosed output was changed from `completed` to `failed`.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        bundle["disclosures"][1].value.status = "failed";
      },
    },
  ),
  entry(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "salt-changed",
    "/disclosures/0",
    "An opening is salt and value together.",
    "One bit of the salt was changed.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        bundle["disclosures"][0].salt = oneBitOff(bundle["disclosures"][0].salt);
      },
    },
  ),
  entry(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "moved-to-another-receipt",
    "/disclosures/0",
    "The committed value names its receipt, so an opening fits one receipt only.",
    "The disclosed input of the first receipt is shown as one of the second.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        const [first, , , , last] = bundle["disclosures"];
        first.receipt_digest = last.receipt_digest;
      },
    },
  ),
  entry(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "item-shown-twice",
    "/disclosures/5",
    "Two equal commitments are a copy: one item must not be counted as two.",
    "A disclosed evidence item was added again, for another place of the action tree.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        const copy = structuredClone(bundle["disclosures"][2]);
        copy.inclusion.leaf_index = 1;
        bundle["disclosures"].push(copy);
      },
    },
  ),
  entry(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "value-changed",
    "/disclosures/2",
    "An evidence item must be under the action tree's root.",
    "The value of a disclosed evidence item was changed.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        bundle["disclosures"][2].value.json = { name: "stdin" };
      },
    },
  ),
  entry(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "path-changed",
    "/disclosures/3",
    "The item's path must lead to the action tree's root.",
    "One bit of the path of a disclosed evidence item was changed.",
    {
      ...OPENINGS,
      bundle: (bundle) => {
        const path = bundle["disclosures"][3].inclusion.audit_path;
        path[0] = oneBitOff(path[0]);
      },
    },
  ),
  entry(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "action-without-items",
    "/disclosures/0",
    "An action without evidence has the root of nothing, under which nothing is.",
    "The disclosed output was rewritten as an evidence item of its receipt, which has none.",
    {
      parent: "disclosed-bytes",
      bundle: (bundle) => {
        const [shown] = bundle["disclosures"];
        shown.value.kind = "evidence";
        delete shown.value.status;
        shown.inclusion = { leaf_index: 0, tree_size: 1, audit_path: [] };
      },
    },
  ),
  entry(
    "EVIDENCE_PROOF_INVALID",
    "proof-of-something-else",
    `${TREE}/proofs/2`,
    "A proof of a statement that is not shown proves nothing about those that are.",
    "A proof was added whose statement is not in the bundle.",
    {
      ...PROOFS,
      bundle: (bundle) => {
        const { proofs } = bundle["evidence_trees"][0];
        proofs.push({ statement_digest: testDigest("elsewhere"), leaf_index: 3, audit_path: [] });
      },
    },
  ),
];
