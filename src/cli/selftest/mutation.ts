/** What a changed copy is, and which reasons for its rejection are the right ones. */

import type { JsonValue } from "../../encoding/json-value.js";
import { type CheckName, checkOf, type FailureCode } from "../../errors.js";
import type { VerificationReportV1 } from "../../verifier/report.js";
import { changedAt, type Path, pointerOf } from "./edit.js";

/** A failure code, or a check any of whose codes will do. */
export type Reason = FailureCode | CheckName;

/** One changed copy of a bundle, made when it is needed. */
export interface Mutation {
  readonly kind: string;
  /** Where the change is. */
  readonly pointer: string;
  /** A verifier must give at least one of these. */
  readonly reasons: readonly Reason[];
  readonly make: () => JsonValue;
}

/** Makes the mutation that changes the value at one path; undefined takes it away. */
export type Make = (
  kind: string,
  reasons: readonly Reason[],
  path: Path,
  to: (value: JsonValue) => JsonValue | undefined,
) => Mutation;

export function mutationsOf(bundle: JsonValue): Make {
  return (kind, reasons, path, to) => ({
    kind,
    pointer: pointerOf(path),
    reasons,
    make: () => changedAt(bundle, path, to),
  });
}

/** True when one of the failures of a report is one of these. */
export function givesReason(report: VerificationReportV1, reasons: readonly Reason[]): boolean {
  return report.checks.some(({ check, failures, failure_count: count }) => {
    if (reasons.includes(check) && count > 0) return true;
    if (failures.some(({ code }) => reasons.includes(code))) return true;
    // A check lists only its first failures, so the code may be among those that it only counts.
    return count > failures.length && reasons.some((reason) => isCodeOf(reason, check));
  });
}

function isCodeOf(reason: Reason, check: CheckName): boolean {
  return reason.includes("_") && checkOf(reason as FailureCode) === check;
}
