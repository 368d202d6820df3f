/** One long session for the benchmark: one runtime, a chain of receipts with a fork and merge every eighth. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anchorEntryBytes } from "../dist/anchors/anchor-entry.js";
import { createLocalLog } from "../dist/collect/index.js";
import { encodeHex } from "../dist/encoding/hex.js";
import { formatTime } from "../dist/encoding/time.js";
import { assembleBundle, encodeBundle, evidenceTree, statementDigest } from "../dist/index.js";
import { createNodeSigner } from "../dist/runtime/node-signer.js";
import { generatePrivateKey } from "../dist/runtime/private-key.js";
import {
  commit,
  createActionReceipt,
  createAgentKeyCertificate,
  createDelegation,
  createIdentityRecord,
  createRevocationList,
  createRuntimeKeyCertificate,
  createSessionClose,
  NO_EVIDENCE_ROOT,
} from "../dist/statements/index.js";
import { canonicalOrder } from "../dist/tree/order.js";

const START = Date.UTC(2026, 0, 1);
const NAMESPACE = "bench";
const AGENT = "@ai:bench.example/agent";
const POLICY = `0x${"11".repeat(32)}`;

function signer(keyId, algorithm = "ECDSA_P256") {
  return createNodeSigner({ keyId, algorithm, privateKey: generatePrivateKey(algorithm) });
}

/** Salts need only be fresh here, not secret: the benchmark opens nothing. */
function salt(index) {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, index);
  return bytes;
}

const at = (milliseconds) => formatTime(START + milliseconds);

async function chain() {
  const [root, agent, runtime] = [signer("root"), signer("agent"), signer("runtime")];
  const common = { namespace_id: NAMESPACE, issued_at: at(0) };
  const window = { not_before: at(0), not_after: at(1_700_000) };
  const agentCertificate = await createAgentKeyCertificate(
    { ...common, ...window, agent_id: AGENT, agent_key_id: "agent", public_key: encodeHex(agent.publicKey) },
    root,
  );
  const named = { agent_id: AGENT, agent_key_certificate_digest: statementDigest(agentCertificate) };
  const record = await createIdentityRecord(
    {
      ...common,
      ...window,
      agent_id: AGENT,
      record_number: 1,
      agent_key_certificate_digests: [named.agent_key_certificate_digest],
    },
    root,
  );
  const run = { session_id: "session", runtime_id: "runtime-1" };
  const certificate = await createRuntimeKeyCertificate(
    {
      ...common,
      ...named,
      ...run,
      ...window,
      runtime_key_id: "runtime",
      public_key: encodeHex(runtime.publicKey),
    },
    agent,
  );
  const delegation = await createDelegation(
    {
      ...common,
      ...named,
      ...run,
      ...window,
      delegation_id: "delegation-1",
      mission_id: "mission",
      policy_digest: POLICY,
      tools: ["shell"],
    },
    agent,
  );
  const list = await createRevocationList(
    { ...common, list_number: 1, not_after: at(86_400_000), entries: [], previous_list_digest: null },
    root,
  );
  return { root, runtime, agentCertificate, record, certificate, delegation, list, run };
}

/** Commits and signs `count` receipts, one after the other, as a runtime does. */
export async function signReceipts(count, made) {
  const { runtime, delegation, run } = made ?? (await chain());
  const receipts = [];
  const digests = [];
  const delegationDigest = statementDigest(delegation);
  for (let index = 0; index < count; index += 1) {
    const id = `receipt-${index + 1}`;
    const input = { kind: "input", receipt_id: id, json: { command: "cat report.txt", index } };
    const output = {
      kind: "output",
      receipt_id: id,
      status: "completed",
      json: { exit_code: 0, lines: index },
    };
    const parents = index % 8 === 7 ? digests.slice(-7) : digests.slice(-1);
    const receipt = await createActionReceipt(
      {
        receipt_id: id,
        namespace_id: NAMESPACE,
        agent_id: AGENT,
        ...run,
        mission_id: "mission",
        action_id: `action-${index + 1}`,
        sequence: index + 1,
        parent_receipt_digests: parents,
        delegation_digest: delegationDigest,
        policy_digest: POLICY,
        tool: "shell",
        input_commitment: commit(input, salt(2 * index)).commitment,
        output_commitment: commit(output, salt(2 * index + 1)).commitment,
        evidence_merkle_root: NO_EVIDENCE_ROOT,
        issued_at: at(index * 10),
      },
      runtime,
    );
    receipts.push(receipt);
    digests.push(statementDigest(receipt));
  }
  return { receipts, digests };
}

/** A whole session of `count` receipts as bundle bytes, with the trust policy that accepts it. */
export async function makeBundle(count) {
  const made = await chain();
  const { receipts, digests } = await signReceipts(count, made);
  const last = digests[digests.length - 1];
  const close = await createSessionClose(
    {
      namespace_id: NAMESPACE,
      issued_at: at(count * 10),
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
  const leaves = canonicalOrder([
    ...receipts.map((receipt, index) => ({
      digest: digests[index],
      parents: receipt.parent_receipt_digests,
    })),
    { digest: statementDigest(close), parents: [last] },
  ]);
  const anchored = await anchor(leaves, statementDigest(made.list), count);
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
  const trust = {
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
    accepted_algorithms: ["ECDSA_P256"],
    tlog: {
      logs: [{ origin: "bench.example/log", vkey: anchored.log.vkey, operator: "own" }],
      witnesses: anchored.log.witnesses.map(({ name, vkey }) => ({ name, vkey, operator: "own" })),
      groups: [],
      quorum: "witness.example",
    },
    require_session_close: true,
    require_session_seal: false,
  };
  return {
    bytes: encodeBundle(bundle),
    trust: Buffer.from(JSON.stringify(trust)),
    at: at(count * 10 + 60_000),
  };
}

/** Anchors the tree's root and the list in a local log with one witness, in a folder that is removed again. */
async function anchor(leaves, listDigest, count) {
  const dir = mkdtempSync(join(tmpdir(), "osa-proof-bench-"));
  try {
    const log = await createLocalLog({
      dir,
      origin: "bench.example/log",
      logSigner: signer("log", "ED25519"),
      witnesses: [{ name: "witness.example", signer: signer("witness", "ED25519") }],
    });
    const root = encodeHex(evidenceTree(leaves.map((leaf) => Buffer.from(leaf.slice(2), "hex"))).root);
    const entries = [
      anchorEntryBytes({
        namespaceId: NAMESPACE,
        subject: "evidence_root",
        digest: root,
        treeSize: leaves.length,
      }),
      anchorEntryBytes({
        namespaceId: NAMESPACE,
        subject: "revocation_list",
        digest: listDigest,
        treeSize: 1,
      }),
    ];
    const [tree, list] = await log.append(entries);
    await log.publish(Math.floor(START / 1_000) + Math.ceil(count / 100));
    return { log, tree: await log.proof(tree.index), list: await log.proof(list.index) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
