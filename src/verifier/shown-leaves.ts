/**
 * What can be a leaf of an evidence tree, receipts, closes and seals, under one numbering: receipts by their position,
 * then the closes, then the seals. And what each tree names as its leaves, by these numbers.
 */
import type { Identified, Placed } from "../bundle/contents.js";
import type { EvidenceTreeV1 } from "../bundle/format.js";
import { compareBytes } from "../encoding/bytes.js";
import { detached } from "../encoding/utf8.js";
import type { SessionCloseV1, SessionSealV1 } from "../statements/session.js";
import { DigestList } from "../tree/digest-list.js";
import type { GrowingRoot } from "../tree/growing-root.js";
import { Numbers } from "../tree/numbers.js";
import { NO_PARENT, type ReceiptTable } from "./receipt-table.js";

/** A tree without its leaves and proofs, which stand beside it. */
export type TreeHead = Placed<Pick<EvidenceTreeV1, "root" | "tree_size" | "mode" | "anchors">>;

/** Stands for a leaf that is no statement of the bundle. */
export const NO_LEAF = 0xffff_ffff;

export class Leaves {
  readonly #receipts: ReceiptTable;
  readonly #ends: readonly Identified<SessionCloseV1 | SessionSealV1>[];
  readonly #endDigests: DigestList;

  /** Made when all receipts, closes and seals are there. */
  constructor(
    receipts: ReceiptTable,
    closes: readonly Identified<SessionCloseV1>[],
    seals: readonly Identified<SessionSealV1>[],
  ) {
    this.#receipts = receipts;
    this.#ends = [...closes, ...seals];
    this.#endDigests = new DigestList(this.#ends.length);
    for (const { digest } of this.#ends) this.#endDigests.addHex(digest);
  }

  get count(): number {
    return this.#receipts.count + this.#ends.length;
  }

  /** The number of the statement with this digest, `NO_LEAF` when there is none. */
  find(digest: string): number {
    const receipt = this.#receipts.digests.find(digest);
    if (receipt >= 0) return receipt;
    const end = this.#endDigests.find(digest);
    return end < 0 ? NO_LEAF : this.#receipts.count + end;
  }

  /** The number of a close or seal, or where it would be. */
  endAt(leaf: number): Identified<SessionCloseV1 | SessionSealV1> | undefined {
    const end = leaf - this.#receipts.count;
    // An index below 0 is looked up by its name, of which engines keep one for each.
    return end < 0 ? undefined : this.#ends[end];
  }

  /** The place of a leaf, for a failure. */
  placeOf(leaf: number): { readonly pointer: string; readonly digest: string } {
    return this.endAt(leaf) ?? this.#receipts.placeOf(leaf);
  }

  /** Makes a leaf the next one of a tree. */
  addTo(root: GrowingRoot, leaf: number): void {
    const end = leaf - this.#receipts.count;
    if (end < 0) this.#receipts.digests.addTo(root, leaf);
    else this.#endDigests.addTo(root, end);
  }

  bytesAt(leaf: number): Uint8Array {
    const end = leaf - this.#receipts.count;
    return end < 0 ? this.#receipts.digests.bytesAt(leaf) : this.#endDigests.bytesAt(end);
  }

  /** Below 0, 0 or above 0, by the order of their digests. */
  compare(a: number, b: number): number {
    const count = this.#receipts.count;
    if (a < count && b < count) return this.#receipts.digests.compare(a, b);
    return compareBytes(this.bytesAt(a), this.bytesAt(b));
  }

  /** Calls back for what must stand before a leaf, as far as it is there: parents of a receipt, last receipt of a close, closes of a seal. */
  eachCause(leaf: number, cause: (leaf: number) => void): void {
    const end = this.endAt(leaf)?.statement;
    if (end === undefined) {
      const to = this.#receipts.parentsFrom(leaf + 1);
      for (let at = this.#receipts.parentsFrom(leaf); at < to; at += 1) {
        const parent = this.#receipts.parentAt(at, leaf);
        if (parent !== NO_PARENT) cause(parent);
      }
      return;
    }
    const digests = "last_receipt_digest" in end ? [end.last_receipt_digest] : end.session_close_digests;
    for (const digest of digests) {
      const found = this.find(digest);
      if (found !== NO_LEAF) cause(found);
    }
  }
}

/** The leaves that one tree names, in its order. */
export class ShownLeaves {
  readonly #leaves: Numbers;
  /** The first that is no statement of the bundle: its index and digest. */
  firstAbsent: { readonly index: number; readonly digest: string } | null = null;
  readonly #all: Leaves;

  constructor(all: Leaves, room?: number) {
    this.#all = all;
    this.#leaves = new Numbers(room);
  }

  /** By number; `NO_LEAF` where it is no statement of the bundle. Holds until the next one is added. */
  get leaves(): Uint32Array {
    return this.#leaves.all;
  }

  /** Takes the next leaf, and gives its number. */
  add(digest: string): number {
    const leaf = this.#all.find(digest);
    if (leaf === NO_LEAF) this.firstAbsent ??= { index: this.#leaves.count, digest: detached(digest) };
    this.#leaves.add(leaf);
    return leaf;
  }
}
