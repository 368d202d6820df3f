/** Check 10, EXPECTATION: this bundle answers the question that the auditor asked (docs/SPEC.md, "Check 10"). */
import type { FailureCode } from "../errors.js";
import type { ExpectationsV1 } from "./inputs.js";
import type { Run } from "./run.js";
import type { TargetAnswers } from "./targets.js";

/** True when something was asked or required; else the check stays NOT_EVALUATED. */
export function checkExpectation(run: Run): boolean {
  const required = run.trust.requireSessionClose || run.trust.requireSessionSeal;
  const asked = run.expectations;
  const { scope } = run.claim;
  if (scope !== "session" && (required || asked?.scope === "session")) {
    run.findings.fail(
      "EXPECTATION",
      "EXPECTATION_SCOPE_TOO_WEAK",
      { pointer: "/claim/scope" },
      "scope session was asked for or required, the bundle claims causal",
    );
  }
  if (asked !== null) checkAsked(run, asked);
  return required || asked !== null;
}

function checkAsked(run: Run, asked: ExpectationsV1): void {
  const differs = (pointer: string, name: "namespace_id" | "mission_id", found: string): void => {
    if (asked[name] === undefined || asked[name] === found) return;
    run.findings.fail(
      "EXPECTATION",
      "EXPECTATION_RUN_MISMATCH",
      { pointer },
      `expected ${name} ${asked[name]}, found ${found}`,
    );
  };
  differs("/namespace_id", "namespace_id", run.namespaceId);
  differs("/mission_id", "mission_id", run.missionId);
  for (const [index, digest] of run.claim.targets.entries()) {
    const position = run.receipts.digests.find(digest);
    if (position >= 0) checkTarget(run, asked, position, run.targets.answersOf(index));
  }
  const wanted = asked.target_receipt_digests;
  if (wanted === undefined) return;
  const targets = new Set(run.claim.targets);
  if (wanted.length !== targets.size || !wanted.every((digest) => targets.has(digest))) {
    run.findings.fail(
      "EXPECTATION",
      "EXPECTATION_TARGET_MISMATCH",
      { pointer: "/claim/targets" },
      "the targets are not exactly the expected receipts",
    );
  }
}

function checkTarget(
  run: Run,
  asked: ExpectationsV1,
  position: number,
  answers: TargetAnswers | undefined,
): void {
  const { receipts } = run;
  const binding = receipts.bindings.all[receipts.bindingAt(position)];
  const expect = (
    code: FailureCode,
    member: "session_id" | "agent_id" | "tool",
    found: string | undefined,
  ): void => {
    if (asked[member] === undefined || asked[member] === found) return;
    run.findings.fail(
      "EXPECTATION",
      code,
      receipts.placeOf(position, `/${member}`),
      `expected ${member} ${asked[member]}, found ${found}`,
    );
  };
  expect("EXPECTATION_RUN_MISMATCH", "session_id", binding?.session_id);
  expect("EXPECTATION_RUN_MISMATCH", "agent_id", binding?.agent_id);
  expect("EXPECTATION_TARGET_MISMATCH", "tool", answers?.tool);
  const output = answers?.output;
  const mismatch = (detail: string): void =>
    run.findings.fail("EXPECTATION", "EXPECTATION_OUTPUT_MISMATCH", receipts.placeOf(position), detail);
  if (asked.status !== undefined && output?.status !== asked.status) {
    mismatch(`expected status ${asked.status}, found ${output?.status ?? "no disclosed output"}`);
  }
  if (asked.output_sha256 !== undefined && output?.sha256 !== asked.output_sha256) {
    mismatch("the disclosed output is not the expected file, or is not disclosed");
  }
}
