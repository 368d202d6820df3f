/** Check 8, with the steps of tlog proofs and the time rules that it refers to. */
import { net, type Rule, rulesOf } from "../rule.js";

const worth = rulesOf("verifier/anchored.ts");
const check = rulesOf("verifier/check-anchor.ts");
const tlog = rulesOf("anchors/tlog.ts");

const CHECK: readonly Rule[] = [
  worth(
    "8.1",
    "Each wrong anchor of a tree or list",
    ["ANCHOR_PROOF_INVALID/beside-a-good-one", "ANCHOR_PROOF_INVALID/old-lists-anchor"],
    'run.findings.fail("ANCHOR", outcome.code, at, outcome.detail);',
    "",
  ),
  check(
    "8.2",
    "A tree whose anchors give no time",
    [
      "ANCHOR_OPERATOR_ONLY/no-cosignature",
      "ANCHOR_QUORUM_NOT_MET/one-of-three",
      "ANCHOR_TIME_MISSING/undated-cosignatures",
      "ANCHOR_FROM_FUTURE/before-it-was-anchored",
      "ANCHOR_MISSING/no-anchor",
      "ANCHOR_MISSING/unpinned-ledgers-only",
    ],
    'run.findings.fail("ANCHOR", code, { pointer, source: anchored.source }, detail);',
    "",
  ),
  check(
    "8.3",
    '"Time rules of anchors", all that apply',
    [
      "ANCHOR_BEFORE_ISSUE/dated-before-the-receipt",
      "ANCHOR_TOO_LATE/policy-allows-less",
      "ANCHOR_AFTER_ROTATION/anchored-after-the-change",
    ],
    "if (time === NO_TIME) return;",
    "return;",
  ),
];

const UNPINNED = 'return { kind: "unpinned", origin: null };';

const PROOFS: readonly Rule[] = [
  tlog(
    "tlog-proof.1",
    "The text is not well-formed",
    "ANCHOR_PROOF_INVALID/no-proof-beside-a-good-one",
    "if (parsed === null) return invalid(",
    `if (parsed === null) ${UNPINNED}\n  if (parsed === null) return invalid(`,
  ),
  tlog(
    "tlog-proof.1",
    "its checkpoint no well-formed note",
    "ANCHOR_PROOF_INVALID/no-note-beside-a-good-one",
    "if (note === null) return invalid(",
    `if (note === null) ${UNPINNED}\n  if (note === null) return invalid(`,
  ),
  tlog(
    "tlog-proof.1",
    "the note text no checkpoint",
    "ANCHOR_PROOF_INVALID/no-checkpoint-beside-a-good-one",
    "if (checkpoint === null) return invalid(",
    `if (checkpoint === null) ${UNPINNED}\n  if (checkpoint === null) return invalid(`,
  ),
  tlog(
    "tlog-proof.3",
    "The line of any pinned log key, of this origin or another, is wrong",
    "ANCHOR_PROOF_INVALID/line-of-another-log-key",
    'if (outcome.kind === "wrong")\n      return `the signature line of the pinned log key',
    "if (false)\n      return `the signature line of the pinned log key",
  ),
  tlog(
    "tlog-proof.3",
    "no key pinned for this origin has a line",
    "ANCHOR_PROOF_INVALID/log-did-not-sign",
    "if (operators.length === 0) {",
    "if (false) {",
  ),
  tlog(
    "tlog-proof.4",
    "The line of any pinned witness is wrong",
    "ANCHOR_PROOF_INVALID/one-witness-wrong",
    'if (outcome.kind === "wrong")\n      return `the cosignature line',
    "if (false)\n      return `the cosignature line",
  ),
  tlog(
    "tlog-proof.5",
    "does not fit index and the checkpoint's size",
    "ANCHOR_PROOF_INVALID/path-too-long",
    "rootFromInclusion({ leafHash: leafHash(entry), index, size, path });",
    "rootFromInclusion({ leafHash: leafHash(entry), index, size, path }) ?? root;",
  ),
  tlog(
    "tlog-proof.5",
    "it does not lead to the checkpoint's root",
    ["another-size-logged", "another-root-logged", "something-else-logged"].map(
      (name) => `ANCHOR_ENTRY_MISMATCH/${name}`,
    ),
    "if (!equalBytes(computed, root)) {",
    "if (false) {",
  ),
  worth(
    "tlog-proof.6",
    "This log has shown another root for this size",
    "ANCHOR_LOG_FORK/another-root-known",
    "if (checkpoints.forks(head)) {",
    "if (false) {",
  ),
  worth(
    "tlog-proof.7",
    "wrong, ANCHOR_LOG_NOT_CONTINUED, unless an entry of `log_consistency`",
    ["not-shown-to-continue", "another-beginning-known"].map((name) => `ANCHOR_LOG_NOT_CONTINUED/${name}`),
    "if (checkpoints.breaksOff(head, run)) {",
    "if (false) {",
  ),
  worth(
    "tlog-proof.7",
    "this origin",
    "ANCHOR_LOG_NOT_CONTINUED/continuation-of-another-log",
    "shown.origin === known.origin &&",
    "",
  ),
  worth(
    "tlog-proof.7",
    "its hashes are a consistency proof between the two roots",
    ["continuation-with-another-hash", "continuation-with-a-hash-too-many", "another-beginning-known"].map(
      (name) => `ANCHOR_LOG_NOT_CONTINUED/${name}`,
    ),
    "return sizes.some((shown) =>",
    "return sizes.length > 0 || sizes.some((shown) =>",
  ),
  tlog(
    "tlog-proof.8",
    "at least `threshold` of its members",
    ["ANCHOR_QUORUM_NOT_MET/one-of-three", "ANCHOR_QUORUM_NOT_MET/second-witness-not-pinned"],
    "if (count >= group.threshold)",
    "if (count >= 1)",
    { file: "anchors/tlog-trust.ts" },
  ),
  worth(
    "tlog-proof.9",
    "ANCHOR_OPERATOR_ONLY",
    "ANCHOR_OPERATOR_ONLY/no-cosignature",
    "if (outcome.cosigners.length === 0 && !run.trust.acceptOperatorOnly) {",
    "if (false) {",
    net("ANCHOR_TIME_MISSING", "without cosigners nobody dates the checkpoint"),
  ),
  worth(
    "tlog-proof.9",
    "ANCHOR_QUORUM_NOT_MET",
    "ANCHOR_QUORUM_NOT_MET/one-of-three",
    "if (outcome.cosigners.length > 0 && !outcome.quorumMet) {",
    "if (false) {",
    net("ANCHOR_TIME_MISSING", "cosigners that do not meet the quorum do not meet it at any time"),
  ),
  worth(
    "tlog-proof.9",
    "ANCHOR_TIME_MISSING",
    "ANCHOR_TIME_MISSING/undated-cosignatures",
    "if (outcome.time === null)\n    return short(",
    'if (outcome.time === null)\n    return { code: null, detail: "", time: null };\n  if (outcome.time === null)\n    return short(',
  ),
  worth(
    "tlog-proof.9",
    "ANCHOR_FROM_FUTURE",
    "ANCHOR_FROM_FUTURE/before-it-was-anchored",
    "if (outcome.time > run.at + run.trust.skew) {",
    "if (false) {",
  ),
];

const TIMES: readonly Rule[] = [
  check(
    "time-rules.1",
    "`issued_at <= T + skew`",
    "ANCHOR_BEFORE_ISSUE/dated-before-the-receipt",
    "if (issued > time + run.trust.skew)",
    "if (false)",
  ),
  check(
    "time-rules.2",
    "for a receipt, and for a close signed by a runtime",
    ["a-day-after-the-key", "one-second-past-the-boundary", "policy-allows-less"].map(
      (name) => `ANCHOR_TOO_LATE/${name}`,
    ),
    "if (time > deadline.latest)",
    "if (false)",
  ),
  check(
    "time-rules.2",
    "for a close signed by a runtime, the `not_after` of the runtime key certificate",
    "ANCHOR_TOO_LATE/runtimes-close",
    "signer.runtime === null ? close.statement.issued_at : signer.runtime.item.statement.not_after;",
    'signer.runtime === null ? close.statement.issued_at : "9999-12-31T00:00:00Z";',
  ),
  check(
    "time-rules.2",
    "for a close signed by an agent",
    "ANCHOR_TOO_LATE/agents-close",
    "signer.runtime === null ? close.statement.issued_at : signer.runtime.item.statement.not_after;",
    'signer.runtime === null ? "9999-12-31T00:00:00Z" : signer.runtime.item.statement.not_after;',
  ),
  check(
    "time-rules.2",
    "for a seal, its own `issued_at`",
    "ANCHOR_TOO_LATE/seal",
    "judgeEnd(seal, seal.statement.issued_at, agent)",
    'judgeEnd(seal, "9999-12-31T00:00:00Z", agent)',
  ),
  check(
    "time-rules.3",
    "T < *until* of every root that the leaf rests on",
    "ANCHOR_AFTER_ROTATION/anchored-after-the-change",
    "if (root.until === null || time < root.until) continue;",
    "continue;",
  ),
  check(
    "time-rules.3",
    "the root that signed each of these agent key certificates",
    "ANCHOR_AFTER_ROTATION/certificate-of-a-retired-root",
    "roots.add(agent.root);",
    "",
  ),
  check(
    "time-rules.3",
    "the root that signed the identity record that counts",
    "ANCHOR_AFTER_ROTATION/record-of-a-retired-root",
    "if (record !== null) roots.add(record.root);",
    "",
  ),
];

export const ANCHOR_RULES: readonly Rule[] = [...CHECK, ...PROOFS, ...TIMES];
