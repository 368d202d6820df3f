/** Checks 2, 3 and 5 of one receipt: all that can be said of it without the others. */
import type { CheckName } from "../errors.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { checkAction } from "./check-delegation.js";
import { checkReceipt } from "./check-receipt.js";
import { checkReceiptUse, type FailReceipt } from "./check-use.js";
import type { Identity } from "./identity.js";
import type { ReceiptView } from "./receipt-columns.js";
import type { Run } from "./run.js";
import type { Standings } from "./standing.js";

export class ReceiptJudge {
  readonly #run: Run;
  readonly #identity: Identity;
  readonly #standings: Standings;
  #receipts: ReceiptView;
  #position = 0;

  constructor(run: Run, identity: Identity, standings: Standings) {
    this.#run = run;
    this.#identity = identity;
    this.#standings = standings;
    this.#receipts = run.receipts;
  }

  /** Judges a receipt that stands at a position of a view; `signedBytes` are asked for once, or not at all. */
  judge(
    receipts: ReceiptView,
    position: number,
    receipt: ActionReceiptV3,
    signedBytes: () => Uint8Array,
  ): void {
    this.#receipts = receipts;
    this.#position = position;
    const standing = this.#standings.get(receipts.bindingAt(position));
    const issuedAt = receipts.issuedAt(position);
    checkReceiptUse(this.#run, this.#identity, standing, issuedAt, this.#identityFailed);
    checkAction(this.#run, standing, receipt, issuedAt, this.#delegationFailed);
    checkReceipt(standing, receipt, signedBytes, issuedAt, this.#receiptFailed);
  }

  readonly #identityFailed: FailReceipt = this.#failing("IDENTITY");
  readonly #delegationFailed: FailReceipt = this.#failing("DELEGATION");
  readonly #receiptFailed: FailReceipt = this.#failing("RECEIPT");

  #failing(check: CheckName): FailReceipt {
    return (code, detail, member = "") => {
      this.#receipts.fail(this.#position);
      if (code === null) return;
      this.#run.findings.fail(check, code, this.#receipts.placeOf(this.#position, member), detail);
    };
  }
}
