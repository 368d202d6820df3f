import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  evidenceTree,
  leafHash,
  merkleRoot,
  nodeHash,
  rootFromInclusion,
  verifyConsistency,
  verifyInclusion,
} from "../../src/tree/index.js";
import * as reference from "./reference.js";
import { flipped, haveVectors, hex, numberedLeaves, readVectors, spoiledPaths, unbase64 } from "./support.js";

const strange = reference.sha256(Uint8Array.of(255));

describe("inclusion", () => {
  it("accepts every leaf of every size up to 70 and nothing altered", () => {
    const wrong: string[] = [];
    for (let size = 1; size <= 70; size += 1) {
      const leaves = numberedLeaves(size);
      const tree = evidenceTree(leaves);
      leaves.forEach((leaf, index) => {
        const good = {
          leafHash: leafHash(leaf),
          index,
          size,
          path: tree.inclusionProof(index),
          root: tree.root,
        };
        const name = `${index} of ${size}`;
        if (!verifyInclusion(good)) wrong.push(`${name} refused`);
        for (const [how, path] of spoiledPaths(good.path, strange)) {
          if (verifyInclusion({ ...good, path })) wrong.push(`${name} accepted ${how}`);
        }
        for (let other = 0; other <= size; other += 1) {
          if (other !== index && verifyInclusion({ ...good, index: other }))
            wrong.push(`${name} accepted as ${other}`);
        }
        if (verifyInclusion({ ...good, root: flipped(good.root) }))
          wrong.push(`${name} accepted another root`);
        if (verifyInclusion({ ...good, leafHash: strange })) wrong.push(`${name} accepted another leaf`);
      });
    }
    expect(wrong).toEqual([]);
  });

  it("needs 32 bytes in leaf hash and root", () => {
    const tree = evidenceTree(numberedLeaves(1));
    const good = { leafHash: tree.root, index: 0, size: 1, path: [], root: tree.root };
    expect(verifyInclusion(good)).toBe(true);
    for (const length of [0, 31, 33]) {
      const hash = new Uint8Array(length);
      expect(rootFromInclusion({ ...good, leafHash: hash })).toBeNull();
      expect(verifyInclusion({ ...good, leafHash: hash, root: hash })).toBe(false);
      expect(verifyInclusion({ ...good, root: hash })).toBe(false);
    }
  });

  it("refuses an index at or past the size, size 0, and numbers that count nothing", () => {
    const tree = evidenceTree(numberedLeaves(4));
    const good = { leafHash: leafHash(Uint8Array.of(0, 3)), index: 3, size: 4, path: tree.inclusionProof(3) };
    expect(rootFromInclusion(good)).toEqual(tree.root);
    for (const index of [4, 7, -1, 3.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(rootFromInclusion({ ...good, index })).toBeNull();
    }
    for (const size of [0, -4, 4.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(rootFromInclusion({ ...good, size })).toBeNull();
      expect(rootFromInclusion({ ...good, index: 0, size, path: [] })).toBeNull();
    }
  });

  it("does not read an index of 2^32 and more as a smaller one", () => {
    const tree = evidenceTree(numberedLeaves(4));
    const good = { leafHash: leafHash(Uint8Array.of(0, 1)), index: 1, size: 4, path: tree.inclusionProof(1) };
    expect(rootFromInclusion(good)).toEqual(tree.root);
    expect(rootFromInclusion({ ...good, index: 2 ** 32 + 1, size: 2 ** 32 + 4 })).toBeNull();
  });

  it("does not bind the size, as RFC 6962 paths do not: it must come from a signed statement", () => {
    const tree = evidenceTree(numberedLeaves(3));
    const good = {
      leafHash: leafHash(Uint8Array.of(0, 0)),
      index: 0,
      size: 3,
      path: tree.inclusionProof(0),
      root: tree.root,
    };
    expect(verifyInclusion(good)).toBe(true);
    expect(verifyInclusion({ ...good, size: 4 })).toBe(true);
    expect(verifyInclusion({ ...good, size: 5 })).toBe(false);
  });

  it("refuses values that are not hashes", () => {
    const good = { leafHash: strange, index: 0, size: 2, path: [strange] };
    expect(rootFromInclusion(good)).toEqual(nodeHash(strange, strange));
    for (const value of [undefined, null, "00".repeat(32), { length: 32 }, new Array(32).fill(0)]) {
      const hash = value as unknown as Uint8Array; // what a caller without types can pass
      expect(rootFromInclusion({ ...good, path: [hash] })).toBeNull();
      expect(rootFromInclusion({ ...good, leafHash: hash })).toBeNull();
    }
  });

  it("refuses what is no claim at all", () => {
    const good = { leafHash: strange, index: 0, size: 1, path: [], root: strange };
    expect(verifyInclusion(good)).toBe(true);
    const { path: _, ...withoutPath } = good;
    for (const value of [
      undefined,
      null,
      0,
      "path",
      withoutPath,
      { ...good, path: null },
      { ...good, path: "" },
    ]) {
      const claim = value as unknown as typeof good; // what a caller without types can pass
      expect(verifyInclusion(claim)).toBe(false);
      expect(rootFromInclusion(claim)).toBeNull();
    }
    const callable = Object.assign(() => {}, good);
    expect(verifyInclusion(callable)).toBe(false);
  });

  it("returns bytes of its own", () => {
    const given = strange.slice();
    rootFromInclusion({ leafHash: given, index: 0, size: 1, path: [] })?.fill(0);
    expect(given).toEqual(strange);
  });
});

describe("consistency", () => {
  const same = { oldSize: 1, oldRoot: strange, newSize: 1, newRoot: strange, path: [] };

  it("refuses what is no claim at all", () => {
    expect(verifyConsistency(same)).toBe(true);
    const { path: _, ...withoutPath } = same;
    for (const value of [
      undefined,
      null,
      0,
      "path",
      withoutPath,
      { ...same, path: null },
      { ...same, path: "" },
    ]) {
      expect(verifyConsistency(value as unknown as typeof same)).toBe(false);
    }
  });

  it("refuses roots that are not hashes, the old and the new one by itself", () => {
    const tree = evidenceTree(numberedLeaves(3));
    const good = {
      oldSize: 2,
      oldRoot: merkleRoot(numberedLeaves(2)),
      newSize: 3,
      newRoot: tree.root,
      path: tree.consistencyProof(2),
    };
    expect(verifyConsistency(good)).toBe(true);
    for (const value of [undefined, null, "00".repeat(32), new Array(32).fill(0)]) {
      const root = value as unknown as Uint8Array; // what a caller without types can pass
      expect(verifyConsistency({ ...good, oldRoot: root })).toBe(false);
      expect(verifyConsistency({ ...good, newRoot: root })).toBe(false);
    }
  });

  it("refuses a tree that became smaller and kept its root", () => {
    expect(verifyConsistency({ ...same, oldSize: 4, newSize: 4 })).toBe(true);
    expect(verifyConsistency({ ...same, oldSize: 4, newSize: 2 })).toBe(false);
    expect(verifyConsistency({ ...same, oldSize: 2, newSize: 1 })).toBe(false);
  });

  it("accepts every pair of sizes up to 70 and nothing altered", () => {
    const wrong: string[] = [];
    const leaves = numberedLeaves(70);
    const roots = Array.from({ length: 71 }, (_, size) => merkleRoot(leaves.slice(0, size)));
    const rootOf = (size: number): Uint8Array => roots[size] ?? strange;
    for (let newSize = 1; newSize <= 70; newSize += 1) {
      const tree = evidenceTree(leaves.slice(0, newSize));
      for (let oldSize = 1; oldSize <= newSize; oldSize += 1) {
        const path = tree.consistencyProof(oldSize);
        const good = { oldSize, oldRoot: rootOf(oldSize), newSize, newRoot: tree.root, path };
        const name = `${oldSize} to ${newSize}`;
        const accepts = (how: string, claim: typeof good): void => {
          if (verifyConsistency(claim)) wrong.push(`${name} accepted ${how}`);
        };
        if (!verifyConsistency(good)) wrong.push(`${name} refused`);
        for (const [how, spoiled] of spoiledPaths(path, strange)) accepts(how, { ...good, path: spoiled });
        accepts("its own old root in front", { ...good, path: [good.oldRoot, ...path] });
        accepts("another old root", { ...good, oldRoot: flipped(good.oldRoot) });
        accepts("another new root", { ...good, newRoot: flipped(good.newRoot) });
        for (let other = 0; other <= newSize + 1; other += 1) {
          if (other !== oldSize) accepts(`old size ${other}`, { ...good, oldSize: other });
        }
        if (oldSize === newSize) continue;
        accepts("roots swapped", { ...good, oldRoot: good.newRoot, newRoot: good.oldRoot });
        accepts("sizes swapped", { ...good, oldSize: newSize, newSize: oldSize });
      }
    }
    expect(wrong).toEqual([]);
  });

  it("takes equal sizes with equal roots and an empty path only", () => {
    const good = { oldSize: 3, oldRoot: strange, newSize: 3, newRoot: strange, path: [] };
    expect(verifyConsistency(good)).toBe(true);
    expect(verifyConsistency({ ...good, path: [strange] })).toBe(false);
    expect(verifyConsistency({ ...good, newRoot: flipped(strange) })).toBe(false);
  });

  it("refuses an old size of 0, a shrinking tree, and numbers that count nothing", () => {
    const tree = evidenceTree(numberedLeaves(5));
    const good = {
      oldSize: 2,
      oldRoot: merkleRoot(numberedLeaves(2)),
      newSize: 5,
      newRoot: tree.root,
      path: tree.consistencyProof(2),
    };
    expect(verifyConsistency(good)).toBe(true);
    const empty = merkleRoot([]);
    expect(verifyConsistency({ ...good, oldSize: 0, oldRoot: empty, path: [] })).toBe(false);
    expect(verifyConsistency({ ...good, oldSize: 0, oldRoot: empty })).toBe(false);
    expect(verifyConsistency({ oldSize: 0, oldRoot: empty, newSize: 0, newRoot: empty, path: [] })).toBe(
      false,
    );
    for (const size of [6, -2, 2.5, Number.NaN, 2 ** 32 + 2, 2 ** 53]) {
      expect(verifyConsistency({ ...good, oldSize: size })).toBe(false);
    }
    for (const size of [0, 1, -5, 5.5, Number.NaN, 2 ** 32 + 5, 2 ** 53]) {
      expect(verifyConsistency({ ...good, newSize: size })).toBe(false);
    }
  });

  it("needs 32 bytes in both roots", () => {
    const good = { oldSize: 3, oldRoot: strange, newSize: 3, newRoot: strange, path: [] };
    expect(verifyConsistency(good)).toBe(true);
    for (const length of [0, 31, 33]) {
      const root = new Uint8Array(length);
      expect(verifyConsistency({ ...good, oldRoot: root, newRoot: root })).toBe(false);
    }
  });

  it("F068 sees a last leaf that was doubled", () => {
    const [a, b, c] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)] as const;
    const four = evidenceTree([a, b, c, c]);
    const claim = { oldSize: 3, newSize: 4, newRoot: four.root, path: four.consistencyProof(3) };
    expect(verifyConsistency({ ...claim, oldRoot: merkleRoot([a, b, c]) })).toBe(true);
    expect(verifyConsistency({ ...claim, oldRoot: four.root })).toBe(false);
  });
});

describe("against RFC 6962 read backwards, for sizes up to 2^53 - 1", () => {
  const hashes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), {
    minLength: 108,
    maxLength: 108,
  });
  const size = fc.oneof(
    fc.integer({ min: 1, max: 20 }),
    fc.maxSafeNat().map((n) => n + 1 - Math.floor(n / Number.MAX_SAFE_INTEGER)),
    // Around powers of two, where carrying goes wrong first.
    fc
      .tuple(fc.integer({ min: 1, max: 52 }), fc.integer({ min: -2, max: 2 }))
      .map(([k, d]) => Math.max(1, 2 ** k + d)),
  );

  it("takes exactly one path length for each index and size, and gives the same root", () => {
    fc.assert(
      fc.property(size, size, hashes, (a, b, pool) => {
        const [index, n] = [Math.min(a, b) - 1, Math.max(a, b)];
        let accepted = 0;
        for (let length = 0; length <= 54; length += 1) {
          const path = pool.slice(0, length);
          const want = reference.rootFromPath(BigInt(index), BigInt(n), strange, path);
          const got = rootFromInclusion({ leafHash: strange, index, size: n, path });
          expect(got === null ? null : hex(got)).toBe(want === null ? null : hex(want));
          if (want !== null) accepted += 1;
        }
        expect(accepted).toBe(1);
      }),
      { numRuns: 150 },
    );
  });

  it("takes exactly one path length for each pair of sizes, and checks both roots", () => {
    fc.assert(
      fc.property(size, size, hashes, (a, b, pool) => {
        const [oldSize, newSize] = [Math.min(a, b), Math.max(a, b)];
        let accepted = 0;
        for (let length = 0; length <= 107; length += 1) {
          const path = pool.slice(0, length);
          const want = reference.rootsFromProof(BigInt(oldSize), BigInt(newSize), strange, path);
          const claim = {
            oldSize,
            oldRoot: want?.old ?? strange,
            newSize,
            newRoot: want?.new ?? strange,
            path,
          };
          expect(verifyConsistency(claim)).toBe(want !== null);
          if (want === null) continue;
          accepted += 1;
          expect(verifyConsistency({ ...claim, oldRoot: flipped(claim.oldRoot) })).toBe(false);
          expect(verifyConsistency({ ...claim, newRoot: flipped(claim.newRoot) })).toBe(false);
        }
        expect(accepted).toBe(1);
      }),
      { numRuns: 150 },
    );
  });
});

/** Files about subtrees [start, end) belong to the Merkle tree certificates draft; this package has no such proofs. */
describe.skipIf(!haveVectors)("public vectors", () => {
  interface InclusionVector {
    readonly case: string;
    readonly leafIdx: number;
    readonly treeSize: number;
    readonly root: string;
    readonly leafHash: string;
    readonly proof: string[] | null;
    readonly wantErr: boolean;
  }
  interface ConsistencyVector {
    readonly case: string;
    readonly size1: number;
    readonly size2: number;
    readonly root1: string;
    readonly root2: string;
    readonly proof: string[] | null;
    readonly wantErr: boolean;
  }

  function judge(vector: InclusionVector | ConsistencyVector): boolean {
    const path = (vector.proof ?? []).map(unbase64);
    if ("leafIdx" in vector) {
      return verifyInclusion({
        leafHash: unbase64(vector.leafHash),
        index: vector.leafIdx,
        size: vector.treeSize,
        path,
        root: unbase64(vector.root),
      });
    }
    return verifyConsistency({
      oldSize: vector.size1,
      oldRoot: unbase64(vector.root1),
      newSize: vector.size2,
      newRoot: unbase64(vector.root2),
      path,
    });
  }

  /** Its two roots are the same 12 bytes; there, roots are any bytes. Here a root that is not 32 bytes is none. */
  const shortRoots = "consistency/additional/sizes-are-equal-one-and-proof-is-empty";

  it.each([
    ["inclusion.json", 2, 61],
    ["consistency.json", 5, 67],
    ["derived-130-leaf-proofs.json", 143, 0],
  ])("%s: %i to verify, %i to refuse", (file, good, bad) => {
    const vectors = readVectors(file) as (InclusionVector | ConsistencyVector)[];
    const differing = vectors
      .filter((vector) => judge(vector) === vector.wantErr)
      .map((vector) => vector.case);
    expect(differing).toEqual(file === "consistency.json" ? [shortRoots] : []);
    expect(vectors.filter((vector) => !vector.wantErr)).toHaveLength(good);
    expect(vectors.filter((vector) => vector.wantErr)).toHaveLength(bad);
  });

  it("takes the one case that differs once its roots are 32 bytes", () => {
    const same = { oldSize: 1, oldRoot: strange, newSize: 1, newRoot: strange, path: [] };
    expect(verifyConsistency(same)).toBe(true);
    const short = strange.slice(0, 12);
    expect(verifyConsistency({ ...same, oldRoot: short, newRoot: short })).toBe(false);
  });

  it("derived-130-leaf-proofs.json: our tree makes the same proofs", () => {
    const leaves = Array.from({ length: 130 }, (_, i) => Uint8Array.of(i));
    for (const vector of readVectors("derived-130-leaf-proofs.json") as (
      | InclusionVector
      | ConsistencyVector
    )[]) {
      const isInclusion = "leafIdx" in vector;
      const tree = evidenceTree(leaves.slice(0, isInclusion ? vector.treeSize : vector.size2));
      const made = isInclusion ? tree.inclusionProof(vector.leafIdx) : tree.consistencyProof(vector.size1);
      expect(made.map(hex), vector.case).toEqual((vector.proof ?? []).map((hash) => hex(unbase64(hash))));
    }
  });
});
