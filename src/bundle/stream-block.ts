/** Collects the lines of receipts of a stream into blocks. A receipt and its disclosures are never parted. */
import { Gatherer } from "../encoding/bytes.js";

/** Whole lines of receipts, each followed by those of its disclosures; the bytes hold until the next piece is read. */
export interface ReceiptBlock {
  readonly kind: "receipts";
  readonly bytes: Uint8Array;
  readonly firstReceipt: number;
  readonly firstDisclosure: number;
}

/** A block is not made longer than this by another receipt. */
const BLOCK_BYTES = 256_000;

interface Place {
  /** Where it begins in the bytes at hand. */
  readonly start: number;
  readonly receipts: number;
  readonly disclosures: number;
}

export class BlockCollector {
  /** The beginning of the block from pieces before. */
  #kept = new Gatherer();
  /** For the next block: what was taken from the one must hold while more is kept in the other. */
  #other = new Gatherer();
  #first: Place | null = null;
  #last: Place | null = null;

  /** Notes that a line of a receipt begins here, the first or next of the block. */
  begin(start: number, receipts: number, disclosures: number): void {
    this.#last = { start, receipts, disclosures };
    this.#first ??= this.#last;
  }

  /** The block that ends where another line begins; null when there is none, or when a receipt may still join it. */
  endAt(bytes: Uint8Array, end: number, isReceipt: boolean): ReceiptBlock | null {
    if (this.#first === null) return null;
    const size = this.#kept.length + end - this.#first.start;
    return isReceipt && size < BLOCK_BYTES ? null : this.#take(bytes, end);
  }

  /**
   * Keeps what is open when no more lines are at hand: the last receipt, whose disclosures may still come. Gives the
   * block of those before it; null when there is none.
   */
  keep(bytes: Uint8Array): ReceiptBlock | null {
    const last = this.#last;
    if (this.#first === null || last === null) return null;
    // Where the receipt began in an earlier piece, this one holds nothing but disclosures of it.
    const block = last === this.#first ? null : this.#take(bytes, last.start);
    this.#kept.add(bytes.subarray(last.start));
    this.#first = { ...last, start: 0 };
    this.#last = this.#first;
    return block;
  }

  #take(bytes: Uint8Array, end: number): ReceiptBlock {
    const { start, receipts, disclosures } = this.#first ?? { start: 0, receipts: 0, disclosures: 0 };
    [this.#first, this.#last] = [null, null];
    const here = bytes.subarray(start, end);
    const place = { kind: "receipts", firstReceipt: receipts, firstDisclosure: disclosures } as const;
    if (this.#kept.length === 0) return { ...place, bytes: here };
    this.#kept.add(here);
    [this.#kept, this.#other] = [this.#other, this.#kept];
    return { ...place, bytes: this.#other.take() };
  }
}
