/** Check 6. */
import type { FailureCode } from "../../../src/errors.js";
import { net, type Rule, rulesOf } from "../rule.js";

const dag = rulesOf("verifier/check-dag.ts");

const GRAPH: readonly Rule[] = [
  dag(
    "6.1",
    "A target that is no receipt of the bundle",
    "DAG_TARGET_MISSING/target-elsewhere",
    "if (receipts.digests.find(target) >= 0) continue;",
    "continue;",
  ),
  dag(
    "6.2",
    "A parent that is no receipt of the bundle",
    "DAG_PARENT_MISSING/ancestor-left-out",
    'findings.fail(\n    "DAG",\n    "DAG_PARENT_MISSING",',
    '((..._: unknown[]) => 0)(\n    "DAG",\n    "DAG_PARENT_MISSING",',
  ),
  dag(
    "6.3",
    "One with the sequence of the one before it",
    "DAG_EQUIVOCATION/sequence-twice",
    "if (receipts.sequenceAt(before) !== sequence) continue;",
    "continue;",
  ),
  dag(
    "6.4",
    "A receipt that lies on a cycle of it",
    "DAG_ORDER_CYCLE/sequence-against-a-parent",
    'fail(position, "DAG_ORDER_CYCLE", "its parents contradict the sequence order of its runtime");',
    "",
  ),
  dag(
    "6.5",
    "is later than the effect's + skew",
    ["child-before-parent", "one-millisecond-past-the-skew", "sequence-before-its-predecessor"].map(
      (name) => `DAG_TIME_ORDER/${name}`,
    ),
    "if (receipts.issuedAt(cause) <= receipts.issuedAt(effect) + run.trust.skew) return;",
    "return;",
  ),
];

const session = rulesOf("verifier/check-session.ts");
const SIGNED = "if (!isSignedByAgent(close, agent) || !inWindow(time, agent.item.statement)) {";
const RUNTIME_SIGNED =
  "if (runtime.key.algorithm !== statement.signing_algorithm || !isSignedBy(close, runtime.key)) {";
const NAMED = "if (named.runtime_key_id !== statement.issuer_key_id || !isOfRuntime(named, statement))";

/** What an agent's closes and seals have in common. */
function byAgent(step: string, code: FailureCode, prefix: string): readonly Rule[] {
  const named = "`issuer_key_id` or `agent_id` is not the certificate's";
  return [
    session(
      step,
      named,
      `${code}/${prefix}issuer-is-another-key`,
      "statement.issuer_key_id === issuer.agent_key_id &&",
      "",
    ),
    session(
      step,
      named,
      `${code}/${prefix}in-anothers-name`,
      "statement.agent_id === issuer.agent_id &&",
      "",
    ),
    session(
      step,
      "`signing_algorithm` not the key's",
      `${code}/${prefix}label-of-another-algorithm`,
      "statement.signing_algorithm === agent.key.algorithm &&",
      "",
    ),
  ];
}

const CLOSES: readonly Rule[] = [
  session(
    "6.6",
    "the policy does not say `accept_agent_close`",
    "DAG_CLOSE_INVALID/agents-close-not-accepted",
    "if (!run.trust.acceptAgentClose)",
    "if (false)",
  ),
  session(
    "6.6",
    "the signature does not verify",
    "DAG_CLOSE_INVALID/agents-close-by-the-runtime",
    SIGNED,
    "if (!inWindow(time, agent.item.statement)) {",
  ),
  session(
    "6.6",
    "`issued_at` is outside the certificate's window",
    "DAG_CLOSE_INVALID/agents-close-outside-its-window",
    SIGNED,
    "if (!isSignedByAgent(close, agent)) {",
  ),
  ...byAgent("6.6", "DAG_CLOSE_INVALID", "agents-close-"),
  session(
    "6.6",
    "is not the close's `issuer_key_id`",
    "DAG_CLOSE_INVALID/issuer-is-another-key",
    NAMED,
    "if (!isOfRuntime(named, statement))",
  ),
  session(
    "6.6",
    "`runtime_id`, `session_id` or `agent_id`",
    "DAG_CLOSE_INVALID/by-another-runtimes-certificate",
    NAMED,
    "if (named.runtime_key_id !== statement.issuer_key_id)",
    net("DAG_CLOSE_MISMATCH", "a listed certificate of another runtime is refused by step 8 too"),
  ),
  session(
    "6.6",
    "`signing_algorithm` is not the key's",
    "DAG_CLOSE_INVALID/label-of-another-algorithm",
    RUNTIME_SIGNED,
    "if (!isSignedBy(close, runtime.key)) {",
  ),
  session(
    "6.6",
    "the signature does not verify",
    "DAG_CLOSE_INVALID/by-another-runtime",
    RUNTIME_SIGNED,
    "if (runtime.key.algorithm !== statement.signing_algorithm) {",
  ),
  session(
    "6.6",
    "`issued_at` is outside the certificate's window",
    "DAG_CLOSE_INVALID/outside-the-keys-window",
    "if (!inWindow(time, named)) return",
    "if (false) return",
  ),
  session(
    "6.7",
    "An earlier close has its `runtime_id`",
    "DAG_CLOSE_INVALID/second-close",
    'fail(close, "DAG_CLOSE_INVALID", "it is a second close of its runtime");',
    "",
  ),
  session(
    "6.8",
    "`receipt_count` is not `final_sequence`",
    "DAG_CLOSE_MISMATCH/count-is-not-the-sequence",
    "if (statement.receipt_count !== statement.final_sequence)",
    "if (false)",
  ),
  session(
    "6.8",
    "has another agent or session",
    "DAG_CLOSE_MISMATCH/agents-close-of-another-session",
    "if (receipt?.agent_id !== statement.agent_id || receipt.session_id !== statement.session_id) {",
    "if (false) {",
    net(
      "DAG_CLOSE_MISMATCH",
      "the certificates behind the receipts must be listed, and a listed one of another agent or session is refused by the same step",
    ),
  ),
  session(
    "6.8",
    "a sequence above `final_sequence`",
    "DAG_CLOSE_MISMATCH/ends-before-a-receipt",
    "if (sequence > statement.final_sequence)",
    "if (false)",
  ),
  session(
    "6.8",
    "an `issued_at` later than the close's + skew",
    "DAG_CLOSE_MISMATCH/receipt-dated-after-it",
    "if (receipts.issuedAt(position) > closedAt + run.trust.skew)",
    "if (false)",
  ),
  session(
    "6.8",
    "the one with `final_sequence` and not `last_receipt_digest`",
    ["DAG_CLOSE_MISMATCH/another-last-receipt", "DAG_CLOSE_MISMATCH/ends-with-an-earlier-receipt"],
    "if ((sequence === statement.final_sequence) !== (position === last)) {",
    "if (false) {",
  ),
  session(
    "6.8",
    "is of another runtime",
    "DAG_CLOSE_MISMATCH/ends-with-another-runtimes-receipt",
    "if (last >= 0 && bindingOf(receipts, last)?.runtime_id !== statement.runtime_id)",
    "if (false)",
  ),
  session(
    "6.8",
    "has another runtime, session or agent",
    "DAG_CLOSE_MISMATCH/lists-another-runtimes-certificate",
    "if (foreign) return",
    "if (false) return",
  ),
  session(
    "6.8",
    "the list must be exactly the used ones",
    "DAG_CLOSE_MISMATCH/certificate-not-listed",
    "return same ? null :",
    "return true ? null :",
  ),
  session(
    "6.8",
    "Otherwise the used ones must stand in the list in that order",
    "DAG_CLOSE_MISMATCH/causal-close-leaves-one-out",
    "if (next < 0) return",
    "if (false) return",
  ),
  session(
    "6.9",
    "A receipt with a higher sequence than expected",
    "DAG_SEQUENCE_GAP/receipt-in-the-middle",
    "if (sequence > expected) {",
    "if (false) {",
  ),
  session(
    "6.10",
    "no close has this `runtime_id`",
    "DAG_CLOSE_MISSING/never-closed",
    "if (close === undefined) {\n      fail(",
    "if (close === undefined) {\n      ((..._: unknown[]) => 0)(",
  ),
  session(
    "6.10",
    "a `final_sequence` not below what is expected",
    "DAG_SEQUENCE_GAP/tail-behind-a-proof",
    "} else if (close.statement.final_sequence >= expected) {",
    "} else if (false) {",
  ),
  session(
    "6.11",
    "the signature does not verify",
    "DAG_SEAL_INVALID/by-a-runtime",
    "if (isSignedByAgent(seal, agent) && inWindow(",
    "if (inWindow(",
  ),
  ...byAgent("6.11", "DAG_SEAL_INVALID", ""),
  session(
    "6.11",
    "`issued_at` is outside the certificate's window",
    "DAG_SEAL_INVALID/at-the-end-of-its-key",
    "if (isSignedByAgent(seal, agent) && inWindow(instant(statement.issued_at), agent.item.statement)) {",
    "if (isSignedByAgent(seal, agent)) {",
  ),
  session(
    "6.12",
    "An earlier seal has its agent and session",
    "DAG_SEAL_INVALID/second-seal",
    'fail(seal, "DAG_SEAL_INVALID", "it is a second seal of its agent and session");',
    "",
  ),
  session(
    "6.13",
    "are not exactly those of the closes in the bundle",
    ["DAG_SEAL_MISMATCH/runtime-left-out", "DAG_SEAL_MISMATCH/runtime-not-shown"],
    "if (named.length !== shown.size || !named.every((digest) => shown.has(digest))) {",
    "if (false) {",
  ),
  session(
    "6.13",
    "has an `issued_at` later than the seal's + skew",
    "DAG_SEAL_MISMATCH/close-dated-after-it",
    "(close) => instant(close.statement.issued_at) > instant(statement.issued_at) + run.trust.skew,",
    "() => false,",
  ),
  session(
    "6.14",
    "no seal with that agent and session",
    "DAG_SEAL_MISSING/required-by-the-policy",
    'if (run.trust.requireSessionSeal && run.claim.scope === "session")',
    "if (false)",
  ),
];

export const DAG_RULES: readonly Rule[] = [...GRAPH, ...CLOSES];
