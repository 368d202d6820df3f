/** Check 7, EVIDENCE: every statement is a leaf of a shown root, and every opening fits (docs/SPEC.md, "Check 7"). */
import { type Identified, type Placed, shownLeaves } from "../bundle/contents.js";
import type { Disclosure, EvidenceTreeV1 } from "../bundle/format.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import type { FailureCode } from "../errors.js";
import { commitmentOf } from "../statements/commitment.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { leafHash, merkleRoot } from "../tree/merkle.js";
import { canonicalOrder } from "../tree/order.js";
import { verifyInclusion } from "../tree/proof.js";
import type { Place } from "./report.js";
import type { Run } from "./run.js";

/** A tree that holds, with the leaves that it proves. */
export interface SoundTree {
  readonly tree: Placed<EvidenceTreeV1>;
  readonly leaves: readonly string[];
}

type FailAt = (code: FailureCode, place: Place, detail: string) => void;

export function checkEvidence(run: Run): readonly SoundTree[] {
  const fail: FailAt = (code, place, detail) => run.findings.fail("EVIDENCE", code, place, detail);
  const causes = leafCauses(run);
  const sound: SoundTree[] = [];
  for (const tree of run.contents.trees) {
    const leaves =
      tree.value.mode === "complete" ? checkComplete(tree, causes, fail) : checkProofs(tree, causes, fail);
    if (leaves.length > 0) sound.push({ tree, leaves });
  }
  const included = new Set(sound.flatMap(({ leaves }) => leaves));
  const shown = new Set(run.contents.trees.flatMap((tree) => shownLeaves(tree.value)));
  for (const item of [...run.contents.receipts, ...run.contents.closes, ...run.contents.seals]) {
    if (included.has(item.digest)) continue;
    run.failed.add(item);
    // Shown, but by a tree or proof that failed: that failure is the one to report.
    if (!shown.has(item.digest))
      fail("EVIDENCE_NOT_INCLUDED", item, "no evidence tree that holds has it as a leaf");
  }
  checkDisclosures(run, fail);
  return sound;
}

/** What must stand before each possible leaf: parents of a receipt, last receipt of a close, closes of a seal. */
function leafCauses(run: Run): ReadonlyMap<string, readonly string[]> {
  const causes = new Map<string, readonly string[]>();
  for (const { digest, statement } of run.contents.receipts)
    causes.set(digest, statement.parent_receipt_digests);
  for (const { digest, statement } of run.contents.closes)
    causes.set(digest, [statement.last_receipt_digest]);
  for (const { digest, statement } of run.contents.seals) causes.set(digest, statement.session_close_digests);
  return causes;
}

function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array(0);
}

/** All leaves shown: each once, each in the bundle, in canonical order, giving the root and the size. */
function checkComplete(
  tree: Placed<EvidenceTreeV1>,
  causes: ReadonlyMap<string, readonly string[]>,
  fail: FailAt,
): readonly string[] {
  const leaves = shownLeaves(tree.value);
  const place = { pointer: tree.pointer };
  const known = new Set<string>();
  for (const [index, leaf] of leaves.entries()) {
    if (known.has(leaf)) {
      fail(
        "EVIDENCE_PROOF_INVALID",
        { pointer: `${tree.pointer}/leaves/${index}`, digest: leaf },
        "this leaf stands in the tree twice",
      );
      return [];
    }
    known.add(leaf);
  }
  const absent = leaves.findIndex((leaf) => !causes.has(leaf));
  if (absent >= 0) {
    fail(
      "EVIDENCE_ROOT_MISMATCH",
      { pointer: `${tree.pointer}/leaves/${absent}`, digest: leaves[absent] ?? "" },
      "this leaf of a complete tree is no statement of the bundle",
    );
    return [];
  }
  const items = leaves.map((digest) => ({
    digest,
    parents: (causes.get(digest) ?? []).filter((cause) => known.has(cause)),
  }));
  const order = canonicalOrder(items);
  if (order === null || order.some((digest, index) => digest !== leaves[index])) {
    fail("EVIDENCE_ROOT_MISMATCH", place, "its leaves are not in the order that the protocol fixes");
    return [];
  }
  const root = encodeHex(merkleRoot(leaves.map(bytesOf)));
  if (root !== tree.value.root || leaves.length !== tree.value.tree_size) {
    fail("EVIDENCE_ROOT_MISMATCH", place, "its leaves do not give its root and size");
    return [];
  }
  return leaves;
}

/** Some leaves shown: each with its own path; no leaf and no place twice. Position in the order is not proven. */
function checkProofs(
  tree: Placed<EvidenceTreeV1>,
  causes: ReadonlyMap<string, readonly string[]>,
  fail: FailAt,
): readonly string[] {
  const { proofs = [], tree_size: size, root } = tree.value;
  const [leaves, places] = [new Set<string>(), new Set<number>()];
  for (const [index, proof] of proofs.entries()) {
    const { statement_digest: digest, leaf_index: leafIndex } = proof;
    const invalid = (detail: string): void =>
      fail("EVIDENCE_PROOF_INVALID", { pointer: `${tree.pointer}/proofs/${index}`, digest }, detail);
    if (leaves.has(digest) || places.has(leafIndex)) {
      invalid("its leaf or its place is used by another proof of this tree");
      continue;
    }
    places.add(leafIndex);
    if (!causes.has(digest)) {
      invalid("it proves a statement that is not in the bundle");
      continue;
    }
    const path = proof.audit_path.map(bytesOf);
    if (
      verifyInclusion({
        leafHash: leafHash(bytesOf(digest)),
        index: leafIndex,
        size,
        path,
        root: bytesOf(root),
      })
    ) {
      leaves.add(digest);
    } else {
      invalid("its audit path does not lead from this leaf to the root");
    }
  }
  return [...leaves];
}

/** Each opening fits exactly one field of one receipt. */
function checkDisclosures(run: Run, fail: FailAt): void {
  const receipts = run.receiptByDigest;
  const items = new Set<string>();
  for (const { value: shown, pointer } of run.contents.disclosures) {
    const receipt = receipts.get(shown.receipt_digest);
    if (receipt === undefined) continue;
    const place = { pointer, digest: receipt.digest };
    const commitment = commitmentOf(bytesOf(shown.salt), shown.value);
    if (items.has(commitment)) {
      fail("EVIDENCE_DISCLOSURE_MISMATCH", place, "its commitment is disclosed twice: it is a copy");
      continue;
    }
    items.add(commitment);
    if (shown.value.receipt_id !== receipt.statement.receipt_id || !fitsField(commitment, shown, receipt)) {
      fail("EVIDENCE_DISCLOSURE_MISMATCH", place, `it does not open the ${shown.value.kind} of its receipt`);
    } else if (shown.value.kind === "evidence" && !isItem(commitment, shown, receipt)) {
      fail(
        "EVIDENCE_ITEM_NOT_INCLUDED",
        place,
        "its commitment is not under its receipt's evidence_merkle_root",
      );
    }
  }
}

function fitsField(commitment: string, shown: Disclosure, receipt: Identified<ActionReceiptV3>): boolean {
  if (shown.value.kind === "input") return commitment === receipt.statement.input_commitment;
  if (shown.value.kind === "output") return commitment === receipt.statement.output_commitment;
  return true;
}

function isItem(commitment: string, shown: Disclosure, receipt: Identified<ActionReceiptV3>): boolean {
  if (shown.inclusion === undefined) return false;
  return verifyInclusion({
    leafHash: leafHash(bytesOf(commitment)),
    index: shown.inclusion.leaf_index,
    size: shown.inclusion.tree_size,
    path: shown.inclusion.audit_path.map(bytesOf),
    root: bytesOf(receipt.statement.evidence_merkle_root),
  });
}
