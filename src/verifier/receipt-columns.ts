/**
 * Receipts as columns of numbers: what the checks over all of them need, in about a hundred bytes for each. Whoever
 * reads receipts adds each here and lets go of it; a table then takes the columns of one batch after the other.
 */
import { Bindings } from "../bundle/bindings.js";
import { sha256Into } from "../crypto/digest.js";
import { decodeHexInto, encodeHex } from "../encoding/hex.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { DigestFinder } from "../tree/digest-list.js";

export const DIGEST_BYTES = 32;
export const FINGERPRINT_BYTES = 16;
const FIRST_ROOM = 64;

/** The place of a receipt, for a failure. */
export interface ReceiptPlace {
  readonly pointer: string;
  readonly digest: string;
}

/** Receipts under judgement, by position. */
export interface ReceiptView {
  /** Position of its first receipt among all of the bundle. */
  readonly first: number;
  readonly bindings: Bindings;
  bindingAt(position: number): number;
  /** Milliseconds since 1970. */
  issuedAt(position: number): number;
  /** Marks a receipt that failed a check: later checks do not rest on it. */
  fail(position: number): void;
  /** The position at which a list has the digest of a receipt; -1 when it does not. */
  findIn(list: DigestFinder, position: number): number;
  /** `member` is a pointer below the receipt. */
  placeOf(position: number, member?: string): ReceiptPlace;
}

/** The columns themselves; each holds `count` entries, or as many as it says, and may be longer. */
export interface Columns {
  readonly count: number;
  readonly digest: Uint8Array;
  readonly binding: Uint32Array;
  readonly sequence: Float64Array;
  readonly issued: Float64Array;
  /** 1 for a receipt that failed a check. */
  readonly failed: Uint8Array;
  /** How many parents a receipt and all before it have. */
  readonly parentEnd: Uint32Array;
  /** Digests of the parents, those of one receipt behind those of the other. */
  readonly parent: Uint8Array;
  /** First 16 bytes of the SHA-256 of each receipt id. */
  readonly id: Uint8Array;
  /** First 16 bytes of each commitment: of a receipt's input, then of its output. */
  readonly commitment: Uint8Array;
}

type Made = { -readonly [K in keyof Omit<Columns, "count">]: Columns[K] };

function columnsOf(room: number, parents: number): Made {
  return {
    digest: new Uint8Array(room * DIGEST_BYTES),
    binding: new Uint32Array(room),
    sequence: new Float64Array(room),
    issued: new Float64Array(room),
    failed: new Uint8Array(room),
    parentEnd: new Uint32Array(room),
    parent: new Uint8Array(parents * DIGEST_BYTES),
    id: new Uint8Array(room * FINGERPRINT_BYTES),
    commitment: new Uint8Array(2 * room * FINGERPRINT_BYTES),
  };
}

/** Collects a batch. */
export class ReceiptColumns implements ReceiptView {
  readonly bindings: Bindings;
  /** Positions of a batch count from 0, wherever in the bundle it begins. */
  first = 0;
  #columns: Made;
  #count = 0;
  #parents = 0;
  readonly #scratch = new Uint8Array(DIGEST_BYTES);

  /** `room`: how many receipts are expected; more are taken too. */
  constructor(bindings: Bindings = new Bindings(), room: number = FIRST_ROOM) {
    this.bindings = bindings;
    this.#columns = columnsOf(Math.max(room, FIRST_ROOM), Math.max(room, FIRST_ROOM));
  }

  get count(): number {
    return this.#count;
  }

  /** Begins a new batch in the memory of the last. */
  reset(first: number): void {
    this.first = first;
    this.#columns.failed.fill(0, 0, this.#count);
    this.#count = 0;
    this.#parents = 0;
  }

  /** Takes one receipt, and gives its position; `writeDigest` puts its digest at an offset. */
  add(
    receipt: ActionReceiptV3,
    issuedAt: number,
    writeDigest: (target: Uint8Array, offset: number) => void,
  ): number {
    const position = this.#count;
    if (position === this.#columns.binding.length) this.#grow();
    const columns = this.#columns;
    this.#count += 1;
    columns.binding[position] = this.bindings.numberOf(receipt);
    columns.sequence[position] = receipt.sequence;
    columns.issued[position] = issuedAt;
    writeDigest(columns.digest, position * DIGEST_BYTES);
    sha256Into(encodeUtf8(receipt.receipt_id), this.#scratch, 0);
    copyFingerprint(this.#scratch, columns.id, position);
    // A commitment is a SHA-256 already, and one that is none is nobody's to find again.
    decodeHexInto(receipt.input_commitment, this.#scratch, 0);
    copyFingerprint(this.#scratch, columns.commitment, 2 * position);
    decodeHexInto(receipt.output_commitment, this.#scratch, 0);
    copyFingerprint(this.#scratch, columns.commitment, 2 * position + 1);
    this.#addParents(receipt.parent_receipt_digests);
    columns.parentEnd[position] = this.#parents;
    return position;
  }

  #addParents(digests: readonly string[]): void {
    const wanted = (this.#parents + digests.length) * DIGEST_BYTES;
    if (wanted > this.#columns.parent.length) {
      const grown = new Uint8Array(Math.max(wanted, 2 * this.#columns.parent.length));
      grown.set(this.#columns.parent);
      this.#columns.parent = grown;
    }
    for (const digest of digests) {
      decodeHexInto(digest, this.#columns.parent, this.#parents * DIGEST_BYTES);
      this.#parents += 1;
    }
  }

  #grow(): void {
    const made = columnsOf(2 * this.#count, 0);
    const { parent, ...old } = this.#columns;
    for (const [name, column] of Object.entries(old)) made[name as keyof typeof old].set(column);
    this.#columns = { ...made, parent };
  }

  bindingAt(position: number): number {
    return this.#columns.binding[position] ?? 0;
  }

  issuedAt(position: number): number {
    return this.#columns.issued[position] ?? Number.NaN;
  }

  fail(position: number): void {
    this.#columns.failed[position] = 1;
  }

  findIn(list: DigestFinder, position: number): number {
    return list.findBytes(this.#columns.digest, position * DIGEST_BYTES);
  }

  placeOf(position: number, member: string = ""): ReceiptPlace {
    const at = position * DIGEST_BYTES;
    return {
      pointer: `/receipts/${this.first + position}${member}`,
      digest: encodeHex(this.#columns.digest.subarray(at, at + DIGEST_BYTES)),
    };
  }

  /** The batch as it is; it holds until the next receipt or batch. */
  get columns(): Columns {
    return { ...this.#columns, count: this.#count };
  }
}

function copyFingerprint(from: Uint8Array, target: Uint8Array, place: number): void {
  const at = place * FINGERPRINT_BYTES;
  for (let i = 0; i < FINGERPRINT_BYTES; i += 1) target[at + i] = from[i] ?? 0;
}
