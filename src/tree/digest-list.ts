/**
 * Layer 4: many SHA-256 digests, each found again by its bytes, in about 40 bytes of memory for each. A map from
 * text would take several times that, and a million receipts are looked up by digest more than once.
 *
 * Positions count from 0 in the order of adding. A digest that is there already gets a position of its own, and is
 * found by its first one. Slots are chosen by the digest's own bytes: crowding some of them takes as much hashing as
 * it takes to find digests that begin alike, and costs the finder time only. That holds for what was hashed here; of
 * bytes that somebody only calls a digest, `NamedDigests` takes the SHA-256 first.
 */
import { sha256Into } from "../crypto/digest.js";
import { decodeHex, decodeHexInto, encodeHex } from "../encoding/hex.js";
import * as LIMITS from "../limits.js";
import type { GrowingRoot } from "./growing-root.js";
import { roomFor } from "./room.js";

const BYTES = 32;
const WORDS = BYTES / 4;
const FIRST_CAPACITY = 64;

export class DigestList implements DigestFinder {
  #bytes: Uint8Array;
  #words: Uint32Array;
  /** Position + 1 at the slot of each digest that was new; 0 where there is none. Twice as many as digests, or more. */
  #slots: Uint32Array;
  #count = 0;
  readonly #asked = new Uint8Array(BYTES);
  readonly #askedWords = new Uint32Array(this.#asked.buffer);

  /** `capacity`: how many are expected; more are taken too. */
  constructor(capacity: number = FIRST_CAPACITY) {
    const room = 2 ** Math.ceil(Math.log2(Math.max(capacity, FIRST_CAPACITY)));
    this.#bytes = new Uint8Array(room * BYTES);
    this.#words = new Uint32Array(this.#bytes.buffer);
    this.#slots = new Uint32Array(2 * room);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the 32 bytes at an offset; true when none like them were there. */
  add(from: Uint8Array, offset: number): boolean {
    if (2 * this.#count >= this.#slots.length || (this.#count + 1) * BYTES > this.#bytes.length) this.#grow();
    const position = this.#count;
    const at = position * BYTES;
    for (let i = 0; i < BYTES; i += 1) this.#bytes[at + i] = from[offset + i] ?? 0;
    this.#count += 1;
    const slot = this.#slotOf(this.#words, position * WORDS);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = position + 1;
    return true;
  }

  /** Adds a digest given as text; false also for what is none, which takes a position too. */
  addHex(digest: string): boolean {
    const isDigest = readDigest(digest, this.#asked);
    if (!isDigest) this.#asked.fill(0);
    return this.add(this.#asked, 0) && isDigest;
  }

  /** The first position of a digest given as `0x` text; -1 when it is not there, or no digest. */
  find(digest: string): number {
    return readDigest(digest, this.#asked) ? this.#findAsked() : -1;
  }

  findBytes(bytes: Uint8Array, offset: number): number {
    for (let i = 0; i < BYTES; i += 1) this.#asked[i] = bytes[offset + i] ?? 0;
    return this.#findAsked();
  }

  /** {@link find} for the digest that another list has at a position. */
  findIn(other: DigestList, position: number): number {
    return this.findBytes(other.#bytes, position * BYTES);
  }

  #findAsked(): number {
    return (this.#slots[this.#slotOf(this.#askedWords, 0)] ?? 0) - 1;
  }

  /** The digest at a position as `0x` text. */
  hexAt(position: number): string {
    return encodeHex(this.bytesAt(position));
  }

  /** The digest at a position: a view that holds until the next one is added. */
  bytesAt(position: number): Uint8Array {
    return this.#bytes.subarray(position * BYTES, (position + 1) * BYTES);
  }

  /** Makes the digest at a position the next leaf of a tree. */
  addTo(root: GrowingRoot, position: number): void {
    root.add(this.#bytes, position * BYTES);
  }

  /** Below 0, 0 or above 0, as the digest at `a` comes before, is, or comes after the one at `b` in byte order. */
  compare(a: number, b: number): number {
    const [from, to] = [a * BYTES, b * BYTES];
    for (let i = 0; i < BYTES; i += 1) {
      const difference = (this.#bytes[from + i] ?? 0) - (this.#bytes[to + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** The slot that holds an equal digest, or the free one where it belongs. */
  #slotOf(words: Uint32Array, at: number): number {
    const mask = this.#slots.length - 1;
    let slot = ((words[at] ?? 0) ^ (words[at + 1] ?? 0)) & mask;
    for (;;) {
      const held = this.#slots[slot] ?? 0;
      if (held === 0 || this.#isAt((held - 1) * WORDS, words, at)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isAt(held: number, words: Uint32Array, at: number): boolean {
    for (let i = 0; i < WORDS; i += 1) if (this.#words[held + i] !== words[at + i]) return false;
    return true;
  }

  #grow(): void {
    const room = roomFor(this.#count + 1, this.#bytes.length / BYTES, LIMITS.maxReceipts) * BYTES;
    if (room > this.#bytes.length) {
      const bytes = new Uint8Array(room);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
      this.#words = new Uint32Array(bytes.buffer);
    }
    if (2 * this.#count < this.#slots.length) return;
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let position = 0; position < this.#count; position += 1) {
      const slot = this.#slotOf(this.#words, position * WORDS);
      if (this.#slots[slot] === 0) this.#slots[slot] = position + 1;
    }
  }
}

/** What a digest can be looked for in. */
export interface DigestFinder {
  /** The first position of the 32 bytes at an offset; -1 when they are not there. */
  findBytes(bytes: Uint8Array, offset: number): number;
}

/**
 * Digests that were not made here: their bytes may be anybody's choice, so that slots are chosen by their SHA-256. Most of
 * what is looked for among few of them is told apart by its first two bytes.
 */
export class NamedDigests implements DigestFinder {
  readonly #list: DigestList;
  readonly #hashed = new Uint8Array(BYTES);
  readonly #beginnings = new Uint8Array(2 ** 16);

  constructor(capacity: number = FIRST_CAPACITY) {
    this.#list = new DigestList(capacity);
  }

  get count(): number {
    return this.#list.count;
  }

  /** As {@link DigestList.addHex}. */
  addHex(digest: string): boolean {
    const bytes = decodeHex(digest) ?? new Uint8Array(0);
    sha256Into(bytes, this.#hashed, 0);
    this.#beginnings[beginningOf(bytes, 0)] = 1;
    return this.#list.add(this.#hashed, 0) && bytes.length === BYTES;
  }

  findBytes(bytes: Uint8Array, offset: number): number {
    if (this.#beginnings[beginningOf(bytes, offset)] === 0) return -1;
    sha256Into(bytes.subarray(offset, offset + BYTES), this.#hashed, 0);
    return this.#list.findBytes(this.#hashed, 0);
  }
}

function beginningOf(bytes: Uint8Array, offset: number): number {
  return (bytes[offset] ?? 0) * 256 + (bytes[offset + 1] ?? 0);
}

/** Reads a digest in its text form; false, with nothing useful written, for any other text. */
function readDigest(text: string, target: Uint8Array): boolean {
  return text.length === DIGEST_TEXT && decodeHexInto(text, target, 0) === BYTES;
}

const DIGEST_TEXT = 2 + 2 * BYTES;
