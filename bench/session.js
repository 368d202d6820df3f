/** One long session for the benchmark: one runtime, one history, closed, sealed in one tree and anchored. */
import { encodeHex } from "../dist/encoding/hex.js";
import { assembleBundle, encodeBundle, evidenceTree, statementDigest } from "../dist/index.js";
import { createSessionClose } from "../dist/statements/index.js";
import { canonicalOrder } from "../dist/tree/order.js";
import { anchor } from "./session/anchor.js";
import { AGENT, at, chain, NAMESPACE, STEP } from "./session/chain.js";
import { signReceipts } from "./session/receipts.js";

/**
 * A whole session of `count` receipts as bundle bytes, with the trust policy that accepts it. `shape` is "mixed",
 * "chain" or "fan"; `proofs` shows an inclusion proof for each leaf instead of the whole tree.
 */
export async function makeBundle(count, { algorithm = "ECDSA_P256", shape = "mixed", proofs = false } = {}) {
  const made = await chain(algorithm);
  const { receipts, digests } = await signReceipts(count, made, shape);
  const last = digests[digests.length - 1];
  const close = await closeOf(made, count, last);
  const leaves = canonicalOrder([
    ...receipts.map((receipt, index) => ({
      digest: digests[index],
      parents: receipt.parent_receipt_digests,
    })),
    { digest: statementDigest(close), parents: [last] },
  ]);
  const tree = evidenceTree(leaves.map((leaf) => Buffer.from(leaf.slice(2), "hex")));
  const anchored = await anchor(
    { root: encodeHex(tree.root), size: tree.size },
    statementDigest(made.list),
    count,
  );
  const bundle = assembleBundle(
    {
      identity_records: [made.record],
      root_rotations: [],
      agent_key_certificates: [made.agentCertificate],
      runtime_key_certificates: [made.certificate],
      delegations: [made.delegation],
      policies: [],
      receipts,
      session_closes: [close],
      session_seals: [],
      evidence_trees: [{ leaves, anchors: [{ type: "tlog", proof: anchored.tree }] }],
      revocation_lists: [{ list: made.list, anchors: [{ type: "tlog", proof: anchored.list }] }],
      attestations: [],
      disclosures: [],
    },
    { scope: "session", targets: [last] },
  );
  return {
    bytes: encodeBundle(proofs ? withProofs(bundle, tree) : bundle),
    trust: Buffer.from(JSON.stringify(trustPolicy(made, anchored.log, algorithm))),
    at: at(count * STEP + 60_000),
  };
}

/** The close of the session's one runtime. */
export function closeOf(made, count, last) {
  return createSessionClose(
    {
      namespace_id: NAMESPACE,
      issued_at: at(count * STEP),
      agent_id: AGENT,
      ...made.run,
      final_sequence: count,
      receipt_count: count,
      last_receipt_digest: last,
      runtime_key_certificate_digests: [statementDigest(made.certificate)],
      closed_by: "runtime",
    },
    made.runtime,
  );
}

/** What an assembler shows of a tree of which the bundle lacks a leaf; here it lacks none. */
function withProofs(bundle, tree) {
  const [{ leaves, mode: _, ...common }] = bundle.evidence_trees;
  const proofs = leaves.map((leaf, index) => ({
    statement_digest: leaf,
    leaf_index: index,
    audit_path: tree.inclusionProof(index).map(encodeHex),
  }));
  return { ...bundle, evidence_trees: [{ ...common, mode: "inclusion", proofs }] };
}

export function trustPolicy(made, log, algorithm) {
  return {
    protocol: "OSA_PROOF_V3",
    type: "TrustPolicyV1",
    namespaces: [
      {
        namespace_id: NAMESPACE,
        roots: [{ key_id: "root", public_key: encodeHex(made.root.publicKey), rotation_number: 0 }],
        agent_domains: ["bench.example"],
        top_delegators: [AGENT],
        minimum_revocation_list_number: 1,
      },
    ],
    accepted_algorithms: [...new Set(["ECDSA_P256", algorithm])],
    tlog: {
      logs: [{ origin: "bench.example/log", vkey: log.vkey, operator: "own" }],
      witnesses: log.witnesses.map(({ name, vkey }) => ({ name, vkey, operator: "own" })),
      groups: [],
      quorum: "witness.example",
    },
    require_session_close: true,
    require_session_seal: false,
  };
}
