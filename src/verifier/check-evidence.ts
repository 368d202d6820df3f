/** Check 7, EVIDENCE: every statement is a leaf of a shown root, and every opening fits (docs/SPEC.md, "Check 7"). */
import type { Placed } from "../bundle/contents.js";
import type { Disclosure } from "../bundle/format.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import type { FailureCode } from "../errors.js";
import { commitmentOf } from "../statements/commitment.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { GrowingRoot } from "../tree/growing-root.js";
import { leafHash } from "../tree/merkle.js";
import { isCanonicalOrder } from "../tree/order.js";
import { verifyInclusion } from "../tree/proof.js";
import type { ShownTree } from "./proven-leaves.js";
import type { Findings, Place } from "./report.js";
import type { Run } from "./run.js";
import { type Leaves, NO_LEAF, type ShownLeaves, type TreeHead } from "./shown-leaves.js";

/** A tree that holds, with the leaves that it proves. */
export interface SoundTree {
  readonly head: TreeHead;
  readonly leaves: Uint32Array;
}

export function checkEvidence(run: Run, all: Leaves, trees: readonly ShownTree[]): readonly SoundTree[] {
  const fail = (code: FailureCode, place: Place, detail: string): void =>
    run.findings.fail("EVIDENCE", code, place, detail);
  const order = new CompleteOrder(run, all);
  const sound: SoundTree[] = [];
  const [included, named] = [new Uint8Array(all.count), new Uint8Array(all.count)];
  for (const { head, shown, proven } of trees) {
    for (const leaf of shown.leaves) if (leaf !== NO_LEAF) named[leaf] = 1;
    const fault = proven === null ? order.faultOf(head, shown) : null;
    if (fault !== null) fail(fault.code, fault.place, fault.detail);
    const leaves = proven?.leaves ?? (fault === null ? shown.leaves : new Uint32Array(0));
    for (const leaf of leaves) included[leaf] = 1;
    if (leaves.length > 0) sound.push({ head, leaves });
  }
  for (let leaf = 0; leaf < all.count; leaf += 1) {
    if (included[leaf] === 1) continue;
    run.failed.add(all.placeOf(leaf));
    // Shown, but by a tree or proof that failed: that failure is the one to report.
    if (named[leaf] === 0)
      fail("EVIDENCE_NOT_INCLUDED", all.placeOf(leaf), "no evidence tree that holds has it as a leaf");
  }
  return sound;
}

interface TreeFault {
  readonly code: FailureCode;
  readonly place: Place;
  readonly detail: string;
}

/** Judges complete trees: each leaf once, each in the bundle, in canonical order, giving the root and the size. */
class CompleteOrder {
  readonly #all: Leaves;
  /** The place of each leaf in the tree at hand, counted from 1; 0 for those that are not in it. */
  readonly #place: Uint32Array;

  constructor(run: Run, all: Leaves) {
    this.#all = all;
    this.#place = run.receipts.numbers(all.count);
  }

  faultOf(head: TreeHead, shown: ShownLeaves): TreeFault | null {
    const { leaves } = shown;
    const repeated = this.#placeAll(leaves);
    const fault = this.#judge(head, shown, repeated);
    for (const leaf of leaves) if (leaf !== NO_LEAF) this.#place[leaf] = 0;
    return fault;
  }

  #judge({ value, pointer }: TreeHead, shown: ShownLeaves, repeated: number): TreeFault | null {
    const { leaves } = shown;
    if (repeated >= 0) {
      const place = { pointer: `${pointer}/leaves/${repeated}`, digest: this.#digestAt(leaves, repeated) };
      return { code: "EVIDENCE_PROOF_INVALID", place, detail: "this leaf stands in the tree twice" };
    }
    const mismatch = (place: Place, detail: string): TreeFault => ({
      code: "EVIDENCE_ROOT_MISMATCH",
      place,
      detail,
    });
    const absent = shown.firstAbsent;
    if (absent !== null) {
      return mismatch(
        { pointer: `${pointer}/leaves/${absent.index}`, digest: absent.digest },
        "this leaf of a complete tree is no statement of the bundle",
      );
    }
    if (!this.#isOrdered(leaves))
      return mismatch({ pointer }, "its leaves are not in the order that the protocol fixes");
    const root = new GrowingRoot();
    for (const leaf of leaves) this.#all.addTo(root, leaf);
    if (encodeHex(root.root()) !== value.root || leaves.length !== value.tree_size)
      return mismatch({ pointer }, "its leaves do not give its root and size");
    return null;
  }

  /** Notes the places of a tree's leaves; the index of the first that stands in it before, -1 when none does. */
  #placeAll(leaves: Uint32Array): number {
    let repeated = -1;
    for (let index = 0; index < leaves.length; index += 1) {
      const leaf = leaves[index] ?? NO_LEAF;
      if (leaf === NO_LEAF) continue;
      if (this.#place[leaf] !== 0 && repeated < 0) repeated = index;
      this.#place[leaf] = index + 1;
    }
    return repeated;
  }

  #digestAt(leaves: Uint32Array, place: number): string {
    return encodeHex(this.#all.bytesAt(leaves[place] ?? 0));
  }

  #isOrdered(leaves: Uint32Array): boolean {
    const leafAt = (place: number): number => leaves[place] ?? 0;
    let latest = 0;
    const meet = (cause: number): void => {
      latest = Math.max(latest, this.#place[cause] ?? 0);
    };
    const latestCause = (place: number): number => {
      latest = 0;
      this.#all.eachCause(leafAt(place), meet);
      return latest - 1;
    };
    return isCanonicalOrder(leaves.length, latestCause, (a, b) => this.#all.compare(leafAt(a), leafAt(b)));
  }
}

function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array(0);
}

/** Each opening of one receipt fits exactly one of its fields. */
export function checkDisclosures(
  findings: Findings,
  receipt: ActionReceiptV3,
  digest: () => string,
  disclosures: readonly Placed<Disclosure>[],
): void {
  const met = new Set<string>();
  for (const { value: shown, pointer } of disclosures) {
    const fail = (code: FailureCode, detail: string): void =>
      findings.fail("EVIDENCE", code, { pointer, digest: digest() }, detail);
    const commitment = commitmentOf(bytesOf(shown.salt), shown.value);
    if (met.has(commitment)) {
      fail("EVIDENCE_DISCLOSURE_MISMATCH", "its commitment is disclosed twice: it is a copy");
      continue;
    }
    met.add(commitment);
    if (shown.value.receipt_id !== receipt.receipt_id || !fitsField(commitment, shown, receipt)) {
      fail("EVIDENCE_DISCLOSURE_MISMATCH", `it does not open the ${shown.value.kind} of its receipt`);
    } else if (shown.value.kind === "evidence" && !isItem(commitment, shown, receipt)) {
      fail("EVIDENCE_ITEM_NOT_INCLUDED", "its commitment is not under its receipt's evidence_merkle_root");
    }
  }
}

function fitsField(commitment: string, shown: Disclosure, receipt: ActionReceiptV3): boolean {
  if (shown.value.kind === "input") return commitment === receipt.input_commitment;
  if (shown.value.kind === "output") return commitment === receipt.output_commitment;
  return true;
}

function isItem(commitment: string, shown: Disclosure, receipt: ActionReceiptV3): boolean {
  if (shown.inclusion === undefined) return false;
  return verifyInclusion({
    leafHash: leafHash(bytesOf(commitment)),
    index: shown.inclusion.leaf_index,
    size: shown.inclusion.tree_size,
    path: shown.inclusion.audit_path.map(bytesOf),
    root: bytesOf(receipt.evidence_merkle_root),
  });
}
