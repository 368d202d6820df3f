/**
 * A world in memory: roots, agents, runtimes, receipts, a log with witnesses. A scenario makes it step by step, each
 * statement under a label. Changes given at the start apply at those labels, so that one thing deep inside can be
 * different and everything made after it is signed and anchored over the difference.
 */
import { encodeHex } from "../../src/encoding/hex.js";
import { type CommittedValue, commit, NO_EVIDENCE_ROOT } from "../../src/statements/commitment.js";
import { at, DAY, MINUTE, testDigest, testSalt } from "./keys.js";
import { actionTree } from "./trees.js";
import { agentId, NAMESPACE } from "./trust.js";
import { ALGORITHMS, type Draft, WorldCore } from "./world-core.js";

export { rootOf, showTree, type TreeInWorld } from "./trees.js";
export { type Changes, type Draft, POLICY, type StatementChange } from "./world-core.js";

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

export class World extends WorldCore {
  readonly #openings = new Map<string, Opening>();
  readonly #evidence = new Map<string, readonly string[]>();

  protected self(): World {
    return this;
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
        ...this.common("AgentKeyCertificateV1", time, this.root),
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
        ...this.common("IdentityRecordV1", time, this.root),
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
        ...this.common("RuntimeKeyCertificateV1", time, `${agent}-key`),
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
        ...this.common("DelegationV1", time, `${agent}-key`),
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
        ...this.common("SessionCloseV1", time, issuer),
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
        ...this.common("SessionSealV1", time, `${agent}-key`),
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
        ...this.common("RootRotationV1", time, oldRoot),
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
    anchoredAfter = 30,
  ): Promise<void> {
    const before = this.made.lists.find((item) => item.label === `list:${number - 1}`);
    const { digest } = await this.sign(
      "lists",
      label,
      {
        ...this.common("RevocationListV1", time, this.root),
        list_number: number,
        not_after: at(time + 2 * DAY),
        entries: revoked.map((key) => revocationEntry(key, this.key(key).thumbprint)),
        previous_list_digest: number === 1 ? null : (before?.digest ?? testDigest(`list ${number - 1}`)),
      },
      this.key(this.root),
    );
    const anchor = await this.anchor(
      label,
      { subject: "revocation_list", digest, treeSize: 1 },
      time + anchoredAfter,
    );
    this.listAnchors.set(label, [anchor]);
  }
}

export const TOOLS: readonly string[] = ["shell.run", "file.read", "file.write", "osa.denied"];

export function revocationEntry(keyId: string, thumbprint: string): Draft {
  return { key_id: keyId, key_thumbprint: thumbprint, revoked_at: at(-DAY), reason: "key lost" };
}
