/** The leaves that proofs of one tree prove, each with its own audit path. Their position in the order is not proven. */

import { ProvenTree } from "#proofs";
import type { TreeProof } from "../bundle/format.js";
import type { Findings } from "./report.js";
import { NO_LEAF, type ShownLeaves, type TreeHead } from "./shown-leaves.js";

/** A tree with the leaves it names and, in mode `inclusion`, those of them that are proven. */
export interface ShownTree {
  readonly head: TreeHead;
  readonly shown: ShownLeaves;
  /** Null in mode `complete`. */
  readonly proven: ProvenLeaves | null;
}

export class ProvenLeaves {
  readonly #head: TreeHead;
  readonly #findings: Findings;
  readonly #tree: ProvenTree;
  readonly #leaves = new Set<number>();
  readonly #places = new Set<number>();
  #count = 0;

  constructor(head: TreeHead, findings: Findings) {
    this.#head = head;
    this.#findings = findings;
    this.#tree = new ProvenTree(head.value.root, head.value.tree_size);
  }

  /** By number. */
  get leaves(): Uint32Array {
    return Uint32Array.from(this.#leaves);
  }

  /** Judges the next proof; `leaf` is the number of the statement it names, `NO_LEAF` when there is none. */
  add(proof: TreeProof, leaf: number): void {
    const index = this.#count;
    this.#count += 1;
    const { statement_digest: digest, leaf_index: place } = proof;
    const { pointer } = this.#head;
    const invalid = (detail: string): void =>
      this.#findings.fail(
        "EVIDENCE",
        "EVIDENCE_PROOF_INVALID",
        { pointer: `${pointer}/proofs/${index}`, digest },
        detail,
      );
    if (this.#leaves.has(leaf) || this.#places.has(place)) {
      invalid("its leaf or its place is used by another proof of this tree");
      return;
    }
    this.#places.add(place);
    if (leaf === NO_LEAF) {
      invalid("it proves a statement that is not in the bundle");
      return;
    }
    const isIncluded = this.#tree.proves(digest, place, proof.audit_path);
    if (isIncluded) this.#leaves.add(leaf);
    else invalid("its audit path does not lead from this leaf to the root");
  }
}
