/**
 * A world in memory: roots, agents, runtimes, receipts, a log with witnesses. A scenario makes it step by step, each
 * statement under a label. Changes given at the start apply at those labels, so that one thing deep inside can be
 * different and everything made after it is signed and anchored over the difference.
 */
import { type AnchorSubjectData, anchorEntryBytes } from "../../src/anchors/anchor-entry.js";
import type { Anchor, Disclosure, EvidenceTreeV1, ProofBundleV3 } from "../../src/bundle/format.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import type { SigningAlgorithm } from "../../src/crypto/keys.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { canonicalStatement } from "../../src/statements/canonical.js";
import { type CommittedValue, commit, NO_EVIDENCE_ROOT } from "../../src/statements/commitment.js";
import { evidenceTree } from "../../src/tree/merkle.js";
import { canonicalOrder } from "../../src/tree/order.js";
import { at, DAY, MINUTE, type TestKey, testDigest, testKey, testSalt } from "./keys.js";
import { type AnchorMaking, MemoryLog, UNPINNED_ORIGIN } from "./log.js";
import { agentId, NAMESPACE } from "./trust.js";

/** A statement or bundle as plain members that a change may set or delete. */
// biome-ignore lint/suspicious/noExplicitAny: changes reach anywhere into JSON, and a wrong reach fails the case.
export type Draft = Record<string, any>;

/** What is different about one statement. */
export interface StatementChange {
  /** Before it is signed; what follows is over the changed statement. */
  readonly draft?: (statement: Draft, world: World) => void;
  /** Signed with this key instead. The statement still names the right one. */
  readonly key?: TestKey;
  /** After it was signed, signature not made again; its digest follows. */
  readonly signed?: (statement: Draft, world: World) => void;
}

export interface Changes {
  /** By label of the statement. */
  readonly statements?: Readonly<Record<string, StatementChange>>;
  /** By label of the tree or list that is anchored. */
  readonly anchors?: Readonly<Record<string, (making: AnchorMaking, world: World) => void>>;
  /** By label of the tree: other leaves, or another order. */
  readonly leaves?: Readonly<Record<string, (leaves: string[], world: World) => string[]>>;
  /** By name of the step: more is done right after it. */
  readonly steps?: Readonly<Record<string, (world: World) => unknown>>;
}

interface Labelled {
  readonly label: string;
  readonly statement: Draft;
  readonly digest: string;
}

type Kind =
  | "identity_records"
  | "root_rotations"
  | "agent_key_certificates"
  | "runtime_key_certificates"
  | "delegations"
  | "receipts"
  | "session_closes"
  | "session_seals"
  | "lists";

export interface TreeInWorld {
  readonly label: string;
  readonly leaves: readonly string[];
  readonly anchors: readonly Anchor[];
}

interface Opening {
  readonly salt: string;
  readonly value: CommittedValue;
}

/** What a receipt is about; every member has a default. */
export interface ReceiptPlan {
  readonly runtime: string;
  readonly sequence: number;
  readonly time: number;
  readonly parents?: readonly string[];
  readonly delegation?: string;
  readonly tool?: string;
  readonly input?: Content;
  readonly output?: Content;
  readonly evidence?: readonly Content[];
  /** The certificate whose key signs; that of the runtime when absent. */
  readonly certificate?: string;
}

type Content = Pick<CommittedValue, "json" | "bytes" | "blob">;

export class World {
  readonly algorithm: SigningAlgorithm;
  /** Keys that are not of the world's algorithm. */
  readonly algorithmOf: Record<string, SigningAlgorithm> = {};
  missionId = "mission-7";
  root = "root-0";
  readonly log: MemoryLog = new MemoryLog();
  readonly otherLog: MemoryLog = new MemoryLog(UNPINNED_ORIGIN);
  readonly policies: JsonValue[] = [];
  readonly attestations: { type: "nitro" | "sev_snp"; document: string }[] = [];
  readonly disclosures: Disclosure[] = [];
  readonly trees: TreeInWorld[] = [];
  /** Targets that a change adds to those of the story. */
  readonly targets: string[] = [];
  readonly policyDigest: string;
  readonly #changes: Changes;
  readonly #made: Record<Kind, Labelled[]> = {
    identity_records: [],
    root_rotations: [],
    agent_key_certificates: [],
    runtime_key_certificates: [],
    delegations: [],
    receipts: [],
    session_closes: [],
    session_seals: [],
    lists: [],
  };
  readonly #supplemented = new Set<string>();
  readonly #listAnchors = new Map<string, Anchor[]>();
  readonly #openings = new Map<string, Opening>();
  readonly #evidence = new Map<string, readonly string[]>();
  readonly #unused: Set<string>;

  constructor(changes: Changes = {}, algorithm: SigningAlgorithm = "ECDSA_P256") {
    this.#changes = changes;
    this.algorithm = algorithm;
    this.policyDigest = sha256Hex(canonicalBytes(POLICY));
    this.#unused = new Set(
      Object.entries(changes).flatMap(([part, entries]) =>
        Object.keys(entries ?? {}).map((label) => `${part} ${label}`),
      ),
    );
  }

  key(label: string): TestKey {
    return testKey(label, this.algorithmOf[label] ?? this.algorithm);
  }

  /** Ends a named step of the scenario: changes that add something do so here. */
  async step(name: string): Promise<void> {
    this.#unused.delete(`steps ${name}`);
    await this.#changes.steps?.[name]?.(this);
  }

  /** Every change must have met its label, or the case would silently be its parent. */
  finish(): void {
    if (this.#unused.size > 0) throw new Error(`changes that met nothing: ${[...this.#unused].join(", ")}`);
  }

  find(label: string): Labelled {
    for (const items of Object.values(this.#made)) {
      const found = items.find((item) => item.label === label);
      if (found !== undefined) return found;
    }
    throw new Error(`nothing is labelled ${label}`);
  }

  digest(label: string): string {
    return this.find(label).digest;
  }

  /** Signs whatever members are given: the closed schemas are not asked, so that cases can break them. */
  async sign(kind: Kind, label: string, members: Draft, signer: TestKey): Promise<Labelled> {
    this.#unused.delete(`statements ${label}`);
    const change = this.#changes.statements?.[label] ?? {};
    const statement: Draft = { ...members, signing_algorithm: signer.signer.algorithm };
    change.draft?.(statement, this);
    const { signedBytes } = canonicalStatement(statement);
    const signature = await (change.key ?? signer).signer.sign(signedBytes);
    statement["signature"] = encodeHex(signature);
    if (kind === "root_rotations") {
      const newRoot = this.key(statement["new_root_key_id"]);
      statement["new_root_signature"] = encodeHex(await newRoot.signer.sign(signedBytes));
    }
    change.signed?.(statement, this);
    const made = { label, statement, digest: canonicalStatement(statement).digest };
    this.#made[kind].push(made);
    return made;
  }

  #common(type: string, time: number, issuer: string): Draft {
    return {
      protocol: "OSA_PROOF_V3",
      type,
      namespace_id: NAMESPACE,
      issued_at: at(time),
      issuer_key_id: issuer,
      ...ALGORITHMS,
    };
  }

  /** An agent's certificate `agent:<name>` and its record `record:<name>`. */
  async agent(name: string, time: number = -2 * DAY): Promise<void> {
    await this.agentCertificate(`agent:${name}`, name, `${name}-key`, time);
    await this.record(`record:${name}`, name, 1, [`agent:${name}`], time);
  }

  async agentCertificate(label: string, name: string, key: string, time: number = -2 * DAY): Promise<void> {
    await this.sign(
      "agent_key_certificates",
      label,
      {
        ...this.#common("AgentKeyCertificateV1", time, this.root),
        agent_id: agentId(name),
        agent_key_id: key,
        public_key: this.key(key).spki,
        not_before: at(time),
        not_after: at(time + 365 * DAY),
      },
      this.key(this.root),
    );
  }

  async record(
    label: string,
    name: string,
    number: number,
    certificates: readonly string[],
    time: number = -2 * DAY,
  ): Promise<void> {
    await this.sign(
      "identity_records",
      label,
      {
        ...this.#common("IdentityRecordV1", time, this.root),
        agent_id: agentId(name),
        record_number: number,
        agent_key_certificate_digests: certificates.map((certificate) => this.digest(certificate)),
        not_before: at(time),
        not_after: at(time + 400 * DAY),
      },
      this.key(this.root),
    );
  }

  /** A certificate `runtime:<runtime>` of the key `<runtime>-key`, for 30 minutes. */
  async runtime(
    runtime: string,
    agent: string,
    plan: { session?: string; time?: number; key?: string; label?: string; attestation?: string } = {},
  ): Promise<void> {
    const { session = "session-1", time = 0, key = `${runtime}-key`, label = `runtime:${runtime}` } = plan;
    const { attestation } = plan;
    await this.sign(
      "runtime_key_certificates",
      label,
      {
        ...this.#common("RuntimeKeyCertificateV1", time, `${agent}-key`),
        agent_id: agentId(agent),
        agent_key_certificate_digest: this.digest(`agent:${agent}`),
        runtime_id: runtime,
        runtime_key_id: key,
        session_id: session,
        public_key: this.key(key).spki,
        not_before: at(time),
        not_after: at(time + 30 * MINUTE),
        ...(attestation === undefined ? {} : { attestation_digest: attestation }),
      },
      this.key(`${agent}-key`),
    );
  }

  /** A delegation `delegation:<name>` of an agent for a runtime, or for a delegate. */
  async delegation(
    name: string,
    agent: string,
    runtime: string,
    plan: {
      session?: string;
      time?: number;
      parent?: string;
      delegate?: string;
      tools?: readonly string[];
      max?: number;
    } = {},
  ): Promise<void> {
    const { session = "session-1", time = 0, parent, delegate, tools = TOOLS, max } = plan;
    await this.sign(
      "delegations",
      `delegation:${name}`,
      {
        ...this.#common("DelegationV1", time, `${agent}-key`),
        delegation_id: `delegation-${name}`,
        agent_id: agentId(agent),
        agent_key_certificate_digest: this.digest(`agent:${agent}`),
        mission_id: this.missionId,
        session_id: session,
        runtime_id: runtime,
        policy_digest: this.policyDigest,
        tools: [...tools],
        not_before: at(time),
        not_after: at(time + 120 * MINUTE),
        ...(max === undefined ? {} : { max_actions: max }),
        ...(parent === undefined ? {} : { parent_delegation_digest: this.digest(`delegation:${parent}`) }),
        ...(delegate === undefined ? {} : { delegate_agent_id: agentId(delegate) }),
      },
      this.key(`${agent}-key`),
    );
  }

  #commit(label: string, field: string, value: CommittedValue): string {
    const { commitment, salt } = commit(value, testSalt(`${label} ${field}`));
    this.#openings.set(`${label} ${field}`, { salt, value });
    return commitment;
  }

  /** A receipt `receipt:<name>`, with its commitments and its action tree. */
  async receipt(name: string, plan: ReceiptPlan): Promise<void> {
    const label = `receipt:${name}`;
    const receiptId = `receipt-${name}`;
    const certificate = this.find(plan.certificate ?? `runtime:${plan.runtime}`).statement;
    const items = (plan.evidence ?? []).map((content, index) =>
      this.#commit(label, `evidence ${index}`, { kind: "evidence", receipt_id: receiptId, ...content }),
    );
    this.#evidence.set(label, items);
    const input = plan.input ?? { json: { command: `step ${name}` } };
    const output = plan.output ?? { json: { exit_code: 0 } };
    await this.sign(
      "receipts",
      label,
      {
        protocol: "OSA_PROOF_V3",
        receipt_id: receiptId,
        namespace_id: NAMESPACE,
        agent_id: certificate["agent_id"],
        runtime_id: plan.runtime,
        runtime_key_id: certificate["runtime_key_id"],
        session_id: certificate["session_id"],
        mission_id: this.missionId,
        action_id: `action-${name}`,
        sequence: plan.sequence,
        parent_receipt_digests: (plan.parents ?? []).map((parent) => this.digest(`receipt:${parent}`)).sort(),
        delegation_digest: this.digest(`delegation:${plan.delegation ?? plan.runtime}`),
        policy_digest: this.policyDigest,
        tool: plan.tool ?? "shell.run",
        input_commitment: this.#commit(label, "input", { kind: "input", receipt_id: receiptId, ...input }),
        output_commitment: this.#commit(label, "output", {
          kind: "output",
          receipt_id: receiptId,
          status: "completed",
          ...output,
        }),
        evidence_merkle_root: items.length === 0 ? NO_EVIDENCE_ROOT : encodeHex(actionTree(items).root),
        issued_at: at(plan.time),
        ...ALGORITHMS,
      },
      this.key(certificate["runtime_key_id"]),
    );
  }

  /** Opens a field of a receipt in the bundle: "input", "output" or "evidence <index>". */
  disclose(name: string, field: string): void {
    const label = `receipt:${name}`;
    const opening = this.#openings.get(`${label} ${field}`);
    if (opening === undefined) throw new Error(`${label} has no ${field}`);
    const shown = { receipt_digest: this.digest(label), ...opening };
    if (!field.startsWith("evidence ")) {
      this.disclosures.push(shown);
      return;
    }
    const items = this.#evidence.get(label) ?? [];
    const index = Number(field.slice("evidence ".length));
    const path = actionTree(items).inclusionProof(index).map(encodeHex);
    this.disclosures.push({
      ...shown,
      inclusion: { leaf_index: index, tree_size: items.length, audit_path: path },
    });
  }

  /** The close `close:<runtime>`, by the runtime's last key or by its agent. */
  async close(
    runtime: string,
    last: string,
    time: number,
    plan: { certificates?: readonly string[]; byAgent?: string } = {},
  ): Promise<void> {
    const certificates = plan.certificates ?? [`runtime:${runtime}`];
    const certificate = this.find(certificates.at(-1) ?? "").statement;
    const { sequence } = this.find(`receipt:${last}`).statement;
    const issuer = plan.byAgent === undefined ? certificate["runtime_key_id"] : `${plan.byAgent}-key`;
    await this.sign(
      "session_closes",
      `close:${runtime}`,
      {
        ...this.#common("SessionCloseV1", time, issuer),
        agent_id: certificate["agent_id"],
        runtime_id: runtime,
        session_id: certificate["session_id"],
        final_sequence: sequence,
        receipt_count: sequence,
        last_receipt_digest: this.digest(`receipt:${last}`),
        runtime_key_certificate_digests: certificates.map((label) => this.digest(label)),
        closed_by: plan.byAgent === undefined ? "runtime" : "agent",
        ...(plan.byAgent === undefined
          ? {}
          : { agent_key_certificate_digest: this.digest(`agent:${plan.byAgent}`) }),
      },
      this.key(issuer),
    );
  }

  /** The seal `seal:<agent>` over the closes of these runtimes. */
  async seal(
    agent: string,
    runtimes: readonly string[],
    time: number,
    session: string = "session-1",
  ): Promise<void> {
    await this.sign(
      "session_seals",
      `seal:${agent}`,
      {
        ...this.#common("SessionSealV1", time, `${agent}-key`),
        agent_id: agentId(agent),
        agent_key_certificate_digest: this.digest(`agent:${agent}`),
        session_id: session,
        session_close_digests: runtimes.map((runtime) => this.digest(`close:${runtime}`)),
      },
      this.key(`${agent}-key`),
    );
  }

  /** The rotation `rotation:<number>` from root-(n-1) to root-n. */
  async rotation(number: number, time: number, effective: number): Promise<void> {
    const [oldRoot, newRoot] = [`root-${number - 1}`, `root-${number}`];
    await this.sign(
      "root_rotations",
      `rotation:${number}`,
      {
        ...this.#common("RootRotationV1", time, oldRoot),
        rotation_number: number,
        old_root_key_id: oldRoot,
        old_root_public_key: this.key(oldRoot).spki,
        new_root_key_id: newRoot,
        new_root_public_key: this.key(newRoot).spki,
        effective_at: at(effective),
      },
      this.key(oldRoot),
    );
  }

  /** The revocation list `list:<number>`, good for two days, anchored half a minute after it was issued. */
  async list(
    number: number,
    time: number,
    revoked: readonly string[] = [],
    label = `list:${number}`,
  ): Promise<void> {
    const before = this.#made.lists.find((item) => item.label === `list:${number - 1}`);
    const { digest } = await this.sign(
      "lists",
      label,
      {
        ...this.#common("RevocationListV1", time, this.root),
        list_number: number,
        not_after: at(time + 2 * DAY),
        entries: revoked.map((key) => revocationEntry(key, this.key(key).thumbprint)),
        previous_list_digest: number === 1 ? null : (before?.digest ?? testDigest(`list ${number - 1}`)),
      },
      this.key(this.root),
    );
    const anchor = await this.anchor(label, { subject: "revocation_list", digest, treeSize: 1 }, time + 30);
    this.#listAnchors.set(label, [anchor]);
  }

  /** Anchors on the pinned log, witnessed by all three, a second apart. */
  async anchor(
    label: string,
    subject: Omit<AnchorSubjectData, "namespaceId">,
    time: number,
    log: MemoryLog = this.log,
  ): Promise<Anchor> {
    this.#unused.delete(`anchors ${label}`);
    const making: AnchorMaking = {
      entry: anchorEntryBytes({ namespaceId: NAMESPACE, ...subject }),
      cosigners: [1, 2, 3].map((number) => ({ witness: number, time: time + number - 1 })),
    };
    this.#changes.anchors?.[label]?.(making, this);
    return log.anchor(making);
  }

  /** Adds an anchor beside those that a list or tree has. */
  addAnchor(label: string, anchor: Anchor): void {
    const anchors =
      this.#listAnchors.get(label) ?? this.trees.find((tree) => tree.label === label)?.anchors ?? [];
    // The arrays were made by this class; only the readers see them as readonly.
    (anchors as Anchor[]).push(anchor);
  }

  /** Takes these lists and rotations out of the bundle and into a supplement. */
  supplement(labels: readonly string[]): Draft {
    for (const label of labels) this.#supplemented.add(label);
    const chosen = (kind: Kind): Labelled[] => this.#made[kind].filter(({ label }) => labels.includes(label));
    return {
      protocol: "OSA_PROOF_V3",
      type: "SupplementV1",
      namespace_id: NAMESPACE,
      root_rotations: chosen("root_rotations").map(({ statement }) => statement),
      revocation_lists: chosen("lists").map((list) => this.#anchored(list)),
    };
  }

  #anchored({ label, statement }: Labelled): Draft {
    return { list: statement, anchors: this.#listAnchors.get(label) ?? [] };
  }

  leafDigests(): string[] {
    return [...this.#made.receipts, ...this.#made.session_closes, ...this.#made.session_seals].map(
      (item) => item.digest,
    );
  }

  /** Builds the evidence tree of a label over the leaves given (all, when absent), in order, and anchors it. */
  async tree(
    label: string,
    time: number,
    plan: { leaves?: readonly string[]; anchored?: boolean } = {},
  ): Promise<void> {
    const chosen = plan.leaves?.map((leaf) => this.digest(leaf)) ?? this.leafDigests();
    const ordered =
      canonicalOrder(chosen.map((digest) => ({ digest, parents: this.#causes(digest) }))) ?? chosen;
    this.#unused.delete(`leaves ${label}`);
    const leaves = this.#changes.leaves?.[label]?.(ordered, this) ?? ordered;
    const root = rootOf(leaves);
    const anchors: Anchor[] = [];
    if (plan.anchored !== false) {
      anchors.push(
        await this.anchor(label, { subject: "evidence_root", digest: root, treeSize: leaves.length }, time),
      );
    }
    this.trees.push({ label, leaves, anchors });
  }

  #causes(digest: string): readonly string[] {
    for (const items of [this.#made.receipts, this.#made.session_closes, this.#made.session_seals]) {
      const statement = items.find((item) => item.digest === digest)?.statement;
      if (statement === undefined) continue;
      return (
        statement["parent_receipt_digests"] ??
        statement["session_close_digests"] ?? [statement["last_receipt_digest"]]
      );
    }
    return [];
  }

  /** Packs everything that was made. `shown` are the labels of receipts, closes and seals, all when absent. */
  bundle(scope: "causal" | "session", targets: readonly string[], shown?: readonly string[]): ProofBundleV3 {
    const labels = shown === undefined ? null : new Set(shown);
    const statements = (kind: Kind): Draft[] =>
      this.#made[kind]
        .filter(({ label }) => !this.#supplemented.has(label))
        .filter(({ label }) => labels === null || !isLeaf(kind) || labels.has(label))
        .map(({ statement }) => statement);
    const shownDigests = labels === null ? null : new Set([...labels].map((label) => this.digest(label)));
    // The members are what the makers above gave; a case may have broken them on purpose.
    return {
      protocol: "OSA_PROOF_V3",
      type: "ProofBundleV3",
      namespace_id: NAMESPACE,
      mission_id: this.missionId,
      claim: {
        scope,
        targets: [...targets, ...this.targets].map((target) => this.digest(`receipt:${target}`)),
      },
      identity_records: statements("identity_records"),
      root_rotations: statements("root_rotations"),
      agent_key_certificates: statements("agent_key_certificates"),
      runtime_key_certificates: statements("runtime_key_certificates"),
      delegations: statements("delegations"),
      policies: this.policies,
      receipts: statements("receipts"),
      session_closes: statements("session_closes"),
      session_seals: statements("session_seals"),
      evidence_trees: this.trees.map((tree) => showTree(tree, shownDigests)),
      revocation_lists: this.#made.lists
        .filter(({ label }) => !this.#supplemented.has(label))
        .map((list) => this.#anchored(list)),
      attestations: this.attestations,
      disclosures: this.disclosures,
    } as unknown as ProofBundleV3;
  }
}

export const TOOLS: readonly string[] = ["shell.run", "file.read", "file.write", "osa.denied"];

/** The policy document that every delegation of the world is under. */
export const POLICY: JsonValue = { name: "fixture policy", rules: ["no network", "no secrets in output"] };

export function revocationEntry(keyId: string, thumbprint: string): Draft {
  return { key_id: keyId, key_thumbprint: thumbprint, revoked_at: at(-DAY), reason: "key lost" };
}

const ALGORITHMS: Draft = { digest_algorithm: "SHA-256", canonicalization: "RFC8785_JCS" };

function isLeaf(kind: Kind): boolean {
  return kind === "receipts" || kind === "session_closes" || kind === "session_seals";
}

function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array(0);
}

function actionTree(items: readonly string[]): ReturnType<typeof evidenceTree> {
  return evidenceTree(items.map(bytesOf));
}

/** The RFC 6962 root over digests as leaf data, `0x` hex. */
export function rootOf(leaves: readonly string[]): string {
  return encodeHex(evidenceTree(leaves.map(bytesOf)).root);
}

/** The whole tree, or inclusion proofs of the leaves shown. */
export function showTree(tree: TreeInWorld, shown: ReadonlySet<string> | null): EvidenceTreeV1 {
  const built = evidenceTree(tree.leaves.map(bytesOf));
  const common = { root: encodeHex(built.root), tree_size: tree.leaves.length, anchors: tree.anchors };
  if (shown === null || tree.leaves.every((leaf) => shown.has(leaf))) {
    return { ...common, mode: "complete", leaves: tree.leaves };
  }
  const proofs = tree.leaves.flatMap((leaf, index) =>
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
  return { ...common, mode: "inclusion", proofs };
}
