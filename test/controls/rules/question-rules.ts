/** Checks 9 and 10. */
import { type Rule, rulesOf } from "../rule.js";

const attestation = rulesOf("verifier/check-attestation.ts");
const expectation = rulesOf("verifier/check-expectation.ts");

export const QUESTION_RULES: readonly Rule[] = [
  attestation(
    "9.1",
    "no attestation in the bundle has a document of that SHA-256",
    "ATTESTATION_MISSING/required-and-not-there",
    "if (attestation === undefined) {",
    "if (attestation === undefined) return null;\n  if (attestation === undefined) {",
  ),
  attestation(
    "9.2",
    "the verifier cannot judge the type",
    "ATTESTATION_DOCUMENT_INVALID/no-decoder",
    "if (requirement === undefined || decoder === undefined) {",
    "if (requirement === undefined || decoder === undefined) return null;\n  if (requirement === undefined || decoder === undefined) {",
  ),
  expectation(
    "10.1",
    "the policy says `require_session_close` or `require_session_seal`",
    "EXPECTATION_SCOPE_TOO_WEAK/close-required",
    '(required || asked?.scope === "session")',
    '(asked?.scope === "session")',
  ),
  expectation(
    "10.1",
    "the expected `scope` is `session`",
    "EXPECTATION_SCOPE_TOO_WEAK/session-asked",
    '(required || asked?.scope === "session")',
    "required",
  ),
  expectation(
    "10.2",
    "The expected `namespace_id`",
    "EXPECTATION_RUN_MISMATCH/another-namespace",
    'differs("/namespace_id", "namespace_id", run.namespaceId);',
    "",
  ),
  expectation(
    "10.2",
    "or `mission_id` is not the bundle's",
    "EXPECTATION_RUN_MISMATCH/another-mission",
    'differs("/mission_id", "mission_id", run.missionId);',
    "",
  ),
  expectation(
    "10.3",
    "the expected `session_id`",
    "EXPECTATION_RUN_MISMATCH/another-session",
    'expect("EXPECTATION_RUN_MISMATCH", "session_id", binding?.session_id);',
    "",
  ),
  expectation(
    "10.3",
    "or `agent_id` is not the receipt's",
    "EXPECTATION_RUN_MISMATCH/another-agent",
    'expect("EXPECTATION_RUN_MISMATCH", "agent_id", binding?.agent_id);',
    "",
  ),
  expectation(
    "10.3",
    "The expected `tool` is not",
    "EXPECTATION_TARGET_MISMATCH/another-tool",
    'expect("EXPECTATION_TARGET_MISMATCH", "tool", answers?.tool);',
    "",
  ),
  expectation(
    "10.4",
    "its output is not disclosed",
    "EXPECTATION_OUTPUT_MISMATCH/status-withheld",
    "const mismatch = (detail: string): void =>",
    "if ((output ?? null) === null) return;\n  const mismatch = (detail: string): void =>",
  ),
  expectation(
    "10.4",
    "its status is not the expected `status`",
    "EXPECTATION_OUTPUT_MISMATCH/another-status",
    "if (asked.status !== undefined && output?.status !== asked.status) {",
    "if (false) {",
  ),
  expectation(
    "10.4",
    "its content is not the expected `output_sha256`",
    "EXPECTATION_OUTPUT_MISMATCH/another-file",
    " && output?.sha256 !== asked.output_sha256",
    " && false",
  ),
  expectation(
    "10.5",
    "are not the same set",
    "EXPECTATION_TARGET_MISMATCH/another-receipt",
    "if (wanted.length !== targets.size || !wanted.every((digest) => targets.has(digest))) {",
    "if (false) {",
  ),
];
