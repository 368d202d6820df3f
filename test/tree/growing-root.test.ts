import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/crypto/digest.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { GrowingRoot } from "../../src/tree/growing-root.js";
import { merkleRoot } from "../../src/tree/merkle.js";

describe("GrowingRoot", () => {
  it("gives the root of the whole tree for every size up to 300", () => {
    const leaves = Array.from({ length: 300 }, (_, i) => sha256(encodeUtf8(`leaf ${i}`)));
    for (let size = 0; size <= leaves.length; size += 1) {
      const growing = new GrowingRoot();
      for (const leaf of leaves.slice(0, size)) growing.add(Uint8Array.of(9, ...leaf, 9), 1);
      expect(growing.count).toBe(size);
      expect(encodeHex(growing.root())).toBe(encodeHex(merkleRoot(leaves.slice(0, size))));
    }
  });
});
