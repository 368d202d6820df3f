/**
 * The whole way with the library alone: keys, certificates, a delegation, two signed actions, a session close, an
 * evidence tree, a local log, a bundle, a verdict. Run it with `node examples/end-to-end.mjs` after `npm run build`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  assembleBundle,
  createDelegation,
  encodeBundle,
  evidenceTree,
  statementDigest,
  verifyBundle,
} from "osa-proof";
import { anchorEntryBytes, createLocalLog } from "osa-proof/collect";
import {
  createLocalSigner,
  discloseAction,
  generatePrivateKey,
  generateWebCryptoSigner,
  signAction,
} from "osa-proof/runtime";
import {
  createAgentKeyCertificate,
  createIdentityRecord,
  createRevocationList,
  createRuntimeKeyCertificate,
  createSessionClose,
} from "osa-proof/statements";
import { canonicalOrder } from "osa-proof/tree";

const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;
const bytesOf = (digest) => Buffer.from(digest.slice(2), "hex");
const signer = (keyId, algorithm) =>
  createLocalSigner({ keyId, algorithm, privateKey: generatePrivateKey(algorithm) });
const now = Math.floor(Date.now() / 1000) * 1000;
const at = (seconds) => new Date(now + seconds * 1000).toISOString();

// Keys. A real root lives in an HSM (createExternalSigner), a real runtime key never leaves its process.
const root = signer("root-key-1", "ECDSA_P256");
const agent = signer("agent-key-1", "ECDSA_P256");
const runtime = await generateWebCryptoSigner({ keyId: "runtime-key-1", algorithm: "ECDSA_P256" });

// The namespace says who the agent is.
const agent_id = "@ai:shop.example/support";
const common = { namespace_id: "shop", issued_at: at(-60) };
const day = { not_before: at(-60), not_after: at(86_400) };
const agentCertificate = await createAgentKeyCertificate(
  { ...common, ...day, agent_id, agent_key_id: agent.keyId, public_key: hex(agent.publicKey) },
  root,
);
const named = { agent_id, agent_key_certificate_digest: statementDigest(agentCertificate) };
const identityRecord = await createIdentityRecord(
  {
    ...common,
    ...day,
    agent_id,
    record_number: 1,
    agent_key_certificate_digests: [named.agent_key_certificate_digest],
  },
  root,
);
const list = await createRevocationList(
  { ...common, list_number: 1, not_after: at(86_400), entries: [], previous_list_digest: null },
  root,
);

// The agent certifies the runtime's key and allows it two tools.
const run = { session_id: "session-1", runtime_id: "runtime-1" };
const policy = { refunds: { maximum: 200 } };
const policy_digest = statementDigest(policy);
const runtimeCertificate = await createRuntimeKeyCertificate(
  {
    ...common,
    ...named,
    ...run,
    runtime_key_id: runtime.keyId,
    public_key: hex(runtime.publicKey),
    not_before: at(-60),
    not_after: at(1_700),
  },
  agent,
);
const delegation = await createDelegation(
  {
    ...common,
    ...named,
    ...run,
    ...day,
    delegation_id: "delegation-1",
    mission_id: "mission-1",
    policy_digest,
    tools: ["get_order", "refund"],
  },
  agent,
);

// The runtime signs each action as it happens.
const context = {
  namespace_id: "shop",
  agent_id,
  ...run,
  mission_id: "mission-1",
  delegation_digest: statementDigest(delegation),
  policy_digest,
};
const first = await signAction({
  signer: runtime,
  context,
  sequence: 1,
  parents: [],
  tool: "get_order",
  input: { json: { id: 7 } },
  output: { json: { total: 120 } },
  status: "completed",
});
const second = await signAction({
  signer: runtime,
  context,
  sequence: 2,
  parents: [first.digest],
  tool: "refund",
  input: { json: { id: 7, amount: 120 } },
  output: { json: "done" },
  status: "completed",
});
const close = await createSessionClose(
  {
    namespace_id: "shop",
    issued_at: new Date().toISOString(),
    agent_id,
    ...run,
    final_sequence: 2,
    receipt_count: 2,
    last_receipt_digest: second.digest,
    runtime_key_certificate_digests: [statementDigest(runtimeCertificate)],
    closed_by: "runtime",
  },
  runtime,
);

// Receipts and close become leaves of one tree; its root and the revocation list go into a log.
const leaves = canonicalOrder([
  { digest: first.digest, parents: [] },
  { digest: second.digest, parents: [first.digest] },
  { digest: statementDigest(close), parents: [second.digest] },
]);
const tree = evidenceTree(leaves.map(bytesOf));
const dir = mkdtempSync(join(tmpdir(), "osa-proof-example-"));
const log = await createLocalLog({
  dir,
  origin: "shop.example/log",
  logSigner: signer("log", "ED25519"),
  witnesses: [{ name: "witness.example", signer: signer("witness", "ED25519") }],
});
const [ofTree, ofList] = await log.append([
  anchorEntryBytes({
    namespaceId: "shop",
    subject: "evidence_root",
    digest: hex(tree.root),
    treeSize: tree.size,
  }),
  anchorEntryBytes({
    namespaceId: "shop",
    subject: "revocation_list",
    digest: statementDigest(list),
    treeSize: 1,
  }),
]);
await log.publish(Math.floor(Date.now() / 1000));
const anchor = async ({ index }) => ({ type: "tlog", proof: await log.proof(index) });

// The packer takes what the claim needs, and shows one output.
const bundle = assembleBundle(
  {
    identity_records: [identityRecord],
    root_rotations: [],
    agent_key_certificates: [agentCertificate],
    runtime_key_certificates: [runtimeCertificate],
    delegations: [delegation],
    policies: [policy],
    receipts: [first.receipt, second.receipt],
    session_closes: [close],
    session_seals: [],
    evidence_trees: [{ leaves, anchors: [await anchor(ofTree)] }],
    revocation_lists: [{ list, anchors: [await anchor(ofList)] }],
    attestations: [],
    disclosures: discloseAction(second.digest, second.openings, {
      input: false,
      output: true,
      evidence: false,
    }),
  },
  { scope: "session", targets: [second.digest] },
);

// The auditor's own file, written from what was checked out of band.
const trust = {
  protocol: "OSA_PROOF_V3",
  type: "TrustPolicyV1",
  namespaces: [
    {
      namespace_id: "shop",
      roots: [{ key_id: root.keyId, public_key: hex(root.publicKey), rotation_number: 0 }],
      agent_domains: ["shop.example"],
      top_delegators: [agent_id],
      minimum_revocation_list_number: 1,
    },
  ],
  accepted_algorithms: ["ECDSA_P256"],
  tlog: {
    logs: [{ origin: log.origin, vkey: log.vkey, operator: "own" }],
    witnesses: log.witnesses.map(({ name, vkey }) => ({ name, vkey, operator: "own" })),
    groups: [],
    quorum: "witness.example",
  },
  require_session_close: true,
  require_session_seal: false,
};
rmSync(dir, { recursive: true });

const report = verifyBundle(encodeBundle(bundle), Buffer.from(JSON.stringify(trust)), {
  at: new Date().toISOString(),
  expectations: Buffer.from(
    JSON.stringify({ protocol: "OSA_PROOF_V3", type: "ExpectationsV1", tool: "refund", status: "completed" }),
  ),
});
console.log(report.verdict, report.first_failure?.message ?? `${report.receipt_count} receipts`);
