/** Check 5, RECEIPT: each receipt is signed by the runtime key it names, in that key's time (docs/SPEC.md, "Check 5"). */
import type { PublicKey } from "../crypto/keys.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { FailReceipt } from "./check-use.js";
import { inSpan, type Run } from "./run.js";
import type { Standing } from "./standing.js";

/** Whether the signature of the receipt at hand verifies, or may do so: whoever checks it later says when it does not. */
export type IsSigned = (key: PublicKey) => boolean;

/** Steps 1 to 4: what one receipt shows by itself. */
export function checkReceipt(
  standing: Standing,
  receipt: ActionReceiptV3,
  issuedAt: number,
  isSigned: IsSigned,
  fail: FailReceipt,
): void {
  const { runtime, runtimeSpan: span } = standing;
  if (runtime === null || !standing.runtimeHolds) {
    fail(
      "RECEIPT_KEY_UNRESOLVED",
      `not exactly one sound certificate fits runtime key ${receipt.runtime_key_id}`,
    );
    return;
  }
  if (receipt.signing_algorithm !== runtime.key.algorithm) {
    fail(
      "RECEIPT_ALGORITHM_MISMATCH",
      `it is labelled ${receipt.signing_algorithm}, its key is ${runtime.key.algorithm}`,
    );
  } else if (!isSigned(runtime.key)) failSignature(fail);
  if (!inSpan(issuedAt, span)) {
    fail("RECEIPT_OUTSIDE_KEY_WINDOW", "its issued_at lies outside its runtime key certificate's window");
  }
}

/** Step 3, of a signature that does not verify. */
export function failSignature(fail: FailReceipt): void {
  fail(
    "RECEIPT_SIGNATURE_INVALID",
    "its signature is not strict or does not verify: it was altered, or another key signed it",
  );
}

/** Steps 5 and 6: what no other receipt of the bundle may have. */
export function checkReuse(run: Run): void {
  const { receipts, findings } = run;
  for (const position of receipts.ids.repeats()) {
    receipts.fail(position);
    findings.fail(
      "RECEIPT",
      "RECEIPT_ID_REUSED",
      receipts.placeOf(position),
      "its receipt_id is used by another receipt",
    );
  }
  receipts.ids.lendMemory();
  for (const place of receipts.commitments.repeats()) {
    const position = Math.floor(place / 2);
    receipts.fail(position);
    findings.fail(
      "RECEIPT",
      "RECEIPT_COMMITMENT_REUSED",
      receipts.placeOf(position, place % 2 === 0 ? "/input_commitment" : "/output_commitment"),
      "this commitment stands elsewhere in the bundle: it is a copy",
    );
  }
  receipts.commitments.clear();
}
