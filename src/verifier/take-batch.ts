/** Takes a batch of receipts into the table, and records what shows there: a repeat, and a parent that is missing. */
import { failMissingParent } from "./check-dag.js";
import type { FormatRules } from "./format-rules.js";
import type { Columns } from "./receipt-columns.js";
import type { ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";

/** `ordered`: whether a parent must stand before its child. What is found for check DAG goes to `late`. */
export function takeBatch(
  receipts: ReceiptTable,
  batch: Columns,
  ordered: boolean,
  rules: FormatRules,
  late: Findings,
): void {
  receipts.absorb(batch, {
    ordered,
    repeated: (place) => rules.judgeRepeated(place),
    missing: (place, index, parent) => failMissingParent(late, place, index, parent),
  });
}
