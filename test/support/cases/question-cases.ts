/** Checks 9 and 10, ATTESTATION and EXPECTATION: what the auditor requires and asks. */
import type { FailureCode } from "../../../src/errors.js";
import { testDigest } from "../keys.js";
import { agentId } from "../trust.js";
import type { Draft } from "../world.js";
import type { InvalidCase } from "./invalid.js";

/** Asks the bundle of `expectations-met` one question that it does not answer. */
function asked(
  code: FailureCode,
  name: string,
  pointer: string,
  why: string,
  how: string,
  expectations: Draft,
): InvalidCase {
  return {
    code,
    name,
    parent: "expectations-met",
    pointer,
    why,
    how,
    side: ["expectations", (given) => ({ ...given, ...expectations })],
  };
}

const OLD_BUNDLE = "An old valid bundle must not be accepted as the answer to a new question.";

function attested(code: FailureCode, name: string, parent: string, why: string, how: string): InvalidCase {
  return {
    code,
    name,
    parent,
    pointer: "/runtime_key_certificates/0",
    why,
    how,
    side: [
      "trust",
      (trust) => {
        trust["attestation_requirements"] = [{ type: "nitro", measurements: ["0x00"] }];
      },
    ],
  };
}

export const QUESTION_CASES: readonly InvalidCase[] = [
  attested(
    "ATTESTATION_MISSING",
    "required-and-not-there",
    "one-receipt",
    "The policy requires that runtimes are attested, and this one is not.",
    "A requirement was added to the policy.",
  ),
  attested(
    "ATTESTATION_DOCUMENT_INVALID",
    "no-decoder",
    "attestation-carried",
    "This version reads no attestation documents, and what it cannot judge it does not accept.",
    "A requirement was added to the policy; the bundle holds a document.",
  ),
  asked(
    "EXPECTATION_RUN_MISMATCH",
    "another-mission",
    "/mission_id",
    OLD_BUNDLE,
    "The auditor asks about mission-8.",
    { mission_id: "mission-8" },
  ),
  asked(
    "EXPECTATION_RUN_MISMATCH",
    "another-namespace",
    "/namespace_id",
    OLD_BUNDLE,
    "The auditor asks about another namespace.",
    { namespace_id: "net.example" },
  ),
  asked(
    "EXPECTATION_RUN_MISMATCH",
    "another-session",
    "/receipts/0/session_id",
    OLD_BUNDLE,
    "The auditor asks about session-2.",
    { session_id: "session-2" },
  ),
  asked(
    "EXPECTATION_RUN_MISMATCH",
    "another-agent",
    "/receipts/0/agent_id",
    "What one agent did says nothing about another.",
    "The auditor asks about the coder.",
    { agent_id: agentId("coder") },
  ),
  asked(
    "EXPECTATION_TARGET_MISMATCH",
    "another-tool",
    "/receipts/0/tool",
    "The auditor asked whether a file was written, and this is a command that was run.",
    "The auditor asks about `file.write`.",
    { tool: "file.write" },
  ),
  asked(
    "EXPECTATION_TARGET_MISMATCH",
    "another-receipt",
    "/claim/targets",
    OLD_BUNDLE,
    "The auditor asks about another receipt.",
    { target_receipt_digests: [testDigest("the receipt I hold")] },
  ),
  asked(
    "EXPECTATION_SCOPE_TOO_WEAK",
    "session-asked",
    "/claim/scope",
    "Scope `causal` is silent about what came after or beside; the auditor asked for the whole session.",
    "The auditor asks for scope `session`.",
    { scope: "session" },
  ),
  {
    code: "EXPECTATION_SCOPE_TOO_WEAK",
    name: "close-required",
    parent: "one-receipt",
    pointer: "/claim/scope",
    why: "The policy requires session closes, which only scope `session` is judged for.",
    how: "`require_session_close` was set in the policy.",
    side: [
      "trust",
      (trust) => {
        trust["require_session_close"] = true;
      },
    ],
  },
  asked(
    "EXPECTATION_OUTPUT_MISMATCH",
    "another-status",
    "/receipts/0",
    "The auditor expected a refusal, and the action was completed.",
    "The auditor asks for status `denied`.",
    { status: "denied" },
  ),
  asked(
    "EXPECTATION_OUTPUT_MISMATCH",
    "another-file",
    "/receipts/0",
    "The file that the auditor holds is not what the action returned.",
    "The auditor asks for the digest of another file.",
    { output_sha256: testDigest("the file I hold") },
  ),
  {
    code: "EXPECTATION_OUTPUT_MISMATCH",
    name: "status-withheld",
    parent: "expectations-met",
    pointer: "/receipts/0",
    why: "A withheld output answers no question about it: absent evidence is never a pass.",
    how: "The disclosure of the output was taken out.",
    bundle: (bundle) => {
      bundle["disclosures"].splice(1, 1);
    },
  },
];
