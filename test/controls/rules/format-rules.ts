/** Check 1. */
import { net, type Rule, rulesOf } from "../rule.js";

const opening = rulesOf("verifier/check-format.ts");
const format = rulesOf("verifier/format-rules.ts");
const schema = rulesOf("statements/schema.ts");

export const FORMAT_RULES: readonly Rule[] = [
  schema(
    "1.2",
    "The value is held against the schema",
    "FORMAT_UNKNOWN_MEMBER/in-the-bundle",
    "if (known.has(name)) continue;",
    "continue;",
  ),
  opening(
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
    "if (!this.#trust.acceptedAlgorithms.has(algorithm)) {",
    "if (false) {",
  ),
  format(
    "1.5",
    "its `namespace_id` is not the bundle's",
    "FORMAT_MIXED_RUN/list-of-another-namespace",
    "} else if (namespace !== this.#head.namespace_id) {",
    "} else if (false) {",
  ),
  format(
    "1.6",
    "No receipt: FORMAT_EMPTY",
    "FORMAT_EMPTY/nothing-shown",
    'if (receipts.count === 0) this.#fail("FORMAT_EMPTY", { pointer: "/receipts" }, "there is no receipt");\n    if (claim.targets.length === 0)\n      this.#fail("FORMAT_EMPTY", { pointer: "/claim/targets" }, "there is no target");',
    "",
  ),
  format(
    "1.6",
    "No receipt: FORMAT_EMPTY",
    "FORMAT_EMPTY/no-receipt",
    "if (receipts.count === 0) this.#fail(",
    "if (false) this.#fail(",
    net(
      "FORMAT_UNREFERENCED",
      "a target without its receipt is missing, and what led to the receipt is not referenced",
    ),
  ),
  format(
    "1.6",
    "No target: FORMAT_EMPTY",
    "FORMAT_EMPTY/no-target",
    "if (claim.targets.length === 0)\n",
    "if (false)\n",
    net("FORMAT_UNREFERENCED", "without a target nothing is referenced"),
  ),
  format(
    "1.7",
    "whose `mission_id` is not the bundle's",
    "FORMAT_MIXED_RUN/ancestor-of-another-mission",
    'this.#fail("FORMAT_MIXED_RUN", place, "it is of another mission than the bundle");',
    "",
  ),
  format(
    "1.7",
    "of more than one session",
    "FORMAT_MIXED_RUN/session-targets-in-two-sessions",
    " && claimed.sessions.size > 1) {",
    " && false) {",
  ),
  format(
    "1.8",
    "statements of one digest",
    "FORMAT_DUPLICATE_STATEMENT/revocation-list-twice",
    "this.#checkRepeats(items, ({ digest }) => digest);",
    "",
  ),
  format(
    "1.8",
    "policies of one digest",
    "FORMAT_DUPLICATE_STATEMENT/policy-twice",
    "this.#checkRepeats(items, ({ digest }) => digest);",
    "",
  ),
  format(
    "1.8",
    "attestations of one document",
    "FORMAT_DUPLICATE_STATEMENT/attestation-twice",
    "this.#checkRepeats(items, ({ digest }) => digest);",
    "",
  ),
  format(
    "1.8",
    "trees of one root and size",
    "FORMAT_DUPLICATE_STATEMENT/tree-twice",
    "this.#checkRepeats(heads,",
    "this.#checkRepeats([] as typeof heads,",
  ),
  format(
    "1.8",
    "disclosures of one receipt, kind and leaf index",
    "FORMAT_DUPLICATE_STATEMENT/two-items-at-one-place",
    "if (disclosures.length < 2) return;",
    "return;",
  ),
  format(
    "1.8",
    "anchors of one type and proof",
    "FORMAT_DUPLICATE_STATEMENT/anchor-twice",
    "this.#checkRepeats(placed,",
    "this.#checkRepeats([] as typeof placed,",
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
    'this.#fail("FORMAT_UNREFERENCED", item, "nothing in the claim refers to this");',
    "",
  ),
  format(
    "1.9+",
    "each statement of the supplement",
    "FORMAT_ALGORITHM_NOT_ACCEPTED/list-of-a-supplement",
    "if (supplement !== null && !hasAcceptedAlgorithms(supplement, inputs.trust, findings)) return null;",
    "",
    {
      file: "verifier/prepare.ts",
      ...net(
        "REVOCATION_SIGNATURE_INVALID",
        "all roots of a line have one algorithm, and the bundle's certificates show that it is accepted: another one fits no root",
      ),
    },
  ),
];
