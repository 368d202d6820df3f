/**
 * What stands for proven-tree.ts where signatures are checked by the portable backend: a proof's hashes are a small part
 * of what a signature takes there, so that a page need not download what remembers them
 * (docs/decisions/what-a-page-downloads.md).
 */
import { decodeHex } from "../encoding/hex.js";
import { leafHash } from "./hashing.js";
import { verifyInclusion } from "./proof.js";

/** Inclusion proofs of one tree. */
export class ProvenTree {
  readonly #root: Uint8Array;
  readonly #size: number;

  /** `root` is a digest in its text form, `size` a whole number from 1 on. */
  constructor(root: string, size: number) {
    this.#root = bytesOf(root);
    this.#size = size;
  }

  /** Whether a digest is the leaf at an index, a whole number. All are in their text form; any other text proves nothing. */
  proves(digest: string, index: number, path: readonly string[]): boolean {
    return verifyInclusion({
      leafHash: leafHash(bytesOf(digest)),
      index,
      size: this.#size,
      path: path.map(bytesOf),
      root: this.#root,
    });
  }
}

function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array(0);
}
