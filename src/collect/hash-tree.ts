/** Layer 8: an RFC 6962 tree that grows, and its roots and proofs at every size it ever had. */
import { sha256 } from "../crypto/digest.js";
import { nodeHash } from "../tree/merkle.js";

/** Keeps the hash of every complete subtree: at level k, those of 2^k leaves, from the left. */
export class HashTree {
  readonly #levels: Uint8Array[][] = [[]];

  get size(): number {
    return this.#level(0).length;
  }

  /** Adds a leaf by its hash (not its data). */
  append(leafHash: Uint8Array): void {
    let hash = leafHash;
    for (let level = 0; ; level++) {
      const row = this.#level(level);
      row.push(hash);
      const left = row.at(-2);
      if (row.length % 2 === 1 || left === undefined) return;
      hash = nodeHash(left, hash);
    }
  }

  /** Hash of the complete subtree over leaves index * 2^level up. Throws RangeError when it is not complete. */
  node(level: number, index: number): Uint8Array {
    const hash = this.#levels[level]?.[index];
    if (hash === undefined) throw new RangeError(`no complete subtree ${index} of level ${level}`);
    return hash;
  }

  /** Root over the first `size` leaves; size must not be larger than the tree. */
  root(size: number = this.size): Uint8Array {
    return size === 0 ? sha256(new Uint8Array()) : this.#range(0, size);
  }

  /** RFC 6962 section 2.1.1: the path of a leaf in the tree of the first `size` leaves, its sibling first. */
  inclusionProof(index: number, size: number): Uint8Array[] {
    const path: Uint8Array[] = [];
    let [low, high] = [0, size];
    while (high - low > 1) {
      const middle = low + splitPoint(high - low);
      if (index < middle) {
        path.push(this.#range(middle, high));
        high = middle;
      } else {
        path.push(this.#range(low, middle));
        low = middle;
      }
    }
    return path.reverse();
  }

  /** RFC 6962 section 2.1.2: the proof from the first `oldSize` to the first `size` leaves; empty from 0 or to itself. */
  consistencyProof(oldSize: number, size: number): Uint8Array[] {
    if (oldSize === 0) return [];
    const path: Uint8Array[] = [];
    let [low, high, whole] = [0, size, true];
    while (oldSize !== high) {
      const middle = low + splitPoint(high - low);
      if (oldSize <= middle) {
        path.push(this.#range(middle, high));
        high = middle;
      } else {
        path.push(this.#range(low, middle));
        low = middle;
        whole = false;
      }
    }
    // The old root itself is left out: the verifier has it.
    if (!whole) path.push(this.#range(low, high));
    return path.reverse();
  }

  /** Hash over leaves low to high; low is a multiple of the first split of the range, as in any RFC 6962 walk. */
  #range(low: number, high: number): Uint8Array {
    const complete: Uint8Array[] = [];
    let start = low;
    while (start < high) {
      const width = high - start;
      const part = isPowerOfTwo(width) ? width : splitPoint(width);
      complete.push(this.node(Math.log2(part), start / part));
      start += part;
    }
    return complete.reduceRight((right, left) => nodeHash(left, right));
  }

  #level(level: number): Uint8Array[] {
    const row = this.#levels[level] ?? [];
    this.#levels[level] = row;
    return row;
  }
}

/** The largest power of two below n, for n of at least 2. */
function splitPoint(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

function isPowerOfTwo(n: number): boolean {
  return Number.isInteger(Math.log2(n));
}
