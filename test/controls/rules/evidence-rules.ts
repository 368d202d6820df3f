/** Check 7. */
import { net, type Rule, rulesOf } from "../rule.js";

const evidence = rulesOf("verifier/check-evidence.ts");
const proven = rulesOf("verifier/proven-leaves.ts");

export const EVIDENCE_RULES: readonly Rule[] = [
  evidence(
    "7.1",
    "a leaf that stands in it before",
    "EVIDENCE_PROOF_INVALID/leaf-twice-in-a-complete-tree",
    "if (repeated >= 0) {",
    "if (false) {",
  ),
  evidence(
    "7.1",
    "a leaf that is no receipt, close or seal of the bundle",
    "EVIDENCE_ROOT_MISMATCH/leaf-of-nothing-shown",
    "if (absent !== null) {",
    "if (false) {",
    net(
      "EVIDENCE_ROOT_MISMATCH",
      "the digest of a statement that is not there is not kept, so no root comes of it",
    ),
  ),
  evidence(
    "7.1",
    "leaves not in the order",
    "EVIDENCE_ROOT_MISMATCH/another-order",
    "if (!this.#isOrdered(leaves))",
    "if (false)",
  ),
  evidence(
    "7.1",
    "leaves that do not give `root`",
    "EVIDENCE_ROOT_MISMATCH/anchored-under-another-root",
    "encodeHex(root.root()) !== value.root || ",
    "",
  ),
  evidence(
    "7.1",
    "not as many as `tree_size`",
    "EVIDENCE_ROOT_MISMATCH/anchored-with-another-size",
    " || leaves.length !== value.tree_size",
    "",
  ),
  proven(
    "7.2",
    "an earlier proof of this tree has proved",
    "EVIDENCE_PROOF_INVALID/leaf-at-two-places",
    "if (this.#leaves.has(leaf) || this.#places.has(place)) {",
    "if (this.#places.has(place)) {",
  ),
  proven(
    "7.2",
    "an earlier proof of this tree has proved, or its index that of an earlier proof",
    "EVIDENCE_PROOF_INVALID/leaf-proven-twice",
    "if (this.#leaves.has(leaf) || this.#places.has(place)) {",
    "if (false) {",
  ),
  proven(
    "7.2",
    "its index that of an earlier proof",
    "EVIDENCE_PROOF_INVALID/two-leaves-at-one-place",
    "if (this.#leaves.has(leaf) || this.#places.has(place)) {",
    "if (this.#leaves.has(leaf)) {",
    net(
      "EVIDENCE_PROOF_INVALID",
      "a tree has one leaf at a place, so the audit path of the other one does not hold",
    ),
  ),
  proven(
    "7.2",
    "its digest is no receipt, close or seal of the bundle",
    "EVIDENCE_PROOF_INVALID/proof-of-a-leaf-not-shown",
    "if (leaf === NO_LEAF) {",
    "if (false) {",
  ),
  proven(
    "7.2",
    "its audit path does not prove it",
    ["path-changed", "another-place", "path-too-short"].map((name) => `EVIDENCE_PROOF_INVALID/${name}`),
    "if (isIncluded) ",
    "if (true) ",
  ),
  proven(
    "7.2",
    "its audit path does not prove it",
    "EVIDENCE_PROOF_INVALID/path-changed",
    "depth === path.length && isSame(this.#climbed.words, reached, this.#root.words, 0)",
    "depth === path.length",
    { file: "tree/proven-tree.ts" },
  ),
  evidence(
    "7.3",
    "that no tree names as a leaf",
    ["no-tree", "receipt-in-no-tree", "close-in-no-tree"].map((name) => `EVIDENCE_NOT_INCLUDED/${name}`),
    "if (included[leaf] === 1) continue;",
    "continue;",
  ),
  evidence(
    "7.4",
    "an earlier one of the same receipt has its commitment",
    "EVIDENCE_DISCLOSURE_MISMATCH/leaf-twice-in-the-action-tree",
    "if (met.has(commitment)) {",
    "if (false) {",
  ),
  evidence(
    "7.4",
    "its `value.receipt_id` is not that of the receipt",
    "EVIDENCE_DISCLOSURE_MISMATCH/committed-for-another-receipt",
    "shown.value.receipt_id !== receipt.receipt_id || ",
    "",
  ),
  evidence(
    "7.4",
    "is not the receipt's commitment",
    ["value-changed", "status-changed", "salt-changed"].map((name) => `EVIDENCE_DISCLOSURE_MISMATCH/${name}`),
    " || !fitsField(commitment, shown, receipt)",
    "",
  ),
  evidence(
    "7.4",
    "is not proved as leaf data",
    ["value-changed", "path-changed", "action-without-items"].map(
      (name) => `EVIDENCE_ITEM_NOT_INCLUDED/${name}`,
    ),
    '} else if (shown.value.kind === "evidence" && !isItem(commitment, shown, receipt)) {',
    "} else if (false) {",
  ),
];
