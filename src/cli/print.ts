/** What commands write to a terminal: lines, tables, colour by meaning, and JSON that no terminal acts on. */
import { styleText } from "node:util";
import { printable } from "../verifier/explain-report.js";
import type { CommandContext } from "./command.js";

export { printable };

/** What a text says, which decides its colour where there is colour. */
export type Meaning = "good" | "bad" | "heading" | "faint" | "command";

const STYLES = {
  good: ["bold", "green"],
  bad: ["bold", "red"],
  heading: "bold",
  faint: "dim",
  command: "cyan",
} as const;

/** The text in the colour of its meaning, or unchanged where the context has no colour. */
export function paint(context: Pick<CommandContext, "colour">, meaning: Meaning, text: string): string {
  if (!context.colour || text === "") return text;
  const style = STYLES[meaning];
  // The context has already decided; newer Node versions would ask stdout once more.
  return styleText(typeof style === "string" ? style : [...style], text, { validateStream: false });
}

/** Writes each line with its line end. Lines are taken as they are: pass data through {@link printable} first. */
export function writeLines(context: Pick<CommandContext, "out">, lines: readonly string[]): void {
  if (lines.length > 0) context.out(`${lines.join("\n")}\n`);
}

/** Printable and at most `maximum` code points long, with `…` where it was cut. */
export function short(text: string, maximum: number): string {
  const safe = printable(text);
  // Two units a code point at most, so a long text is never spread in full.
  const points = [...safe.slice(0, 2 * maximum + 2)];
  return points.length <= maximum && safe.length <= 2 * maximum
    ? safe
    : `${points.slice(0, maximum - 1).join("")}…`;
}

/** A digest as people compare it: the first twelve of its hex digits. */
export function shortDigest(digest: string): string {
  return digest.length > 14 ? `${digest.slice(0, 14)}…` : digest;
}

/** A count with its noun: `1 receipt`, `2 receipts`. */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A byte count for people, in powers of 1000. */
export function byteSize(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  const units = ["kB", "MB", "GB"];
  let size = bytes / 1_000;
  let unit = 0;
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}

/** Rows of cells as lines with aligned columns; the last column is not padded. */
export function table(rows: readonly (readonly string[])[], indent = "  "): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
    );
    return `${indent}${cells.join("  ")}`.trimEnd();
  });
}

/** Characters that JSON allows raw in a string but that could drive or disturb a terminal. */
const RISKY = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Indented JSON text of a value; reads back to the same value, and risky characters stand as escapes. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.replace(RISKY, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Tells the person why nothing happens. */
export function sayWaiting(context: CommandContext, path: string): () => void {
  return () => context.err(`osa-proof: waiting for the process that holds ${printable(path)}\n`);
}
