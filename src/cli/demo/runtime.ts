/** A runtime of the demo: it runs real commands as child processes and signs a receipt for each. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Signer } from "../../crypto/signer.js";
import { encodeHex } from "../../encoding/hex.js";
import { formatTime } from "../../encoding/time.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { type SignedAction, signAction } from "../../runtime/action.js";
import { discloseAction } from "../../runtime/disclose.js";
import { newId } from "../../runtime/entropy.js";
import { statementDigest } from "../../statements/canonical.js";
import { createDelegation } from "../../statements/delegation.js";
import { createRuntimeKeyCertificate, type RuntimeKeyCertificateV1 } from "../../statements/identity.js";
import { createSessionClose, createSessionSeal } from "../../statements/session.js";
import { type Agent, MISSION, NAMESPACE, newSigner, RULES_DIGEST, type Scene } from "./scene.js";

const HALF_HOUR = 1_800_000;

/** A command that ran: what it wrote, and how it ended. */
export interface Finished {
  readonly script: string;
  readonly file: string;
  readonly written: Uint8Array;
  readonly stdout: string;
}

/** Runs a script of the work folder in a process of its own; `file` is what it writes. */
export async function runScript(work: string, script: string, file: string): Promise<Finished> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: work, timeout: 30_000 });
  return { script, file, written: new Uint8Array(await readFile(join(work, file))), stdout };
}

export class DemoRuntime {
  readonly agent: Agent;
  readonly runtimeId: string;
  readonly sessionId: string;
  readonly signer: Signer;
  readonly certificate: RuntimeKeyCertificateV1;
  readonly #scene: Scene;
  #delegationDigest = "";
  #last: SignedAction | null = null;
  #sequence = 0;

  private constructor(scene: Scene, agent: Agent, signer: Signer, certificate: RuntimeKeyCertificateV1) {
    this.#scene = scene;
    this.agent = agent;
    this.signer = signer;
    this.certificate = certificate;
    this.runtimeId = certificate.runtime_id;
    this.sessionId = certificate.session_id;
  }

  /** A new runtime with a key for half an hour, certified by its agent. */
  static async start(scene: Scene, agent: Agent, name: string, sessionId: string): Promise<DemoRuntime> {
    const signer = newSigner(`${name}-key`);
    const certificate = await createRuntimeKeyCertificate(
      {
        namespace_id: NAMESPACE,
        issued_at: scene.time(),
        agent_id: agent.agentId,
        agent_key_certificate_digest: agent.certificateDigest,
        runtime_id: newId(name),
        runtime_key_id: signer.keyId,
        session_id: sessionId,
        public_key: encodeHex(signer.publicKey),
        not_before: scene.time(),
        not_after: formatTime(scene.now() + HALF_HOUR),
      },
      agent.signer,
    );
    scene.runtimeCertificates.push(certificate);
    return new DemoRuntime(scene, agent, signer, certificate);
  }

  /** A delegation by this runtime's agent: for this runtime, or for another agent to hand on. Gives its digest. */
  async delegate(plan: {
    readonly tools: readonly string[];
    readonly maxActions: number;
    readonly parent?: string;
    readonly to?: Agent;
    readonly notAfter?: string;
  }): Promise<string> {
    const delegation = await createDelegation(
      {
        namespace_id: NAMESPACE,
        issued_at: this.#scene.time(),
        delegation_id: newId("delegation"),
        agent_id: this.agent.agentId,
        agent_key_certificate_digest: this.agent.certificateDigest,
        mission_id: MISSION,
        session_id: this.sessionId,
        runtime_id: this.runtimeId,
        policy_digest: RULES_DIGEST,
        tools: plan.tools,
        not_before: this.#scene.time(),
        not_after: plan.notAfter ?? this.certificate.not_after,
        max_actions: plan.maxActions,
        ...(plan.parent === undefined ? {} : { parent_delegation_digest: plan.parent }),
        ...(plan.to === undefined ? {} : { delegate_agent_id: plan.to.agentId }),
      },
      this.agent.signer,
    );
    this.#scene.delegations.push(delegation);
    const digest = statementDigest(delegation);
    if (plan.to === undefined) this.#delegationDigest = digest;
    return digest;
  }

  /** Signs the receipt of a finished command. Its output is the file it wrote; what it printed is evidence. */
  async sign(tool: string, finished: Finished, parents: readonly SignedAction[]): Promise<SignedAction> {
    this.#sequence += 1;
    const action = await signAction({
      signer: this.signer,
      context: {
        namespace_id: NAMESPACE,
        agent_id: this.agent.agentId,
        runtime_id: this.runtimeId,
        session_id: this.sessionId,
        mission_id: MISSION,
        delegation_digest: this.#delegationDigest,
        policy_digest: RULES_DIGEST,
      },
      sequence: this.#sequence,
      parents: parents.map(({ digest }) => digest),
      tool,
      input: { json: { command: ["node", finished.script] } },
      output: { json: new TextDecoder().decode(finished.written) },
      status: "completed",
      evidence: [{ bytes: encodeUtf8(finished.stdout) }, { json: { exit_code: 0, file: finished.file } }],
      now: this.#scene.now(),
    });
    this.#last = action;
    this.#scene.receipts.push(action.receipt);
    const shown = { input: true, output: true, evidence: true };
    this.#scene.disclosures.push(...discloseAction(action.digest, action.openings, shown));
    return action;
  }

  /** The runtime's last word, and its agent's seal over it. */
  async close(): Promise<void> {
    const common = { namespace_id: NAMESPACE, agent_id: this.agent.agentId, session_id: this.sessionId };
    const close = await createSessionClose(
      {
        ...common,
        issued_at: this.#scene.time(),
        runtime_id: this.runtimeId,
        final_sequence: this.#sequence,
        receipt_count: this.#sequence,
        last_receipt_digest: this.#last?.digest ?? "",
        runtime_key_certificate_digests: [statementDigest(this.certificate)],
        closed_by: "runtime",
      },
      this.signer,
    );
    const seal = await createSessionSeal(
      {
        ...common,
        issued_at: this.#scene.time(),
        agent_key_certificate_digest: this.agent.certificateDigest,
        session_close_digests: [statementDigest(close)],
      },
      this.agent.signer,
    );
    this.#scene.closes.push(close);
    this.#scene.seals.push(seal);
  }
}
