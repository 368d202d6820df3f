/** Every use of an agent's keys is covered by its identity record. Part of check IDENTITY (docs/SPEC.md, "Check 2"). */
import type { Identified } from "../bundle/contents.js";
import { formatTime } from "../encoding/time.js";
import type { FailureCode } from "../errors.js";
import { type AgentCertificate, type Identity, recordAt } from "./identity.js";
import { type FailAt, instant, type Run } from "./run.js";
import type { Standing } from "./standing.js";

/** The agent certificate that a statement names by digest. Silent when that one failed by itself. */
export function findAgentCertificate(
  run: Run,
  agents: ReadonlyMap<string, AgentCertificate>,
  item: Identified<{ readonly agent_key_certificate_digest?: string }>,
  fail: FailAt,
): AgentCertificate | null {
  const named = item.statement.agent_key_certificate_digest ?? "";
  const found = agents.get(named);
  if (found !== undefined) return found;
  switch (run.certificateRoles.get(named)) {
    case "agent":
      run.failed.add(item);
      return null;
    case "runtime":
      return fail(
        item,
        "IDENTITY_ISSUER_MISMATCH",
        "it names a runtime key certificate where an agent's belongs",
      );
    default:
      return fail(
        item,
        "IDENTITY_CERTIFICATE_MISSING",
        `agent key certificate ${named} is not in the bundle`,
      );
  }
}

/** Delegations use their agent's key. */
export function checkDelegationUse(run: Run, identity: Identity, fail: FailAt): void {
  checkAgentKeyUse(run, identity, run.contents.delegations, fail);
}

/** Each names an agent key certificate that was issued before it. */
function checkAgentKeyUse(
  run: Run,
  identity: Identity,
  items: readonly Identified<{
    readonly issued_at: string;
    readonly agent_key_certificate_digest?: string;
  }>[],
  fail: FailAt,
): void {
  for (const item of items) {
    const agent = findAgentCertificate(run, identity.agentCertificates, item, fail);
    if (agent === null) continue;
    if (instant(agent.item.statement.issued_at) > instant(item.statement.issued_at) + run.trust.skew) {
      fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the agent key certificate it names");
    }
  }
}

/** Records what is wrong with the receipt at hand; null stands for a failure that is reported elsewhere. */
export type FailReceipt = (code: FailureCode | null, detail: string, member?: string) => void;

/** A receipt uses the agents of its runtime key and of its whole chain, at its own time. */
export function checkReceiptUse(
  run: Run,
  identity: Identity,
  standing: Standing,
  issuedAt: number,
  fail: FailReceipt,
): void {
  const { runtime } = standing;
  if (runtime !== null) {
    if (standing.runtimeSpan.issued > issuedAt + run.trust.skew) {
      fail("IDENTITY_ISSUED_AFTER_USE", "it was issued before the certificate of its runtime key");
    }
    checkRecord(run, identity, issuedAt, runtime.agent, fail);
  }
  for (const agent of standing.chainAgents) {
    if (agent !== null && agent !== runtime?.agent) checkRecord(run, identity, issuedAt, agent, fail);
  }
}

/** Closes and seals use their agent at their own time. */
export function checkSessionEndUse(run: Run, identity: Identity, fail: FailAt): void {
  const { closes, seals } = run.contents;
  const byAgent = closes.filter((close) => close.statement.closed_by === "agent");
  checkAgentKeyUse(run, identity, [...seals, ...byAgent], fail);
  const covered = (item: Identified<{ readonly issued_at: string }>, agent: AgentCertificate): void =>
    checkRecord(run, identity, instant(item.statement.issued_at), agent, (code, detail) => {
      if (code === null) run.failed.add(item);
      else fail(item, code, detail);
    });
  for (const item of closes) {
    const { statement } = item;
    for (const digest of statement.runtime_key_certificate_digests) {
      const role = run.certificateRoles.get(digest);
      if (role === "runtime") continue;
      if (role === "agent") {
        fail(item, "IDENTITY_ISSUER_MISMATCH", "it lists an agent key certificate where a runtime's belongs");
        continue;
      }
      fail(item, "IDENTITY_CERTIFICATE_MISSING", `runtime key certificate ${digest} is not in the bundle`);
    }
    const last = identity.runtimeCertificates.get(statement.runtime_key_certificate_digests.at(-1) ?? "");
    if (statement.closed_by === "runtime" && last !== undefined) {
      if (instant(last.item.statement.issued_at) > instant(statement.issued_at) + run.trust.skew) {
        fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the certificate of its runtime key");
      }
      covered(item, last.agent);
    }
    const agent = identity.agentCertificates.get(statement.agent_key_certificate_digest ?? "");
    if (agent !== undefined) covered(item, agent);
  }
  for (const item of seals) {
    const agent = identity.agentCertificates.get(item.statement.agent_key_certificate_digest);
    if (agent !== undefined) covered(item, agent);
  }
}

/** The record that counts at the statement's time, by its highest number; it must list the certificate. */
function checkRecord(
  run: Run,
  identity: Identity,
  issuedAt: number,
  agent: AgentCertificate,
  fail: FailReceipt,
): void {
  const agentId = agent.item.statement.agent_id;
  if (identity.agentsWithFailedRecords.has(agentId)) {
    // Which record counts is not known while one of them has failed; that failure is the one to report.
    fail(null, "");
    return;
  }
  const record = recordAt(run, identity, agentId, issuedAt);
  if (record === null) {
    fail("IDENTITY_RECORD_MISSING", `no record of ${agentId} covers ${formatTime(issuedAt)}`);
  } else if (!record.item.statement.agent_key_certificate_digests.includes(agent.item.digest)) {
    fail(
      "IDENTITY_CERTIFICATE_NOT_LISTED",
      `record ${record.item.statement.record_number} of ${agentId} does not list the certificate used`,
    );
  }
}
