/**
 * The worked example and the generated tables of docs/SPEC.md, made from the code itself.
 *
 * Every private key is SHA-256 of a published text, every salt too, every time is written down and both signature
 * schemes are deterministic, so the example comes out the same on every machine. test/docs/spec-example.test.ts holds the
 * text to it; run that test with UPDATE_SPEC=1 to write the blocks anew.
 */
import { anchorEntryBytes } from "../src/anchors/anchor-entry.js";
import { formatCheckpoint } from "../src/anchors/checkpoint.js";
import { cosignatureMessage } from "../src/anchors/cosignature.js";
import { formatNote } from "../src/anchors/note.js";
import { formatTlogProof } from "../src/anchors/tlog-proof.js";
import { assembleBundle } from "../src/bundle/assemble.js";
import { encodeBundle } from "../src/bundle/codec.js";
import type { Anchor, ProofBundleV3 } from "../src/bundle/format.js";
import {
  cosignCheckpoint,
  logNoteSigner,
  type NoteSigner,
  signCheckpoint,
  witnessNoteSigner,
} from "../src/collect/note-signer.js";
import { sha256, sha256Hex } from "../src/crypto/digest.js";
import { parsePublicKey, type SigningAlgorithm } from "../src/crypto/keys.js";
import type { Signer } from "../src/crypto/signer.js";
import { encodeCbor } from "../src/encoding/cbor.js";
import { decodeHex, encodeHex } from "../src/encoding/hex.js";
import { canonicalBytes, canonicalJson } from "../src/encoding/jcs.js";
import type { JsonValue } from "../src/encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../src/encoding/utf8.js";
import { checkOf, FAILURE_CODES, type FailureCode } from "../src/errors.js";
import * as LIMITS from "../src/limits.js";
import { createLocalSigner } from "../src/runtime/local-signer.js";
import { canonicalStatement, statementDigest } from "../src/statements/canonical.js";
import { type CommittedValue, commit } from "../src/statements/commitment.js";
import { createDelegation } from "../src/statements/delegation.js";
import {
  createAgentKeyCertificate,
  createIdentityRecord,
  createRuntimeKeyCertificate,
} from "../src/statements/identity.js";
import { createActionReceipt } from "../src/statements/receipt.js";
import { createRevocationList } from "../src/statements/revocation.js";
import { createRootRotation } from "../src/statements/rotation.js";
import { createSessionClose, createSessionSeal } from "../src/statements/session.js";
import { evidenceTree, leafHash, nodeHash } from "../src/tree/merkle.js";
import { canonicalOrder } from "../src/tree/order.js";

const NAMESPACE = "example-namespace";
const MISSION = "mission-1";
const SESSION = "session-1";
const RUNTIME = "runtime-1";
const AGENT = "@ai:agents.example.com/research/reader";
/** The verification time of the example. */
export const VERIFIED_AT = "2026-01-05T12:00:00Z";

function secretOf(name: string): Uint8Array {
  return sha256(encodeUtf8(`osa-proof spec example: ${name}`));
}

function signer(keyId: string, algorithm: SigningAlgorithm): Signer {
  return createLocalSigner({ keyId, algorithm, privateKey: secretOf(keyId) });
}

function saltOf(name: string): Uint8Array {
  return sha256(encodeUtf8(`osa-proof spec example salt: ${name}`));
}

function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array(0);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function textOf(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? "";
}

async function signedNote(
  text: string,
  log: NoteSigner,
  cosigners: readonly (readonly [NoteSigner, number])[],
): Promise<string> {
  const lines = [await signCheckpoint(log, text)];
  for (const [witness, time] of cosigners) lines.push(await cosignCheckpoint(witness, text, time));
  return formatNote(text, lines);
}

/** Blocks by name, as they stand in docs/SPEC.md. */
export async function exampleBlocks(): Promise<ReadonlyMap<string, string>> {
  const root = signer("root-1", "ED25519");
  const nextRoot = signer("root-2", "ED25519");
  const agent = signer("agent-key-1", "ECDSA_P256");
  const runtime = signer("runtime-key-1", "ECDSA_P256");
  const log = logNoteSigner("log.example.com/osa", signer("log-1", "ED25519"));
  const witnesses = ["witness-1.example", "witness-2.example"].map((name) =>
    witnessNoteSigner(name, signer(name, "ED25519")),
  );

  const agentCertificate = await createAgentKeyCertificate(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-01T00:00:00Z",
      agent_id: AGENT,
      agent_key_id: agent.keyId,
      public_key: encodeHex(agent.publicKey),
      not_before: "2026-01-01T00:00:00Z",
      not_after: "2026-07-01T00:00:00Z",
    },
    root,
  );
  const agentCertificateDigest = statementDigest(agentCertificate);
  const record = await createIdentityRecord(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-01T00:05:00Z",
      agent_id: AGENT,
      record_number: 1,
      agent_key_certificate_digests: [agentCertificateDigest],
      not_before: "2026-01-01T00:00:00Z",
      not_after: "2026-07-01T00:00:00Z",
    },
    root,
  );
  const runtimeCertificate = await createRuntimeKeyCertificate(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-05T09:00:00Z",
      agent_id: AGENT,
      agent_key_certificate_digest: agentCertificateDigest,
      runtime_id: RUNTIME,
      runtime_key_id: runtime.keyId,
      session_id: SESSION,
      public_key: encodeHex(runtime.publicKey),
      not_before: "2026-01-05T09:00:00Z",
      not_after: "2026-01-05T09:30:00Z",
    },
    agent,
  );
  const runtimeCertificateDigest = statementDigest(runtimeCertificate);
  const policy = { name: "read-only research", version: 3 };
  const policyDigest = sha256Hex(canonicalBytes(policy));
  const delegation = await createDelegation(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-05T09:00:00Z",
      delegation_id: "delegation-1",
      agent_id: AGENT,
      agent_key_certificate_digest: agentCertificateDigest,
      mission_id: MISSION,
      session_id: SESSION,
      runtime_id: RUNTIME,
      policy_digest: policyDigest,
      tools: ["fs.read", "osa.denied"],
      not_before: "2026-01-05T09:00:00Z",
      not_after: "2026-01-05T10:00:00Z",
      max_actions: 20,
    },
    agent,
  );

  const receiptId = "receipt-1";
  const values: Readonly<Record<"input" | "output" | "evidence", CommittedValue>> = {
    input: { kind: "input", receipt_id: receiptId, json: { path: "/data/report.txt" } },
    output: { kind: "output", receipt_id: receiptId, json: "Revenue rose by 4 %.\n", status: "completed" },
    evidence: { kind: "evidence", receipt_id: receiptId, bytes: encodeHex(encodeUtf8("exit code 0")) },
  };
  const [input, output, item] = [
    commit(values.input, saltOf("input")),
    commit(values.output, saltOf("output")),
    commit(values.evidence, saltOf("evidence")),
  ];
  const actionRoot = leafHash(bytesOf(item.commitment));
  const receipt = await createActionReceipt(
    {
      receipt_id: receiptId,
      namespace_id: NAMESPACE,
      agent_id: AGENT,
      runtime_id: RUNTIME,
      session_id: SESSION,
      mission_id: MISSION,
      action_id: "action-1",
      sequence: 1,
      parent_receipt_digests: [],
      delegation_digest: statementDigest(delegation),
      policy_digest: policyDigest,
      tool: "fs.read",
      input_commitment: input.commitment,
      output_commitment: output.commitment,
      evidence_merkle_root: encodeHex(actionRoot),
      issued_at: "2026-01-05T09:01:00Z",
    },
    runtime,
  );
  const receiptDigest = statementDigest(receipt);
  const close = await createSessionClose(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-05T09:02:00Z",
      agent_id: AGENT,
      runtime_id: RUNTIME,
      session_id: SESSION,
      final_sequence: 1,
      receipt_count: 1,
      last_receipt_digest: receiptDigest,
      runtime_key_certificate_digests: [runtimeCertificateDigest],
      closed_by: "runtime",
    },
    runtime,
  );
  const closeDigest = statementDigest(close);
  const seal = await createSessionSeal(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-05T09:03:00Z",
      agent_id: AGENT,
      agent_key_certificate_digest: agentCertificateDigest,
      session_id: SESSION,
      session_close_digests: [closeDigest],
    },
    agent,
  );
  const sealDigest = statementDigest(seal);
  const list = await createRevocationList(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-05T08:00:00Z",
      list_number: 1,
      not_after: "2026-01-12T08:00:00Z",
      entries: [
        {
          key_id: "runtime-key-0",
          key_thumbprint: sha256Hex(signer("runtime-key-0", "ECDSA_P256").publicKey),
          revoked_at: "2026-01-04T17:30:00Z",
          reason: "sandbox escaped",
        },
      ],
      previous_list_digest: null,
    },
    root,
  );
  const rotation = await createRootRotation(
    {
      namespace_id: NAMESPACE,
      issued_at: "2026-01-05T11:00:00Z",
      rotation_number: 1,
      effective_at: "2026-01-06T00:00:00Z",
    },
    root,
    nextRoot,
  );

  const leaves =
    canonicalOrder([
      { digest: sealDigest, parents: [closeDigest] },
      { digest: closeDigest, parents: [receiptDigest] },
      { digest: receiptDigest, parents: [] },
    ]) ?? [];
  const leafHashes = leaves.map((leaf) => leafHash(bytesOf(leaf)));
  const tree = evidenceTree(leaves.map(bytesOf));
  const entry = (
    subject: "evidence_root" | "revocation_list",
    digest: string,
    treeSize: number,
  ): Uint8Array => anchorEntryBytes({ namespaceId: NAMESPACE, subject, digest, treeSize });
  const entries = [
    entry("revocation_list", statementDigest(list), 1),
    entry("evidence_root", encodeHex(tree.root), tree.size),
  ];
  const logTree = evidenceTree(entries);
  const checkpoint = formatCheckpoint({
    origin: "log.example.com/osa",
    size: logTree.size,
    root: logTree.root,
    extensions: [],
  });
  const times = [1767605100, 1767605102];
  const cosigners = witnesses.map((witness, index) => [witness, times[index] ?? 0] as const);
  const note = await signedNote(checkpoint, log, cosigners);
  const anchors = entries.map(
    (_, index): Anchor => ({
      type: "tlog",
      proof: formatTlogProof({ index, path: logTree.inclusionProof(index), checkpoint: note, extra: null }),
    }),
  );

  const bundle: ProofBundleV3 = assembleBundle(
    {
      identity_records: [record],
      root_rotations: [],
      agent_key_certificates: [agentCertificate],
      runtime_key_certificates: [runtimeCertificate],
      delegations: [delegation],
      policies: [policy],
      receipts: [receipt],
      session_closes: [close],
      session_seals: [seal],
      evidence_trees: [{ leaves, anchors: anchors.slice(1) }],
      revocation_lists: [{ list, anchors: anchors.slice(0, 1) }],
      attestations: [],
      disclosures: [
        { receipt_digest: receiptDigest, salt: input.salt, value: input.value },
        { receipt_digest: receiptDigest, salt: output.salt, value: output.value },
        {
          receipt_digest: receiptDigest,
          salt: item.salt,
          value: item.value,
          inclusion: { leaf_index: 0, tree_size: 1, audit_path: [] },
        },
      ],
    },
    { scope: "session", targets: [receiptDigest] },
  );

  const head = <T extends object>(more: T): T & { readonly protocol: string } => ({
    protocol: "OSA_PROOF_V3",
    ...more,
  });
  const trust = head({
    type: "TrustPolicyV1",
    namespaces: [
      {
        namespace_id: NAMESPACE,
        roots: [{ key_id: root.keyId, public_key: encodeHex(root.publicKey), rotation_number: 0 }],
        agent_domains: ["agents.example.com"],
        top_delegators: [AGENT],
        minimum_revocation_list_number: 1,
        required_policy_digests: [policyDigest],
      },
    ],
    accepted_algorithms: ["ECDSA_P256", "ED25519"],
    tlog: {
      logs: [{ origin: "log.example.com/osa", vkey: log.key.vkey, operator: "own" }],
      witnesses: witnesses.map((witness) => ({
        name: witness.key.name,
        vkey: witness.key.vkey,
        operator: "independent",
      })),
      groups: [{ name: "both", threshold: 2, members: witnesses.map((witness) => witness.key.name) }],
      quorum: "both",
    },
    accept_operator_only: false,
    clock_skew_seconds: 60,
    max_runtime_key_lifetime_seconds: 1800,
    max_anchor_delay_seconds: 86400,
    max_revocation_age_seconds: 86400,
    require_session_close: true,
    require_session_seal: true,
    accept_agent_close: false,
  });
  const expectations = head({
    type: "ExpectationsV1",
    mission_id: MISSION,
    tool: "fs.read",
    scope: "session",
    status: "completed",
    output_sha256: sha256Hex(encodeUtf8("Revenue rose by 4 %.\n")),
  });
  const supplement = head({
    type: "SupplementV1",
    namespace_id: NAMESPACE,
    root_rotations: [rotation],
    revocation_lists: [],
  });
  const heads = head({
    type: "KnownHeadsV1",
    namespaces: [{ namespace_id: NAMESPACE, revocation_list: { number: 1, digest: statementDigest(list) } }],
    logs: [{ origin: "log.example.com/osa", size: logTree.size, root: encodeHex(logTree.root) }],
  });

  const blocks = new Map<string, string>();
  const statements = {
    "agent-key-certificate": agentCertificate,
    "identity-record": record,
    "runtime-key-certificate": runtimeCertificate,
    delegation,
    receipt,
    "session-close": close,
    "session-seal": seal,
    "revocation-list": list,
    "root-rotation": rotation,
  };
  for (const [name, statement] of Object.entries(statements)) {
    const { signedBytes, digest } = canonicalStatement(statement);
    blocks.set(name, pretty(statement));
    blocks.set(`${name}-signed-bytes`, textOf(signedBytes));
    blocks.set(`${name}-digest`, digest);
  }
  const signers = [root, nextRoot, agent, runtime, log.signer, ...witnesses.map((witness) => witness.signer)];
  blocks.set(
    "keys",
    pretty(
      signers.map(({ keyId, algorithm, publicKey }) => ({
        key_id: keyId,
        algorithm,
        private_key: encodeHex(secretOf(keyId)),
        public_key: encodeHex(publicKey),
        thumbprint: parsePublicKey(publicKey)?.thumbprint ?? null,
      })),
    ),
  );
  blocks.set("policy-canonical", canonicalJson(policy));
  blocks.set("policy-digest", policyDigest);
  for (const [name, made] of Object.entries({ input, output, evidence: item })) {
    blocks.set(`${name}-salt`, made.salt);
    blocks.set(`${name}-value`, canonicalJson(made.value as unknown as JsonValue));
    blocks.set(`${name}-commitment`, made.commitment);
  }
  blocks.set("action-tree-root", encodeHex(actionRoot));
  const [l0 = actionRoot, l1 = actionRoot, l2 = actionRoot] = leafHashes;
  blocks.set(
    "evidence-tree",
    pretty({
      leaves,
      leaf_hashes: leafHashes.map(encodeHex),
      node_0_1: encodeHex(nodeHash(l0, l1)),
      root: encodeHex(nodeHash(nodeHash(l0, l1), l2)),
    }),
  );
  blocks.set("list-entry", textOf(entries[0] ?? new Uint8Array(0)));
  blocks.set("tree-entry", textOf(entries[1] ?? new Uint8Array(0)));
  blocks.set(
    "log-tree",
    pretty({ leaf_hashes: entries.map((one) => encodeHex(leafHash(one))), root: encodeHex(logTree.root) }),
  );
  blocks.set("checkpoint", checkpoint.slice(0, -1));
  blocks.set("cosignature-message", textOf(cosignatureMessage(checkpoint, times[0] ?? 0)).slice(0, -1));
  blocks.set("signed-note", note.slice(0, -1));
  blocks.set("tlog-proof", anchors[1]?.proof.slice(0, -1) ?? "");
  blocks.set("vkeys", [log, ...witnesses].map((one) => one.key.vkey).join("\n"));
  blocks.set("trust-policy", pretty(trust));
  blocks.set("expectations", pretty(expectations));
  blocks.set("supplement", pretty(supplement));
  blocks.set("known-heads", pretty(heads));
  blocks.set("verified-at", VERIFIED_AT);
  blocks.set("bundle", pretty(bundle));
  const cbor = encodeBundle(bundle, "cbor");
  blocks.set("bundle-cbor", pretty({ bytes: cbor.length, sha256: sha256Hex(cbor) }));
  const small = { name: "0x0a0b", list: [1, -1, 1.5, 0.1], "a longer name": null, ok: true };
  blocks.set("cbor-value", canonicalJson(small));
  blocks.set("cbor-bytes", encodeHex(encodeCbor(small)));
  return blocks;
}

/** What each limit bounds; a limit without a line here fails the test. */
const LIMIT_MEANING: Readonly<Record<keyof typeof LIMITS, string>> = {
  maxBundleBytes: "bytes of a bundle; a trust policy may lower it",
  maxStreamBytes: "bytes of a bundle in the streaming form, not compressed; a trust policy may lower it",
  maxLineBytes: "bytes of one line of the streaming form",
  maxDigestsPerLine: "digests in one line of targets or leaves",
  maxSideInputBytes: "bytes of a trust policy, of expectations, of known heads",
  maxSupplementBytes: "bytes of a supplement",
  maxDepth: "nesting of arrays and objects, the outermost counted as 1",
  maxValues: "values of one input, arrays and objects included, member names not",
  maxFreeJsonDepth: "nesting of one committed JSON value or policy, as makers handle it",
  maxReceipts:
    "receipts, targets, disclosures, leaves or proofs of one bundle or tree; a trust policy may lower it for receipts",
  maxStatementsPerKind:
    "entries of every other top-level array of a bundle, and of the arrays of a supplement",
  maxParentsPerReceipt: "parents of one receipt",
  maxToolsPerDelegation: "tools of one delegation",
  maxDelegationDepth: "delegations in one chain",
  maxIdentifierCharacters: "characters of an identifier or tool name",
  maxAgentIdCharacters: "characters of an agent_id",
  maxRevocationEntries: "entries of one revocation list",
  maxReasonCharacters: "characters of a revocation reason",
  maxCertificatesPerRecord: "certificates that one identity record lists",
  maxCertificatesPerClose: "certificates that one session close lists",
  maxClosesPerSeal: "closes that one session seal names",
  maxMediaTypeCharacters: "characters of a blob's media type",
  maxAnchorsPerTree: "anchors of one tree or list",
  maxAuditPathHashes: "hashes of one audit path",
  maxAnchorProofCharacters: "characters of one anchor's proof, whatever its ledger",
  maxOriginCharacters: "characters of a checkpoint's origin in a policy or in known heads",
  maxPolicyEntries: "entries of each array of a trust policy that no other row names",
  maxKnownHeads: "namespaces, and logs, of known heads",
  maxTlogProofBytes: "bytes of one tlog-proof text with its checkpoint",
  maxNoteSignatures: "signature lines of one note",
  maxDisclosedValueBytes:
    "bytes of one committed value, as makers and tools handle it; the bundle's own bound holds for readers",
  maxPointerTokenCharacters: "characters of a member name that a pointer shows; before a longer one it ends",
  maxReportedFailures: "failures that a report lists for one check",
  maxRecordsPerAgent: "identity records of one agent in one bundle",
  maxRootRotations: "root rotations of one bundle, and of one supplement",
  maxClockSkewSeconds: "seconds of clock skew that a policy may set",
  maxDurationSeconds: "seconds of every other duration that a policy may set",
};

/** Tables by name. */
export function generatedTables(): ReadonlyMap<string, string> {
  const codes = Object.entries(FAILURE_CODES).map(
    ([code, meaning], index) =>
      `| ${index + 1} | ${checkOf(code as FailureCode) ?? "any"} | \`${code}\` | ${meaning} |`,
  );
  const values = new Map(Object.entries(LIMITS));
  const limits = Object.entries(LIMIT_MEANING).map(
    ([name, meaning]) => `| \`${name}\` | ${values.get(name)} | ${meaning} |`,
  );
  return new Map([
    [
      "failure-codes",
      ["| order | check | code | meaning |", "| --- | --- | --- | --- |", ...codes].join("\n"),
    ],
    ["limits", ["| name | bound | of what |", "| --- | --- | --- |", ...limits].join("\n")],
  ]);
}

const BLOCK = /(<!-- example: ([a-z0-9-]+) -->\n```[a-z]*\n)[\s\S]*?(^```$)/gm;
const TABLE = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(^<!-- end generated -->$)/gm;

/** The code blocks of a text by the name in the comment before each. */
export function blocksIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [whole, opening = "", name = "", closing = ""] of text.matchAll(BLOCK)) {
    // Without the line end before the closing fence.
    found.set(name, whole.slice(opening.length, whole.length - closing.length - 1));
  }
  return found;
}

/** The text with every example block and generated table as the code makes it. Throws on a name nobody makes. */
export async function fillSpec(text: string): Promise<string> {
  const [blocks, tables] = [await exampleBlocks(), generatedTables()];
  const from =
    (made: ReadonlyMap<string, string>) =>
    (_: string, opening: string, name: string, closing: string): string => {
      const content = made.get(name);
      if (content === undefined) throw new Error(`docs/SPEC.md asks for "${name}", which nothing makes`);
      return `${opening}${content}\n${closing}`;
    };
  return text.replace(BLOCK, from(blocks)).replace(TABLE, from(tables));
}
