/** Check 5. */
import { net, type Rule, rulesOf } from "../rule.js";

const receipt = rulesOf("verifier/check-receipt.ts");

export const RECEIPT_RULES: readonly Rule[] = [
  receipt(
    "5.1",
    "Not exactly one runtime key certificate",
    "RECEIPT_KEY_UNRESOLVED/no-runtime-certificate",
    "if (runtime === null || !standing.runtimeHolds) {\n    fail(",
    "if (runtime === null || !standing.runtimeHolds) {\n    ((..._: unknown[]) => 0)(",
  ),
  receipt(
    "5.1",
    "Not exactly one runtime key certificate",
    "IDENTITY_CONFLICT/runtime-key-certified-twice",
    "if (only === undefined || candidates.length > 1) return null;",
    "if (only === undefined) return null;",
    {
      file: "verifier/identity.ts",
      ...net(
        "IDENTITY_CONFLICT",
        "two certificates of one key id are of two keys, or two holders of one: step 19 of check 2 refuses the later",
      ),
    },
  ),
  receipt(
    "5.2",
    "`signing_algorithm` is not that of the key",
    ["RECEIPT_ALGORITHM_MISMATCH/labelled-ed25519", "RECEIPT_ALGORITHM_MISMATCH/labelled-p256"],
    "if (receipt.signing_algorithm !== runtime.key.algorithm) {",
    "if (false) {",
  ),
  receipt(
    "5.3",
    "The signature does not verify",
    ["output-changed", "by-the-agent", "one-bit", "high-s", "padded-der", "ed25519-s-plus-order"].map(
      (name) => `RECEIPT_SIGNATURE_INVALID/${name}`,
    ),
    "else if (!isSigned(runtime.key)) failSignature(fail);",
    "",
  ),
  receipt(
    "5.3",
    "The signature does not verify",
    "RECEIPT_SIGNATURE_INVALID/high-s",
    " && isAtMost(der, layout.sStart, layout.sEnd, HALF_ORDER)",
    "",
    { file: "crypto/der.ts" },
  ),
  receipt(
    "5.4",
    "outside the certificate's window",
    ["RECEIPT_OUTSIDE_KEY_WINDOW/at-its-end", "RECEIPT_OUTSIDE_KEY_WINDOW/before-its-begin"],
    "if (!inSpan(issuedAt, span)) {",
    "if (false) {",
  ),
  receipt(
    "5.5",
    "An earlier receipt has its `receipt_id`",
    "RECEIPT_ID_REUSED/two-receipts",
    "for (const position of receipts.ids.repeats()) {",
    "for (const position of [] as number[]) {",
  ),
  receipt(
    "5.6",
    "agrees in its first 16 bytes with one met before in the bundle",
    ["RECEIPT_COMMITMENT_REUSED/copied-input", "RECEIPT_COMMITMENT_REUSED/output-is-input"],
    "for (const place of receipts.commitments.repeats()) {",
    "for (const place of [] as number[]) {",
  ),
];
