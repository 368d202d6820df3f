/** Who checks the signatures of receipts later than they are read (docs/SPEC.md, "Threads"). */
import type { PublicKey } from "../crypto/keys.js";

/**
 * Takes signatures of receipts that are checked elsewhere, by the position of the receipt in the bundle. Message and
 * signature hold until it returns. `failSignature` hears of each that does not verify.
 */
export interface LaterSignatures {
  add(position: number, key: PublicKey, message: Uint8Array, signature: Uint8Array): void;
}
