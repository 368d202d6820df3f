/** What is read of a bundle in canonical text, the short way: receipts with their canonical forms, and inclusion proofs. */
import { sha256Into } from "../crypto/digest.js";
import { decodeHexInto } from "../encoding/hex.js";
import type { Recogniser } from "../encoding/json.js";
import type { JsonValue } from "../encoding/json-value.js";
import { type CanonicalStatement, canonicalStatement } from "../statements/canonical.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { type Readings, type ReadReceipt, ReceiptReader } from "../statements/receipt-reader.js";
import { ProofReader } from "./proof-reader.js";

/** Looks for receipts and inclusion proofs where a reader of JSON meets objects, and notes those that it read. */
export function recogniserOf(readings: Map<object, ReadReceipt>, proofs: Set<object>): Recogniser {
  return (text) => {
    const [reader, proofReader] = [new ReceiptReader(text), new ProofReader(text)];
    return (path, at) => {
      if (path.length === 4 && path[0] === "evidence_trees" && path[2] === "proofs") {
        const read = proofReader.read(at);
        if (read !== null) proofs.add(read.value);
        return read;
      }
      const read = path.length === 2 && path[0] === "receipts" ? reader.read(at) : null;
      if (read === null) return null;
      readings.set(read.statement, read);
      // A receipt is JSON by construction; its interface type has no index signature to say so.
      return { value: read.statement as unknown as JsonValue, end: read.end, values: read.values };
    };
  };
}

export class ReceiptSource {
  readonly statements: readonly ActionReceiptV3[];
  readonly #bytes: Uint8Array;
  readonly #readings: Readings;
  /** Of the receipts that were not read the short way. */
  readonly #forms = new Map<ActionReceiptV3, CanonicalStatement>();
  readonly #signed = new SignedBytes();

  /** `readings`: the receipts whose canonical text stands in `bytes`, by their statement. */
  constructor(statements: readonly ActionReceiptV3[], bytes: Uint8Array, readings: Readings) {
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
