/** Session closes and seals, and the contiguity that scope `session` claims. Part of check DAG (docs/SPEC.md, "Check 6"). */

import type { Binding } from "../bundle/bindings.js";
import { groupBy, type Identified } from "../bundle/contents.js";
import type { RuntimeKeyCertificateV1 } from "../statements/identity.js";
import type { SessionCloseV1, SessionSealV1 } from "../statements/session.js";
import type { AgentCertificate, Identity, RuntimeCertificate } from "./identity.js";
import type { ReceiptTable } from "./receipt-table.js";
import { type FailAt, failing, instant, inWindow, isSignedBy, type Run } from "./run.js";
import type { RuntimeLine, RuntimeLines } from "./runtime-lines.js";
import type { Standings } from "./standing.js";

type Close = Identified<SessionCloseV1>;
type Seal = Identified<SessionSealV1>;

/** Who signed each sound close and seal: the anchor rules need their certificates. */
export interface SessionEnd {
  readonly closedBy: ReadonlyMap<
    Close,
    { readonly agent: AgentCertificate; readonly runtime: RuntimeCertificate | null }
  >;
  readonly sealedBy: ReadonlyMap<Seal, AgentCertificate>;
}

/** The line of a runtime that no receipt is of. */
const EMPTY_LINE: RuntimeLine = new Uint32Array(0);

export function checkSessionEnd(
  run: Run,
  identity: Identity,
  standings: Standings,
  lines: RuntimeLines,
): SessionEnd {
  // A close or seal is set aside when it fails; after this check nothing asks that of a receipt any more.
  const fail = failing(run, "DAG");
  const closedBy = new Map<Close, { agent: AgentCertificate; runtime: RuntimeCertificate | null }>();
  const closedRuntimes = new Map<string, Close>();
  for (const close of run.contents.closes) {
    if (!run.failed.has(close)) {
      const signer = checkCloseSignature(run, identity, close, fail);
      if (signer !== null) closedBy.set(close, signer);
    }
    if (closedRuntimes.has(close.statement.runtime_id)) {
      fail(close, "DAG_CLOSE_INVALID", "it is a second close of its runtime");
      continue;
    }
    closedRuntimes.set(close.statement.runtime_id, close);
    const mismatch = closeMismatch(
      run,
      identity,
      standings,
      close,
      lines.get(close.statement.runtime_id) ?? EMPTY_LINE,
    );
    if (mismatch !== null) fail(close, "DAG_CLOSE_MISMATCH", mismatch);
  }
  if (run.claim.scope === "session") checkWholeSession(run, lines, closedRuntimes, fail);
  return { closedBy, sealedBy: checkSeals(run, identity, fail) };
}

/** Signed by the runtime's last certificate or, when the policy allows it, by the agent; in that key's time. */
function checkCloseSignature(
  run: Run,
  identity: Identity,
  close: Close,
  fail: FailAt,
): { readonly agent: AgentCertificate; readonly runtime: RuntimeCertificate | null } | null {
  const { statement } = close;
  const invalid = (detail: string): null => {
    fail(close, "DAG_CLOSE_INVALID", detail);
    return null;
  };
  const time = instant(statement.issued_at);
  if (statement.closed_by === "agent") {
    if (!run.trust.acceptAgentClose)
      return invalid("its agent closed it for a crashed runtime, and the policy does not accept that");
    const agent = identity.agentCertificates.get(statement.agent_key_certificate_digest ?? "");
    if (agent === undefined) return invalid("its agent key certificate failed a check");
    if (!isSignedByAgent(close, agent) || !inWindow(time, agent.item.statement)) {
      return invalid("it is not signed by its agent key in that key's window");
    }
    run.findings.notes.add(
      `Runtime ${statement.runtime_id} was closed by its agent: that nothing came after is the agent's word.`,
    );
    return { agent, runtime: null };
  }
  const runtime = identity.runtimeCertificates.get(statement.runtime_key_certificate_digests.at(-1) ?? "");
  if (runtime === undefined || run.failed.has(runtime.item))
    return invalid("the certificate of its runtime key failed a check");
  const named = runtime.item.statement;
  if (named.runtime_key_id !== statement.issuer_key_id || !isOfRuntime(named, statement))
    return invalid("its issuer, runtime, session or agent is not that of the last certificate it lists");
  if (runtime.key.algorithm !== statement.signing_algorithm || !isSignedBy(close, runtime.key)) {
    return invalid("it is not signed by its runtime key");
  }
  if (!inWindow(time, named)) return invalid("it was issued outside its runtime key's window");
  return { agent: runtime.agent, runtime };
}

function isSignedByAgent(item: Close | Seal, agent: AgentCertificate): boolean {
  const { statement } = item;
  const issuer = agent.item.statement;
  return (
    statement.issuer_key_id === issuer.agent_key_id &&
    statement.agent_id === issuer.agent_id &&
    statement.signing_algorithm === agent.key.algorithm &&
    isSignedBy(item, agent.key)
  );
}

/** Where a close and the receipts shown of its runtime disagree. */
function closeMismatch(
  run: Run,
  identity: Identity,
  standings: Standings,
  close: Close,
  line: RuntimeLine,
): string | null {
  const { statement } = close;
  const { receipts } = run;
  const last = receipts.digests.find(statement.last_receipt_digest);
  if (last >= 0 && bindingOf(receipts, last)?.runtime_id !== statement.runtime_id)
    return "its last_receipt_digest is a receipt of another runtime";
  if (statement.receipt_count !== statement.final_sequence)
    return "its receipt_count is not its final_sequence";
  const closedAt = instant(statement.issued_at);
  for (const position of line) {
    const receipt = bindingOf(receipts, position);
    if (receipt?.agent_id !== statement.agent_id || receipt.session_id !== statement.session_id) {
      return "its agent or session is not that of its runtime's receipts";
    }
    const sequence = receipts.sequenceAt(position);
    if (sequence > statement.final_sequence) return `sequence ${sequence} lies beyond its final_sequence`;
    if (receipts.issuedAt(position) > closedAt + run.trust.skew)
      return "a receipt of its runtime is dated after it";
    if ((sequence === statement.final_sequence) !== (position === last)) {
      return "its last_receipt_digest is not the receipt with its final_sequence";
    }
  }
  return certificatesMismatch(run, identity, standings, statement, line);
}

function bindingOf(receipts: ReceiptTable, position: number): Binding | undefined {
  return receipts.bindings.all[receipts.bindingAt(position)];
}

/** Certificates in order of first use by sequence, then the close's own signer if it signed nothing else. */
function certificatesMismatch(
  run: Run,
  identity: Identity,
  standings: Standings,
  close: SessionCloseV1,
  line: RuntimeLine,
): string | null {
  const used = new Set<string>();
  let lastBinding = -1;
  for (const position of line) {
    const binding = run.receipts.bindingAt(position);
    if (binding === lastBinding) continue;
    lastBinding = binding;
    const { runtime } = standings.get(binding);
    if (runtime !== null) used.add(runtime.item.digest);
  }
  const listed = close.runtime_key_certificate_digests;
  const foreign = listed.some((digest) => {
    const certificate = identity.runtimeCertificates.get(digest)?.item.statement;
    return certificate !== undefined && !isOfRuntime(certificate, close);
  });
  if (foreign) return "it lists a certificate of another runtime, session or agent";
  const whole = run.claim.scope === "session" && isWhole(close, run.receipts, line);
  if (!whole) {
    let next = 0;
    for (const digest of used) {
      next = listed.indexOf(digest, next);
      if (next < 0) return "it does not list, in order of use, every certificate of its runtime's receipts";
    }
    return null;
  }
  const ownOnly = close.closed_by === "runtime" && !used.has(listed.at(-1) ?? "") ? 1 : 0;
  const same =
    listed.length === used.size + ownOnly && [...used].every((digest, index) => listed[index] === digest);
  return same ? null : "it does not list exactly the certificates its runtime used, in order of use";
}

function isOfRuntime(certificate: RuntimeKeyCertificateV1, close: SessionCloseV1): boolean {
  return (
    certificate.runtime_id === close.runtime_id &&
    certificate.session_id === close.session_id &&
    certificate.agent_id === close.agent_id
  );
}

/** True when every receipt that the close counts is shown. */
function isWhole(close: SessionCloseV1, receipts: ReceiptTable, line: RuntimeLine): boolean {
  let [different, last] = [0, 0];
  for (const position of line) {
    const sequence = receipts.sequenceAt(position);
    if (sequence !== last) different += 1;
    last = sequence;
  }
  return different === close.final_sequence;
}

/** The session of the first receipt that is a target. */
function claimedSession(run: Run): string | undefined {
  const positions = run.claim.targets.map((target) => run.receipts.digests.find(target));
  const first = positions.reduce(
    (least, position) => (position >= 0 && (least < 0 || position < least) ? position : least),
    -1,
  );
  return first < 0 ? undefined : bindingOf(run.receipts, first)?.session_id;
}

/** Scope `session`: for every runtime of the session that appears, 1 to the end without a gap, and a close. */
function checkWholeSession(
  run: Run,
  lines: RuntimeLines,
  closed: ReadonlyMap<string, Close>,
  fail: FailAt,
): void {
  const { receipts } = run;
  const session = claimedSession(run);
  for (const [runtime, line] of lines) {
    let [expected, last] = [1, -1];
    for (const position of line) {
      if (bindingOf(receipts, position)?.session_id !== session) continue;
      const sequence = receipts.sequenceAt(position);
      if (sequence > expected) {
        fail(
          receipts.placeOf(position),
          "DAG_SEQUENCE_GAP",
          `sequence ${expected} of its runtime is missing before it`,
        );
      }
      expected = sequence + 1;
      last = position;
    }
    if (last < 0) continue;
    const close = closed.get(runtime);
    if (close === undefined) {
      fail(
        receipts.placeOf(last),
        "DAG_CLOSE_MISSING",
        `runtime ${runtime} has no session close, so its tail may be cut off`,
      );
    } else if (close.statement.final_sequence >= expected) {
      fail(
        receipts.placeOf(last),
        "DAG_SEQUENCE_GAP",
        `sequence ${expected} to ${close.statement.final_sequence} of its runtime are missing after it`,
      );
    }
  }
}

/** One seal for an agent and session, naming exactly the closes shown; required when the policy says so. */
function checkSeals(run: Run, identity: Identity, fail: FailAt): ReadonlyMap<Seal, AgentCertificate> {
  const sealedBy = new Map<Seal, AgentCertificate>();
  const seen = new Set<string>();
  const closes = groupBy(
    run.contents.closes,
    (close) => `${close.statement.agent_id} ${close.statement.session_id}`,
  );
  for (const seal of run.contents.seals) {
    const { statement } = seal;
    const name = `${statement.agent_id} ${statement.session_id}`;
    const agent = identity.agentCertificates.get(statement.agent_key_certificate_digest);
    if (!run.failed.has(seal) && agent !== undefined) {
      if (isSignedByAgent(seal, agent) && inWindow(instant(statement.issued_at), agent.item.statement)) {
        sealedBy.set(seal, agent);
      } else {
        fail(seal, "DAG_SEAL_INVALID", "it is not signed by the agent key it names in that key's window");
      }
    }
    if (seen.has(name)) {
      fail(seal, "DAG_SEAL_INVALID", "it is a second seal of its agent and session");
      continue;
    }
    seen.add(name);
    const shown = new Set((closes.get(name) ?? []).map((close) => close.digest));
    const named = statement.session_close_digests;
    if (named.length !== shown.size || !named.every((digest) => shown.has(digest))) {
      fail(
        seal,
        "DAG_SEAL_MISMATCH",
        "the closes it names are not exactly those shown of its agent and session",
      );
    }
    if (
      (closes.get(name) ?? []).some(
        (close) => instant(close.statement.issued_at) > instant(statement.issued_at) + run.trust.skew,
      )
    ) {
      fail(seal, "DAG_SEAL_MISMATCH", "a close it names is dated after it");
    }
  }
  if (run.trust.requireSessionSeal && run.claim.scope === "session") requireSeals(run, seen);
  return sealedBy;
}

function requireSeals(run: Run, sealed: ReadonlySet<string>): void {
  const session = claimedSession(run);
  const missing = new Set<string>();
  for (const { agent_id: agent, session_id: of } of run.receipts.bindings.all) {
    if (of === session && !sealed.has(`${agent} ${of}`)) missing.add(agent);
  }
  for (const agent of missing) {
    run.findings.fail(
      "DAG",
      "DAG_SEAL_MISSING",
      { pointer: "/session_seals" },
      `agent ${agent} has not sealed session ${session}, and the policy requires it`,
    );
  }
}
