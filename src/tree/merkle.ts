import { sha256 } from "../crypto/digest.js";
import { OsaProofError } from "../errors.js";
import {
  digestLeavesOf,
  HASH_BYTES,
  HashList,
  type LeafData,
  leavesOf,
  nodeHash,
  writeParents,
} from "./hashing.js";

export { HASH_BYTES, leafHash, nodeHash } from "./hashing.js";

/**
 * Layer 4: Merkle trees (RFC 6962 section 2.1). A level with an odd count carries its last hash up unchanged; it is
 * never paired with itself, so [A,B,C] and [A,B,C,C] have different roots. The levels for 5 leaves:
 *
 *     level 0   L0 L1 L2 L3 L4
 *     level 1   N01 N23 L4
 *     level 2   N0123 L4
 *     level 3   root
 *
 * Entry i of level k is the RFC 6962 hash of leaves i * 2^k up to, not including, (i + 1) * 2^k, cut off
 * at the tree size. A tree keeps the even levels in one flat buffer and makes the hashes of the others when a proof
 * asks for them, which takes one SHA-256 each: a million leaves take 43 MB in place of 64.
 */

/** Root of a tree without leaves: SHA-256 of the empty string, as `0x` hex. */
export const emptyRoot: string = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

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

/** Levels, an even count, that a block of entries is brought up at a time. */
const BLOCK_LEVELS = 10;
/** Entries of a level that are worked on at a time, so few that they stay in the nearest cache. */
const BLOCK = 2 ** BLOCK_LEVELS;

/**
 * Root (32 bytes) over leaf data, not leaf hashes; the bytes of {@link emptyRoot} when there are none.
 * Takes one byte of memory for 32 leaves. Does not look for repeated leaves. Throws `ARGUMENT_INVALID`
 * on a leaf that is not bytes.
 */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return rootOf(leavesOf(leaves));
}

/**
 * {@link merkleRoot} over leaves of 32 bytes that lie one behind the other in one array, as the digests of statements
 * may. Throws `ARGUMENT_INVALID` on anything but whole digests.
 */
export function merkleRootOfDigests(digests: Uint8Array): Uint8Array {
  return rootOf(digestLeavesOf(digests));
}

/**
 * Builds the tree over leaf data, not leaf hashes, in one pass; afterwards a proof is a handful of
 * copies and hashes. Leaves may be of any length and count, none included, and are not checked for repeats.
 * Throws `ARGUMENT_INVALID` on a leaf that is not bytes.
 */
export function evidenceTree(leaves: readonly Uint8Array[]): EvidenceTree {
  return treeOf(leavesOf(leaves));
}

/**
 * {@link evidenceTree} over leaves of 32 bytes that lie one behind the other in one array: a million small arrays
 * take several times the memory of the tree itself. Throws `ARGUMENT_INVALID` on anything but whole digests.
 */
export function evidenceTreeOfDigests(digests: Uint8Array): EvidenceTree {
  return treeOf(digestLeavesOf(digests));
}

function rootOf(leaves: LeafData): Uint8Array {
  const { size } = leaves;
  if (size === 0) return sha256(new Uint8Array(0));
  // A block is a whole subtree, and only the last may be smaller, so the root is that of the tree of their roots.
  const block = new HashList(Math.min(BLOCK, size));
  const roots = new HashList(Math.ceil(size / BLOCK));
  for (let first = 0; first < size; first += BLOCK) {
    const count = Math.min(BLOCK, size - first);
    leaves.writeHashes(first, count, block, 0);
    roots.bytes.set(foldInPlace(block, count), (first / BLOCK) * HASH_BYTES);
  }
  return foldInPlace(roots, Math.ceil(size / BLOCK));
}

/** The root over the first `count` entries, 1 or more. Each level is written over the one below it. */
function foldInPlace(hashes: HashList, count: number): Uint8Array {
  for (let left = count; left > 1; left = Math.ceil(left / 2)) writeParents(hashes, 0, left, hashes, 0);
  return hashes.at(0);
}

function treeOf(leaves: LeafData): EvidenceTree {
  const { size } = leaves;
  const levels = levelsOf(size);
  const hashes = new HashList(levels.reduce((sum, level) => sum + (level.kept ? level.count : 0), 0));
  for (let base = 0; base < levels.length; base += BLOCK_LEVELS) writeLevels(hashes, levels, base, leaves);

  const hashAt = (height: number, index: number): Uint8Array => {
    const level = levelAt(levels, height);
    if (level.kept) return hashes.at(level.start + index);
    const below = levelAt(levels, height - 1);
    const left = hashes.at(below.start + 2 * index);
    // The last of an odd count was carried up.
    return 2 * index + 1 < below.count ? nodeHash(left, hashes.at(below.start + 2 * index + 1)) : left;
  };
  return {
    size,
    root: size === 0 ? sha256(new Uint8Array(0)) : hashAt(levels.length - 1, 0),
    inclusionProof(index: number): Uint8Array[] {
      requireInteger("index", index, 0, size - 1);
      return neighbours(levels, 0, index, hashAt);
    },
    consistencyProof(oldSize: number): Uint8Array[] {
      requireInteger("oldSize", oldSize, 1, size);
      if (oldSize === size) return [];
      // The largest complete subtree that ends where the old tree ends is a node of both trees.
      let node = oldSize - 1;
      let height = 0;
      for (; node % 2 === 1; height += 1) node = (node - 1) / 2;
      const path = neighbours(levels, height, node, hashAt);
      // Node 0 is the old root itself, which the reader has.
      return node === 0 ? path : [hashAt(height, node), ...path];
    },
  };
}

/** One level of the tree, counted in hashes. */
interface Level {
  readonly count: number;
  /** True for even levels, whose first hash is at `start` of the flat buffer. */
  readonly kept: boolean;
  readonly start: number;
}

function levelsOf(size: number): Level[] {
  const levels: Level[] = [];
  let start = 0;
  for (let count = size; count > 0; count = count === 1 ? 0 : Math.ceil(count / 2)) {
    const kept = levels.length % 2 === 0;
    levels.push({ count, kept, start });
    if (kept) start += count;
  }
  return levels;
}

/**
 * Writes the kept ones of the ten levels above `base`, which is itself written before, or made of the leaves when it is
 * the lowest. A block is brought up all ten levels before the next one is begun.
 */
function writeLevels(hashes: HashList, levels: readonly Level[], base: number, leaves: LeafData): void {
  const { count, start } = levelAt(levels, base);
  const block = new HashList(Math.min(BLOCK, count));
  for (let first = 0; first < count; first += BLOCK) {
    let left = Math.min(BLOCK, count - first);
    if (base === 0) {
      leaves.writeHashes(first, left, block, 0);
      hashes.copy(start + first, block, 0, left);
    } else {
      block.copy(0, hashes, start + first, left);
    }
    for (let up = 1; up <= BLOCK_LEVELS && base + up < levels.length; up += 1) {
      writeParents(block, 0, left, block, 0);
      left = Math.ceil(left / 2);
      const level = levelAt(levels, base + up);
      if (level.kept) hashes.copy(level.start + first / 2 ** up, block, 0, left);
    }
  }
}

/** The hash beside each step from a node of the level at `height` up to the root. */
function neighbours(
  levels: readonly Level[],
  height: number,
  from: number,
  hashAt: (height: number, index: number) => Uint8Array,
): Uint8Array[] {
  const path: Uint8Array[] = [];
  let node = from;
  for (let at = height; at < levels.length; at += 1) {
    const neighbour = node % 2 === 0 ? node + 1 : node - 1;
    if (neighbour < levelAt(levels, at).count) path.push(hashAt(at, neighbour));
    node = Math.floor(node / 2);
  }
  return path;
}

/** The level at a height that the tree has. */
function levelAt(levels: readonly Level[], height: number): Level {
  return levels[height] ?? { count: 0, kept: true, start: 0 };
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = most < least ? "the tree is too small for any" : `an integer from ${least} to ${most}`;
  throw new OsaProofError("ARGUMENT_INVALID", `${name} is ${value}; expected: ${range}`);
}
