import { sha256, sha256Into } from "../crypto/digest.js";
import { OsaProofError } from "../errors.js";

/**
 * Layer 4: the two hashes of a Merkle tree over SHA-256 (RFC 6962 section 2.1, the same in RFC 9162 section 2.1),
 * one at a time and many at once.
 *
 *     leaf = SHA-256(0x00 || data)          node = SHA-256(0x01 || left || right)
 *
 * The two prefixes keep a node from being read as a leaf.
 */

/** Bytes of one hash in a tree or a proof. */
export const HASH_BYTES = 32;

export const LEAF_PREFIX = 0x00;
export const NODE_PREFIX = 0x01;
const WORD_BYTES = 4;
export const HASH_WORDS: number = HASH_BYTES / WORD_BYTES;

/** SHA-256(0x00 || data), for data of any length. Throws `ARGUMENT_INVALID` on anything but bytes. */
export function leafHash(data: Uint8Array): Uint8Array {
  requireBytes(data);
  const input = new Uint8Array(1 + data.length);
  input[0] = LEAF_PREFIX;
  input.set(data, 1);
  return sha256(input);
}

/**
 * SHA-256(0x01 || left || right). Throws `ARGUMENT_INVALID` unless both are 32 bytes: with other
 * lengths two different pairs would run together into the same input.
 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES) {
    throw new OsaProofError("ARGUMENT_INVALID", "a tree node is made from two hashes of 32 bytes");
  }
  const input = new Uint8Array(1 + 2 * HASH_BYTES);
  input[0] = NODE_PREFIX;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return sha256(input);
}

/** Leaf data, none of which has been looked at yet. */
export interface LeafData {
  readonly size: number;
  /** Writes the hashes of `count` leaves from leaf `first` on into `target`, from its entry `at` on. */
  writeHashes(first: number, count: number, target: HashList, at: number): void;
}

/** Leaves of any length. `writeHashes` throws `ARGUMENT_INVALID` on a leaf that is not bytes. */
export function leavesOf(leaves: readonly Uint8Array[]): LeafData {
  return {
    size: leaves.length,
    writeHashes(first, count, target, at) {
      let isDigests = true;
      for (let i = 0; i < count && isDigests; i += 1) {
        const data = leafAt(leaves, first + i);
        isDigests = data.length === HASH_BYTES;
        if (isDigests) target.bytes.set(data, (at + i) * HASH_BYTES);
      }
      // Leaves are nearly always digests. They are all gathered before the first is hashed: a processor then
      // waits for many of them at once.
      if (isDigests) return hashInPlace(target, at, count);
      for (let i = 0; i < count; i += 1) {
        target.bytes.set(leafHash(leafAt(leaves, first + i)), (at + i) * HASH_BYTES);
      }
    },
  };
}

function leafAt(leaves: readonly Uint8Array[], index: number): Uint8Array {
  const data: unknown = leaves[index];
  requireBytes(data);
  return data;
}

/** Leaves of 32 bytes, one behind the other. Throws `ARGUMENT_INVALID` on anything but whole digests. */
export function digestLeavesOf(digests: Uint8Array): LeafData {
  requireBytes(digests);
  if (digests.length % HASH_BYTES !== 0) {
    throw new OsaProofError("ARGUMENT_INVALID", `${digests.length} bytes are not digests of 32 bytes each`);
  }
  return {
    size: digests.length / HASH_BYTES,
    writeHashes(first, count, target, at) {
      target.bytes.set(digests.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES), at * HASH_BYTES);
      hashInPlace(target, at, count);
    },
  };
}

/** Replaces leaf data of 32 bytes each, copied to the places of their hashes, by these. */
function hashInPlace(list: HashList, first: number, count: number): void {
  const { input, words } = wordInput(LEAF_PREFIX, HASH_WORDS);
  for (let i = first; i < first + count; i += 1) {
    const from = i * HASH_WORDS;
    for (let word = 0; word < HASH_WORDS; word += 1) words[word] = list.words[from + word] ?? 0;
    sha256Into(input, list.bytes, i * HASH_BYTES);
  }
}

/** Hashes in one flat buffer, which is seen as bytes and as words: a node copies sixteen of these, not 64 of those. */
export class HashList {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;

  constructor(count: number) {
    this.bytes = new Uint8Array(count * HASH_BYTES);
    this.words = new Uint32Array(this.bytes.buffer);
  }

  /** A copy of one hash. */
  at(index: number): Uint8Array {
    return this.bytes.slice(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }

  /** Takes over `count` hashes of another list from its entry `first` on, to entry `at` on. */
  copy(at: number, from: HashList, first: number, count: number): void {
    this.bytes.set(from.bytes.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES), at * HASH_BYTES);
  }
}

/**
 * Hashes `count` entries that begin at entry `first` in pairs and writes the results into `target` from entry `at` on;
 * a last one without a partner is carried over. Source and target may be the same, where `at` is not above `first`:
 * a result is never written before its pair was read.
 */
export function writeParents(
  source: HashList,
  first: number,
  count: number,
  target: HashList,
  at: number,
): void {
  const { input, words } = wordInput(NODE_PREFIX, 2 * HASH_WORDS);
  const pairs = Math.floor(count / 2);
  let from = first * HASH_WORDS;
  for (let i = 0; i < pairs; i += 1) {
    for (let word = 0; word < 2 * HASH_WORDS; word += 1) words[word] = source.words[from + word] ?? 0;
    sha256Into(input, target.bytes, (at + i) * HASH_BYTES);
    from += 2 * HASH_WORDS;
  }
  if (count % 2 === 1) target.bytes.set(source.at(first + count - 1), (at + pairs) * HASH_BYTES);
}

/** What is hashed after a prefix byte, which lies before the first whole word: `. . . prefix | word | word | …`. */
export function wordInput(prefix: number, count: number): { input: Uint8Array; words: Uint32Array } {
  const buffer = new ArrayBuffer(WORD_BYTES * (1 + count));
  const input = new Uint8Array(buffer, WORD_BYTES - 1);
  input[0] = prefix;
  return { input, words: new Uint32Array(buffer, WORD_BYTES) };
}

/** A text would be taken digit by digit as numbers, and so would hash to something else without a word. */
function requireBytes(data: unknown): asserts data is Uint8Array {
  if (data instanceof Uint8Array) return;
  throw new OsaProofError("ARGUMENT_INVALID", `leaf data must be a Uint8Array, not ${typeof data}`);
}
