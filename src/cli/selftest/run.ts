/** Runs the packaged controls against a verifier, under their own policies and under the auditor's. */
import { encodingOf, parseEither } from "../../bundle/codec.js";
import { encodeCbor } from "../../encoding/cbor.js";
import { parseJson } from "../../encoding/json.js";
import type { JsonValue } from "../../encoding/json-value.js";
import { CHECKS, type CheckName, checkOf, OsaProofError } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import type { Failure, VerificationReportV1 } from "../../verifier/report.js";
import type { verifyBundle } from "../../verifier/verify.js";
import type { Control, Inputs } from "./controls.js";
import { isLeaf } from "./edit.js";
import { givesReason, type Reason } from "./mutation.js";
import { policyMutations } from "./policy-mutations.js";
import { type ControlCount, type SelftestFailure, Tally } from "./report.js";

export type Verify = typeof verifyBundle;

const ACCEPTED = "accepted controls";

/** Runs the packaged controls, in both encodings where the bundle can be read at all. */
export function runPackaged(
  verify: Verify,
  controls: readonly Control[],
  failures: SelftestFailure[],
): {
  readonly accepted: ControlCount;
  readonly rejected: readonly (ControlCount & { readonly kind: CheckName })[];
} {
  const tally = new Tally(failures);
  for (const { name, inputs, code } of controls) {
    for (const { bundle, encoding } of encodings(inputs.bundle)) {
      const report = judge(verify, { ...inputs, bundle });
      const expected = code ?? "ACCEPTED";
      const found = outcome(report);
      const kind = code === null ? ACCEPTED : (checkOf(code) ?? "FORMAT");
      const failure = { control: `${name} (${encoding})`, pointer: "", expected, found };
      tally.record(kind, found === expected ? null : failure);
    }
  }
  const counts = new Map(tally.counts().map((count) => [count.kind, count]));
  const none = (kind: string): ControlCount => ({ kind, available: 0, run: 0, as_expected: 0 });
  return {
    accepted: counts.get(ACCEPTED) ?? none(ACCEPTED),
    rejected: CHECKS.map((kind) => ({ ...(counts.get(kind) ?? none(kind)), kind })),
  };
}

/** What a policy that does not pin the signer of a bundle says of it. */
const NOT_PINNED: readonly Reason[] = [
  "TRUST_NAMESPACE_NOT_PINNED",
  "FORMAT_ALGORITHM_NOT_ACCEPTED",
  "IDENTITY",
];

/**
 * Runs controls under the auditor's own policy: nothing that published keys signed may be accepted, and a policy with
 * a member too many, too few or cut off must be refused.
 * @throws OsaProofError ARGUMENT_INVALID when the policy itself cannot be used
 */
export function runPolicy(
  verify: Verify,
  policy: Uint8Array,
  controls: readonly Control[],
  failures: SelftestFailure[],
): readonly ControlCount[] {
  const tally = new Tally(failures);
  // Side inputs go with the policies that they were made for.
  const published = controls.flatMap(({ name, inputs, code }) =>
    code === null ? [{ name, inputs: { bundle: inputs.bundle, trust: policy, at: inputs.at } }] : [],
  );
  for (const { name, inputs } of published) {
    const report = judge(verify, inputs);
    const unusable = policyFailure(report);
    if (unusable !== undefined) {
      throw new OsaProofError(
        "ARGUMENT_INVALID",
        `the trust policy cannot be used (${unusable.code}${unusable.pointer === "" ? "" : ` at ${unusable.pointer}`}), so nothing can be tried under it: ${unusable.message}`,
      );
    }
    tally.record("bundle by published keys", mustBeRejected(report, name, "", NOT_PINNED));
  }
  const value = parsedPolicy(policy);
  const [first] = published;
  if (value === undefined || first === undefined) return tally.counts();
  for (const { kind, pointer, bytes } of policyMutations(value, policy)) {
    const report = judge(verify, { ...first.inputs, trust: bytes });
    const reasons: readonly Reason[] = [bytes.length === 0 ? "TRUST_POLICY_MISSING" : "TRUST_POLICY_INVALID"];
    tally.record(kind, mustBeRejected(report, kind, pointer, reasons));
  }
  return tally.counts();
}

function policyFailure(report: VerificationReportV1): Failure | undefined {
  const { first_failure: first } = report;
  const codes = ["TRUST_POLICY_MISSING", "TRUST_POLICY_INVALID"];
  return first !== null && codes.includes(first.code) ? first : undefined;
}

/** A policy as JSON, or undefined. */
export function parsedPolicy(bytes: Uint8Array): JsonValue | undefined {
  return parseJson(bytes, { maxBytes: LIMITS.maxSideInputBytes, maxDepth: LIMITS.maxDepth }).value;
}

/** The bundle as given, and in the other encoding where it can be read. */
function encodings(
  bundle: Uint8Array,
): readonly { readonly bundle: Uint8Array; readonly encoding: string }[] {
  const given = { bundle, encoding: encodingOf(bundle) };
  const { value, faults } = parseEither(bundle, LIMITS.maxBundleBytes);
  if (value === undefined || faults.length > 0 || isLeaf(value) || given.encoding === "cbor") return [given];
  return [given, { bundle: encodeCbor(value), encoding: "cbor" }];
}

export function judge(verify: Verify, { bundle, trust, ...options }: Inputs): VerificationReportV1 {
  return verify(bundle, trust, options);
}

/** `ACCEPTED`, or the code of the first failure. */
export function outcome(report: VerificationReportV1): string {
  if (report.verdict === "ACCEPTED") return "ACCEPTED";
  return report.first_failure?.code ?? "no failure named";
}

/** Null when the report rejects for one of the reasons, else what went wrong. */
export function mustBeRejected(
  report: VerificationReportV1,
  control: string,
  pointer: string,
  reasons: readonly Reason[],
): SelftestFailure | null {
  const right = report.verdict === "REJECTED" && givesReason(report, reasons);
  if (right && !givesReason(report, ["INTERNAL_FAULT"])) return null;
  return { control, pointer, expected: reasons.join(" or "), found: outcome(report) };
}
