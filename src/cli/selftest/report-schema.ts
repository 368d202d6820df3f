/** The closed schema of a SelftestReportV1, for whoever gets one attached to a verdict. */
import { CHECKS } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import * as fields from "../../statements/fields.js";
import {
  array,
  integer,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
  version,
} from "../../statements/schema.js";
import { checkName, pointer } from "../../verifier/report-schema.js";
import {
  type ControlCount,
  MAX_LISTED_FAILURES,
  type SelftestBundle,
  type SelftestFailure,
  type SelftestPolicy,
  type SelftestReportV1,
} from "./report.js";

const anyText = text("text", () => true);
const count = integer(0);
const control: Schema<ControlCount> = object<ControlCount>({
  kind: anyText,
  available: count,
  run: count,
  as_expected: count,
});
const rejected: Schema<SelftestReportV1["rejected_controls"][number]> = object<
  SelftestReportV1["rejected_controls"][number]
>({ kind: checkName, available: count, run: count, as_expected: count });
const controls = array(control, { maximum: LIMITS.maxReceipts });

const policy: Schema<SelftestPolicy> = object<SelftestPolicy>({ digest: fields.digest, controls });

const bundle: Schema<SelftestBundle> = object<SelftestBundle>({
  digest: fields.digest,
  verified_at: fields.time,
  expectations_digest: nullable(fields.digest),
  supplement_digest: nullable(fields.digest),
  heads_digest: nullable(fields.digest),
  controls,
});

const failure: Schema<SelftestFailure> = object<SelftestFailure>({
  control: anyText,
  pointer,
  expected: anyText,
  found: anyText,
});

export const selftestReport: Schema<SelftestReportV1> = object<SelftestReportV1>({
  protocol: fields.protocol,
  type: version("SelftestReportV1"),
  result: oneOf("PASSED", "FAILED"),
  verifier: object<SelftestReportV1["verifier"]>({
    name: oneOf("osa-proof"),
    version: anyText,
    backend: anyText,
  }),
  platform: object<SelftestReportV1["platform"]>({ runtime: anyText, system: anyText }),
  run_at: fields.time,
  controls_digest: fields.digest,
  accepted_controls: control,
  rejected_controls: array(rejected, { minimum: CHECKS.length, maximum: CHECKS.length }),
  trust_policy: nullable(policy),
  bundle: nullable(bundle),
  failure_count: count,
  failures: array(failure, { maximum: MAX_LISTED_FAILURES }),
});
