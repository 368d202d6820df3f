/** All receipts of one verification, found by digest, with the parents of each as positions. */
import type { Bindings } from "../bundle/bindings.js";
import * as LIMITS from "../limits.js";
import { DigestList } from "../tree/digest-list.js";
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
  /** Positions of parents, those of one receipt behind those of the other; `NO_PARENT` for one that is not there. */
  #parents: Uint32Array;
  #rows: Rows;

  /** `room`: how many receipts are expected; more are taken too. */
  constructor(bindings: Bindings, room: number = FIRST_ROOM) {
    const capacity = Math.max(room, FIRST_ROOM);
    this.bindings = bindings;
    this.digests = new DigestList(capacity);
    this.ids = new Fingerprints(capacity);
    this.commitments = new Fingerprints(2 * capacity);
    this.#parents = new Uint32Array(capacity);
    this.#rows = rowsOf(capacity);
  }

  get count(): number {
    return this.digests.count;
  }

  /** Takes a batch behind those that it has; the batch numbers its bindings as the table does. */
  absorb(batch: Columns, { ordered, repeated, missing }: Absorbing): void {
    const first = this.count;
    this.#makeRoom(first + batch.count);
    const rows = this.#rows;
    for (let i = 0; i < batch.count; i += 1) {
      const position = first + i;
      const binding = batch.binding[i] ?? 0;
      rows.binding[position] = binding;
      this.counts[binding] = (this.counts[binding] ?? 0) + 1;
      rows.sequence[position] = batch.sequence[i] ?? 0;
      rows.issued[position] = batch.issued[i] ?? Number.NaN;
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
    if (from + count > this.#parents.length) {
      const grown = new Uint32Array(roomFor(from + count, this.#parents.length, MOST_PARENTS));
      grown.set(this.#parents);
      this.#parents = grown;
    }
    for (let index = 0; index < count; index += 1) {
      const at = (begin + index) * DIGEST_BYTES;
      const parent = this.digests.findBytes(batch.parent, at);
      const isThere = parent >= 0 && (!ordered || parent < position);
      this.#parents[from + index] = isThere ? parent : NO_PARENT;
      if (!isThere) missing(this.placeOf(position), index, batch.parent.subarray(at, at + DIGEST_BYTES));
    }
    this.#rows.parentStart[position + 1] = from + count;
  }

  #makeRoom(count: number): void {
    const room = this.#rows.binding.length;
    if (count > room) this.#rows = rowsOf(roomFor(count, room, LIMITS.maxReceipts), this.#rows);
  }

  bindingAt(position: number): number {
    return this.#rows.binding[position] ?? 0;
  }

  sequenceAt(position: number): number {
    return this.#rows.sequence[position] ?? 0;
  }

  issuedAt(position: number): number {
    // A missing time is NaN, and every comparison with it false.
    return this.#rows.issued[position] ?? Number.NaN;
  }

  /** Where the parents of a receipt begin; they end where those of the next begin. */
  parentsFrom(position: number): number {
    return this.#rows.parentStart[position] ?? 0;
  }

  /** The position of a parent, by its place among all. */
  parentAt(place: number): number {
    return this.#parents[place] ?? NO_PARENT;
  }

  fail(position: number): void {
    this.#rows.failed[position] = 1;
  }

  hasFailed(position: number): boolean {
    return this.#rows.failed[position] === 1;
  }

  findIn(list: DigestList, position: number): number {
    return list.findIn(this.digests, position);
  }

  placeOf(position: number, member: string = ""): ReceiptPlace {
    return { pointer: `/receipts/${position}${member}`, digest: this.digests.hexAt(position) };
  }
}

interface Rows {
  readonly binding: Uint32Array;
  readonly sequence: Float64Array;
  readonly issued: Float64Array;
  readonly failed: Uint8Array;
  readonly parentStart: Uint32Array;
}

function rowsOf(room: number, old?: Rows): Rows {
  const made: Rows = {
    binding: new Uint32Array(room),
    sequence: new Float64Array(room),
    issued: new Float64Array(room),
    failed: new Uint8Array(room),
    parentStart: new Uint32Array(room + 1),
  };
  for (const [name, column] of Object.entries(old ?? {})) made[name as keyof Rows].set(column);
  return made;
}
