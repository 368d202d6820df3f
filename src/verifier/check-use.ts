/** Every use of an agent's keys is covered by its identity record. Part of check IDENTITY (docs/SPEC.md, "Check 2"). */
import type { Identified } from "../bundle/contents.js";
import type { FailureCode } from "../errors.js";
import { LIMITS } from "../limits.js";
import { type AgentCertificate, type Identity, recordAt, runtimeOfReceipt } from "./identity.js";
import { instant, type Run } from "./run.js";

/** Records a failure of check IDENTITY at a statement; returns null for the caller to pass on. */
export type FailAt = (item: Identified<object>, code: FailureCode, detail: string) => null;

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

/** Every use of an agent: its record must cover it and list the certificate that is used. */
export function checkUse(run: Run, identity: Identity, fail: FailAt): void {
  const { delegations, closes, seals, receipts } = run.contents;
  for (const item of [
    ...delegations,
    ...seals,
    ...closes.filter((close) => close.statement.closed_by === "agent"),
  ]) {
    const agent = findAgentCertificate(run, identity.agentCertificates, item, fail);
    if (agent === null) continue;
    if (instant(agent.item.statement.issued_at) > instant(item.statement.issued_at) + run.trust.skew) {
      fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the agent key certificate it names");
    }
  }
  const delegationByDigest = new Map(delegations.map((item) => [item.digest, item]));
  for (const item of receipts) {
    const { statement } = item;
    const runtime = runtimeOfReceipt(identity, item);
    if (runtime !== null) {
      if (instant(runtime.item.statement.issued_at) > instant(statement.issued_at) + run.trust.skew) {
        fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the certificate of its runtime key");
      }
      checkRecord(run, identity, item, runtime.agent, fail);
    }
    let link = delegationByDigest.get(statement.delegation_digest);
    for (let depth = 0; link !== undefined && depth < LIMITS.maxDelegationDepth; depth += 1) {
      const agent = identity.agentCertificates.get(link.statement.agent_key_certificate_digest);
      if (agent !== undefined && agent !== runtime?.agent) checkRecord(run, identity, item, agent, fail);
      link = delegationByDigest.get(link.statement.parent_delegation_digest ?? "");
    }
  }
  checkSessionEnds(run, identity, fail);
}

/** Closes and seals use their agent at their own time. */
function checkSessionEnds(run: Run, identity: Identity, fail: FailAt): void {
  for (const item of run.contents.closes) {
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
      checkRecord(run, identity, item, last.agent, fail);
    }
    const agent = identity.agentCertificates.get(statement.agent_key_certificate_digest ?? "");
    if (agent !== undefined) checkRecord(run, identity, item, agent, fail);
  }
  for (const item of run.contents.seals) {
    const agent = identity.agentCertificates.get(item.statement.agent_key_certificate_digest);
    if (agent !== undefined) checkRecord(run, identity, item, agent, fail);
  }
}

/** The record that counts at the statement's time, by its highest number; it must list the certificate. */
function checkRecord(
  run: Run,
  identity: Identity,
  item: Identified<{ readonly issued_at: string }>,
  agent: AgentCertificate,
  fail: FailAt,
): void {
  const agentId = agent.item.statement.agent_id;
  if (identity.agentsWithFailedRecords.has(agentId)) {
    // Which record counts is not known while one of them has failed; that failure is the one to report.
    run.failed.add(item);
    return;
  }
  const record = recordAt(run, identity, agentId, instant(item.statement.issued_at));
  if (record === null) {
    fail(
      item,
      "IDENTITY_RECORD_MISSING",
      `no record of ${agent.item.statement.agent_id} covers ${item.statement.issued_at}`,
    );
  } else if (!record.item.statement.agent_key_certificate_digests.includes(agent.item.digest)) {
    fail(
      item,
      "IDENTITY_CERTIFICATE_NOT_LISTED",
      `record ${record.item.statement.record_number} of ${agent.item.statement.agent_id} does not list the certificate used`,
    );
  }
}
