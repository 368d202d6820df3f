/** A namespace, an agent and its runtime with a journal, made by the package's own makers; and the auditor's answer. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assembleBundle, encodeBundle } from "../../src/bundle/index.js";
import { anchorEntryBytes, createLocalLog } from "../../src/collect/index.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import type { Signer } from "../../src/crypto/signer.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import { formatTime } from "../../src/encoding/time.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import {
  createNodeSigner,
  generatePrivateKey,
  type JournalContents,
  readJournal,
} from "../../src/runtime/index.js";
import {
  createAgentKeyCertificate,
  createDelegation,
  createIdentityRecord,
  createRevocationList,
  createRuntimeKeyCertificate,
  type DelegationV1,
  type RuntimeKeyCertificateV1,
  statementDigest,
} from "../../src/statements/index.js";
import { canonicalOrder, evidenceTree } from "../../src/tree/index.js";
import { type VerificationReportV1, verifyBundle } from "../../src/verifier/index.js";

export const AGENT = "@ai:shop.example/support";
const NAMESPACE = "shop";
const POLICY = { refunds: { maximum: 200 } };
const DAY = 86_400_000;

export interface Runtime {
  readonly signer: Signer;
  readonly certificate: RuntimeKeyCertificateV1;
  readonly delegation: DelegationV1;
}

export interface RuntimePlan {
  readonly tools?: readonly string[];
  readonly maxActions?: number;
  /** Milliseconds from now. */
  readonly delegationEnds?: number;
  readonly keyEnds?: number;
  readonly keyId?: string;
  readonly runtimeId?: string;
}

function signer(keyId: string): Signer {
  return createNodeSigner({ keyId, algorithm: "ECDSA_P256", privateKey: generatePrivateKey("ECDSA_P256") });
}

/** One agent, with as many runtimes as a test asks for. */
export class SessionWorld {
  readonly now = Math.floor(Date.now() / 1000) * 1000;
  readonly #root = signer("root-key-1");
  readonly #agent = signer("agent-key-1");
  readonly folder: string;
  #agentDigest = "";
  #chain: Pick<Parameters<typeof assembleBundle>[0], "agent_key_certificates" | "identity_records"> = {
    agent_key_certificates: [],
    identity_records: [],
  };

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<SessionWorld> {
    const world = new SessionWorld(await mkdtemp(join(tmpdir(), "osa-proof-session-")));
    const { root, agent } = { root: world.#root, agent: world.#agent };
    const common = { namespace_id: NAMESPACE, issued_at: world.at(-60_000), agent_id: AGENT };
    const window = { not_before: world.at(-60_000), not_after: world.at(DAY) };
    const certificate = await createAgentKeyCertificate(
      { ...common, ...window, agent_key_id: agent.keyId, public_key: encodeHex(agent.publicKey) },
      root,
    );
    world.#agentDigest = statementDigest(certificate);
    const digests = { agent_key_certificate_digests: [world.#agentDigest] };
    const record = await createIdentityRecord({ ...common, ...window, ...digests, record_number: 1 }, root);
    world.#chain = { agent_key_certificates: [certificate], identity_records: [record] };
    return world;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  at(milliseconds: number): string {
    return formatTime(this.now + milliseconds);
  }

  journal(name = "journal"): string {
    return join(this.folder, name);
  }

  /** Names of one runtime, as its statements have them. */
  #names(runtimeId: string): Pick<DelegationV1, "namespace_id" | "issued_at" | "agent_id" | "runtime_id"> & {
    readonly agent_key_certificate_digest: string;
    readonly session_id: string;
  } {
    return {
      namespace_id: NAMESPACE,
      issued_at: this.at(-60_000),
      agent_id: AGENT,
      agent_key_certificate_digest: this.#agentDigest,
      session_id: "session-1",
      runtime_id: runtimeId,
    };
  }

  async runtime(plan: RuntimePlan = {}): Promise<Runtime> {
    const delegation = await createDelegation(
      {
        ...this.#names(plan.runtimeId ?? "runtime-1"),
        delegation_id: `delegation-${plan.runtimeId ?? "1"}`,
        mission_id: "mission-1",
        policy_digest: sha256Hex(canonicalBytes(POLICY)),
        tools: plan.tools ?? ["get_order", "refund"],
        not_before: this.at(-60_000),
        not_after: this.at(plan.delegationEnds ?? DAY / 2),
        ...(plan.maxActions === undefined ? {} : { max_actions: plan.maxActions }),
      },
      this.#agent,
    );
    return { ...(await this.key(plan)), delegation };
  }

  async key(plan: RuntimePlan = {}): Promise<Pick<Runtime, "signer" | "certificate">> {
    const own = signer(plan.keyId ?? "runtime-key-1");
    const certificate = await createRuntimeKeyCertificate(
      {
        ...this.#names(plan.runtimeId ?? "runtime-1"),
        runtime_key_id: own.keyId,
        public_key: encodeHex(own.publicKey),
        not_before: this.at(-60_000),
        not_after: this.at(plan.keyEnds ?? 1_700_000),
      },
      this.#agent,
    );
    return { signer: own, certificate };
  }

  /** What an auditor says of these journals, each with its close. */
  async verdict(...directories: readonly string[]): Promise<VerificationReportV1> {
    const read: JournalContents[] = [];
    for (const directory of directories) read.push(await readJournal(directory));
    const receipts = read.flatMap((journal) => journal.receipts);
    const closes = read.flatMap((journal) => journal.close ?? []);
    const leaves = canonicalOrder([
      ...receipts.map((receipt) => ({
        digest: statementDigest(receipt),
        parents: receipt.parent_receipt_digests,
      })),
      ...closes.map((close) => ({ digest: statementDigest(close), parents: [close.last_receipt_digest] })),
    ]);
    if (leaves === null) throw new Error("the receipts have no order");
    const list = await createRevocationList(
      {
        namespace_id: NAMESPACE,
        issued_at: this.at(-60_000),
        list_number: 1,
        not_after: this.at(DAY),
        entries: [],
        previous_list_digest: null,
      },
      this.#root,
    );
    const tree = evidenceTree(leaves.map((leaf) => decodeHex(leaf) ?? new Uint8Array()));
    const log = await createLocalLog({
      dir: await mkdtemp(join(this.folder, "log-")),
      origin: "shop.example/log",
      logSigner: ed25519("log"),
      witnesses: [{ name: "witness.example", signer: ed25519("witness") }],
    });
    const entry = (
      subject: "evidence_root" | "revocation_list",
      digest: string,
      treeSize: number,
    ): Uint8Array => anchorEntryBytes({ namespaceId: NAMESPACE, subject, digest, treeSize });
    const places = await log.append([
      entry("evidence_root", encodeHex(tree.root), tree.size),
      entry("revocation_list", statementDigest(list), 1),
    ]);
    await log.publish(Math.floor(Date.now() / 1000));
    const anchors = [];
    for (const { index } of places) anchors.push({ type: "tlog" as const, proof: await log.proof(index) });
    const [ofTree, ofList] = anchors;
    if (ofTree === undefined || ofList === undefined) throw new Error("the log gave no proofs");
    const bundle = assembleBundle(
      {
        ...this.#chain,
        root_rotations: [],
        runtime_key_certificates: read.flatMap((journal) => journal.certificates),
        delegations: read.flatMap((journal) => journal.delegations),
        policies: [POLICY],
        receipts,
        session_closes: closes,
        session_seals: [],
        evidence_trees: [{ leaves, anchors: [ofTree] }],
        revocation_lists: [{ list, anchors: [ofList] }],
        attestations: [],
        disclosures: [],
      },
      { scope: "session", targets: receipts.map(statementDigest) },
    );
    const trust = {
      protocol: "OSA_PROOF_V3",
      type: "TrustPolicyV1",
      namespaces: [
        {
          namespace_id: NAMESPACE,
          roots: [
            { key_id: this.#root.keyId, public_key: encodeHex(this.#root.publicKey), rotation_number: 0 },
          ],
          agent_domains: ["shop.example"],
          top_delegators: [AGENT],
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
    return verifyBundle(encodeBundle(bundle), encodeUtf8(JSON.stringify(trust)), {
      at: formatTime(Date.now() + 1000),
    });
  }
}

function ed25519(keyId: string): Signer {
  return createNodeSigner({ keyId, algorithm: "ED25519", privateKey: generatePrivateKey("ED25519") });
}
