/** One runtime at work: its key, its sequence, its receipts and its close. */
import type { Signer } from "../crypto/signer.js";
import { encodeHex } from "../encoding/hex.js";
import { formatTime, parseTime } from "../encoding/time.js";
import { OsaProofError } from "../errors.js";
import { type ActionOptions, type Openings, signAction } from "../runtime/action.js";
import { newId } from "../runtime/entropy.js";
import { statementDigest } from "../statements/canonical.js";
import type { DelegationV1 } from "../statements/delegation.js";
import { createRuntimeKeyCertificate, type RuntimeKeyCertificateV1 } from "../statements/identity.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { createSessionClose, type SessionCloseV1 } from "../statements/session.js";
import type { Workspace } from "./workspace.js";
import { agentOf, agentSigner, requireNotRevoked } from "./workspace-authority.js";
import { requireOpenSession } from "./workspace-delegation.js";
import type { Stored } from "./workspace-state.js";

/** The protocol's default; a trust policy may say less or more. */
const DEFAULT_LIFETIME_SECONDS = 1_800;
/** A key this close to its end is not begun with any more. */
const RENEWAL_MARGIN = 2_000;

export interface RuntimeName {
  readonly agentId: string;
  readonly sessionId: string;
  readonly runtimeId: string;
}

/** A key that the runtime made and keeps: its id, and its SubjectPublicKeyInfo as `0x` hex. */
export interface GivenKey {
  readonly keyId: string;
  readonly publicKey: string;
}

/**
 * Makes a runtime key, or takes the public one given, and its certificate; the certificate is not stored yet.
 * `validFor` is in milliseconds. @throws OsaProofError
 */
export async function issueRuntimeKey(
  workspace: Workspace,
  name: RuntimeName,
  validFor?: number,
  given?: GivenKey,
): Promise<RuntimeKeyCertificateV1> {
  const { config, keys } = workspace;
  const makeKey = async (): Promise<GivenKey> => {
    const signer = await keys.create(
      newId("runtime-key"),
      "runtime",
      config.algorithm,
      await workspace.protection(),
    );
    return { keyId: signer.keyId, publicKey: encodeHex(signer.publicKey) };
  };
  requireOpenSession(workspace.state, name.sessionId, name.agentId);
  const agent = agentOf(workspace, name.agentId);
  const issuer = agent.certificate.statement;
  const allowed =
    1_000 * ((await workspace.trust()).max_runtime_key_lifetime_seconds ?? DEFAULT_LIFETIME_SECONDS);
  if (validFor !== undefined && validFor > allowed) {
    throw new OsaProofError(
      "USAGE",
      `--valid-for: a runtime key lives at most ${allowed / 1_000} seconds by ${workspace.shown("trust.json")}; ask for less`,
    );
  }
  const agentKey = await agentSigner(workspace, agent);
  const issuedAt = workspace.time([issuer.issued_at]);
  const begin = parseTime(issuedAt) ?? 0;
  const end = Math.min(
    begin + (validFor ?? Math.min(allowed, 1_000 * DEFAULT_LIFETIME_SECONDS)),
    parseTime(issuer.not_after) ?? 0,
  );
  const { keyId, publicKey } = given ?? (await makeKey());
  return createRuntimeKeyCertificate(
    {
      namespace_id: config.namespace_id,
      issued_at: issuedAt,
      agent_id: name.agentId,
      agent_key_certificate_digest: agent.certificate.digest,
      runtime_id: name.runtimeId,
      runtime_key_id: keyId,
      session_id: name.sessionId,
      public_key: publicKey,
      not_before: issuedAt,
      not_after: formatTime(end),
    },
    agentKey,
  );
}

/** What one action adds to its runtime's history. */
export type RuntimeAction = Omit<ActionOptions, "signer" | "context" | "sequence" | "now">;

/** Signs receipts of one runtime in order and keeps them until they are committed together. */
export class RuntimeSession {
  readonly #workspace: Workspace;
  readonly #name: RuntimeName;
  readonly #stored: readonly Stored<ActionReceiptV3>[];
  readonly #certificates: Stored<RuntimeKeyCertificateV1>[];
  readonly #newCertificates: RuntimeKeyCertificateV1[] = [];
  readonly #receipts: Stored<ActionReceiptV3>[] = [];
  readonly #openings: Openings[] = [];
  #close: SessionCloseV1 | null = null;

  /** @throws OsaProofError WORKSPACE_INVALID when the runtime has no certificate or is closed */
  constructor(workspace: Workspace, name: RuntimeName) {
    const { state } = workspace;
    requireOpenSession(state, name.sessionId, name.agentId);
    const isOwn = ({ statement }: { statement: { runtime_id: string } }): boolean =>
      statement.runtime_id === name.runtimeId;
    this.#workspace = workspace;
    this.#name = name;
    this.#stored = state.receipts.filter(isOwn).sort((a, b) => a.statement.sequence - b.statement.sequence);
    this.#certificates = state.runtimeCertificates.filter(isOwn);
    if (state.closes.some(isOwn)) {
      throw new OsaProofError("WORKSPACE_INVALID", `runtime ${name.runtimeId} is closed and acts no more`);
    }
    if (this.#certificates.length === 0) {
      throw new OsaProofError(
        "WORKSPACE_INVALID",
        `runtime ${name.runtimeId} has no key yet; give it one with osa-proof runtime issue --runtime ${name.runtimeId}`,
      );
    }
  }

  /** The runtime's last receipt. */
  get last(): Stored<ActionReceiptV3> | undefined {
    return this.#receipts.at(-1) ?? this.#stored.at(-1);
  }

  get nextSequence(): number {
    return (this.last?.statement.sequence ?? 0) + 1;
  }

  /** Receipts signed here and not committed yet, oldest first. */
  get receipts(): readonly Stored<ActionReceiptV3>[] {
    return this.#receipts;
  }

  /** Opens the key that the next receipt needs, so that a wrong passphrase is noticed before anything is done. */
  async unlock(): Promise<void> {
    await this.#signer();
  }

  /** Signs the next receipt under a delegation of this runtime; returns its digest. */
  async sign(delegation: Stored<DelegationV1>, action: RuntimeAction): Promise<string> {
    const { mission_id, policy_digest } = delegation.statement;
    const { signer, time } = await this.#signerNow();
    const { receipt, digest, openings } = await signAction({
      ...action,
      signer,
      context: {
        namespace_id: this.#workspace.config.namespace_id,
        agent_id: this.#name.agentId,
        runtime_id: this.#name.runtimeId,
        session_id: this.#name.sessionId,
        mission_id,
        policy_digest,
        delegation_digest: delegation.digest,
      },
      sequence: this.nextSequence,
      now: parseTime(time) ?? 0,
    });
    this.#receipts.push({ statement: receipt, digest });
    this.#openings.push(openings);
    return digest;
  }

  /** Signs the close; `byAgent` with the agent's key, for a runtime whose own key is lost. @throws OsaProofError */
  async close(byAgent = false): Promise<string> {
    const { last } = this;
    if (last === undefined) {
      throw new OsaProofError(
        "WORKSPACE_INVALID",
        `runtime ${this.#name.runtimeId} has no receipt, so there is nothing to close`,
      );
    }
    const agent = agentOf(this.#workspace, this.#name.agentId);
    const { signer, time } = byAgent
      ? { signer: await agentSigner(this.#workspace, agent), time: this.#time() }
      : await this.#signerNow();
    const digests = this.#usedCertificates();
    const own = this.#certificates.find(({ statement }) => statement.runtime_key_id === signer.keyId)?.digest;
    if (!byAgent && own !== undefined && !digests.includes(own)) digests.push(own);
    const close = await createSessionClose(
      {
        namespace_id: this.#workspace.config.namespace_id,
        issued_at: time,
        agent_id: this.#name.agentId,
        runtime_id: this.#name.runtimeId,
        session_id: this.#name.sessionId,
        final_sequence: last.statement.sequence,
        receipt_count: last.statement.sequence,
        last_receipt_digest: last.digest,
        runtime_key_certificate_digests: digests,
        closed_by: byAgent ? "agent" : "runtime",
        ...(byAgent ? { agent_key_certificate_digest: agent.certificate.digest } : {}),
      },
      signer,
    );
    this.#close = close;
    return statementDigest(close);
  }

  /** Stores everything signed here as one change, and then removes the private keys that sign no more. */
  async commit(): Promise<void> {
    await this.#workspace.commit({
      runtimeCertificates: this.#newCertificates,
      receipts: this.#receipts.map(({ statement }) => statement),
      openings: this.#openings,
      closes: this.#close === null ? [] : [this.#close],
    });
    const done = this.#close === null ? this.#certificates.slice(0, -1) : this.#certificates;
    for (const { statement } of done) await this.#workspace.keys.discard(statement.runtime_key_id);
  }

  /** Never before the runtime's own last receipt or the certificate it signs under. */
  #time(): string {
    const after = [this.last, this.#certificates.at(-1)].flatMap((item) =>
      item === undefined ? [] : [item.statement.issued_at],
    );
    return this.#workspace.time(after);
  }

  /** A key and a time inside its certificate's window. */
  async #signerNow(): Promise<{ readonly signer: Signer; readonly time: string }> {
    for (;;) {
      const signer = await this.#signer();
      const time = this.#time();
      const end = this.#certificates.at(-1)?.statement.not_after ?? "";
      // Unlocking a key takes a while, in which its time may have ended.
      if ((parseTime(time) ?? 0) < (parseTime(end) ?? 0)) return { signer, time };
    }
  }

  /** The key of the newest certificate; a new one when that is near its end or was made under a replaced agent key. */
  async #signer(): Promise<Signer> {
    const newest = this.#certificates.at(-1)?.statement;
    const agent = agentOf(this.#workspace, this.#name.agentId);
    for (const { statement } of this.#certificates) {
      // One revoked key voids the runtime's session, so a new key would not help.
      requireNotRevoked(this.#workspace, statement.runtime_key_id);
      requireNotRevoked(this.#workspace, statement.issuer_key_id);
    }
    const now = this.#workspace.context.now();
    if (
      newest !== undefined &&
      now < (parseTime(newest.not_after) ?? 0) - RENEWAL_MARGIN &&
      newest.agent_key_certificate_digest === agent.certificate.digest
    ) {
      return this.#keptKey(newest.runtime_key_id);
    }
    const made = await issueRuntimeKey(this.#workspace, this.#name);
    this.#newCertificates.push(made);
    this.#certificates.push({ statement: made, digest: statementDigest(made) });
    return this.#workspace.keys.signer(made.runtime_key_id, "runtime");
  }

  /** A key of this workspace; one that the runtime kept to itself is gone with it. @throws OsaProofError KEY_INVALID */
  async #keptKey(keyId: string): Promise<Signer> {
    try {
      return await this.#workspace.keys.signer(keyId, "runtime");
    } catch (error) {
      if (!(error instanceof OsaProofError) || error.code !== "KEY_INVALID") throw error;
      throw new OsaProofError(
        error.code,
        `${error.message}; if runtime ${this.#name.runtimeId} kept its key to itself and has ended, its agent closes it: osa-proof close --by-agent`,
        { cause: error },
      );
    }
  }

  /** Certificates in order of first use. */
  #usedCertificates(): string[] {
    const byKey = new Map(this.#certificates.map((item) => [item.statement.runtime_key_id, item.digest]));
    const used = [...this.#stored, ...this.#receipts].flatMap(
      ({ statement }) => byKey.get(statement.runtime_key_id) ?? [],
    );
    return [...new Set(used)];
  }
}

/** The runtime that delegations are for. */
export function runtimeOf(delegations: readonly Stored<DelegationV1>[]): RuntimeName {
  const statement = delegations[0]?.statement;
  return {
    agentId: statement?.agent_id ?? "",
    sessionId: statement?.session_id ?? "",
    runtimeId: statement?.runtime_id ?? "",
  };
}
