/** Check 6, DAG: causes come before effects, and no runtime tells two stories (docs/SPEC.md, "Check 6"). */
import { byDigest, groupBy, type Identified } from "../bundle/contents.js";
import type { FailureCode } from "../errors.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { topologicalOrder } from "../tree/graph.js";
import { checkSessionEnd, type SessionEnd } from "./check-session.js";
import type { Identity } from "./identity.js";
import { instant, placeOf, type Run } from "./run.js";

type Receipt = Identified<ActionReceiptV3>;

/** Cause and effect, as positions in the bundle's receipts. */
interface Edge {
  readonly cause: number;
  readonly effect: number;
}

export function checkDag(run: Run, identity: Identity): SessionEnd {
  const fail = (item: Receipt, code: FailureCode, detail: string, member = ""): void => {
    run.failed.add(item);
    run.findings.fail("DAG", code, placeOf(run, item, member), detail);
  };
  const { receipts } = run.contents;
  const known = byDigest(receipts);
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
  const parentEdges = edgesFromParents(receipts, positions, (receipt, index, parent) => {
    fail(
      receipt,
      "DAG_PARENT_MISSING",
      `parent ${parent} is not in the bundle, so its history cannot be checked`,
      `/parent_receipt_digests/${index}`,
    );
  });
  for (const { cause, effect } of parentEdges) {
    const [parent, child] = [receipts[cause], receipts[effect]];
    if (!parent || !child || !failedBefore.has(parent)) continue;
    fail(
      child,
      "DAG_PARENT_MISSING",
      `parent ${parent.digest} failed a check, so this receipt's history does not hold`,
      `/parent_receipt_digests/${child.statement.parent_receipt_digests.indexOf(parent.digest)}`,
    );
  }
  const sequenceEdges = edgesFromSequence(receipts, positions, (receipt, other) => {
    fail(
      receipt,
      "DAG_EQUIVOCATION",
      `it has the runtime and sequence ${receipt.statement.sequence} of receipt ${other.digest}: one runtime told two stories`,
    );
  });
  checkOrder(run, receipts, [...parentEdges, ...sequenceEdges], fail);
  return checkSessionEnd(run, identity);
}

function edgesFromParents(
  receipts: readonly Receipt[],
  positions: ReadonlyMap<string, number>,
  missing: (receipt: Receipt, index: number, parent: string) => void,
): readonly Edge[] {
  const edges: Edge[] = [];
  for (const [effect, receipt] of receipts.entries()) {
    for (const [index, parent] of receipt.statement.parent_receipt_digests.entries()) {
      const cause = positions.get(parent);
      if (cause === undefined) missing(receipt, index, parent);
      else edges.push({ cause, effect });
    }
  }
  return edges;
}

/** An edge from each receipt to the next higher sequence of its runtime. */
function edgesFromSequence(
  receipts: readonly Receipt[],
  positions: ReadonlyMap<string, number>,
  equivocation: (receipt: Receipt, other: Receipt) => void,
): readonly Edge[] {
  const edges: Edge[] = [];
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
      edges.push({ cause: positions.get(before.digest) ?? 0, effect: positions.get(receipt.digest) ?? 0 });
    }
  }
  return edges;
}

/** No cycle, and no effect dated before its cause beyond skew. */
function checkOrder(
  run: Run,
  receipts: readonly Receipt[],
  edges: readonly Edge[],
  fail: (item: Receipt, code: FailureCode, detail: string) => void,
): void {
  const from = Uint32Array.from(edges, (edge) => edge.cause);
  const to = Uint32Array.from(edges, (edge) => edge.effect);
  for (const index of topologicalOrder({ from, to }, receipts.length).cyclic) {
    const receipt = receipts[index];
    if (receipt) fail(receipt, "DAG_ORDER_CYCLE", "its parents contradict the sequence order of its runtime");
  }
  const times = receipts.map((receipt) => instant(receipt.statement.issued_at));
  for (const { cause, effect } of edges) {
    const [parent, child] = [receipts[cause], receipts[effect]];
    const [before, after] = [times[cause], times[effect]];
    if (!parent || !child || before === undefined || after === undefined) continue;
    if (before <= after + run.trust.skew) continue;
    fail(
      child,
      "DAG_TIME_ORDER",
      `it is dated before its cause ${parent.digest} by more than the clock skew`,
    );
  }
}
