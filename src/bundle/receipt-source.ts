/** Receipts of a decoded bundle with their canonical forms: from the bundle's own text where that is canonical. */
import { sha256Into } from "../crypto/digest.js";
import { decodeHexInto } from "../encoding/hex.js";
import { type CanonicalStatement, canonicalStatement } from "../statements/canonical.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { ReadReceipt } from "../statements/receipt-reader.js";

export class ReceiptSource {
  readonly statements: readonly ActionReceiptV3[];
  readonly #bytes: Uint8Array;
  readonly #readings: ReadonlyMap<object, ReadReceipt>;
  /** Of the receipts that were not read the short way. */
  readonly #forms = new Map<ActionReceiptV3, CanonicalStatement>();
  readonly #signed = new SignedBytes();

  /** `readings`: the receipts whose canonical text stands in `bytes`, by their statement. */
  constructor(
    statements: readonly ActionReceiptV3[],
    bytes: Uint8Array,
    readings: ReadonlyMap<object, ReadReceipt>,
  ) {
    this.statements = statements;
    this.#bytes = bytes;
    this.#readings = readings;
  }

  /** Writes the digest of a receipt, 32 bytes. */
  writeDigest(receipt: ActionReceiptV3, target: Uint8Array, offset: number): void {
    const read = this.#readings.get(receipt);
    if (read === undefined) decodeHexInto(this.#formsOf(receipt).digest, target, offset);
    else sha256Into(this.#bytes.subarray(read.start, read.end), target, offset);
  }

  /** What the receipt's signature is over; the bytes hold until this is asked again. */
  signedBytes(receipt: ActionReceiptV3): Uint8Array {
    const read = this.#readings.get(receipt);
    return read === undefined ? this.#formsOf(receipt).signedBytes : this.#signed.of(read, this.#bytes);
  }

  #formsOf(receipt: ActionReceiptV3): CanonicalStatement {
    const known = this.#forms.get(receipt);
    if (known !== undefined) return known;
    const made = canonicalStatement(receipt);
    this.#forms.set(receipt, made);
    return made;
  }
}

/** Longer than most receipts. */
const FIRST_BYTES = 4096;

/** Takes the signature out of the canonical bytes of one receipt after another, in one piece of memory. */
export class SignedBytes {
  #bytes = new Uint8Array(FIRST_BYTES);

  /** What the signature of a receipt is over; the bytes hold until this is asked again. */
  of(read: ReadReceipt, bytes: Uint8Array): Uint8Array {
    const { start, signatureStart, signatureEnd, end } = read;
    const length = end - start - (signatureEnd - signatureStart);
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(2 * length);
    this.#bytes.set(bytes.subarray(start, signatureStart));
    this.#bytes.set(bytes.subarray(signatureEnd, end), signatureStart - start);
    return this.#bytes.subarray(0, length);
  }
}
