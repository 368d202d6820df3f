import { createHash } from "node:crypto";
import { MerkleTree } from "merkletreejs";
import { describe, expect, it } from "vitest";
import { OsaProofError } from "../../src/errors.js";
import {
  emptyRoot,
  evidenceTree,
  evidenceTreeOfDigests,
  leafHash,
  merkleRoot,
  merkleRootOfDigests,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from "../../src/tree/index.js";
import * as reference from "./reference.js";
import { haveVectors, hex, numberedLeaves, readVectors, unhex } from "./support.js";

/** The eight-leaf tree that Certificate Transparency implementations share. */
const ctLeaves = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map(unhex);
const ctRoots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
const ctSecondPair = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e";
const ctSecondHalf = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4";

function expectArgumentError(run: () => unknown): void {
  let caught: unknown;
  try {
    run();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(OsaProofError);
  expect(caught).toMatchObject({ code: "ARGUMENT_INVALID" });
}

describe("the Certificate Transparency tree", () => {
  it.each(ctRoots.map((root, size) => [size, root] as const))(
    "has its known root at size %i",
    (size, root) => {
      const leaves = ctLeaves.slice(0, size);
      expect(hex(merkleRoot(leaves))).toBe(root);
      expect(hex(evidenceTree(leaves).root)).toBe(root);
    },
  );

  it("has its known proofs", () => {
    const tree = evidenceTree(ctLeaves);
    const leaf = (i: number): string => hex(leafHash(ctLeaves[i] ?? new Uint8Array()));
    expect(tree.inclusionProof(0).map(hex)).toEqual([leaf(1), ctSecondPair, ctSecondHalf]);
    expect(tree.consistencyProof(1).map(hex)).toEqual([leaf(1), ctSecondPair, ctSecondHalf]);
    expect(tree.consistencyProof(4).map(hex)).toEqual([ctSecondHalf]);
    expect(tree.consistencyProof(8)).toEqual([]);
    expect(evidenceTree(ctLeaves.slice(0, 5)).inclusionProof(4).map(hex)).toEqual([ctRoots[4]]);
  });

  it.skipIf(!haveVectors)("equals the published list of all its nodes", () => {
    const known = readVectors("known-trees.json") as {
      leafInputsHex: string[];
      nodeHashesHex: string[][];
      rootHashesHexBySize: string[];
    };
    const leaves = known.leafInputsHex.map(unhex);
    known.rootHashesHexBySize.forEach((root, size) => {
      expect(hex(merkleRoot(leaves.slice(0, size)))).toBe(root);
    });
    known.nodeHashesHex.forEach((level, height) => {
      level.forEach((want, i) => {
        expect(hex(merkleRoot(leaves.slice(i * 2 ** height, (i + 1) * 2 ** height)))).toBe(want);
      });
    });
  });
});

describe("hashing", () => {
  it("gives the empty tree the hash of nothing, which is not the hash of an empty leaf", () => {
    expect(emptyRoot).toBe(`0x${hex(merkleRoot([]))}`);
    expect(hex(evidenceTree([]).root)).toBe(emptyRoot.slice(2));
    expect(hex(merkleRoot([new Uint8Array(0)]))).not.toBe(emptyRoot.slice(2));
  });

  it("prefixes leaves with 0x00 and nodes with 0x01", () => {
    const [a, b] = [leafHash(Uint8Array.of(7)), leafHash(Uint8Array.of(8))];
    expect(hex(a)).toBe(hex(reference.sha256(Uint8Array.of(0, 7))));
    expect(hex(nodeHash(a, b))).toBe(hex(reference.node(a, b)));
    expect(hex(nodeHash(a, b))).not.toBe(hex(leafHash(Uint8Array.of(...a, ...b))));
  });

  it("makes a node from two hashes of 32 bytes only", () => {
    const hash = new Uint8Array(32);
    expect(nodeHash(hash, hash)).toHaveLength(32);
    for (const length of [0, 31, 33, 64]) {
      expectArgumentError(() => nodeHash(new Uint8Array(length), hash));
      expectArgumentError(() => nodeHash(hash, new Uint8Array(length)));
    }
    // 31 and 33 bytes run together into the same 64 as 32 and 32.
    expectArgumentError(() => nodeHash(new Uint8Array(31), new Uint8Array(33)));
  });

  it("refuses leaf data that is not bytes", () => {
    const text = "0x00" as unknown as Uint8Array; // what a caller without types can pass
    expectArgumentError(() => leafHash(text));
    expectArgumentError(() => merkleRoot([Uint8Array.of(0), text]));
    expectArgumentError(() => evidenceTree([text]));
  });

  it("F068 never pairs an odd leaf with itself", () => {
    const [a, b, c] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)] as const;
    expect(hex(merkleRoot([a, b, c]))).toBe(hex(reference.mth([a, b, c])));
    expect(hex(merkleRoot([a, b, c, c]))).toBe(hex(reference.mth([a, b, c, c])));
    expect(hex(merkleRoot([a, b, c]))).not.toBe(hex(merkleRoot([a, b, c, c])));
  });

  it("depends on the order of leaves", () => {
    const [a, b] = [Uint8Array.of(1), Uint8Array.of(2)] as const;
    expect(hex(merkleRoot([a, b]))).not.toBe(hex(merkleRoot([b, a])));
  });

  it("handles leaves of mixed length in one tree", () => {
    const leaves = [0, 32, 32, 1, 1000, 0, 32].map((length, i) => new Uint8Array(length).fill(i));
    expect(hex(merkleRoot(leaves))).toBe(hex(reference.mth(leaves)));
    expect(evidenceTree(leaves).inclusionProof(3).map(hex)).toEqual(reference.path(3, leaves).map(hex));
  });
});

describe("evidenceTree", () => {
  it("equals RFC 6962 for every index and every pair of sizes up to 70", () => {
    for (let size = 1; size <= 70; size += 1) {
      const leaves = numberedLeaves(size);
      const tree = evidenceTree(leaves);
      expect(tree.size).toBe(size);
      expect(hex(tree.root)).toBe(hex(reference.mth(leaves)));
      expect(hex(merkleRoot(leaves))).toBe(hex(tree.root));
      for (let i = 0; i < size; i += 1) {
        expect(tree.inclusionProof(i).map(hex), `${i} of ${size}`).toEqual(
          reference.path(i, leaves).map(hex),
        );
        expect(tree.consistencyProof(i + 1).map(hex), `${i + 1} to ${size}`).toEqual(
          reference.proof(i + 1, leaves).map(hex),
        );
      }
    }
  });

  it("equals merkletreejs, told to follow RFC 6962, for every path of every size from 1 to 300", () => {
    const hashNode = (data: Buffer): Buffer =>
      createHash("sha256").update(Uint8Array.of(1)).update(data).digest();
    const all = numberedLeaves(300);
    const hashes = all.map((leaf) => createHash("sha256").update(Uint8Array.of(0)).update(leaf).digest());
    for (let size = 1; size <= all.length; size += 1) {
      const options = { hashLeaves: false, sortPairs: false, duplicateOdd: false };
      const oracle = new MerkleTree(hashes.slice(0, size), hashNode, options);
      const tree = evidenceTree(all.slice(0, size));
      expect(hex(tree.root)).toBe(hex(oracle.getRoot()));
      for (let i = 0; i < size; i += 1) {
        // Asked with the index: by leaf alone it would search, and answer for the last equal leaf.
        const want = oracle.getProof(hashes[i] ?? "", i).map((step) => hex(step.data));
        if (tree.inclusionProof(i).map(hex).join() !== want.join()) expect.fail(`${i} of ${size} differs`);
      }
    }
  });

  it("refuses a place outside the tree", () => {
    const tree = evidenceTree(numberedLeaves(5));
    expect(tree.inclusionProof(4)).toHaveLength(1);
    expect(tree.consistencyProof(1)).toHaveLength(3);
    for (const index of [5, 6, -1, 0.5, Number.NaN, 2 ** 53])
      expectArgumentError(() => tree.inclusionProof(index));
    for (const size of [0, 6, -1, 0.5, Number.NaN]) expectArgumentError(() => tree.consistencyProof(size));
    expectArgumentError(() => evidenceTree([]).inclusionProof(0));
    expectArgumentError(() => evidenceTree([]).consistencyProof(0));
  });

  it("gives out copies", () => {
    const leaves = numberedLeaves(3);
    const tree = evidenceTree(leaves);
    const before = hex(tree.root);
    expect(tree.root.buffer.byteLength).toBe(32);
    tree.root.fill(0);
    for (const hash of tree.inclusionProof(2)) hash.fill(0);
    leaves[0]?.fill(9);
    expect(tree.inclusionProof(2).map(hex)).toEqual(reference.path(2, numberedLeaves(3)).map(hex));
    expect(hex(evidenceTree(numberedLeaves(3)).root)).toBe(before);
  });
});

/** `count` different digests, one behind the other, beginning `offset` bytes into their buffer. */
function digestsOf(count: number, offset = 0): Uint8Array {
  const digests = new Uint8Array(new ArrayBuffer(offset + 32 * count), offset);
  const view = new DataView(digests.buffer, offset);
  // High bytes too, and both words that end a digest.
  for (let i = 0; i < count; i += 1) {
    view.setUint32(32 * i, i * 0x9e3779b1);
    view.setUint32(32 * i + 28, ~i);
  }
  return digests;
}

function split(digests: Uint8Array): Uint8Array[] {
  return Array.from({ length: digests.length / 32 }, (_, i) => digests.slice(32 * i, 32 * i + 32));
}

describe("leaves in one array", () => {
  it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 100])("%i give what an array for each gives", (size) => {
    const digests = digestsOf(size);
    const leaves = split(digests);
    const [tree, plain] = [evidenceTreeOfDigests(digests), evidenceTree(leaves)];
    expect(tree.size).toBe(size);
    expect(hex(tree.root)).toBe(hex(reference.mth(leaves)));
    expect(hex(merkleRootOfDigests(digests))).toBe(hex(tree.root));
    for (let i = 0; i < size; i += 1) {
      expect(tree.inclusionProof(i).map(hex)).toEqual(plain.inclusionProof(i).map(hex));
      expect(tree.consistencyProof(i + 1).map(hex)).toEqual(plain.consistencyProof(i + 1).map(hex));
    }
  });

  it.each([1023, 1024, 1025, 1026, 1536, 2047, 2048, 2049, 3077, 4096, 4097, 5121])(
    "%i, around whole blocks, equal RFC 6962 in either form",
    (size) => {
      const digests = digestsOf(size);
      const leaves = split(digests);
      const root = hex(reference.mth(leaves));
      for (const tree of [evidenceTreeOfDigests(digests), evidenceTree(leaves)]) {
        expect(hex(tree.root)).toBe(root);
        for (const i of [0, 1, 511, 1022, size - 3, size - 2, size - 1]) {
          expect(tree.inclusionProof(i).map(hex), `${i}`).toEqual(reference.path(i, leaves).map(hex));
          const old = reference.proof(i + 1, leaves);
          expect(tree.consistencyProof(i + 1).map(hex), `${i + 1}`).toEqual(old.map(hex));
        }
      }
      expect(hex(merkleRootOfDigests(digests))).toBe(root);
      expect(hex(merkleRoot(leaves))).toBe(root);
    },
  );

  it("equal RFC 6962 above a million, where blocks are stacked three high", () => {
    const size = 2 ** 20 + 3;
    const digests = digestsOf(size);
    const tree = evidenceTreeOfDigests(digests);
    // 2^20 leaves, and the three behind them.
    const whole = merkleRootOfDigests(digests.subarray(0, 32 * 2 ** 20));
    const rest = reference.mth(split(digests.subarray(32 * 2 ** 20)));
    expect(hex(tree.root)).toBe(hex(reference.node(whole, rest)));
    expect(hex(merkleRootOfDigests(digests))).toBe(hex(tree.root));
    for (const index of [0, 1, 777_777, 2 ** 20 - 1, 2 ** 20, size - 1]) {
      const leaf = digests.subarray(32 * index, 32 * index + 32);
      const claim = { leafHash: leafHash(leaf), index, size, root: tree.root };
      expect(verifyInclusion({ ...claim, path: tree.inclusionProof(index) })).toBe(true);
    }
    for (const oldSize of [1, 1000, 1025, 2 ** 19, 2 ** 20, 2 ** 20 + 1, size - 1]) {
      const claim = {
        oldSize,
        newSize: size,
        oldRoot: merkleRootOfDigests(digests.subarray(0, 32 * oldSize)),
        newRoot: tree.root,
      };
      expect(verifyConsistency({ ...claim, path: tree.consistencyProof(oldSize) })).toBe(true);
    }
  });

  it("may begin anywhere in their buffer, and are not kept", () => {
    for (const offset of [0, 1, 2, 3, 5]) {
      const digests = digestsOf(11, offset);
      const [tree, root] = [evidenceTreeOfDigests(digests), hex(reference.mth(split(digests)))];
      expect(hex(merkleRootOfDigests(digests))).toBe(root);
      digests.fill(0);
      expect(hex(tree.root)).toBe(root);
      expect(tree.inclusionProof(3).map(hex)).toEqual(reference.path(3, split(digestsOf(11))).map(hex));
    }
  });

  it("are whole digests", () => {
    expect(evidenceTreeOfDigests(new Uint8Array(64)).size).toBe(2);
    for (const wrong of [new Uint8Array(31), new Uint8Array(33), "0x" as unknown as Uint8Array]) {
      expectArgumentError(() => evidenceTreeOfDigests(wrong));
      expectArgumentError(() => merkleRootOfDigests(wrong));
    }
  });
});

describe("leaves of an array for each", () => {
  it("may be digests up to one that is not, in any block", () => {
    for (const odd of [0, 1, 500, 1023, 1024, 1030]) {
      const leaves = split(digestsOf(1031)).with(odd, Uint8Array.of(odd % 256));
      expect(hex(merkleRoot(leaves))).toBe(hex(reference.mth(leaves)));
      expect(hex(evidenceTree(leaves).root)).toBe(hex(reference.mth(leaves)));
    }
  });

  it("are each refused when they are no bytes, before or after such a one", () => {
    const text = "0x00" as unknown as Uint8Array;
    for (const at of [0, 5, 1024, 1029]) {
      const leaves = split(digestsOf(1030)).with(at, text);
      for (const some of [leaves, leaves.with(2, Uint8Array.of(2))]) {
        expectArgumentError(() => merkleRoot(some));
        expectArgumentError(() => evidenceTree(some));
      }
    }
  });
});
