/** Check 5, RECEIPT: each receipt is signed by the runtime key it names, in that key's time (docs/SPEC.md, "Check 5"). */
import type { Identified } from "../bundle/contents.js";
import type { FailureCode } from "../errors.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { type Identity, type RuntimeCertificate, runtimeOfReceipt } from "./identity.js";
import { instant, inWindow, isSignedBy, placeOf, type Run } from "./run.js";

/** The runtime certificate behind each receipt that resolved one. */
export type RuntimeOf = ReadonlyMap<Identified<ActionReceiptV3>, RuntimeCertificate>;

export function checkReceipts(run: Run, identity: Identity): RuntimeOf {
  const runtimes = new Map<Identified<ActionReceiptV3>, RuntimeCertificate>();
  const fail = (item: Identified<object>, code: FailureCode, detail: string, member = ""): void => {
    run.failed.add(item);
    run.findings.fail("RECEIPT", code, placeOf(run, item, member), detail);
  };
  const ids = new Set<string>();
  const commitments = new Set<string>();
  for (const receipt of run.contents.receipts) {
    const { statement } = receipt;
    const runtime = runtimeOfReceipt(identity, receipt);
    if (runtime === null || run.failed.has(runtime.item)) {
      fail(
        receipt,
        "RECEIPT_KEY_UNRESOLVED",
        `not exactly one sound certificate fits runtime key ${statement.runtime_key_id}`,
      );
    } else {
      runtimes.set(receipt, runtime);
      if (statement.signing_algorithm !== runtime.key.algorithm) {
        fail(
          receipt,
          "RECEIPT_ALGORITHM_MISMATCH",
          `it is labelled ${statement.signing_algorithm}, its key is ${runtime.key.algorithm}`,
        );
      } else if (!isSignedBy(receipt, runtime.key)) {
        fail(
          receipt,
          "RECEIPT_SIGNATURE_INVALID",
          "its signature is not strict or does not verify: it was altered, or another key signed it",
        );
      }
      if (!inWindow(instant(statement.issued_at), runtime.item.statement)) {
        fail(
          receipt,
          "RECEIPT_OUTSIDE_KEY_WINDOW",
          "its issued_at lies outside its runtime key certificate's window",
        );
      }
    }
    if (ids.has(statement.receipt_id))
      fail(receipt, "RECEIPT_ID_REUSED", `receipt_id ${statement.receipt_id} is used by another receipt`);
    ids.add(statement.receipt_id);
    for (const member of ["input_commitment", "output_commitment"] as const) {
      const commitment = statement[member];
      if (commitments.has(commitment))
        fail(
          receipt,
          "RECEIPT_COMMITMENT_REUSED",
          "this commitment stands elsewhere in the bundle: it is a copy",
          `/${member}`,
        );
      commitments.add(commitment);
    }
  }
  return runtimes;
}
