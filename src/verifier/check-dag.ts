/** Check 6, DAG: causes come before effects, and no runtime tells two stories (docs/SPEC.md, "Check 6"). */
import { encodeHex } from "../encoding/hex.js";
import type { FailureCode } from "../errors.js";
import { topologicalOrder } from "../tree/graph.js";
import { checkSessionEnd, type SessionEnd } from "./check-session.js";
import type { Identity } from "./identity.js";
import type { ReceiptPlace } from "./receipt-columns.js";
import { NO_PARENT, type ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";
import type { Run } from "./run.js";
import { type RuntimeLine, type RuntimeLines, runtimeLines } from "./runtime-lines.js";
import type { Standings } from "./standing.js";

type FailAt = (position: number, code: FailureCode, detail: string, member?: string) => void;

export function checkDag(run: Run, identity: Identity, standings: Standings): SessionEnd {
  const { receipts } = run;
  const fail: FailAt = (position, code, detail, member = "") =>
    run.findings.fail("DAG", code, receipts.placeOf(position, member), detail);
  for (const [index, target] of run.claim.targets.entries()) {
    if (receipts.digests.find(target) >= 0) continue;
    run.findings.fail(
      "DAG",
      "DAG_TARGET_MISSING",
      { pointer: `/claim/targets/${index}`, digest: target },
      "this target is not in the bundle",
    );
  }
  const lines = runtimeLines(receipts);
  checkParents(receipts, fail);
  for (const line of lines.values()) checkSequences(receipts, line, fail);
  checkTimes(run, lines, fail);
  for (const position of cyclicReceipts(receipts, lines)) {
    fail(position, "DAG_ORDER_CYCLE", "its parents contradict the sequence order of its runtime");
  }
  return checkSessionEnd(run, identity, standings, lines);
}

/** Where a receipt names a parent that is not there; told when its parents are linked. */
export function failMissingParent(
  findings: Findings,
  { pointer, digest }: ReceiptPlace,
  index: number,
  parent: Uint8Array,
): void {
  findings.fail(
    "DAG",
    "DAG_PARENT_MISSING",
    { pointer: `${pointer}/parent_receipt_digests/${index}`, digest },
    `parent ${encodeHex(parent)} is not in the bundle, so its history cannot be checked`,
  );
}

/** A parent that failed a check before this one counts as missing. */
function checkParents(receipts: ReceiptTable, fail: FailAt): void {
  for (let child = 0; child < receipts.count; child += 1) {
    const from = receipts.parentsFrom(child);
    for (let at = from; at < receipts.parentsFrom(child + 1); at += 1) {
      const parent = receipts.parentAt(at, child);
      if (parent === NO_PARENT || !receipts.hasFailed(parent)) continue;
      fail(
        child,
        "DAG_PARENT_MISSING",
        `parent ${receipts.digests.hexAt(parent)} failed a check, so this receipt's history does not hold`,
        `/parent_receipt_digests/${at - from}`,
      );
    }
  }
}

function checkSequences(receipts: ReceiptTable, line: RuntimeLine, fail: FailAt): void {
  for (let i = 1; i < line.length; i += 1) {
    const [before = 0, receipt = 0] = [line[i - 1], line[i]];
    const sequence = receipts.sequenceAt(receipt);
    if (receipts.sequenceAt(before) !== sequence) continue;
    fail(
      receipt,
      "DAG_EQUIVOCATION",
      `it has the runtime and sequence ${sequence} of receipt ${receipts.digests.hexAt(before)}: one runtime told two stories`,
    );
  }
}

/** Calls back for each cause and effect: parents, and in each line a receipt and the next with a higher sequence. */
function eachEdge(
  receipts: ReceiptTable,
  lines: RuntimeLines,
  edge: (cause: number, effect: number) => void,
): void {
  for (let child = 0; child < receipts.count; child += 1) {
    for (let at = receipts.parentsFrom(child); at < receipts.parentsFrom(child + 1); at += 1) {
      const parent = receipts.parentAt(at, child);
      if (parent !== NO_PARENT) edge(parent, child);
    }
  }
  for (const line of lines.values()) {
    for (let i = 1; i < line.length; i += 1) {
      const [before = 0, receipt = 0] = [line[i - 1], line[i]];
      if (receipts.sequenceAt(before) !== receipts.sequenceAt(receipt)) edge(before, receipt);
    }
  }
}

/** No effect is dated before its cause beyond skew. */
function checkTimes(run: Run, lines: RuntimeLines, fail: FailAt): void {
  const { receipts } = run;
  eachEdge(receipts, lines, (cause, effect) => {
    // With a time that is missing the comparison is false, and the edge fails.
    if (receipts.issuedAt(cause) <= receipts.issuedAt(effect) + run.trust.skew) return;
    fail(
      effect,
      "DAG_TIME_ORDER",
      `it is dated before its cause ${receipts.digests.hexAt(cause)} by more than the clock skew`,
    );
  });
}

/** The receipts on cycles. Where every cause stands before its effect, as bundles are mostly written, there is none. */
function cyclicReceipts(receipts: ReceiptTable, lines: RuntimeLines): Iterable<number> {
  let [count, ascending] = [0, true];
  eachEdge(receipts, lines, (cause, effect) => {
    count += 1;
    if (cause >= effect) ascending = false;
  });
  if (ascending) return [];
  const [from, to] = [new Uint32Array(count), new Uint32Array(count)];
  let next = 0;
  eachEdge(receipts, lines, (cause, effect) => {
    from[next] = cause;
    to[next] = effect;
    next += 1;
  });
  return topologicalOrder({ from, to }, receipts.count).cyclic;
}
