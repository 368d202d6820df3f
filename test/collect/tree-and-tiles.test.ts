import { describe, expect, it } from "vitest";
import { parseCheckpoint } from "../../src/anchors/checkpoint.js";
import { parseNote } from "../../src/anchors/note.js";
import { HashTree } from "../../src/collect/hash-tree.js";
import { decodeEntries, encodeEntries, levelsOf, newTiles, tilePath } from "../../src/collect/tiles.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { evidenceTree, leafHash } from "../../src/tree/merkle.js";
import { CT_LEAVES, haveVectors, present, vectorBytes, vectorText } from "../anchors/support.js";

describe("HashTree", () => {
  it("has the root and proofs of the tree of every size it ever had", () => {
    const leaves = Array.from({ length: 40 }, (_, i) => Uint8Array.of(i));
    const tree = new HashTree();
    for (const leaf of leaves) tree.append(leafHash(leaf));
    expect(tree.size).toBe(leaves.length);
    for (let size = 1; size <= leaves.length; size++) {
      const reference = evidenceTree(leaves.slice(0, size));
      expect(tree.root(size)).toEqual(reference.root);
      for (let other = 0; other < size; other++) {
        expect(tree.inclusionProof(other, size)).toEqual(reference.inclusionProof(other));
        if (other > 0) expect(tree.consistencyProof(other, size)).toEqual(reference.consistencyProof(other));
      }
      expect(tree.consistencyProof(size, size)).toEqual([]);
      expect(tree.consistencyProof(0, size)).toEqual([]);
    }
  });

  it("has the public roots", () => {
    const tree = new HashTree();
    expect(encodeHex(tree.root())).toBe("0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    for (const leaf of CT_LEAVES) tree.append(leafHash(leaf));
    expect(encodeHex(tree.root())).toBe("0x5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
    expect(encodeHex(tree.root(5))).toBe(
      "0x4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    );
    expect(() => tree.node(3, 1)).toThrow(RangeError);
  });
});

describe("tiles", () => {
  it.each([
    [{ level: 0, index: 5, width: 256 }, "tile/0/005"],
    [{ level: 0, index: 1_234_067, width: 256 }, "tile/0/x001/x234/067"],
    [{ level: 1, index: 1000, width: 256 }, "tile/1/x001/000"],
    [{ level: 2, index: 0, width: 1 }, "tile/2/000.p/1"],
    [{ level: "entries", index: 273, width: 112 }, "tile/entries/273.p/112"],
  ] as const)("%j stands at %s", (tile, path) => {
    expect(tilePath(tile)).toBe(path);
  });

  it("a log of 70,000 entries has three levels of the stated widths", () => {
    const tiles = newTiles(0, 70_000);
    expect(levelsOf(70_000)).toEqual(["entries", 0, 1, 2]);
    const of = (level: number): string[] => tiles.filter((tile) => tile.level === level).map(tilePath);
    expect([of(0).length, of(0).at(-1)]).toEqual([274, "tile/0/273.p/112"]);
    expect(of(1)).toEqual(["tile/1/000", "tile/1/001.p/17"]);
    expect(of(2)).toEqual(["tile/2/000.p/1"]);
  });

  it("growth touches only what grew", () => {
    expect(newTiles(0, 0)).toEqual([]);
    expect(newTiles(300, 300)).toEqual([]);
    expect(newTiles(255, 256).map(tilePath)).toEqual(["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]);
    expect(newTiles(256, 257).map(tilePath)).toEqual(["tile/entries/001.p/1", "tile/0/001.p/1"]);
    expect(newTiles(250, 520).map(tilePath)).toEqual([
      "tile/entries/000",
      "tile/entries/001",
      "tile/entries/002.p/8",
      "tile/0/000",
      "tile/0/001",
      "tile/0/002.p/8",
      "tile/1/000.p/2",
    ]);
  });

  it("entry tiles are read back, and refused when they hold more, fewer or a cut entry", () => {
    const entries = [new Uint8Array(), Uint8Array.of(7), new Uint8Array(65_535).fill(3)];
    const tile = encodeEntries(entries);
    expect(decodeEntries(tile, 3, 3)).toEqual(entries);
    expect(decodeEntries(tile, 2, 3)).toEqual(entries.slice(0, 2));
    expect(decodeEntries(tile, 2, 2)).toBeNull();
    expect(decodeEntries(tile, 4, 4)).toBeNull();
    expect(decodeEntries(tile.slice(0, -1), 3, 3)).toBeNull();
    expect(decodeEntries(Uint8Array.of(0), 1, 1)).toBeNull();
  });
});

describe.skipIf(!haveVectors)("public tiles", () => {
  it("the hashes of a mirrored log lead to its signed root", () => {
    const tree = new HashTree();
    const [first, second] = ["000", "001.p/44"].map((name) =>
      vectorBytes(`sunlight-mirror-300/tile/0/${name}`),
    );
    for (const tile of [present(first), present(second)]) {
      for (let at = 0; at < tile.length; at += 32) tree.append(tile.subarray(at, at + 32));
    }
    const note = present(parseNote(vectorText("sunlight-mirror-300/checkpoint")));
    expect(tree.root()).toEqual(present(parseCheckpoint(note.text)).root);
    expect(tree.node(8, 0)).toEqual(vectorBytes("sunlight-mirror-300/tile/1/000.p/1"));
  });
});
