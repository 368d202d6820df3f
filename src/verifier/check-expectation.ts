/** Check 10, EXPECTATION: this bundle answers the question that the auditor asked (docs/SPEC.md, "Check 10"). */
import type { Identified } from "../bundle/contents.js";
import type { Disclosure } from "../bundle/format.js";
import { sha256Hex } from "../crypto/digest.js";
import { decodeHex } from "../encoding/hex.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import type { FailureCode } from "../errors.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { ExpectationsV1 } from "./inputs.js";
import type { Run } from "./run.js";

/** True when something was asked or required; else the check stays NOT_EVALUATED. */
export function checkExpectation(run: Run): boolean {
  const required = run.trust.requireSessionClose || run.trust.requireSessionSeal;
  const asked = run.expectations;
  const { scope } = run.bundle.claim;
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
  const differs = (pointer: string, name: "namespace_id" | "mission_id"): void => {
    if (asked[name] === undefined || asked[name] === run.bundle[name]) return;
    run.findings.fail(
      "EXPECTATION",
      "EXPECTATION_RUN_MISMATCH",
      { pointer },
      `expected ${name} ${asked[name]}, found ${run.bundle[name]}`,
    );
  };
  differs("/namespace_id", "namespace_id");
  differs("/mission_id", "mission_id");
  const known = run.receiptByDigest;
  const shown = new Map(
    run.contents.disclosures
      .filter(({ value }) => value.value.kind === "output")
      .map(({ value }) => [value.receipt_digest, value]),
  );
  for (const digest of run.bundle.claim.targets) {
    const target = known.get(digest);
    if (target !== undefined) checkTarget(run, asked, target, shown.get(digest));
  }
  const wanted = asked.target_receipt_digests;
  if (wanted === undefined) return;
  const targets = new Set(run.bundle.claim.targets);
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
  target: Identified<ActionReceiptV3>,
  output: Disclosure | undefined,
): void {
  const { statement, pointer, digest } = target;
  const expect = (code: FailureCode, member: "session_id" | "agent_id" | "tool"): void => {
    if (asked[member] === undefined || asked[member] === statement[member]) return;
    run.findings.fail(
      "EXPECTATION",
      code,
      { pointer: `${pointer}/${member}`, digest },
      `expected ${member} ${asked[member]}, found ${statement[member]}`,
    );
  };
  expect("EXPECTATION_RUN_MISMATCH", "session_id");
  expect("EXPECTATION_RUN_MISMATCH", "agent_id");
  expect("EXPECTATION_TARGET_MISMATCH", "tool");
  const mismatch = (detail: string): void =>
    run.findings.fail("EXPECTATION", "EXPECTATION_OUTPUT_MISMATCH", { pointer, digest }, detail);
  if (asked.status !== undefined && output?.value.status !== asked.status) {
    mismatch(`expected status ${asked.status}, found ${output?.value.status ?? "no disclosed output"}`);
  }
  if (
    asked.output_sha256 !== undefined &&
    (output === undefined || contentDigest(output) !== asked.output_sha256)
  ) {
    mismatch("the disclosed output is not the expected file, or is not disclosed");
  }
}

/** The digest by which a file is compared: of raw bytes, of a blob, or of the UTF-8 of a JSON string; else null. */
function contentDigest({ value }: Disclosure): string | null {
  if (value.blob !== undefined) return value.blob.sha256;
  if (value.bytes !== undefined) return sha256Hex(decodeHex(value.bytes) ?? new Uint8Array(0));
  return typeof value.json === "string" ? sha256Hex(encodeUtf8(value.json)) : null;
}
