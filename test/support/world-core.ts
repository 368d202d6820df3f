/**
 * What the fixture world is made of: labelled statements, the changes that apply at their labels, anchors, trees, and
 * the packing of it all. The makers of the statements are in `world.ts`.
 */
import { type AnchorSubjectData, anchorEntryBytes } from "../../src/anchors/anchor-entry.js";
import type { Anchor, Disclosure, ProofBundleV3 } from "../../src/bundle/format.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import type { SigningAlgorithm } from "../../src/crypto/keys.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { canonicalStatement } from "../../src/statements/canonical.js";
import { canonicalOrder } from "../../src/tree/order.js";
import { at, type TestKey, testKey } from "./keys.js";
import { type AnchorMaking, MemoryLog, UNPINNED_ORIGIN } from "./log.js";
import { rootOf, showTree, type TreeInWorld } from "./trees.js";
import { NAMESPACE } from "./trust.js";
// Types only: the callbacks of a change get the whole world.
import type { World } from "./world.js";

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

export interface Labelled {
  readonly label: string;
  readonly statement: Draft;
  readonly digest: string;
}

export type Kind =
  | "identity_records"
  | "root_rotations"
  | "agent_key_certificates"
  | "runtime_key_certificates"
  | "delegations"
  | "receipts"
  | "session_closes"
  | "session_seals"
  | "lists";

/** The policy document that every delegation of the world is under. */
export const POLICY: JsonValue = { name: "fixture policy", rules: ["no network", "no secrets in output"] };

/** The algorithm members but the one that follows from the key. */
export const ALGORITHMS: Draft = { digest_algorithm: "SHA-256", canonicalization: "RFC8785_JCS" };

export abstract class WorldCore {
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
  protected readonly made: Record<Kind, Labelled[]> = {
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
  protected readonly listAnchors = new Map<string, Anchor[]>();
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

  /** This, with its makers. */
  protected abstract self(): World;

  key(label: string): TestKey {
    return testKey(label, this.algorithmOf[label] ?? this.algorithm);
  }

  /** Ends a named step of the scenario: changes that add something do so here. */
  async step(name: string): Promise<void> {
    this.#unused.delete(`steps ${name}`);
    await this.#changes.steps?.[name]?.(this.self());
  }

  /** Every change must have met its label, or the case would silently be its parent. */
  finish(): void {
    if (this.#unused.size > 0) throw new Error(`changes that met nothing: ${[...this.#unused].join(", ")}`);
  }

  find(label: string): Labelled {
    for (const items of Object.values(this.made)) {
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
    change.draft?.(statement, this.self());
    const { signedBytes } = canonicalStatement(statement);
    const signature = await (change.key ?? signer).signer.sign(signedBytes);
    statement["signature"] = encodeHex(signature);
    if (kind === "root_rotations") {
      const newRoot = this.key(statement["new_root_key_id"]);
      statement["new_root_signature"] = encodeHex(await newRoot.signer.sign(signedBytes));
    }
    change.signed?.(statement, this.self());
    const made = { label, statement, digest: canonicalStatement(statement).digest };
    this.made[kind].push(made);
    return made;
  }

  /** What every typed statement carries. */
  protected common(type: string, time: number, issuer: string): Draft {
    return {
      protocol: "OSA_PROOF_V3",
      type,
      namespace_id: NAMESPACE,
      issued_at: at(time),
      issuer_key_id: issuer,
      ...ALGORITHMS,
    };
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
    this.#changes.anchors?.[label]?.(making, this.self());
    return log.anchor(making);
  }

  /** Adds an anchor beside those that a list or tree has. */
  addAnchor(label: string, anchor: Anchor): void {
    const anchors =
      this.listAnchors.get(label) ?? this.trees.find((tree) => tree.label === label)?.anchors ?? [];
    // The arrays were made by this class; only the readers see them as readonly.
    (anchors as Anchor[]).push(anchor);
  }

  /** Takes these lists and rotations out of the bundle and into a supplement. */
  supplement(labels: readonly string[]): Draft {
    for (const label of labels) this.#supplemented.add(label);
    const chosen = (kind: Kind): Labelled[] => this.made[kind].filter(({ label }) => labels.includes(label));
    return {
      protocol: "OSA_PROOF_V3",
      type: "SupplementV1",
      namespace_id: NAMESPACE,
      root_rotations: chosen("root_rotations").map(({ statement }) => statement),
      revocation_lists: chosen("lists").map((list) => this.#anchored(list)),
    };
  }

  #anchored({ label, statement }: Labelled): Draft {
    return { list: statement, anchors: this.listAnchors.get(label) ?? [] };
  }

  leafDigests(): string[] {
    return [...this.made.receipts, ...this.made.session_closes, ...this.made.session_seals].map(
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
    const leaves = this.#changes.leaves?.[label]?.(ordered, this.self()) ?? ordered;
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
    for (const items of [this.made.receipts, this.made.session_closes, this.made.session_seals]) {
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
      this.made[kind]
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
      revocation_lists: this.made.lists
        .filter(({ label }) => !this.#supplemented.has(label))
        .map((list) => this.#anchored(list)),
      attestations: this.attestations,
      disclosures: this.disclosures,
    } as unknown as ProofBundleV3;
  }
}

function isLeaf(kind: Kind): boolean {
  return kind === "receipts" || kind === "session_closes" || kind === "session_seals";
}
