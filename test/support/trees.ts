/** Evidence and action trees of the fixture world, and how a bundle shows them. */
import type { Anchor, EvidenceTreeV1 } from "../../src/bundle/format.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { type EvidenceTree, evidenceTree } from "../../src/tree/merkle.js";

export interface TreeInWorld {
  readonly label: string;
  readonly leaves: readonly string[];
  readonly anchors: readonly Anchor[];
}

function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array(0);
}

/** The tree over an action's evidence commitments. */
export function actionTree(items: readonly string[]): EvidenceTree {
  return evidenceTree(items.map(bytesOf));
}

/** The RFC 6962 root over digests as leaf data, `0x` hex. */
export function rootOf(leaves: readonly string[]): string {
  return encodeHex(evidenceTree(leaves.map(bytesOf)).root);
}

/** The whole tree, or inclusion proofs of the leaves shown. */
export function showTree(tree: TreeInWorld, shown: ReadonlySet<string> | null): EvidenceTreeV1 {
  const built = evidenceTree(tree.leaves.map(bytesOf));
  const common = { root: encodeHex(built.root), tree_size: tree.leaves.length, anchors: tree.anchors };
  if (shown === null || tree.leaves.every((leaf) => shown.has(leaf))) {
    return { ...common, mode: "complete", leaves: tree.leaves };
  }
  const proofs = tree.leaves.flatMap((leaf, index) =>
    shown.has(leaf)
      ? [
          {
            statement_digest: leaf,
            leaf_index: index,
            audit_path: built.inclusionProof(index).map(encodeHex),
          },
        ]
      : [],
  );
  return { ...common, mode: "inclusion", proofs };
}
