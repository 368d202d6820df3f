/** A report as lines for a person. Data from the bundle is stripped of control characters first. */
import type { CheckResult, Failure, TimeVoucher, VerificationReportV1 } from "./report.js";

/** Replaces what could drive a terminal: C0, C1, bidirectional overrides and line separators. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    "\ufffd",
  );
}

function checkLine({ check, status, failure_count: count }: CheckResult): string {
  const what = status === "NOT_EVALUATED" ? "not evaluated" : status;
  return `  ${check.padEnd(11)} ${what}${count > 0 ? ` (${count})` : ""}`;
}

function failureLines(failure: Failure): readonly string[] {
  const source = failure.source === "bundle" ? "" : `${failure.source} `;
  return [
    `  ${failure.code} at ${source}${printable(failure.pointer) || "(whole input)"}`,
    `    ${printable(failure.message)}`,
  ];
}

function timeLine(time: TimeVoucher): string {
  const witnesses = time.witnesses.map(({ name, operator }) => `${name} (${operator})`).join(", ");
  const log = `log ${time.log} (${time.log_operator === "own" ? "the operator's own log" : "independent"})`;
  return `  ${printable(time.pointer)}: ${time.anchored_at ?? "no time"}, ${printable(log)}, witnesses: ${printable(witnesses) || "none"}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

/** How many failures of one report are printed; the report itself has more. */
const SHOWN_FAILURES = 5;

/** The report as lines without colour; `verdict` is alone on the first. */
export function explainReport(report: VerificationReportV1): readonly string[] {
  const failures = report.checks.flatMap((check) => check.failures);
  const total = report.checks.reduce((sum, check) => sum + check.failure_count, 0);
  const rest = total - Math.min(failures.length, SHOWN_FAILURES);
  const scope =
    report.scope === null
      ? ""
      : ` in scope ${report.scope}, ${report.targets.length} ${report.targets.length === 1 ? "target" : "targets"}`;
  return [
    report.verdict,
    report.scope === null
      ? "The bundle was not read to its end"
      : `${report.receipt_count} ${report.receipt_count === 1 ? "receipt" : "receipts"}${scope}, verified as of ${report.verified_at ?? "no usable time"}`,
    ...section("Reasons", [
      ...failures.slice(0, SHOWN_FAILURES).flatMap(failureLines),
      ...(rest > 0 ? [`  and ${rest} more; the JSON report has the first 100 of each check`] : []),
    ]),
    ...section("Checks", report.checks.map(checkLine)),
    ...section("Who vouches for times", report.times.map(timeLine)),
    ...section(
      "Present, not counted",
      report.not_counted.map(({ pointer, reason }) => `  ${printable(pointer)}: ${printable(reason)}`),
    ),
    ...section(
      "Notes",
      report.notes.map((note) => `  ${printable(note)}`),
    ),
    ...section(
      "What this does not prove",
      report.does_not_prove.map((line) => `  ${line}`),
    ),
  ];
}
