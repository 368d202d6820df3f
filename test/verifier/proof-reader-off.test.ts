/** No verdict, code, pointer or message depends on how a proof was read, or on which proofs came before it. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { type EvidenceTreeV1, type ProofBundleV3, proofBundle } from "../../src/bundle/format.js";
import { ProofReader } from "../../src/bundle/proof-reader.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { Faults } from "../../src/statements/schema.js";
import { evidenceTree, leafHash } from "../../src/tree/merkle.js";
import { verifyInclusion } from "../../src/tree/proof.js";
import { ProvenTree } from "../../src/tree/proven-tree.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { type Fixture, loadInvalid, VALID } from "../hostile/fixtures.js";

let isPlain = false;
let read = 0;

const readProof = ProofReader.prototype.read;
vi.spyOn(ProofReader.prototype, "read").mockImplementation(function (this: ProofReader, start) {
  const found = isPlain ? null : readProof.call(this, start);
  if (found !== null) read += 1;
  return found;
});

const bytesOf = (digest: string): Uint8Array => decodeHex(digest) ?? new Uint8Array(0);

/** Judges a bundle the short way, then the plain way, in which each proof is read and hashed as if it were the only one. */
function bothReports({ bundle, trust, options }: Pick<Fixture, "bundle" | "trust" | "options">) {
  isPlain = false;
  const report = verifyBundle(bundle, trust as Uint8Array, options);
  isPlain = true;
  const trees = evidenceTreesOf(bundle);
  const proves = vi.spyOn(ProvenTree.prototype, "proves").mockImplementation((digest, index, path) =>
    trees.some(({ root, tree_size: size }) =>
      verifyInclusion({
        leafHash: leafHash(bytesOf(digest)),
        index,
        size,
        path: path.map(bytesOf),
        root: bytesOf(root),
      }),
    ),
  );
  const plain = verifyBundle(bundle, trust as Uint8Array, options);
  proves.mockRestore();
  return { report, plain };
}

/** The trees of a bundle in JSON, as far as it has any. */
function evidenceTreesOf(bundle: Uint8Array): readonly EvidenceTreeV1[] {
  try {
    return JSON.parse(new TextDecoder().decode(bundle)).evidence_trees ?? [];
  } catch {
    return [];
  }
}

/** The same with an inclusion proof for each leaf in place of complete trees. */
function withProofs(tree: EvidenceTreeV1): EvidenceTreeV1 {
  const { leaves, ...common } = tree;
  if (leaves === undefined) return tree;
  const built = evidenceTree(leaves.map(bytesOf));
  const proofs = leaves.map((leaf, index) => ({
    statement_digest: leaf,
    leaf_index: index,
    audit_path: built.inclusionProof(index).map(encodeHex),
  }));
  return { ...common, mode: "inclusion", proofs };
}

const proven = VALID.flatMap((fixture) => {
  const bundle = fixture.value === null ? undefined : proofBundle.decode(fixture.value, "", new Faults());
  if (bundle === undefined || bundle.evidence_trees.length !== 1) return [];
  return [{ ...fixture, decoded: { ...bundle, evidence_trees: bundle.evidence_trees.map(withProofs) } }];
});

describe("proofs that are read and hashed together", () => {
  it("give every fixture the report that it has without", () => {
    for (const fixture of [...VALID, ...loadInvalid()]) {
      const { report, plain } = bothReports(fixture);
      expect(report, fixture.name).toEqual(plain);
    }
    // Otherwise the test would compare the plain way with itself.
    expect(read).toBeGreaterThan(10);
  });

  it("give every accepted fixture with a proof for each leaf the report that it has without", () => {
    expect(proven.length).toBeGreaterThan(10);
    let accepted = 0;
    for (const fixture of proven) {
      const { report, plain } = bothReports({ ...fixture, bundle: encodeBundle(fixture.decoded) });
      expect(report, fixture.name).toEqual(plain);
      if (report.verdict === "ACCEPTED") accepted += 1;
    }
    expect(accepted).toBeGreaterThan(10);
  });

  it("give bundles in which something about the proofs is wrong the report that they have without", () => {
    const largest = proven
      .filter(({ decoded }) => (decoded.evidence_trees[0]?.proofs?.length ?? 0) > 3)
      .slice(0, 6);
    expect(largest.length).toBeGreaterThan(3);
    const codes = new Set<string>();
    const change = fc.tuple(fc.nat(5), fc.nat(20), fc.nat(20), fc.nat(6));
    fc.assert(
      fc.property(
        fc.constantFrom(...largest),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (fixture, changes) => {
          const bundle = structuredClone(fixture.decoded) as ProofBundleV3;
          for (const one of changes) spoil(bundle, one);
          const { report, plain } = bothReports({ ...fixture, bundle: encodeBundle(bundle) });
          expect(report).toEqual(plain);
          codes.add(report.first_failure?.code ?? "none");
        },
      ),
      { numRuns: 300 },
    );
    expect([...codes]).toEqual(
      expect.arrayContaining(["none", "EVIDENCE_PROOF_INVALID", "FORMAT_VALUE_INVALID", "FORMAT_TOO_LARGE"]),
    );
  });
});

type Mutable<T> = T extends string | number ? T : { -readonly [K in keyof T]: Mutable<T[K]> };

/** One change to the proofs of the bundle's tree. */
function spoil(
  bundle: ProofBundleV3,
  [how, first, second, place]: readonly [number, number, number, number],
): void {
  const proofs = (bundle.evidence_trees[0]?.proofs ?? []) as Mutable<NonNullable<EvidenceTreeV1["proofs"]>>;
  const [one, other] = [proofs[first % proofs.length], proofs[second % proofs.length]];
  if (one === undefined || other === undefined) return;
  const at = place % (one.audit_path.length + 1);
  if (how === 0) proofs.reverse();
  if (how === 1) [one.leaf_index, other.leaf_index] = [other.leaf_index, one.leaf_index];
  if (how === 2) one.audit_path = [...one.audit_path.slice(0, at), ...other.audit_path.slice(at)];
  if (how === 3) one.audit_path[at] = other.statement_digest;
  if (how === 4) one.audit_path[at] = "0x00";
  if (how === 5) one.audit_path = Array.from({ length: 60 + place }, () => other.statement_digest);
}
