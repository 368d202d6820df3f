/**
 * Layer 4: the root of a tree whose leaves come one by one (RFC 6962 section 2.1), in memory for one hash a level.
 *
 * The leaves met so far are complete subtrees, the largest first; their sizes are the ones in the binary form of the
 * count. A new leaf is a subtree of one; while the last two are of one size they become one.
 */
import { sha256, sha256Into } from "../crypto/digest.js";

const HASH_BYTES = 32;
/** Enough for 2^53 leaves. */
const MOST_LEVELS = 54;

export class GrowingRoot {
  #count = 0;
  /** Hashes of the complete subtrees, the largest first. */
  readonly #roots = new Uint8Array(MOST_LEVELS * HASH_BYTES);
  #depth = 0;
  readonly #leaf = new Uint8Array(1 + HASH_BYTES);
  readonly #node = new Uint8Array(1 + 2 * HASH_BYTES);

  constructor() {
    this.#node[0] = 0x01;
  }

  /** Leaves met. */
  get count(): number {
    return this.#count;
  }

  /** Takes the next leaf: the 32 bytes of leaf data at an offset, not their hash. */
  add(from: Uint8Array, offset: number): void {
    // Byte by byte: a view for each of a million leaves would be most of the work, and of the memory.
    for (let i = 0; i < HASH_BYTES; i += 1) this.#leaf[1 + i] = from[offset + i] ?? 0;
    sha256Into(this.#leaf, this.#roots, this.#depth * HASH_BYTES);
    this.#depth += 1;
    this.#count += 1;
    for (let size = this.#count; size % 2 === 0; size /= 2) this.#join();
  }

  /** The root over the leaves met, 32 bytes; SHA-256 of nothing when there are none. Call it last: it joins what is left. */
  root(): Uint8Array {
    if (this.#depth === 0) return sha256(new Uint8Array(0));
    while (this.#depth > 1) this.#join();
    return this.#roots.slice(0, HASH_BYTES);
  }

  /** Replaces the last two subtrees by the node above them. */
  #join(): void {
    const left = (this.#depth - 2) * HASH_BYTES;
    for (let i = 0; i < 2 * HASH_BYTES; i += 1) this.#node[1 + i] = this.#roots[left + i] ?? 0;
    sha256Into(this.#node, this.#roots, left);
    this.#depth -= 1;
  }
}
