/** All receipts of one verification, found by digest, with the parents of each as positions. */
import type { Bindings } from "../bundle/bindings.js";
import * as LIMITS from "../limits.js";
import { type DigestFinder, DigestList } from "../tree/digest-list.js";
import { NarrowNumbers } from "../tree/numbers.js";
import { roomFor } from "../tree/room.js";
import { Fingerprints } from "./fingerprints.js";
import { type Columns, DIGEST_BYTES, type ReceiptPlace, type ReceiptView } from "./receipt-columns.js";

const FIRST_ROOM = 64;
/** More than the receipts of most sessions have together. */
const MOST_PARENTS = 4 * LIMITS.maxReceipts;
/** Stands for a parent that is not in the table. */
export const NO_PARENT = 0xffff_ffff;

/** What the table tells of a batch that it takes. */
export interface Absorbing {
  /** True where a parent must stand before its child. */
  readonly ordered: boolean;
  /** Hears of a receipt whose digest is there already. */
  readonly repeated: (place: ReceiptPlace) => void;
  /** Hears of a parent that is not there. */
  readonly missing: (place: ReceiptPlace, index: number, digest: Uint8Array) => void;
}

export class ReceiptTable implements ReceiptView {
  readonly first = 0;
  /** Digests of the receipts by position. */
  readonly digests: DigestList;
  readonly bindings: Bindings;
  /** Receipts of each binding. */
  readonly counts: number[] = [];
  /** Of receipt ids, one for each receipt. */
  readonly ids: Fingerprints;
  /** Of commitments, two for each receipt: input, output. */
  readonly commitments: Fingerprints;
  readonly #bindingOf: NarrowNumbers;
  readonly #sequences: NarrowNumbers;
  /** Milliseconds from the time of the first receipt to that of each. */
  readonly #issued: NarrowNumbers;
  #firstIssued = 0;
  /**
   * Parents, those of one receipt behind those of the other, as the count of positions from the parent to the receipt,
   * modulo 2^32; 0 for one that is not there, since no receipt can hold its own digest.
   */
  readonly #parents: NarrowNumbers;
  #rows: Rows;

  /** `room`: how many receipts are expected; more are taken too. */
  constructor(bindings: Bindings, room: number = FIRST_ROOM) {
    const capacity = Math.max(room, FIRST_ROOM);
    this.bindings = bindings;
    this.digests = new DigestList(capacity);
    this.ids = new Fingerprints(capacity);
    this.commitments = new Fingerprints(2 * capacity);
    this.#bindingOf = new NarrowNumbers(capacity, LIMITS.maxReceipts);
    this.#sequences = new NarrowNumbers(capacity, LIMITS.maxReceipts);
    this.#issued = new NarrowNumbers(capacity, LIMITS.maxReceipts);
    this.#parents = new NarrowNumbers(capacity, MOST_PARENTS);
    this.#rows = rowsOf(capacity);
  }

  get count(): number {
    return this.digests.count;
  }

  /** Takes a batch behind those that it has; the batch numbers its bindings as the table does. */
  absorb(batch: Columns, { ordered, repeated, missing }: Absorbing): void {
    const first = this.count;
    this.#makeRoom(first + batch.count);
    if (first === 0) this.#firstIssued = batch.issued[0] ?? 0;
    const rows = this.#rows;
    for (let i = 0; i < batch.count; i += 1) {
      const position = first + i;
      const binding = batch.binding[i] ?? 0;
      this.#bindingOf.put(position, binding);
      this.counts[binding] = (this.counts[binding] ?? 0) + 1;
      this.#sequences.put(position, batch.sequence[i] ?? 0);
      this.#issued.put(position, (batch.issued[i] ?? Number.NaN) - this.#firstIssued);
      rows.failed[position] = batch.failed[i] ?? 1;
      if (!this.digests.add(batch.digest, i * DIGEST_BYTES)) repeated(this.placeOf(position));
    }
    this.ids.add(batch.id, batch.count);
    this.commitments.add(batch.commitment, 2 * batch.count);
    for (let i = 0; i < batch.count; i += 1) this.#link(first + i, batch, i, ordered, missing);
  }

  #link(position: number, batch: Columns, i: number, ordered: boolean, missing: Absorbing["missing"]): void {
    const begin = i === 0 ? 0 : (batch.parentEnd[i - 1] ?? 0);
    const from = this.#rows.parentStart[position] ?? 0;
    const count = (batch.parentEnd[i] ?? 0) - begin;
    for (let index = 0; index < count; index += 1) {
      const at = (begin + index) * DIGEST_BYTES;
      const parent = this.digests.findBytes(batch.parent, at);
      const isThere = parent >= 0 && (!ordered || parent < position);
      this.#parents.put(from + index, isThere ? (position - parent) >>> 0 : 0);
      if (!isThere) missing(this.placeOf(position), index, batch.parent.subarray(at, at + DIGEST_BYTES));
    }
    this.#rows.parentStart[position + 1] = from + count;
  }

  #makeRoom(count: number): void {
    const room = this.#rows.failed.length;
    if (count > room) this.#rows = rowsOf(roomFor(count, room, LIMITS.maxReceipts), this.#rows);
  }

  /** So many zeros, in memory that is not needed any more as long as there is any. */
  numbers(count: number): Uint32Array {
    return this.ids.numbers(count);
  }

  bindingAt(position: number): number {
    return this.#bindingOf.at(position);
  }

  sequenceAt(position: number): number {
    return this.#sequences.at(position);
  }

  issuedAt(position: number): number {
    // A missing time is NaN, and every comparison with it false.
    return this.#firstIssued + this.#issued.at(position);
  }

  /** Where the parents of a receipt begin; they end where those of the next begin. */
  parentsFrom(position: number): number {
    return this.#rows.parentStart[position] ?? 0;
  }

  /** The position of a parent of a receipt, by its place among all; `NO_PARENT` for one that is not there. */
  parentAt(place: number, position: number): number {
    const back = this.#parents.at(place);
    return back === 0 ? NO_PARENT : (position - back) >>> 0;
  }

  fail(position: number): void {
    this.#rows.failed[position] = 1;
  }

  hasFailed(position: number): boolean {
    return this.#rows.failed[position] === 1;
  }

  findIn(list: DigestFinder, position: number): number {
    return list.findBytes(this.digests.bytesAt(position), 0);
  }

  placeOf(position: number, member: string = ""): ReceiptPlace {
    return { pointer: `/receipts/${position}${member}`, digest: this.digests.hexAt(position) };
  }
}

interface Rows {
  readonly failed: Uint8Array;
  readonly parentStart: Uint32Array;
}

function rowsOf(room: number, old?: Rows): Rows {
  const made: Rows = {
    failed: new Uint8Array(room),
    parentStart: new Uint32Array(room + 1),
  };
  for (const [name, column] of Object.entries(old ?? {})) made[name as keyof Rows].set(column);
  return made;
}
