/** Check 2: rotations, certificates and records. */
import { net, type Rule, rulesOf } from "../rule.js";

const line = rulesOf("verifier/root-line.ts");

const ROTATIONS: readonly Rule[] = [
  line(
    "2.1",
    "`issuer_key_id` is not `old_root_key_id`",
    "IDENTITY_ROTATION_INVALID/issuer-is-another-key",
    "if (statement.issuer_key_id !== statement.old_root_key_id) {",
    "if (false) {",
  ),
  line(
    "2.1",
    "either key is not of `signing_algorithm`",
    "IDENTITY_ROTATION_INVALID/label-of-another-algorithm",
    "if (oldKey.algorithm !== statement.signing_algorithm || newKey.algorithm !== statement.signing_algorithm) {",
    "if (false) {",
  ),
  line(
    "2.1",
    "`issued_at` is later than `effective_at`",
    "IDENTITY_ROTATION_INVALID/effective-before-issued",
    "if (instant(statement.issued_at) > instant(statement.effective_at)) {",
    "if (false) {",
  ),
  line(
    "2.1",
    "Exactly one of the two signatures does not verify",
    ["IDENTITY_ROTATION_INVALID/old-root-did-not-sign", "IDENTITY_ROTATION_INVALID/new-root-did-not-sign"],
    "if (signedByOld && signedByNew) return true;",
    "if (signedByOld || signedByNew) return true;",
  ),
  line(
    "2.1",
    "Neither verifies",
    "IDENTITY_SIGNATURE_INVALID/rotation-changed-after-signing",
    "if (signedByOld && signedByNew) return true;",
    "if (signedByOld === signedByNew) return true;",
  ),
  line(
    "2.2",
    "a later one with a `rotation_number` already used",
    "IDENTITY_ROTATION_INVALID/forked",
    "bad(run, rotation, `rotation number ${number} is used by two rotations: the line is forked`);",
    ";",
  ),
  line(
    "2.3",
    "has a key or key id that the line has already",
    "IDENTITY_ROTATION_INVALID/retired-root-returns-later",
    "if (keyIds.has(keyId) || keys.has(key)) {",
    "if (false) {",
  ),
  line(
    "2.3",
    "is not strictly in order",
    "IDENTITY_ROTATION_INVALID/in-effect-before-the-one-before",
    "if (direction === 1 ? time <= effective : time >= effective) {",
    "if (false) {",
  ),
  line(
    "2.4",
    "`effective_at` of n is not before that of n+1",
    "IDENTITY_ROTATION_INVALID/out-of-order-at-the-pinned-root",
    "if (into && out && instant(into.statement.effective_at) >= instant(out.statement.effective_at)) {",
    "if (false) {",
  ),
  line(
    "2.5",
    "neither joined nor failed",
    "IDENTITY_ROTATION_INVALID/leads-nowhere",
    "if (!linked && !run.failed.has(rotation)) bad(",
    "if (false) bad(",
  ),
  line(
    "2.6",
    "its old key or key id is not the pinned one",
    "IDENTITY_ROTATION_INVALID/older-pin-contradicts-the-line",
    "if (keyId !== root.key_id || key !== root.public_key) {",
    "if (false) {",
  ),
];

const identity = rulesOf("verifier/check-identity.ts");

const CERTIFICATES: readonly Rule[] = [
  identity(
    "2.7",
    "has rotation h with another digest",
    "IDENTITY_ROTATION_INVALID/known-with-another-digest",
    "if (same !== undefined && same.digest !== head.digest) {",
    "if (false) {",
  ),
  identity(
    "2.7",
    "is below h",
    "IDENTITY_ROTATION_INVALID/behind-a-known-rotation",
    "else if (highest < head.number) {",
    "else if (false) {",
  ),
  identity(
    "2.8",
    "The agent's DNS name is not in `agent_domains`",
    [
      "IDENTITY_AGENT_OUTSIDE_NAMESPACE/partners-name-not-pinned",
      "IDENTITY_AGENT_OUTSIDE_NAMESPACE/subdomain",
    ],
    "if (!run.namespace.agent_domains.includes(agentDomain(statement.agent_id))) {",
    "if (false) {",
  ),
  identity(
    "2.9",
    "is not the key id of a root on the line",
    ["IDENTITY_ROOT_UNKNOWN/certificate-names-a-stranger", "IDENTITY_ROOT_UNKNOWN/record-names-a-stranger"],
    "const root = line.byKeyId.get(statement.issuer_key_id);",
    "const root = line.byKeyId.get(statement.issuer_key_id) ?? [...line.byKeyId.values()][0];",
  ),
  identity(
    "2.10",
    "`signing_algorithm` is not that of the root's key",
    "IDENTITY_ISSUER_MISMATCH/label-of-another-algorithm",
    "if (root.key.algorithm !== statement.signing_algorithm) {",
    "if (false) {",
  ),
  identity(
    "2.11",
    "The root's signature does not verify",
    ["IDENTITY_SIGNATURE_INVALID/agent-certificate", "IDENTITY_SIGNATURE_INVALID/identity-record"],
    "if (!isSignedBy(item, root.key)) {",
    "if (false) {",
  ),
  identity(
    "2.12",
    "`issued_at` is before the root's *from*",
    "IDENTITY_ROTATION_INVALID/certificate-before-its-root",
    "if (root.from !== null && instant(statement.issued_at) < root.from) {",
    "if (false) {",
  ),
  identity(
    "2.13",
    "The window is empty",
    "IDENTITY_WINDOW_INVALID/record-of-no-instant",
    "if (isEmptyWindow(item.statement)) fail(",
    "if (false) fail(",
  ),
  identity(
    "2.13",
    "The window is empty",
    "IDENTITY_WINDOW_INVALID/empty",
    "if (isEmptyWindow(item.statement))\n    return fail(",
    "if (false)\n    return fail(",
    net(
      "IDENTITY_WINDOW_INVALID",
      "no window that is not empty lies inside an empty one, so all that the key signs is refused by step 17, check 3 or check 6",
    ),
  ),
];

const use = rulesOf("verifier/check-use.ts");
const MISMATCH = 'case "runtime":\n      return fail(';
const ABSENT = "default:\n      return fail(";

const RUNTIMES: readonly Rule[] = [
  use(
    "2.14",
    "It is that of a runtime key certificate",
    "IDENTITY_ISSUER_MISMATCH/runtime-certificate-under-another",
    MISMATCH,
    'case "runtime":\n      return null;\n    case "":\n      return fail(',
  ),
  use(
    "2.14",
    "It is that of no certificate of the bundle",
    "IDENTITY_CERTIFICATE_MISSING/runtime-certificate-under-none",
    ABSENT,
    "default:\n      return null;\n      return fail(",
  ),
  identity(
    "2.15",
    "`issuer_key_id` is not the certificate's `agent_key_id`",
    "IDENTITY_ISSUER_MISMATCH/runtime-certificate-of-another-key",
    "if (statement.issuer_key_id !== issuer.agent_key_id || statement.agent_id !== issuer.agent_id) {",
    "if (statement.agent_id !== issuer.agent_id) {",
  ),
  identity(
    "2.15",
    "the agent ids differ",
    "IDENTITY_ISSUER_MISMATCH/runtime-certificate-of-another-agent",
    "if (statement.issuer_key_id !== issuer.agent_key_id || statement.agent_id !== issuer.agent_id) {",
    "if (statement.issuer_key_id !== issuer.agent_key_id) {",
  ),
  identity(
    "2.15",
    "`signing_algorithm` is not that of the agent key",
    "IDENTITY_ISSUER_MISMATCH/runtime-certificate-label",
    "if (statement.signing_algorithm !== agent.key.algorithm) {",
    "if (false) {",
  ),
  identity(
    "2.16",
    "The agent key's signature does not verify",
    [
      "IDENTITY_SIGNATURE_INVALID/runtime-certificate",
      "IDENTITY_SIGNATURE_INVALID/stretched-runtime-certificate",
    ],
    "if (!isSignedBy(item, agent.key)) {",
    "if (false) {",
  ),
  identity(
    "2.17",
    "The window is empty",
    "IDENTITY_WINDOW_INVALID/runtime-certificate-of-no-instant",
    "    isEmptyWindow(statement) ||\n",
    "",
  ),
  identity(
    "2.17",
    "not inside the agent key certificate's",
    "IDENTITY_WINDOW_INVALID/runtime-certificate-before-its-agents",
    "    !isInside(statement, issuer) ||\n",
    "",
  ),
  identity(
    "2.17",
    "longer than `max_runtime_key_lifetime_seconds`",
    ["IDENTITY_WINDOW_INVALID/runtime-key-lives-too-long", "IDENTITY_WINDOW_INVALID/policy-allows-less"],
    "lifetime > run.trust.maxRuntimeKeyLifetime",
    "false",
  ),
  identity(
    "2.18",
    "The agent key certificate's `issued_at` is later",
    "IDENTITY_ISSUED_AFTER_USE/runtime-certificate-before-its-agents",
    "if (instant(issuer.issued_at) > instant(statement.issued_at) + run.trust.skew) {",
    "if (false) {",
  ),
];

export const CERTIFICATE_RULES: readonly Rule[] = [...ROTATIONS, ...CERTIFICATES, ...RUNTIMES];
