/**
 * Layer 4: many inclusion proofs of one tree, each judged as `verifyInclusion` judges it alone.
 *
 * The nodes above a leaf that was proven are remembered, each with the two hashes below it. A later proof is hashed up
 * to the first node that is remembered with the same hash, and no further: what its path holds beyond must be the
 * remembered hashes, since no others lead to the root. Proofs of all leaves so take about three hashes each.
 *
 * Nodes are numbered as in a heap: the root is 1, and below node i are 2i and 2i + 1. A node without a neighbour has
 * the number of the place to which it is carried up. An entry takes about 90 bytes of memory; there are at most as many
 * as there are hashes in the proofs.
 */
import { sha256Into } from "../crypto/digest.js";
import { decodeHexInto } from "../encoding/hex.js";
import { HASH_BYTES, HASH_WORDS, HashList, LEAF_PREFIX, NODE_PREFIX, wordInput } from "./hashing.js";
import { ProvenTree as ProofsAlone } from "./proofs-alone.js";

/** In a larger tree the numbers of nodes do not fit 32 bits: its proofs are judged alone. */
const MOST_LEAVES = 2 ** 31;
const MOST_LEVELS = 32;
/** Node, entry of the node above it, left hash below it, right hash below it. */
const ENTRY_WORDS = 2 + 2 * HASH_WORDS;
const FIRST_ENTRIES = 64;
const ROOT = 1;
/** Entries count from 1. */
const NONE = 0;
const HASH_TEXT = 2 + 2 * HASH_BYTES;

export class ProvenTree {
  readonly #size: number;
  /** Judges the proofs of a tree that is too large. */
  readonly #alone: ProofsAlone | null;
  /** Numbers of the first and the last leaf. */
  readonly #first: number;
  readonly #last: number;
  readonly #root = new HashList(1);
  #entries = new Uint32Array((1 + FIRST_ENTRIES) * ENTRY_WORDS);
  #count = 0;
  /** Entries, by hashes that were made here: to crowd a slot takes as much hashing as to find such that begin alike. */
  #slots = new Uint32Array(2 * FIRST_ENTRIES);
  readonly #leaf = wordInput(LEAF_PREFIX, HASH_WORDS);
  readonly #pair = wordInput(NODE_PREFIX, 2 * HASH_WORDS);
  /** Of the proof at hand: the pair of hashes on each level that was climbed; above them that of the node reached. */
  readonly #climbed = new HashList(2 * (1 + MOST_LEVELS));
  /** The node above each of these pairs. */
  readonly #nodes = new Uint32Array(MOST_LEVELS);
  readonly #given = new HashList(1);
  /** What stood at each place of a path when it last was the hash beside a node, and which: neighbours share most. */
  readonly #metTexts: string[] = [];
  readonly #metNodes = new Uint32Array(MOST_LEVELS);

  /** `root` is a digest in its text form, `size` a whole number from 1 on. */
  constructor(root: string, size: number) {
    this.#size = size;
    this.#alone = size > MOST_LEAVES ? new ProofsAlone(root, size) : null;
    this.#first = 2 ** Math.ceil(Math.log2(size));
    this.#last = this.#first + size - 1;
    decodeHexInto(root, this.#root.bytes, 0);
  }

  /**
   * Whether a digest is the leaf at an index, a whole number. The path holds hashes from the leaf's neighbour up. All
   * are in their text form; any other text proves nothing.
   */
  proves(digest: string, index: number, path: readonly string[]): boolean {
    if (this.#alone !== null) return this.#alone.proves(digest, index, path);
    if (index >= this.#size || decodeHexInto(digest, this.#leaf.input, 1) !== HASH_BYTES) return false;
    let node = this.#placeOf(this.#first + index);
    sha256Into(this.#leaf.input, this.#climbed.bytes, sideOf(node) * HASH_BYTES);
    let [depth, known] = [0, NONE];
    while (node !== ROOT && known === NONE) {
      if (!readHash(path[depth], this.#climbed, 2 * depth + 1 - sideOf(node))) return false;
      node = this.#placeOf(Math.floor(node / 2));
      this.#nodes[depth] = node;
      this.#join(depth, node);
      depth += 1;
      known = this.#find(node, 2 * depth + sideOf(node));
    }
    const holds = known === NONE ? this.#endsAtRoot(depth, path) : this.#goesOn(known, depth, path);
    if (holds) this.#remember(depth, known);
    return holds;
  }

  /** The number of a node: where it has no neighbour, that of the place to which it is carried up. */
  #placeOf(node: number): number {
    let place = node;
    while (place % 2 === 0 && place === this.#last >>> (Math.clz32(place) - Math.clz32(this.#first)))
      place /= 2;
    return place;
  }

  /** Hashes the pair at a depth to its node above. */
  #join(depth: number, node: number): void {
    const { input, words } = this.#pair;
    const from = 2 * depth * HASH_WORDS;
    for (let i = 0; i < 2 * HASH_WORDS; i += 1) words[i] = this.#climbed.words[from + i] ?? 0;
    sha256Into(input, this.#climbed.bytes, (2 * (depth + 1) + sideOf(node)) * HASH_BYTES);
  }

  #endsAtRoot(depth: number, path: readonly string[]): boolean {
    const reached = (2 * depth + sideOf(ROOT)) * HASH_WORDS;
    return depth === path.length && isSame(this.#climbed.words, reached, this.#root.words, 0);
  }

  /** Whether a path holds, from a place on, just the hashes beside the nodes from that of an entry up to the root. */
  #goesOn(entry: number, from: number, path: readonly string[]): boolean {
    let used = from;
    for (let at = entry; this.#nodeOf(at) !== ROOT; at = this.#above(at)) {
      const text = path[used];
      const node = this.#nodeOf(at);
      if (text === undefined) return false;
      if (this.#metNodes[used] !== node || this.#metTexts[used] !== text) {
        const beside = hashIn(this.#above(at), 1 - sideOf(node));
        if (!readHash(text, this.#given, 0) || !isSame(this.#given.words, 0, this.#entries, beside))
          return false;
        this.#metTexts[used] = text;
        this.#metNodes[used] = node;
      }
      used += 1;
    }
    return used === path.length;
  }

  /** Remembers the nodes that were climbed to; the uppermost is that of an entry, if one is known. */
  #remember(depth: number, known: number): void {
    let above = known;
    for (let at = known === NONE ? depth - 1 : depth - 2; at >= 0; at -= 1) {
      if (2 * (this.#count + 1) > this.#slots.length) this.#grow();
      this.#count += 1;
      const entry = this.#count * ENTRY_WORDS;
      const pair = 2 * at * HASH_WORDS;
      this.#entries[entry] = this.#nodes[at] ?? ROOT;
      this.#entries[entry + 1] = above;
      for (let i = 0; i < 2 * HASH_WORDS; i += 1)
        this.#entries[entry + 2 + i] = this.#climbed.words[pair + i] ?? 0;
      above = this.#count;
      this.#place(above);
    }
  }

  #nodeOf(entry: number): number {
    return this.#entries[entry * ENTRY_WORDS] ?? ROOT;
  }

  #above(entry: number): number {
    return this.#entries[entry * ENTRY_WORDS + 1] ?? NONE;
  }

  /** The entry of a node whose hash is the one at a place of those climbed; `NONE` when there is none. */
  #find(node: number, at: number): number {
    return this.#slots[this.#slotOf(node, this.#climbed.words, at * HASH_WORDS)] ?? NONE;
  }

  #place(entry: number): void {
    const [node, words, from] = [this.#nodeOf(entry), this.#wordsOf(entry), this.#hashOf(entry)];
    this.#slots[this.#slotOf(node, words, from)] = entry;
  }

  /** Where the hash of an entry's node stands: among the root's words, or in the entry above. */
  #wordsOf(entry: number): Uint32Array {
    return this.#nodeOf(entry) === ROOT ? this.#root.words : this.#entries;
  }

  #hashOf(entry: number): number {
    const node = this.#nodeOf(entry);
    return node === ROOT ? 0 : hashIn(this.#above(entry), sideOf(node));
  }

  /** The slot of the entry of a node with this hash, or the free one where it belongs. */
  #slotOf(node: number, words: Uint32Array, from: number): number {
    const mask = this.#slots.length - 1;
    let slot = ((words[from] ?? 0) ^ (words[from + 1] ?? 0) ^ node) & mask;
    for (;;) {
      const entry = this.#slots[slot] ?? NONE;
      if (entry === NONE) return slot;
      if (this.#nodeOf(entry) === node && isSame(words, from, this.#wordsOf(entry), this.#hashOf(entry)))
        return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const entries = new Uint32Array(2 * this.#entries.length);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let entry = 1; entry <= this.#count; entry += 1) this.#place(entry);
  }
}

/** Where an entry has one of the hashes below its node. */
function hashIn(entry: number, side: number): number {
  return entry * ENTRY_WORDS + 2 + side * HASH_WORDS;
}

/** 0 for what is hashed as the left one, 1 for the right. */
function sideOf(node: number): number {
  return node % 2;
}

/** Reads the text form of a hash into an entry of a list; false for any other text, and for none. */
function readHash(text: string | undefined, into: HashList, at: number): boolean {
  return text?.length === HASH_TEXT && decodeHexInto(text, into.bytes, at * HASH_BYTES) === HASH_BYTES;
}

function isSame(a: Uint32Array, from: number, b: Uint32Array, at: number): boolean {
  for (let i = 0; i < HASH_WORDS; i += 1) if (a[from + i] !== b[at + i]) return false;
  return true;
}
