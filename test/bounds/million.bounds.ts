/** A million nodes deep and wide: what the checks EVIDENCE and DAG do with receipts, without a million signatures. */
import { describe, expect, it } from "vitest";
import type { Identified } from "../../src/bundle/contents.js";
import { claimedReceipts } from "../../src/bundle/references.js";
import type { ActionReceiptV3 } from "../../src/statements/receipt.js";
import { topologicalOrder } from "../../src/tree/graph.js";
import { evidenceTree, leafHash } from "../../src/tree/merkle.js";
import { canonicalOrder } from "../../src/tree/order.js";
import { verifyInclusion } from "../../src/tree/proof.js";

const MILLION = 1_000_000;
const digest = (index: number): string => `0x${((index * 7_919) % MILLION).toString(16).padStart(64, "0")}`;
const before = Uint32Array.from({ length: MILLION - 1 }, (_, index) => index);
const after = before.map((index) => index + 1);

describe("a million nodes in one chain", () => {
  it("have one order, and no cycle until the chain is closed", () => {
    const chain = topologicalOrder({ from: before, to: after }, MILLION);
    expect(chain.cyclic.length).toBe(0);
    expect(chain.order[0]).toBe(0);
    expect(chain.order[MILLION - 1]).toBe(MILLION - 1);
    const ring = topologicalOrder({ from: [...before, MILLION - 1], to: [...after, 0] }, MILLION);
    expect(ring.cyclic.length).toBe(MILLION);
  });

  it("stand in the tree in the order of the chain", () => {
    const items = Array.from({ length: MILLION }, (_, index) => ({
      digest: digest(index),
      parents: index === 0 ? [] : [digest(index - 1)],
    }));
    const order = canonicalOrder(items);
    expect(order?.length).toBe(MILLION);
    expect(order?.findIndex((placed, index) => placed !== digest(index))).toBe(-1);
    expect(
      canonicalOrder([...items.slice(1), { digest: digest(0), parents: [digest(MILLION - 1)] }]),
    ).toBeNull();
  });

  it("are all claimed by the last", () => {
    // Only the members that the walk reads; a million whole receipts would test the heap of the test.
    const receipts = Array.from({ length: MILLION }, (_, index) => ({
      digest: digest(index),
      statement: { session_id: "s", parent_receipt_digests: index === 0 ? [] : [digest(index - 1)] },
    })) as unknown as Identified<ActionReceiptV3>[];
    const claim = { scope: "causal", targets: [digest(MILLION - 1)] } as const;
    expect(claimedReceipts(receipts, claim).size).toBe(MILLION);
    expect(claimedReceipts(receipts, { ...claim, targets: [digest(9)] }).size).toBe(10);
  });
});

describe("a million parents of one node", () => {
  it("come before it", () => {
    const from = Uint32Array.from({ length: MILLION - 1 }, (_, index) => index + 1);
    const { order, cyclic } = topologicalOrder({ from, to: new Uint32Array(MILLION - 1) }, MILLION);
    expect(cyclic.length).toBe(0);
    expect(order[MILLION - 1]).toBe(0);
  });
});

describe("a million leaves of one tree", () => {
  it("have a root, and proofs of twenty hashes", () => {
    const leaves = Array.from({ length: MILLION }, (_, index) =>
      Uint8Array.of(index & 255, (index >> 8) & 255, index >> 16),
    );
    const { root, inclusionProof } = evidenceTree(leaves);
    for (const index of [0, 1, 524_287, MILLION - 1]) {
      const leaf = leafHash(leaves[index] ?? new Uint8Array());
      const proof = { leafHash: leaf, index, size: MILLION, path: inclusionProof(index), root };
      expect(proof.path.length).toBeLessThanOrEqual(20);
      expect(verifyInclusion(proof)).toBe(true);
      expect(verifyInclusion({ ...proof, index: index ^ 1 })).toBe(false);
    }
  });
});
