/** Checks 2, 3 and 5 of one receipt: all that can be said of it without the others. */

import { verifySignature } from "../crypto/signature.js";
import { decodeHexInto } from "../encoding/hex.js";
import type { CheckName } from "../errors.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { checkAction } from "./check-delegation.js";
import { checkReceipt, failSignature, type IsSigned } from "./check-receipt.js";
import { checkReceiptUse, type FailReceipt } from "./check-use.js";
import type { Identity } from "./identity.js";
import type { ReceiptView } from "./receipt-columns.js";
import type { Run } from "./run.js";
import type { SignaturesElsewhere } from "./signatures-elsewhere.js";
import type { Standings } from "./standing.js";

/** Longer than any signature that the schema accepts. */
const signatureBytes = new Uint8Array(128);

export class ReceiptJudge {
  readonly #run: Run;
  readonly #identity: Identity;
  readonly #standings: Standings;
  readonly #elsewhere: SignaturesElsewhere;
  #receipts: ReceiptView;
  #position = 0;
  #signature = "";
  #signedBytes: () => Uint8Array = () => signatureBytes;

  constructor(run: Run, identity: Identity, standings: Standings, elsewhere: SignaturesElsewhere) {
    this.#run = run;
    this.#identity = identity;
    this.#standings = standings;
    this.#elsewhere = elsewhere;
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
    this.#signature = receipt.signature;
    this.#signedBytes = signedBytes;
    const standing = this.#standings.get(receipts.bindingAt(position));
    const issuedAt = receipts.issuedAt(position);
    checkReceiptUse(this.#run, this.#identity, standing, issuedAt, this.#identityFailed);
    checkAction(this.#run, standing, receipt, issuedAt, this.#delegationFailed);
    checkReceipt(standing, receipt, issuedAt, this.#isSigned, this.#receiptFailed);
  }

  /** Notes that the signature of a receipt does not verify, which stands at a position of the bundle. */
  failSignature(position: number): void {
    this.#receipts = this.#run.receipts;
    this.#position = position;
    failSignature(this.#receiptFailed);
  }

  readonly #isSigned: IsSigned = (key) => {
    const { known, later } = this.#elsewhere;
    if (known?.has(this.#receipts, this.#position, key)) return true;
    const length = decodeHexInto(this.#signature, signatureBytes, 0);
    const signature = signatureBytes.subarray(0, Math.max(length, 0));
    if (later === null) return verifySignature(key, this.#signedBytes(), signature);
    later.add(this.#receipts.first + this.#position, key, this.#signedBytes(), signature);
    return true;
  };

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
