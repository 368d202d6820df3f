/**
 * What spans several lines of a stream: the targets of its claim, and the leaves or proofs of a tree. Each is an array
 * of the bundle that the stream stands for.
 */
import type { Fault } from "../statements/schema.js";
import { NamedDigests } from "../tree/digest-list.js";
import type { EvidenceTreeHead } from "./format.js";
import type { LineName } from "./stream-format.js";
import type { LinePlace } from "./stream-line.js";

export class StreamParts {
  readonly #fault: (fault: Fault) => void;
  readonly #targets = new NamedDigests();
  #tree: {
    readonly head: EvidenceTreeHead | null;
    readonly pointer: string;
    leaves: number;
    proofs: number;
  } | null = null;
  #trees = 0;

  constructor(fault: (fault: Fault) => void) {
    this.#fault = fault;
  }

  /** Where the value of the next line of a name belongs; `index` is its place among the lines of its name. */
  placeOf(name: LineName | "header", index: number): LinePlace {
    const tree = this.#tree;
    if (name === "header") return { at: "", offset: 0 };
    if (name === "targets") return { at: "/claim/targets", offset: this.#targets.count };
    if (name === "leaves" && tree !== null) return { at: `${tree.pointer}/leaves`, offset: tree.leaves };
    if (name === "proofs" && tree !== null) return { at: `${tree.pointer}/proofs/${tree.proofs}`, offset: 0 };
    return { at: `/${name}/${index}`, offset: 0 };
  }

  /** Takes note of a line that was read; undefined stands for a value that its schema refused. */
  met(name: LineName | "header", value: unknown): void {
    if (name === "targets") this.#meetTargets((value ?? []) as readonly string[]);
    if (name === "evidence_trees") {
      this.endTree();
      const pointer = `/evidence_trees/${this.#trees}`;
      this.#tree = { head: (value ?? null) as EvidenceTreeHead | null, pointer, leaves: 0, proofs: 0 };
      this.#trees += 1;
    }
    if (name === "leaves" && this.#tree !== null)
      this.#tree.leaves += Math.max(1, ((value ?? []) as readonly string[]).length);
    if (name === "proofs" && this.#tree !== null) this.#tree.proofs += 1;
  }

  #meetTargets(digests: readonly string[]): void {
    for (const digest of digests) {
      const pointer = `/claim/targets/${this.#targets.count}`;
      if (this.#targets.addHex(digest)) continue;
      this.#fault({ code: "FORMAT_VALUE_INVALID", pointer, detail: "expected each item once" });
    }
  }

  /** Checks the tree whose last line has been read: leaves in mode `complete`, proofs in mode `inclusion`. */
  endTree(): void {
    const tree = this.#tree;
    this.#tree = null;
    if (tree === null || tree.head === null) return;
    const wanted = tree.head.mode === "complete" ? "leaves" : "proofs";
    const other = wanted === "leaves" ? "proofs" : "leaves";
    if (tree[wanted] === 0) {
      const pointer = `${tree.pointer}/${wanted}`;
      this.#fault({ code: "FORMAT_MISSING_MEMBER", pointer, detail: "required here" });
    } else if (tree[other] > 0) {
      const pointer = `${tree.pointer}/${other}`;
      this.#fault({ code: "FORMAT_UNKNOWN_MEMBER", pointer, detail: "not allowed here" });
    }
  }
}
