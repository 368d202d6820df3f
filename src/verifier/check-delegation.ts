/** Check 3, DELEGATION: every action was allowed, by a chain that only narrows (docs/SPEC.md, "Check 3"). */
import { byDigest } from "../bundle/contents.js";
import * as LIMITS from "../limits.js";
import type { DelegationV1 } from "../statements/delegation.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { FailReceipt } from "./check-use.js";
import type { Identity } from "./identity.js";
import {
  type FailAt,
  failing,
  inSpan,
  instant,
  isEmptyWindow,
  isInside,
  isSignedBy,
  type Run,
} from "./run.js";
import type { Delegation, Standing, Standings } from "./standing.js";

/** The delegations themselves, before any receipt under them. `failedBefore`: what failed in check IDENTITY. */
export function checkDelegations(run: Run, identity: Identity, failedBefore: ReadonlySet<object>): void {
  const fail = failing(run, "DELEGATION");
  const known = byDigest(run.contents.delegations);
  for (const item of run.contents.delegations) {
    if (failedBefore.has(item)) continue;
    checkSignature(identity, item, fail);
    checkLimits(run, item, known, fail);
    checkParent(run, item, known, failedBefore, fail);
  }
}

/** Receipts under each delegation and each one above it: a chain is a tree upwards, so each receipt counts once. */
export function checkActionCounts(run: Run, standings: Standings): void {
  const fail = failing(run, "DELEGATION");
  const counts = new Map<Delegation, number>();
  for (const [number, count] of run.receipts.counts.entries()) {
    const standing = standings.get(number);
    if (standing.delegation === null) continue;
    for (const link of standing.chain) counts.set(link, (counts.get(link) ?? 0) + count);
  }
  for (const [delegation, count] of counts) {
    const bound = delegation.statement.max_actions;
    if (bound !== undefined && count > bound) {
      fail(
        delegation,
        "DELEGATION_MAX_ACTIONS_EXCEEDED",
        `${count} receipts stand under it, ${bound} are allowed`,
      );
    }
  }
}

/** Signed by the agent key that it names, inside that key's window. */
function checkSignature(identity: Identity, item: Delegation, fail: FailAt): void {
  const { statement } = item;
  const agent = identity.agentCertificates.get(statement.agent_key_certificate_digest);
  if (agent === undefined) return;
  const issuer = agent.item.statement;
  const named = statement.issuer_key_id === issuer.agent_key_id && statement.agent_id === issuer.agent_id;
  if (!named || statement.signing_algorithm !== agent.key.algorithm || !isSignedBy(item, agent.key)) {
    fail(item, "DELEGATION_SIGNATURE_INVALID", "it is not signed by the agent key it names");
  }
  if (isEmptyWindow(statement) || !isInside(statement, issuer)) {
    fail(item, "DELEGATION_OUTSIDE_WINDOW", "its window is empty or not inside its agent key certificate's");
  }
}

/** Rules that need the trust policy, and the length of the chain. */
function checkLimits(run: Run, item: Delegation, known: ReadonlyMap<string, Delegation>, fail: FailAt): void {
  const { statement } = item;
  const required = run.namespace.required_policy_digests;
  if (required !== undefined && !required.includes(statement.policy_digest)) {
    fail(
      item,
      "DELEGATION_POLICY_NOT_ACCEPTED",
      `policy ${statement.policy_digest} is not among the required ones`,
    );
  }
  const top = statement.parent_delegation_digest === undefined;
  if (top && !run.namespace.top_delegators.includes(statement.agent_id)) {
    fail(item, "DELEGATION_TOP_NOT_ALLOWED", `${statement.agent_id} may not start a chain`);
  }
  let depth = 0;
  for (let link: Delegation | undefined = item; link !== undefined; depth += 1) {
    if (depth === LIMITS.maxDelegationDepth) {
      fail(item, "DELEGATION_TOO_DEEP", `its chain has more than ${LIMITS.maxDelegationDepth} delegations`);
      return;
    }
    link = known.get(link.statement.parent_delegation_digest ?? "");
  }
}

/** Attenuation: a child may only narrow its parent. */
function checkParent(
  run: Run,
  item: Delegation,
  known: ReadonlyMap<string, Delegation>,
  failedBefore: ReadonlySet<object>,
  fail: FailAt,
): void {
  const digest = item.statement.parent_delegation_digest;
  if (digest === undefined) return;
  const parent = known.get(digest);
  if (parent === undefined || failedBefore.has(parent)) {
    fail(item, "DELEGATION_MISSING", `parent delegation ${digest} is not in the bundle, or failed`);
    return;
  }
  const [child, above] = [item.statement, parent.statement];
  if (instant(above.issued_at) > instant(child.issued_at) + run.trust.skew) {
    fail(item, "DELEGATION_OUTSIDE_WINDOW", "its parent was issued after it");
  }
  if (
    child.mission_id !== above.mission_id ||
    child.session_id !== above.session_id ||
    child.policy_digest !== above.policy_digest
  ) {
    fail(item, "DELEGATION_BINDING_MISMATCH", "its mission, session or policy is not its parent's");
  }
  if (child.agent_id !== above.delegate_agent_id) {
    fail(item, "DELEGATION_NOT_DELEGATE", "its parent was not given to its agent");
  }
  const widened = widening(child, above);
  if (widened !== null) fail(item, "DELEGATION_WIDENED", widened);
}

function widening(child: DelegationV1, parent: DelegationV1): string | null {
  const tools = new Set(parent.tools);
  const extra = child.tools.find((tool) => !tools.has(tool));
  if (extra !== undefined) return `it allows tool ${extra}, its parent does not`;
  if (!isInside(child, parent)) return "its window reaches beyond its parent's";
  const bound = parent.max_actions;
  if (bound !== undefined && (child.max_actions === undefined || child.max_actions > bound)) {
    return `its max_actions is absent or above its parent's ${bound}`;
  }
  return null;
}

/** One receipt under the delegation it names. */
export function checkAction(
  run: Run,
  standing: Standing,
  action: ActionReceiptV3,
  issuedAt: number,
  fail: FailReceipt,
): void {
  const { delegation, delegationSpan: span } = standing;
  if (delegation === null) {
    fail("DELEGATION_MISSING", `delegation ${action.delegation_digest} is not in the bundle, or failed`);
    return;
  }
  // Reported at the delegation.
  if (!standing.delegationHolds) fail(null, "");
  const allowed = delegation.statement;
  if (span.issued > issuedAt + run.trust.skew) {
    fail("DELEGATION_OUTSIDE_WINDOW", "the delegation was issued after the action");
  }
  if (!inSpan(issuedAt, span)) {
    fail("DELEGATION_OUTSIDE_WINDOW", "the action lies outside the delegation's window");
  }
  const bound =
    action.agent_id === allowed.agent_id &&
    action.mission_id === allowed.mission_id &&
    action.session_id === allowed.session_id &&
    action.runtime_id === allowed.runtime_id &&
    action.policy_digest === allowed.policy_digest;
  if (!bound) {
    fail("DELEGATION_BINDING_MISMATCH", "agent, mission, session, runtime or policy is not the delegation's");
  } else if (allowed.delegate_agent_id !== undefined) {
    fail("DELEGATION_BINDING_MISMATCH", "the delegation names a delegate and so authorises no action");
  }
  if (!allowed.tools.includes(action.tool)) {
    fail("DELEGATION_TOOL_OUT_OF_SCOPE", `tool ${action.tool} is not listed`);
  }
  if (allowed.max_actions !== undefined && action.sequence > allowed.max_actions) {
    fail(
      "DELEGATION_MAX_ACTIONS_EXCEEDED",
      `sequence ${action.sequence} is above max_actions ${allowed.max_actions}`,
    );
  }
}
