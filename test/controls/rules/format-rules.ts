/** Check 1. */
import { net, type Rule, rulesOf } from "../rule.js";

const format = rulesOf("verifier/check-format.ts");
const schema = rulesOf("statements/schema.ts");

export const FORMAT_RULES: readonly Rule[] = [
  schema(
    "1.2",
    "The value is held against the schema",
    "FORMAT_UNKNOWN_MEMBER/in-the-bundle",
    "if (known.has(name)) continue;",
    "continue;",
  ),
  format(
    "1.3",
    "More receipts than `max_receipts`",
    "FORMAT_TOO_LARGE/over-the-policys-receipts",
    "if (bundle.receipts.length > trust.maxReceipts) {",
    "if (false) {",
  ),
  format(
    "1.4",
    "More than 1000 identity records of one agent",
    "FORMAT_TOO_LARGE/too-many-records",
    "if (records.length <= LIMITS.maxRecordsPerAgent) continue;",
    "continue;",
  ),
  format(
    "1.5",
    "is not among `accepted_algorithms`",
    [
      "FORMAT_ALGORITHM_NOT_ACCEPTED/policy-without-ed25519",
      "FORMAT_ALGORITHM_NOT_ACCEPTED/policy-without-p256",
    ],
    "if (trust.acceptedAlgorithms.has(statement.signing_algorithm)) {",
    "if (true) {",
  ),
  format(
    "1.5",
    "its `namespace_id` is not the bundle's",
    "FORMAT_MIXED_RUN/list-of-another-namespace",
    "if (statement.namespace_id === bundle.namespace_id) continue;",
    "continue;",
  ),
  format(
    "1.6",
    "No receipt: FORMAT_EMPTY",
    "FORMAT_EMPTY/nothing-shown",
    'if (bundle.receipts.length === 0) fail("FORMAT_EMPTY", "/receipts", "there is no receipt");\n  if (bundle.claim.targets.length === 0) fail("FORMAT_EMPTY", "/claim/targets", "there is no target");',
    "",
  ),
  format(
    "1.6",
    "No receipt: FORMAT_EMPTY",
    "FORMAT_EMPTY/no-receipt",
    "if (bundle.receipts.length === 0) fail(",
    "if (false) fail(",
    net(
      "FORMAT_UNREFERENCED",
      "a target without its receipt is missing, and what led to the receipt is not referenced",
    ),
  ),
  format(
    "1.6",
    "No target: FORMAT_EMPTY",
    "FORMAT_EMPTY/no-target",
    "if (bundle.claim.targets.length === 0) fail(",
    "if (false) fail(",
    net("FORMAT_UNREFERENCED", "without a target nothing is referenced"),
  ),
  format(
    "1.7",
    "whose `mission_id` is not the bundle's",
    "FORMAT_MIXED_RUN/ancestor-of-another-mission",
    "if (statement.mission_id === bundle.mission_id) continue;",
    "continue;",
  ),
  format(
    "1.7",
    "of more than one session",
    "FORMAT_MIXED_RUN/session-targets-in-two-sessions",
    "if (sessions.size > 1)",
    "if (false)",
  ),
  format(
    "1.8",
    "statements of one digest",
    "FORMAT_DUPLICATE_STATEMENT/revocation-list-twice",
    "repeat(items as readonly { pointer: string; digest: string }[], (item) => item.digest);",
    ";",
  ),
  format(
    "1.8",
    "policies of one digest",
    "FORMAT_DUPLICATE_STATEMENT/policy-twice",
    "repeat(items as readonly { pointer: string; digest: string }[], (item) => item.digest);",
    ";",
  ),
  format(
    "1.8",
    "attestations of one document",
    "FORMAT_DUPLICATE_STATEMENT/attestation-twice",
    "repeat(items as readonly { pointer: string; digest: string }[], (item) => item.digest);",
    ";",
  ),
  format(
    "1.8",
    "trees of one root and size",
    "FORMAT_DUPLICATE_STATEMENT/tree-twice",
    "repeat(trees,",
    "repeat([] as typeof trees,",
  ),
  format(
    "1.8",
    "disclosures of one receipt, kind and leaf index",
    "FORMAT_DUPLICATE_STATEMENT/two-items-at-one-place",
    "  repeat(\n    disclosures,",
    "  repeat(\n    [] as typeof disclosures,",
  ),
  format(
    "1.8",
    "anchors of one type and proof",
    "FORMAT_DUPLICATE_STATEMENT/anchor-twice",
    "repeat(placed,",
    "repeat([] as typeof placed,",
  ),
  format(
    "1.9",
    'that is not "Referenced"',
    [
      "receipt-beside-the-targets",
      "agent-certificate",
      "runtime-certificate",
      "delegation",
      "policy-document",
      "attestation",
      "disclosure-of-nothing",
    ].map((name) => `FORMAT_UNREFERENCED/${name}`),
    "if (!kept.has(item))",
    "if (false)",
  ),
  format(
    "1.9+",
    "each statement of the supplement",
    "FORMAT_ALGORITHM_NOT_ACCEPTED/list-of-a-supplement",
    "if (supplement !== null && !hasAcceptedAlgorithms(supplement, inputs.trust, findings)) return null;",
    "",
    {
      file: "verifier/verify.ts",
      ...net(
        "REVOCATION_SIGNATURE_INVALID",
        "all roots of a line have one algorithm, and the bundle's certificates show that it is accepted: another one fits no root",
      ),
    },
  ),
];
