import { sha256, sha256Into } from "../crypto/digest.js";
import { OsaProofError } from "../errors.js";

/**
 * Layer 4: Merkle tree hashing over SHA-256 (RFC 6962 section 2.1, the same in RFC 9162 section 2.1).
 *
 *     leaf = SHA-256(0x00 || data)          node = SHA-256(0x01 || left || right)
 *
 * The two prefixes keep a node from being read as a leaf. A level with an odd count carries its last
 * hash up unchanged; it is never paired with itself, so [A,B,C] and [A,B,C,C] have different roots.
 *
 * A tree is one flat buffer of 32-byte hashes, level after level, leaves first. Example for 5 leaves:
 *
 *     | L0 L1 L2 L3 L4 | N01 N23 L4 | N0123 L4 | root |
 *       level 0          level 1      level 2    level 3
 *
 * Entry i of level k is the RFC 6962 hash of leaves i * 2^k up to, not including, (i + 1) * 2^k, cut off
 * at the tree size. A million leaves take 64 MB: 32 bytes a leaf and as much again for the inner levels.
 */

/** Bytes of one hash in a tree or a proof. */
export const HASH_BYTES = 32;

/** Root of a tree without leaves: SHA-256 of the empty string, as `0x` hex. */
export const emptyRoot: string = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;

/** An RFC 6962 tree that can prove. It does not keep or share memory with the leaf data it was built from. */
export interface EvidenceTree {
  /** Count of leaves. */
  readonly size: number;
  /** 32 bytes; for size 0 the bytes of {@link emptyRoot}. Changing them does not change the tree. */
  readonly root: Uint8Array;
  /**
   * Audit path of one leaf (RFC 6962 section 2.1.1), the leaf's neighbour first; empty when size is 1.
   * Throws `ARGUMENT_INVALID` unless index is an integer from 0 to size - 1.
   */
  inclusionProof(index: number): Uint8Array[];
  /**
   * Proof that the first `oldSize` leaves are the whole tree of that size (RFC 6962 section 2.1.2);
   * empty when oldSize is size. Throws `ARGUMENT_INVALID` unless oldSize is an integer from 1 to size:
   * an empty tree commits to nothing, so nothing is consistent with it.
   */
  consistencyProof(oldSize: number): Uint8Array[];
}

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

/**
 * Root (32 bytes) over leaf data, not leaf hashes; the bytes of {@link emptyRoot} when there are none.
 * Takes 32 bytes of memory for each leaf. Does not look for repeated leaves. Throws `ARGUMENT_INVALID`
 * on a leaf that is not bytes.
 */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0));
  const hashes = new Uint8Array(leaves.length * HASH_BYTES);
  writeLeafHashes(leaves, hashes);
  // Each level is written over the one below it.
  for (let count = leaves.length; count > 1; count = Math.ceil(count / 2)) writeParents(hashes, 0, count, 0);
  return hashes.slice(0, HASH_BYTES);
}

/**
 * Builds the tree over leaf data, not leaf hashes, in one pass; afterwards a proof is a handful of
 * copies. Leaves may be of any length and count, none included, and are not checked for repeats.
 * Throws `ARGUMENT_INVALID` on a leaf that is not bytes.
 */
export function evidenceTree(leaves: readonly Uint8Array[]): EvidenceTree {
  const levels = levelsOf(leaves.length);
  const total = levels.reduce((sum, level) => sum + level.count, 0);
  const hashes = new Uint8Array(total * HASH_BYTES);
  writeLeafHashes(leaves, hashes);
  for (const { start, count } of levels.slice(0, -1)) writeParents(hashes, start, count, start + count);

  const hashAt = (level: Level, index: number): Uint8Array => {
    const from = (level.start + index) * HASH_BYTES;
    return hashes.slice(from, from + HASH_BYTES);
  };
  return {
    size: leaves.length,
    root: leaves.length === 0 ? sha256(hashes) : hashes.slice(-HASH_BYTES),
    inclusionProof(index: number): Uint8Array[] {
      requireInteger("index", index, 0, leaves.length - 1);
      return neighbours(levels, index, hashAt);
    },
    consistencyProof(oldSize: number): Uint8Array[] {
      requireInteger("oldSize", oldSize, 1, leaves.length);
      if (oldSize === leaves.length) return [];
      // The largest complete subtree that ends where the old tree ends is a node of both trees.
      let node = oldSize - 1;
      let height = 0;
      for (; node % 2 === 1; height += 1) node = (node - 1) / 2;
      const path = neighbours(levels.slice(height), node, hashAt);
      // Node 0 is the old root itself, which the reader has.
      const shared = levels[height];
      return node === 0 || shared === undefined ? path : [hashAt(shared, node), ...path];
    },
  };
}

/** One level of the flat buffer, counted in hashes. */
interface Level {
  readonly start: number;
  readonly count: number;
}

function levelsOf(size: number): Level[] {
  const levels: Level[] = [];
  let start = 0;
  for (let count = size; count > 0; count = count === 1 ? 0 : Math.ceil(count / 2)) {
    levels.push({ start, count });
    start += count;
  }
  return levels;
}

/** The hash beside each step from a node of the lowest given level up to the root. */
function neighbours(
  levels: readonly Level[],
  from: number,
  hashAt: (level: Level, index: number) => Uint8Array,
): Uint8Array[] {
  const path: Uint8Array[] = [];
  let node = from;
  for (const level of levels) {
    const neighbour = node % 2 === 0 ? node + 1 : node - 1;
    if (neighbour < level.count) path.push(hashAt(level, neighbour));
    node = Math.floor(node / 2);
  }
  return path;
}

function writeLeafHashes(leaves: readonly Uint8Array[], hashes: Uint8Array): void {
  let input = new Uint8Array(0);
  let at = 0;
  for (const data of leaves) {
    requireBytes(data);
    // Leaves are nearly always digests, so one input buffer serves them all. Its prefix byte stays 0x00.
    if (input.length !== 1 + data.length) input = new Uint8Array(1 + data.length);
    input.set(data, 1);
    sha256Into(input, hashes, at);
    at += HASH_BYTES;
  }
}

/**
 * Hashes `count` entries that begin at `source` in pairs and writes the results from `target` on (both
 * counted in hashes). `target` may be `source`: a result is never written before its pair was read.
 */
function writeParents(hashes: Uint8Array, source: number, count: number, target: number): void {
  const input = new Uint8Array(1 + 2 * HASH_BYTES);
  input[0] = NODE_PREFIX;
  let from = source * HASH_BYTES;
  let to = target * HASH_BYTES;
  for (let pair = 0; pair < Math.floor(count / 2); pair += 1) {
    input.set(hashes.subarray(from, from + 2 * HASH_BYTES), 1);
    sha256Into(input, hashes, to);
    from += 2 * HASH_BYTES;
    to += HASH_BYTES;
  }
  if (count % 2 === 1) hashes.copyWithin(to, from, from + HASH_BYTES);
}

/** A text would be taken digit by digit as numbers, and so would hash to something else without a word. */
function requireBytes(data: unknown): void {
  if (data instanceof Uint8Array) return;
  throw new OsaProofError("ARGUMENT_INVALID", `leaf data must be a Uint8Array, not ${typeof data}`);
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = most < least ? "the tree is too small for any" : `an integer from ${least} to ${most}`;
  throw new OsaProofError("ARGUMENT_INVALID", `${name} is ${value}; expected: ${range}`);
}
