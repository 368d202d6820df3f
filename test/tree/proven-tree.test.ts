/** Proofs of one tree, judged together, get the answers that each gets alone. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { backend } from "../../src/crypto/backend-node.js";
import { sha256 } from "../../src/crypto/digest.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { evidenceTree, leafHash, rootFromInclusion, verifyInclusion } from "../../src/tree/index.js";
import { ProvenTree as ProofsAlone } from "../../src/tree/proofs-alone.js";
import { ProvenTree } from "../../src/tree/proven-tree.js";
import { flipped, spoiledPaths } from "./support.js";

/** A proof in text. */
interface Claim {
  readonly digest: string;
  readonly index: number;
  readonly path: readonly string[];
}

const bytesOf = (text: string): Uint8Array => decodeHex(text) ?? new Uint8Array(0);
const leafOf = (number: number): Uint8Array => sha256(Uint8Array.of(number >> 8, number & 0xff));

function treeOf(size: number) {
  const leaves = Array.from({ length: size }, (_, index) => leafOf(index));
  const tree = evidenceTree(leaves);
  const claims = leaves.map(
    (leaf, index): Claim => ({
      digest: encodeHex(leaf),
      index,
      path: tree.inclusionProof(index).map(encodeHex),
    }),
  );
  return { root: encodeHex(tree.root), claims };
}

function holdsAlone(root: string, size: number, { digest, index, path }: Claim): boolean {
  const holds = verifyInclusion({
    leafHash: leafHash(bytesOf(digest)),
    index,
    size,
    path: path.map(bytesOf),
    root: bytesOf(root),
  });
  // What pages get in place of the proven tree.
  expect(new ProofsAlone(root, size).proves(digest, index, path)).toBe(holds);
  return holds;
}

/** Every way to spoil a good proof: its path, its leaf, its index. */
function spoiled({ digest, index, path }: Claim, size: number): Claim[] {
  const paths = spoiledPaths(path.map(bytesOf), leafOf(9_999));
  const claims = paths.map(([, changed]) => ({ digest, index, path: changed.map(encodeHex) }));
  claims.push({ digest: encodeHex(flipped(bytesOf(digest))), index, path: [...path] });
  for (let other = 0; other <= size + 1; other += 1)
    if (other !== index) claims.push({ digest, index: other, path: [...path] });
  return claims;
}

describe("proofs of one tree", () => {
  it("of every size up to 33 hold in any order, and nothing altered does, before them, among them or behind them", () => {
    const wrong: string[] = [];
    for (let size = 1; size <= 33; size += 1) {
      const { root, claims } = treeOf(size);
      for (const order of [
        claims,
        claims.toReversed(),
        claims.toSorted((a, b) => (a.digest < b.digest ? -1 : 1)),
      ]) {
        const tree = new ProvenTree(root, size);
        const proves = ({ digest, index, path }: Claim): boolean => tree.proves(digest, index, path);
        for (const claim of order) {
          for (const bad of spoiled(claim, size)) if (proves(bad)) wrong.push(`${size} ${bad.index} before`);
          if (!proves(claim)) wrong.push(`${size} ${claim.index} refused`);
          for (const bad of spoiled(claim, size)) if (proves(bad)) wrong.push(`${size} ${bad.index} behind`);
          if (!proves(claim)) wrong.push(`${size} ${claim.index} refused the second time`);
        }
      }
      const other = new ProvenTree(encodeHex(flipped(bytesOf(root))), size);
      if (claims.some(({ digest, index, path }) => other.proves(digest, index, path)))
        wrong.push(`${size} accepted another root`);
    }
    expect(wrong).toEqual([]);
  });

  it("are judged as each is alone, whatever is asked in whatever order, of the right or another size", () => {
    const trees = [1, 2, 3, 6, 7, 11, 64, 97].map((size) => ({ size, ...treeOf(size) }));
    let held = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...trees),
        fc.integer({ min: -2, max: 2 }),
        fc.array(fc.tuple(fc.nat(200), fc.nat(200), fc.nat(200)), { maxLength: 30 }),
        ({ root, claims, size }, off, asked) => {
          const told = Math.max(1, size + off);
          const tree = new ProvenTree(root, told);
          for (const [which, how, where] of asked) {
            const claim = claims[which % claims.length] as Claim;
            const other = claims[where % claims.length] as Claim;
            const at = where % (claim.path.length + 1);
            const changed: Claim = [
              claim,
              claim,
              { ...claim, index: other.index },
              { ...claim, digest: other.digest },
              { ...claim, path: other.path },
              { ...claim, path: claim.path.map((hash, i) => (i === at ? other.digest : hash)) },
              { ...claim, path: [...claim.path.slice(0, at), ...other.path.slice(at)] },
              { ...claim, path: claim.path.slice(0, at) },
              { ...claim, path: [...claim.path, other.digest] },
            ].at(how % 9) as Claim;
            const holds = tree.proves(changed.digest, changed.index, changed.path);
            expect(holds).toBe(holdsAlone(root, told, changed));
            if (holds) held += 1;
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(held).toBeGreaterThan(1_000);
  });

  it("take about three hashes each, however long their paths are", () => {
    const size = 1_000;
    const { root, claims } = treeOf(size);
    const hashing = vi.spyOn(backend, "sha256Into");
    const tree = new ProvenTree(root, size);
    for (const { digest, index, path } of claims) expect(tree.proves(digest, index, path)).toBe(true);
    expect(hashing.mock.calls.length).toBeLessThan(3 * size + 20);
    expect(hashing.mock.calls.length).toBeGreaterThan(2 * size);
    hashing.mockRestore();
  });

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 40, 2 ** 52])("of size %d hold at both ends", (size) => {
    for (const index of [0, Math.floor(size / 4) * 2, size - 1]) {
      // The leaf beside this one, where there is one, has the same path behind its first hash.
      const beside = index % 2 === 1 ? index - 1 : index + 1;
      const isAlone = beside >= size;
      const [digest, other] = [leafOf(1), leafOf(2)];
      let path: Uint8Array[] = isAlone ? [] : [leafHash(other)];
      let found: Uint8Array | null = null;
      while (found === null && path.length < 64) {
        found = rootFromInclusion({ leafHash: leafHash(digest), index, size, path });
        if (found === null) path = [...path, leafOf(100 + path.length)];
      }
      expect(path.length).toBeGreaterThan(0);
      const root = encodeHex(found ?? new Uint8Array(0));
      const claim: Claim = { digest: encodeHex(digest), index, path: path.map(encodeHex) };
      const tree = new ProvenTree(root, size);
      const proves = ({ digest, index, path }: Claim): boolean => tree.proves(digest, index, path);
      for (let round = 0; round < 2; round += 1) {
        expect(proves(claim)).toBe(true);
        for (const bad of spoiled(claim, 3)) expect(proves(bad)).toBe(holdsAlone(root, size, bad));
        expect(proves({ ...claim, index: index + 2 ** 32 })).toBe(false);
      }
      if (isAlone) continue;
      const neighbour: Claim = {
        digest: encodeHex(other),
        index: beside,
        path: [leafHash(digest), ...path.slice(1)].map(encodeHex),
      };
      expect(proves(neighbour)).toBe(true);
      for (const bad of spoiled(neighbour, 3)) expect(proves(bad)).toBe(holdsAlone(root, size, bad));
    }
  });

  it("prove nothing in any other text", () => {
    const { root, claims } = treeOf(8);
    const [{ digest, index, path }] = claims as [Claim];
    const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`;
    const tree = new ProvenTree(root, 8);
    for (let round = 0; round < 2; round += 1) {
      for (const odd of ["", "0x", digest.slice(0, -2), `${digest}00`, upper(digest), digest.slice(2)]) {
        expect(tree.proves(odd, index, path)).toBe(false);
        for (let at = 0; at < path.length; at += 1)
          expect(tree.proves(digest, index, path.with(at, odd))).toBe(false);
      }
      for (let at = 0; at < path.length; at += 1)
        expect(tree.proves(digest, index, path.with(at, upper(path[at] ?? "")))).toBe(false);
      expect(tree.proves(digest, index, path)).toBe(true);
    }
  });
});
