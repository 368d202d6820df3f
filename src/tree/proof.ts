import { equalBytes } from "../encoding/bytes.js";
import { HASH_BYTES, nodeHash } from "./merkle.js";

/**
 * Layer 4: checking tree proofs (RFC 9162 sections 2.1.3.2 and 2.1.4.2) without the tree.
 *
 * Nothing here throws on values a stranger chose: what does not fit is null or false. Sizes and indexes
 * are numbers up to 2^53 - 1 and are never put through 32-bit operators; anything else does not fit.
 *
 * What a proof does NOT bind: a path and root made for one tree size can also hold for another size of
 * the same shape. Size and root must come from one statement that is trusted, such as a signed
 * checkpoint, never from beside the proof. And the caller must hash the entry itself: given a leaf
 * hash by a stranger, an inner node can pose as a leaf of a smaller tree.
 */

/** A leaf hash, its place, and the audit path from its neighbour up. Every hash is 32 bytes. */
export interface InclusionPath {
  readonly leafHash: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
}

export interface InclusionClaim extends InclusionPath {
  readonly root: Uint8Array;
}

export interface ConsistencyClaim {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly newSize: number;
  readonly newRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/**
 * The root that a tree of this size has if this leaf is at this index. Null when index is not below
 * size, a hash is not 32 bytes, or the path is longer or shorter than index and size ask for.
 */
export function rootFromInclusion(inclusion: InclusionPath): Uint8Array | null {
  if (!isClaim(inclusion)) return null;
  const { leafHash, index, size, path } = inclusion;
  if (!isCount(index) || !isCount(size) || index >= size) return null;
  if (!isHash(leafHash)) return null;

  let hash = leafHash;
  let node = index;
  let last = size - 1;
  let used = 0;
  // One turn for each level: `node` is our place on it, `last` the place of its last entry.
  for (; last > 0; node = half(node), last = half(last)) {
    // An even last entry has no neighbour and is carried up unchanged.
    if (node % 2 === 0 && node === last) continue;
    const neighbour = path[used];
    if (!isHash(neighbour)) return null;
    hash = node % 2 === 1 ? nodeHash(neighbour, hash) : nodeHash(hash, neighbour);
    used += 1;
  }
  return used === path.length ? hash.slice() : null;
}

/** Whether this leaf is at this index of the tree with this size and root. False for whatever does not fit. */
export function verifyInclusion(claim: InclusionClaim): boolean {
  const root = rootFromInclusion(claim);
  return root !== null && isHash(claim.root) && equalBytes(root, claim.root);
}

/**
 * Whether the tree of `newSize` begins with all leaves of the tree of `oldSize`. Equal sizes need equal
 * roots and an empty path. False for whatever does not fit, and for an `oldSize` of 0: RFC 6962 leaves
 * that case open, an empty tree commits to nothing, and so there is nothing to be consistent with.
 */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  if (!isClaim(claim)) return false;
  const { oldSize, oldRoot, newSize, newRoot, path } = claim;
  if (!isCount(oldSize) || !isCount(newSize) || oldSize < 1 || oldSize > newSize) return false;
  if (!isHash(oldRoot) || !isHash(newRoot)) return false;
  if (oldSize === newSize) return path.length === 0 && equalBytes(oldRoot, newRoot);

  // Climb to the largest complete subtree that ends where the old tree ends: a node of both trees.
  let node = oldSize - 1;
  let last = newSize - 1;
  for (; node % 2 === 1; node = half(node)) last = half(last);

  // Node 0 is the whole old tree (its size is a power of two), so its hash is the old root, not in the path.
  let used = node === 0 ? 0 : 1;
  const shared = node === 0 ? oldRoot : path[0];
  if (!isHash(shared)) return false;
  let oldHash = shared;
  let newHash = shared;
  for (; last > 0; node = half(node), last = half(last)) {
    if (node % 2 === 0 && node === last) continue;
    const neighbour = path[used];
    if (!isHash(neighbour)) return false;
    used += 1;
    if (node % 2 === 1) {
      // To our left: in both trees.
      oldHash = nodeHash(neighbour, oldHash);
      newHash = nodeHash(neighbour, newHash);
    } else {
      // To our right: leaves that only the new tree has.
      newHash = nodeHash(newHash, neighbour);
    }
  }
  return used === path.length && equalBytes(oldHash, oldRoot) && equalBytes(newHash, newRoot);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

function half(count: number): number {
  return Math.floor(count / 2);
}

/** Callers in plain JavaScript pass anything: what has no path is no claim. */
function isClaim(claim: unknown): boolean {
  return typeof claim === "object" && claim !== null && "path" in claim && Array.isArray(claim.path);
}
