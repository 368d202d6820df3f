/** The receipts that a claim is about, among all that were read (docs/SPEC.md, "Referenced", step 1). */
import type { Binding } from "../bundle/bindings.js";
import type { ProofBundleV3 } from "../bundle/format.js";
import { NO_PARENT, type ReceiptTable } from "./receipt-table.js";

export interface ClaimedReceipts {
  /** 1 at the position of each. */
  readonly flags: Uint8Array;
  /** Each different binding of theirs once. */
  readonly bindings: readonly Binding[];
  /** Sessions of the targets that are there. */
  readonly sessions: ReadonlySet<string>;
}

/** The targets, in scope `session` all receipts of their sessions, and all ancestors; iterative. */
export function claimedReceipts(receipts: ReceiptTable, claim: ProofBundleV3["claim"]): ClaimedReceipts {
  const walk = new AncestorWalk(receipts);
  const { all } = receipts.bindings;
  const sessions = new Set<string>();
  const targets = claim.targets.map((target) => receipts.digests.find(target)).filter((at) => at >= 0);
  for (const target of targets) sessions.add(all[receipts.bindingAt(target)]?.session_id ?? "");
  // Before the targets, which are mostly last: whoever comes after its parents has none left to visit.
  if (claim.scope === "session") {
    const isClaimed = all.map((binding) => sessions.has(binding.session_id));
    for (let position = 0; position < receipts.count; position += 1) {
      if (isClaimed[receipts.bindingAt(position)] === true) walk.from(position);
    }
  }
  for (const target of targets) walk.from(target);
  const used = new Set<number>();
  let last = -1;
  for (let position = 0; position < receipts.count; position += 1) {
    const binding = receipts.bindingAt(position);
    if (binding === last || walk.flags[position] !== 1) continue;
    last = binding;
    used.add(binding);
  }
  return { flags: walk.flags, bindings: all.filter((_, number) => used.has(number)), sessions };
}

class AncestorWalk {
  readonly flags: Uint8Array;
  readonly #receipts: ReceiptTable;
  /** Positions whose parents are still to be visited; only those that are new get in. */
  #open: number[] = [];

  constructor(receipts: ReceiptTable) {
    this.flags = new Uint8Array(receipts.count);
    this.#receipts = receipts;
  }

  /** Marks a receipt and its ancestors. */
  from(start: number): void {
    this.#visit(start);
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      const end = this.#receipts.parentsFrom(next + 1);
      for (let at = this.#receipts.parentsFrom(next); at < end; at += 1)
        this.#visit(this.#receipts.parentAt(at, next));
    }
  }

  #visit(position: number): void {
    if (position === NO_PARENT || this.flags[position] === 1) return;
    this.flags[position] = 1;
    this.#open.push(position);
  }
}
