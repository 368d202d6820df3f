/**
 * What stands for receipt-source.ts where signatures are checked by the portable backend: each takes there some hundred times
 * as long as reading a receipt the short way saves, so that a page need not download it (docs/decisions/what-a-page-downloads.md).
 */
import { decodeHexInto } from "../encoding/hex.js";
import { type CanonicalStatement, canonicalStatement } from "../statements/canonical.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";

/** Nothing is recognised: all receipts are read like any other JSON. */
export const recogniserOf = (): undefined => undefined;

/** Receipts of a decoded bundle with their canonical forms. */
export class ReceiptSource {
  readonly statements: readonly ActionReceiptV3[];
  readonly #forms: Map<ActionReceiptV3, CanonicalStatement>;

  constructor(statements: readonly ActionReceiptV3[]) {
    this.statements = statements;
    this.#forms = new Map(statements.map((receipt) => [receipt, canonicalStatement(receipt)]));
  }

  /** Writes the digest of a receipt, 32 bytes. */
  writeDigest(receipt: ActionReceiptV3, target: Uint8Array, offset: number): void {
    decodeHexInto(this.#formOf(receipt).digest, target, offset);
  }

  /** What the receipt's signature is over. */
  signedBytes(receipt: ActionReceiptV3): Uint8Array {
    return this.#formOf(receipt).signedBytes;
  }

  #formOf(receipt: ActionReceiptV3): CanonicalStatement {
    return this.#forms.get(receipt) ?? canonicalStatement(receipt);
  }
}
