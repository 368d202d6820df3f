/** Check 2: conflicts and use. */
import { type Rule, rulesOf } from "../rule.js";

const use = rulesOf("verifier/check-use.ts");
const MISMATCH = 'case "runtime":\n      return fail(';
const ABSENT = "default:\n      return fail(";
const conflict = rulesOf("verifier/check-conflicts.ts");

const CONFLICTS: readonly Rule[] = [
  conflict(
    "2.19",
    "a key id met with another thumbprint",
    "IDENTITY_CONFLICT/one-id-for-two-runtimes",
    "if (other !== undefined && other !== thumbprint) return",
    "if (false) return",
  ),
  conflict(
    "2.19",
    "a thumbprint met with another key id",
    "IDENTITY_CONFLICT/agents-key-of-two-ids",
    "if (known !== undefined && known.keyId !== keyId)",
    "if (false)",
  ),
  conflict(
    "2.19",
    "role or holder",
    [
      "IDENTITY_CONFLICT/agent-key-as-runtime-key",
      "IDENTITY_CONFLICT/root-key-as-agent-key",
      "IDENTITY_CONFLICT/one-key-for-two-runtimes",
    ],
    "if (known !== undefined && known.role !== role)",
    "thumbprintOf.set(keyId, thumbprint);\n    return null;\n    if (known !== undefined && known.role !== role)",
  ),
  conflict(
    "2.20",
    "to another agent or session",
    "IDENTITY_CONFLICT/runtime-of-two-agents",
    "if (known !== undefined && known !== owner) {",
    "if (false) {",
  ),
  conflict(
    "2.21",
    "the agent and `record_number` of an earlier one",
    "IDENTITY_CONFLICT/record-number-twice",
    "if (numbers.has(name))",
    "if (false)",
  ),
];

const USES: readonly Rule[] = [
  use(
    "2.21+",
    "if no record counts at the statement's `issued_at`",
    ["no-record", "record-ends-before-the-action", "record-issued-later"].map(
      (name) => `IDENTITY_RECORD_MISSING/${name}`,
    ),
    "if (record === null) {",
    "if (record === null) return;\n  if (record === null) {",
  ),
  use(
    "2.21+",
    "does not list the certificate",
    "IDENTITY_CERTIFICATE_NOT_LISTED/newer-record-drops-it",
    "} else if (!record.item.statement.agent_key_certificate_digests.includes(agent.item.digest)) {",
    "} else if (false) {",
  ),
  use(
    "2.22",
    "step 14 for the certificate named",
    ["IDENTITY_ISSUER_MISMATCH/runtime-certificate-as-agents"],
    MISMATCH,
    'case "runtime":\n      return null;\n    case "":\n      return fail(',
  ),
  use(
    "2.22",
    "step 14 for the certificate named",
    ["IDENTITY_CERTIFICATE_MISSING/delegation-under-none"],
    ABSENT,
    "default:\n      return null;\n      return fail(",
  ),
  use(
    "2.22",
    "its `issued_at` is later than the statement's + skew",
    "IDENTITY_ISSUED_AFTER_USE/delegation-before-its-certificate",
    "if (instant(agent.item.statement.issued_at) > instant(item.statement.issued_at) + run.trust.skew) {",
    "if (false) {",
  ),
  use(
    "2.23",
    "the certificate's `issued_at` is later than the receipt's + skew",
    "IDENTITY_ISSUED_AFTER_USE/runtime-certificate",
    "if (standing.runtimeSpan.issued > issuedAt + run.trust.skew) {",
    "if (false) {",
  ),
  use(
    "2.23",
    "the receipt is covered for the certificate's agent key certificate",
    "IDENTITY_RECORD_MISSING/no-record",
    "checkRecord(run, identity, issuedAt, runtime.agent, fail);",
    "",
  ),
  use(
    "2.24",
    "covered for its agent key certificate",
    "IDENTITY_RECORD_MISSING/no-record-of-a-delegator",
    "if (agent !== null && agent !== runtime?.agent) checkRecord(run, identity, issuedAt, agent, fail);",
    "",
  ),
  use(
    "2.25",
    "that is that of an agent key certificate",
    "IDENTITY_ISSUER_MISMATCH/close-lists-an-agents-certificate",
    'if (role === "agent") {\n        fail(item, "IDENTITY_ISSUER_MISMATCH", "it lists an agent key certificate where a runtime\'s belongs");',
    'if (role === "agent") {',
  ),
  use(
    "2.25",
    "that is that of no certificate of the bundle",
    "IDENTITY_CERTIFICATE_MISSING/causal-close-lists-an-absent-one",
    'fail(item, "IDENTITY_CERTIFICATE_MISSING", `runtime key certificate ${digest} is not in the bundle`);',
    "",
  ),
  use(
    "2.25",
    "that certificate's `issued_at` is later than the close's + skew",
    "IDENTITY_ISSUED_AFTER_USE/close-before-its-certificate",
    "if (instant(last.item.statement.issued_at) > instant(statement.issued_at) + run.trust.skew) {",
    "if (false) {",
  ),
  use(
    "2.25",
    "it is covered for the agent key certificate of that certificate",
    "IDENTITY_RECORD_MISSING/record-ends-before-the-close",
    "covered(item, last.agent);",
    "",
  ),
  use(
    "2.25",
    "A close by the agent: covered for its own",
    "IDENTITY_RECORD_MISSING/no-record-at-an-agents-close",
    'const agent = identity.agentCertificates.get(statement.agent_key_certificate_digest ?? "");\n    if (agent !== undefined) covered(item, agent);',
    "",
  ),
  use(
    "2.26",
    "Seals: covered for their agent key certificate",
    "IDENTITY_RECORD_MISSING/record-ends-before-the-seal",
    "const agent = identity.agentCertificates.get(item.statement.agent_key_certificate_digest);\n    if (agent !== undefined) covered(item, agent);",
    "",
  ),
];

export const USE_RULES: readonly Rule[] = [...CONFLICTS, ...USES];
