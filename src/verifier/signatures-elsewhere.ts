/** Who checks the signatures of receipts where a verification does not (docs/SPEC.md, "Threads" and "Audit state"). */
import type { PublicKey } from "../crypto/keys.js";
import type { ReceiptView } from "./receipt-columns.js";

/**
 * Takes signatures of receipts that are checked elsewhere, by the position of the receipt in the bundle. Message and
 * signature hold until it returns. `failSignature` hears of each that does not verify.
 */
export interface LaterSignatures {
  add(position: number, key: PublicKey, message: Uint8Array, signature: Uint8Array): void;
}

/** Signatures of receipts that were checked before. */
export interface KnownSignatures {
  /** True when the signature of the receipt at a position, which its digest covers, has verified under this key. */
  has(receipts: Pick<ReceiptView, "findIn">, position: number, key: PublicKey): boolean;
}

export interface SignaturesElsewhere {
  readonly later: LaterSignatures | null;
  readonly known: KnownSignatures | null;
}

export const ALL_SIGNATURES_HERE: SignaturesElsewhere = { later: null, known: null };
