/** What somebody might try with a good bundle. Each gives bytes that must be rejected. */
import { assembleBundle, type ProofMaterial } from "../../bundle/assemble.js";
import { encodeBundle } from "../../bundle/codec.js";
import { contentsOf, shownLeaves } from "../../bundle/contents.js";
import { decodeBundle } from "../../bundle/decode.js";
import type { EvidenceTreeV1, ProofBundleV3 } from "../../bundle/format.js";
import { referenced } from "../../bundle/references.js";
import { decodeHex, encodeHex } from "../../encoding/hex.js";
import { decodeUtf8, encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import { evidenceTree } from "../../tree/merkle.js";

/** The bytes with one of them changed: the first digit of `found` becomes another. */
export function changeOneDigit(bytes: Uint8Array, found: string): Uint8Array {
  const text = decodeUtf8(bytes) ?? "";
  const place = encodeUtf8(text.slice(0, text.indexOf(found))).length + found.search(/[0-9]/);
  const before = bytes[place];
  if (!text.includes(found) || before === undefined) {
    throw new OsaProofError("ARGUMENT_INVALID", `the bundle has no ${found}`);
  }
  const changed = bytes.slice();
  // 1 becomes 9, every other digit the one below it.
  changed[place] = before === 0x30 || before === 0x31 ? 0x39 : before - 1;
  return changed;
}

/**
 * The bundle without one receipt, repacked with care: everything that only that receipt needed goes too, and the
 * tree shows inclusion proofs for the leaves that stay, so that nothing but the parent link tells.
 */
export function dropReceipt(bytes: Uint8Array, digest: string): Uint8Array {
  const bundle = decodeBundle(bytes);
  const places = contentsOf(bundle).receipts;
  const receipts = bundle.receipts.filter((_receipt, index) => places[index]?.digest !== digest);
  const contents = contentsOf({ ...bundle, receipts });
  const kept = referenced(contents, bundle.claim);
  const keep = <T>(items: readonly { readonly statement: T }[]): readonly T[] =>
    items.filter((item) => kept.has(item)).map((item) => item.statement);
  const leaves = new Set(
    [...contents.receipts, ...contents.closes, ...contents.seals]
      .filter((item) => kept.has(item))
      .map((item) => item.digest),
  );
  const repacked: ProofBundleV3 = {
    ...bundle,
    receipts,
    identity_records: keep(contents.identityRecords),
    agent_key_certificates: keep(contents.agentCertificates),
    runtime_key_certificates: keep(contents.runtimeCertificates),
    delegations: keep(contents.delegations),
    session_closes: keep(contents.closes),
    session_seals: keep(contents.seals),
    evidence_trees: bundle.evidence_trees.map((tree) => proofsFor(tree, leaves)),
    disclosures: contents.disclosures.filter((item) => kept.has(item)).map((item) => item.value),
  };
  return encodeBundle(repacked);
}

function proofsFor(tree: EvidenceTreeV1, shown: ReadonlySet<string>): EvidenceTreeV1 {
  const leaves = shownLeaves(tree);
  const built = evidenceTree(leaves.map((leaf) => decodeHex(leaf) ?? new Uint8Array()));
  const proofs = leaves.flatMap((leaf, index) =>
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
  const { root, tree_size: treeSize, anchors } = tree;
  return { root, tree_size: treeSize, mode: "inclusion", proofs, anchors };
}

/** A bundle of whole sessions, in bytes. */
export function packSession(material: ProofMaterial, targets: readonly string[]): Uint8Array {
  return encodeBundle(assembleBundle(material, { scope: "session", targets }));
}
