/** The closed schema of a VerificationReportV1, for whoever reads reports (docs/SPEC.md, "Report"). */
import type { Operator } from "../anchors/tlog-trust.js";
import { CHECKS, type CheckName, FAILURE_CODES, type FailureCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import * as fields from "../statements/fields.js";
import { array, integer, nullable, object, oneOf, type Schema, text, version } from "../statements/schema.js";
import { knownHeads } from "./inputs.js";
import type {
  CheckResult,
  Failure,
  FailureSource,
  NotCounted,
  TimeVoucher,
  VerificationReportV1,
} from "./report.js";

// Object.keys of a const table gives exactly its own keys.
export const failureCode: Schema<FailureCode> = oneOf(...(Object.keys(FAILURE_CODES) as FailureCode[]));
export const checkName: Schema<CheckName> = oneOf(...CHECKS);

const anyText = text("text", () => true);
const source: Schema<FailureSource> = oneOf(
  "bundle",
  "trust_policy",
  "supplement",
  "heads",
  "expectations",
  "arguments",
);
const operator: Schema<Operator> = oneOf("own", "independent");
/** RFC 6901 section 3. */
const POINTER = "^(?:/(?:[^~/]|~[01])*)*$";
export const pointer: Schema<string> = text("a JSON Pointer", (value) =>
  new RegExp(POINTER, "u").test(value),
);
/** Reports grow with the bundle; its own limits are the ones that hold. */
const UNBOUNDED = LIMITS.maxReceipts;

const failure: Schema<Failure> = object<Failure>({
  code: failureCode,
  check: checkName,
  source,
  pointer,
  statement_digest: nullable(fields.digest),
  message: anyText,
});

const checkResult: Schema<CheckResult> = object<CheckResult>({
  check: checkName,
  status: oneOf("PASS", "FAIL", "NOT_EVALUATED"),
  failure_count: integer(0),
  failures: array(failure, { maximum: LIMITS.maxReportedFailures }),
});

const timeVoucher: Schema<TimeVoucher> = object<TimeVoucher>({
  pointer,
  source,
  type: oneOf("tlog"),
  log: anyText,
  log_operator: operator,
  tree_size: integer(0),
  anchored_at: nullable(fields.time),
  witnesses: array(
    object<TimeVoucher["witnesses"][number]>({ name: anyText, operator, time: nullable(fields.time) }),
    { maximum: UNBOUNDED },
  ),
});

const notCounted: Schema<NotCounted> = object<NotCounted>({ source, pointer, reason: anyText });

export const verificationReport: Schema<VerificationReportV1> = object<VerificationReportV1>({
  protocol: fields.protocol,
  type: version("VerificationReportV1"),
  verdict: oneOf("ACCEPTED", "REJECTED"),
  first_failure: nullable(failure),
  namespace_id: nullable(fields.identifier),
  mission_id: nullable(fields.identifier),
  scope: nullable(oneOf("session", "causal")),
  targets: array(fields.digest, { maximum: LIMITS.maxReceipts, unique: true }),
  receipt_count: integer(0),
  verified_at: nullable(anyText),
  trust_policy_digest: nullable(fields.digest),
  expectations_digest: nullable(fields.digest),
  supplement_digest: nullable(fields.digest),
  heads_digest: nullable(fields.digest),
  checks: array(checkResult, { minimum: CHECKS.length, maximum: CHECKS.length }),
  times: array(timeVoucher, { maximum: UNBOUNDED }),
  not_counted: array(notCounted, { maximum: UNBOUNDED }),
  notes: array(anyText, { maximum: UNBOUNDED }),
  does_not_prove: array(anyText, { maximum: UNBOUNDED }),
  heads: nullable(knownHeads),
});
