/**
 * The receipts of one verification as columns of numbers: what the checks over all of them need, in about a hundred
 * bytes for each. Whoever reads receipts gives each to `add` and then its parents to `link`, and lets go of it.
 */

import { Bindings } from "../bundle/bindings.js";
import { sha256Into } from "../crypto/digest.js";
import { decodeHexInto } from "../encoding/hex.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { DigestList } from "../tree/digest-list.js";
import { Fingerprints } from "./fingerprints.js";

const FIRST_CAPACITY = 64;
/** Stands for a parent that is not in the table. */
export const NO_PARENT = 0xffff_ffff;

export class ReceiptTable {
  /** Digests of the receipts by position. */
  readonly digests: DigestList;
  readonly bindings = new Bindings();
  /** Of receipt ids, one for each receipt. */
  readonly ids: Fingerprints;
  /** Of commitments, two for each receipt: input, output. */
  readonly commitments: Fingerprints;
  /** Positions of parents, those of one receipt behind those of the other; `NO_PARENT` for one that is not there. */
  parents: Uint32Array;
  #columns: Columns;
  #linked = 0;
  readonly #scratch = new Uint8Array(32);

  /** `capacity`: how many are expected; more are taken too. */
  constructor(capacity: number = FIRST_CAPACITY) {
    const room = Math.max(capacity, FIRST_CAPACITY);
    this.digests = new DigestList(room);
    this.ids = new Fingerprints(room);
    this.commitments = new Fingerprints(2 * room);
    this.parents = new Uint32Array(room);
    this.#columns = columnsOf(room);
  }

  get count(): number {
    return this.digests.count;
  }

  /** Takes one receipt; false when one of its digest is there already. `writeDigest` puts its digest at an offset. */
  add(
    receipt: ActionReceiptV3,
    issuedAt: number,
    writeDigest: (target: Uint8Array, offset: number) => void,
  ): boolean {
    const position = this.count;
    if (position === this.#columns.binding.length) this.#columns = columnsOf(2 * position, this.#columns);
    this.#columns.binding[position] = this.bindings.meet(receipt);
    this.#columns.sequence[position] = receipt.sequence;
    this.#columns.issuedAt[position] = issuedAt;
    sha256Into(encodeUtf8(receipt.receipt_id), this.#scratch, 0);
    this.ids.add(this.#scratch, 0);
    for (const commitment of [receipt.input_commitment, receipt.output_commitment]) {
      // A commitment is a SHA-256 already, and one that is none is nobody's to find again.
      decodeHexInto(commitment, this.#scratch, 0);
      this.commitments.add(this.#scratch, 0);
    }
    return this.digests.add(writeDigest);
  }

  /** Takes the parents of the next receipt that has none yet, by what has been added; `missing` hears of the others. */
  link(digests: readonly string[], missing: (index: number) => void): void {
    const from = this.#columns.parentStart[this.#linked] ?? 0;
    const end = from + digests.length;
    if (end > this.parents.length) {
      const grown = new Uint32Array(Math.max(end, 2 * this.parents.length));
      grown.set(this.parents);
      this.parents = grown;
    }
    for (let index = 0; index < digests.length; index += 1) {
      const parent = this.digests.find(digests[index] ?? "");
      this.parents[from + index] = parent < 0 ? NO_PARENT : parent;
      if (parent < 0) missing(index);
    }
    this.#linked += 1;
    this.#columns.parentStart[this.#linked] = end;
  }

  bindingAt(position: number): number {
    return this.#columns.binding[position] ?? 0;
  }

  sequenceAt(position: number): number {
    return this.#columns.sequence[position] ?? 0;
  }

  /** Milliseconds since 1970. */
  issuedAt(position: number): number {
    // A missing time is NaN, and every comparison with it false.
    return this.#columns.issuedAt[position] ?? Number.NaN;
  }

  /** Where the parents of a receipt begin in `parents`; they end where those of the next begin. */
  parentsFrom(position: number): number {
    return this.#columns.parentStart[position] ?? 0;
  }

  /** Marks a receipt that failed a check: later checks do not rest on it. */
  fail(position: number): void {
    this.#columns.failed[position] = 1;
  }

  hasFailed(position: number): boolean {
    return this.#columns.failed[position] === 1;
  }

  /** The place of a receipt, for a failure. `member` is a pointer below it. */
  placeOf(position: number, member: string = ""): { readonly pointer: string; readonly digest: string } {
    return { pointer: `/receipts/${position}${member}`, digest: this.digests.hexAt(position) };
  }
}

interface Columns {
  readonly binding: Uint32Array;
  readonly sequence: Float64Array;
  readonly issuedAt: Float64Array;
  readonly failed: Uint8Array;
  readonly parentStart: Uint32Array;
}

function columnsOf(room: number, old?: Columns): Columns {
  const made = {
    binding: new Uint32Array(room),
    sequence: new Float64Array(room),
    issuedAt: new Float64Array(room),
    failed: new Uint8Array(room),
    parentStart: new Uint32Array(room + 1),
  };
  if (old !== undefined) {
    made.binding.set(old.binding);
    made.sequence.set(old.sequence);
    made.issuedAt.set(old.issuedAt);
    made.failed.set(old.failed);
    made.parentStart.set(old.parentStart);
  }
  return made;
}
