/** One small organisation in memory, with a real log on disk: everything the demo's story is made of. */
import { join } from "node:path";
import { anchorEntryBytes } from "../../anchors/anchor-entry.js";
import type { ProofMaterial, SealedTree } from "../../bundle/assemble.js";
import type { AnchoredRevocationList, Disclosure } from "../../bundle/format.js";
import { createLocalLog, type LocalLog } from "../../collect/local-log.js";
import { sha256Hex } from "../../crypto/digest.js";
import type { SigningAlgorithm } from "../../crypto/keys.js";
import type { Signer } from "../../crypto/signer.js";
import { decodeHex, encodeHex } from "../../encoding/hex.js";
import { canonicalBytes } from "../../encoding/jcs.js";
import { formatTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import { newId } from "../../runtime/entropy.js";
import { createNodeSigner } from "../../runtime/node-signer.js";
import { generatePrivateKey } from "../../runtime/private-key.js";
import { statementDigest } from "../../statements/canonical.js";
import type { DelegationV1 } from "../../statements/delegation.js";
import {
  type AgentKeyCertificateV1,
  createAgentKeyCertificate,
  createIdentityRecord,
  type IdentityRecordV1,
  type RuntimeKeyCertificateV1,
} from "../../statements/identity.js";
import type { ActionReceiptV3 } from "../../statements/receipt.js";
import {
  createRevocationList,
  type RevocationEntry,
  type RevocationListV1,
} from "../../statements/revocation.js";
import type { SessionCloseV1, SessionSealV1 } from "../../statements/session.js";
import { merkleRoot } from "../../tree/merkle.js";
import { canonicalOrder } from "../../tree/order.js";
import type { TrustPolicyV1 } from "../../verifier/trust-policy.js";

export const NAMESPACE = "demo.example";
export const DOMAIN = "agents.demo.example";
export const MISSION = "invoices-of-november";
/** What the agents must keep to; receipts and delegations name its digest. */
export const RULES = { name: "invoice rules", rules: ["read only the folder given", "pay nothing"] } as const;
export const RULES_DIGEST: string = sha256Hex(canonicalBytes(RULES));

const DAY = 86_400_000;

/** An agent with its certified key. */
export interface Agent {
  readonly agentId: string;
  readonly signer: Signer;
  readonly certificateDigest: string;
}

export function newSigner(name: string, algorithm: SigningAlgorithm = "ECDSA_P256"): Signer {
  return createNodeSigner({ keyId: newId(name), algorithm, privateKey: generatePrivateKey(algorithm) });
}

export class Scene {
  readonly now: () => number;
  readonly log: LocalLog;
  readonly root: Signer;
  readonly identityRecords: IdentityRecordV1[] = [];
  readonly agentCertificates: AgentKeyCertificateV1[] = [];
  readonly runtimeCertificates: RuntimeKeyCertificateV1[] = [];
  readonly delegations: DelegationV1[] = [];
  readonly receipts: ActionReceiptV3[] = [];
  readonly closes: SessionCloseV1[] = [];
  readonly seals: SessionSealV1[] = [];
  readonly disclosures: Disclosure[] = [];
  readonly trees: SealedTree[] = [];
  readonly lists: AnchoredRevocationList[] = [];

  private constructor(now: () => number, log: LocalLog, root: Signer) {
    this.now = now;
    this.log = log;
    this.root = root;
  }

  /** Keys of root, log and witnesses, and an empty log in `folder`. */
  static async create(folder: string, now: () => number): Promise<Scene> {
    const origin = "localhost/osa-proof-demo";
    const log = await createLocalLog({
      dir: join(folder, "log"),
      origin,
      logSigner: newSigner("log-key", "ED25519"),
      witnesses: [1, 2, 3].map((number) => ({
        name: `${origin}/witness-${number}`,
        signer: newSigner("witness-key", "ED25519"),
      })),
    });
    return new Scene(now, log, newSigner("root-key"));
  }

  time(): string {
    return formatTime(this.now());
  }

  /** Certificate and identity record of a new agent, both signed by the root. */
  async agent(name: string): Promise<Agent> {
    const agentId = `@ai:${DOMAIN}/${name}`;
    const signer = newSigner(`${name}-key`);
    const common = {
      namespace_id: NAMESPACE,
      issued_at: this.time(),
      agent_id: agentId,
      not_before: this.time(),
      not_after: formatTime(this.now() + 365 * DAY),
    };
    const certificate = await createAgentKeyCertificate(
      { ...common, agent_key_id: signer.keyId, public_key: encodeHex(signer.publicKey) },
      this.root,
    );
    const certificateDigest = statementDigest(certificate);
    const record = await createIdentityRecord(
      { ...common, record_number: 1, agent_key_certificate_digests: [certificateDigest] },
      this.root,
    );
    this.agentCertificates.push(certificate);
    this.identityRecords.push(record);
    return { agentId, signer, certificateDigest };
  }

  /** The next revocation list with these further entries, anchored at once. */
  async revocationList(entries: readonly RevocationEntry[]): Promise<AnchoredRevocationList> {
    const before = this.lists.at(-1)?.list;
    const list: RevocationListV1 = await createRevocationList(
      {
        namespace_id: NAMESPACE,
        issued_at: this.time(),
        list_number: (before?.list_number ?? 0) + 1,
        not_after: formatTime(this.now() + 7 * DAY),
        entries: [...(before?.entries ?? []), ...entries],
        previous_list_digest: before === undefined ? null : statementDigest(before),
      },
      this.root,
    );
    const digest = statementDigest(list);
    const proof = await this.#anchor(
      anchorEntryBytes({ namespaceId: NAMESPACE, subject: "revocation_list", digest, treeSize: 1 }),
    );
    const anchored: AnchoredRevocationList = { list, anchors: [{ type: "tlog", proof }] };
    this.lists.push(anchored);
    return anchored;
  }

  /** An evidence tree over every receipt, close and seal that is in none yet, anchored. */
  async seal(): Promise<SealedTree> {
    const sealed = new Set(this.trees.flatMap((tree) => tree.leaves));
    const item = (
      statement: object,
      parents: readonly string[],
    ): { digest: string; parents: readonly string[] } => ({
      digest: statementDigest(statement),
      parents,
    });
    const items = [
      ...this.receipts.map((receipt) => item(receipt, receipt.parent_receipt_digests)),
      ...this.closes.map((close) => item(close, [close.last_receipt_digest])),
      ...this.seals.map((seal) => item(seal, seal.session_close_digests)),
    ].filter(({ digest }) => !sealed.has(digest));
    const leaves = canonicalOrder(items);
    if (leaves === null) throw new OsaProofError("ARGUMENT_INVALID", "the receipts contradict one another");
    const digest = encodeHex(merkleRoot(leaves.map((leaf) => decodeHex(leaf) ?? new Uint8Array())));
    const proof = await this.#anchor(
      anchorEntryBytes({ namespaceId: NAMESPACE, subject: "evidence_root", digest, treeSize: leaves.length }),
    );
    const tree: SealedTree = { leaves, anchors: [{ type: "tlog", proof }] };
    this.trees.push(tree);
    return tree;
  }

  /** Into the log, cosigned by its witnesses, and the proof back. */
  async #anchor(entry: Uint8Array): Promise<string> {
    const [place] = await this.log.append([entry]);
    await this.log.publish(Math.floor(this.now() / 1_000));
    return this.log.proof(place?.index ?? 0);
  }

  /** Everything a packer may draw from. */
  material(): ProofMaterial {
    return {
      identity_records: this.identityRecords,
      root_rotations: [],
      agent_key_certificates: this.agentCertificates,
      runtime_key_certificates: this.runtimeCertificates,
      delegations: this.delegations,
      policies: [RULES],
      receipts: this.receipts,
      session_closes: this.closes,
      session_seals: this.seals,
      evidence_trees: this.trees,
      revocation_lists: this.lists,
      attestations: [],
      disclosures: this.disclosures,
    };
  }

  /** What an auditor pins who got root and log keys by another way. */
  trustPolicy(topDelegator: Agent): TrustPolicyV1 {
    const witnesses = this.log.witnesses.map(({ name, vkey }) => ({ name, vkey, operator: "own" as const }));
    return {
      protocol: "OSA_PROOF_V3",
      type: "TrustPolicyV1",
      namespaces: [
        {
          namespace_id: NAMESPACE,
          roots: [
            { key_id: this.root.keyId, public_key: encodeHex(this.root.publicKey), rotation_number: 0 },
          ],
          agent_domains: [DOMAIN],
          top_delegators: [topDelegator.agentId],
          minimum_revocation_list_number: 1,
          required_policy_digests: [RULES_DIGEST],
        },
      ],
      accepted_algorithms: ["ECDSA_P256"],
      tlog: {
        logs: [{ origin: this.log.origin, vkey: this.log.vkey, operator: "own" }],
        witnesses,
        groups: [
          { name: "local-witnesses", threshold: 2, members: witnesses.map((witness) => witness.name) },
        ],
        quorum: "local-witnesses",
      },
      require_session_close: true,
      require_session_seal: true,
    };
  }
}
