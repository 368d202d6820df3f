/** The receipts of each runtime, in the order of their sequence numbers. */
import type { ReceiptTable } from "./receipt-table.js";

/** Positions of one runtime's receipts; equal sequences in array order. */
export type RuntimeLine = Uint32Array;

/** Lines by `runtime_id`. */
export type RuntimeLines = ReadonlyMap<string, RuntimeLine>;

export function runtimeLines(receipts: ReceiptTable): RuntimeLines {
  const { counts } = receipts;
  const { all } = receipts.bindings;
  const lines = new Map<string, { readonly line: Uint32Array; count: number }>();
  const sizes = new Map<string, number>();
  for (const [number, { runtime_id: runtime }] of all.entries())
    sizes.set(runtime, (sizes.get(runtime) ?? 0) + (counts[number] ?? 0));
  for (const [runtime, size] of sizes) lines.set(runtime, { line: receipts.numbers(size), count: 0 });
  const ofBinding = all.map(({ runtime_id: runtime }) => lines.get(runtime));
  for (let position = 0; position < receipts.count; position += 1) {
    const target = ofBinding[receipts.bindingAt(position)];
    if (target === undefined) continue;
    target.line[target.count] = position;
    target.count += 1;
  }
  for (const { line } of lines.values()) sortBySequence(receipts, line);
  return new Map([...lines].map(([runtime, { line }]) => [runtime, line]));
}

function sortBySequence(receipts: ReceiptTable, line: Uint32Array): void {
  const sequence = (index: number): number => receipts.sequenceAt(line[index] ?? 0);
  let sorted = true;
  for (let i = 1; i < line.length && sorted; i += 1) sorted = sequence(i - 1) <= sequence(i);
  // A runtime's receipts mostly come in order. Positions make the order total, so that the sort is stable.
  if (!sorted) line.sort((a, b) => receipts.sequenceAt(a) - receipts.sequenceAt(b) || a - b);
}
