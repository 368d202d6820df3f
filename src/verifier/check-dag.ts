/** Check 6, DAG: causes come before effects, and no runtime tells two stories (docs/SPEC.md, "Check 6"). */
import { groupBy, type Identified } from "../bundle/contents.js";
import type { FailureCode } from "../errors.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { topologicalOrder } from "../tree/graph.js";
import { checkSessionEnd, type SessionEnd } from "./check-session.js";
import type { Identity } from "./identity.js";
import { instant, placeOf, type Run } from "./run.js";

type Receipt = Identified<ActionReceiptV3>;

/** Causes and effects side by side, as positions in the bundle's receipts. */
interface Edges {
  readonly from: number[];
  readonly to: number[];
}

export function checkDag(run: Run, identity: Identity): SessionEnd {
  const fail = (item: Receipt, code: FailureCode, detail: string, member = ""): void => {
    run.failed.add(item);
    run.findings.fail("DAG", code, placeOf(run, item, member), detail);
  };
  const { receipts } = run.contents;
  const known = run.receiptByDigest;
  for (const [index, target] of run.bundle.claim.targets.entries()) {
    if (known.has(target)) continue;
    run.findings.fail(
      "DAG",
      "DAG_TARGET_MISSING",
      { pointer: `/claim/targets/${index}`, digest: target },
      "this target is not in the bundle",
    );
  }
  const failedBefore = new Set(run.failed);
  const positions = new Map(receipts.map((receipt, index) => [receipt.digest, index]));
  const edges: Edges = { from: [], to: [] };
  addParents(receipts, positions, edges, (receipt, index, parent) => {
    fail(
      receipt,
      "DAG_PARENT_MISSING",
      `parent ${parent} is not in the bundle, so its history cannot be checked`,
      `/parent_receipt_digests/${index}`,
    );
  });
  for (const [index, cause] of edges.from.entries()) {
    const parent = receipts[cause];
    if (!parent || !failedBefore.has(parent)) continue;
    const child = receipts[edges.to[index] ?? -1];
    if (!child) continue;
    fail(
      child,
      "DAG_PARENT_MISSING",
      `parent ${parent.digest} failed a check, so this receipt's history does not hold`,
      `/parent_receipt_digests/${child.statement.parent_receipt_digests.indexOf(parent.digest)}`,
    );
  }
  addSequences(receipts, positions, edges, (receipt, other) => {
    fail(
      receipt,
      "DAG_EQUIVOCATION",
      `it has the runtime and sequence ${receipt.statement.sequence} of receipt ${other.digest}: one runtime told two stories`,
    );
  });
  checkOrder(run, receipts, edges, fail);
  return checkSessionEnd(run, identity);
}

function addParents(
  receipts: readonly Receipt[],
  positions: ReadonlyMap<string, number>,
  edges: Edges,
  missing: (receipt: Receipt, index: number, parent: string) => void,
): void {
  for (const [effect, receipt] of receipts.entries()) {
    for (const [index, parent] of receipt.statement.parent_receipt_digests.entries()) {
      const cause = positions.get(parent);
      if (cause === undefined) {
        missing(receipt, index, parent);
      } else {
        edges.from.push(cause);
        edges.to.push(effect);
      }
    }
  }
}

/** An edge from each receipt to the next higher sequence of its runtime. */
function addSequences(
  receipts: readonly Receipt[],
  positions: ReadonlyMap<string, number>,
  edges: Edges,
  equivocation: (receipt: Receipt, other: Receipt) => void,
): void {
  for (const group of groupBy(receipts, (receipt) => receipt.statement.runtime_id).values()) {
    // A stable sort keeps array order between equal sequences, so the later one in the array is named.
    const line = [...group].sort((a, b) => a.statement.sequence - b.statement.sequence);
    for (const [index, receipt] of line.entries()) {
      const before = line[index - 1];
      if (before === undefined) continue;
      if (before.statement.sequence === receipt.statement.sequence) {
        equivocation(receipt, before);
        continue;
      }
      edges.from.push(positions.get(before.digest) ?? 0);
      edges.to.push(positions.get(receipt.digest) ?? 0);
    }
  }
}

/** No cycle, and no effect dated before its cause beyond skew. */
function checkOrder(
  run: Run,
  receipts: readonly Receipt[],
  edges: Edges,
  fail: (item: Receipt, code: FailureCode, detail: string) => void,
): void {
  for (const index of topologicalOrder(edges, receipts.length).cyclic) {
    const receipt = receipts[index];
    if (receipt) fail(receipt, "DAG_ORDER_CYCLE", "its parents contradict the sequence order of its runtime");
  }
  const times = Float64Array.from(receipts, (receipt) => instant(receipt.statement.issued_at));
  for (const [index, cause] of edges.from.entries()) {
    const effect = edges.to[index] ?? -1;
    // A missing time would be NaN, and every comparison with it false: then the edge is looked at more closely.
    if ((times[cause] ?? Number.NaN) <= (times[effect] ?? Number.NaN) + run.trust.skew) continue;
    const [parent, child] = [receipts[cause], receipts[effect]];
    if (!parent || !child) continue;
    fail(
      child,
      "DAG_TIME_ORDER",
      `it is dated before its cause ${parent.digest} by more than the clock skew`,
    );
  }
}
