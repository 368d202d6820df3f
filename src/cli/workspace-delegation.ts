/** Making delegations, and finding the ones under which a runtime may act. */
import { sha256Hex } from "../crypto/digest.js";
import { canonicalBytes } from "../encoding/jcs.js";
import type { JsonObject } from "../encoding/json-value.js";
import { formatTime, parseTime } from "../encoding/time.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { newId } from "../runtime/entropy.js";
import { createDelegation, type DelegationV1 } from "../statements/delegation.js";
import type { Workspace } from "./workspace.js";
import { agentOf, agentSigner, type CurrentAgent, currentRoot } from "./workspace-authority.js";
import type { State, Stored } from "./workspace-state.js";

/** Tool of a call that was refused and not run. */
export const DENIED_TOOL = "osa.denied";
/** Tool of a receipt that only joins more parents than one receipt may have. */
export const MERGE_TOOL = "merge-receipts";

const DEFAULT_VALIDITY = 8 * 3_600_000;
/** What a delegation names when no policy file is given. */
const DEFAULT_POLICY: JsonObject = { description: "The tools that the delegation lists, and nothing more." };

export interface DelegationRequest {
  readonly agent?: string | undefined;
  /** Tool names of the protocol, each once. */
  readonly tools: readonly string[];
  readonly mission?: string | undefined;
  readonly session?: string | undefined;
  readonly runtime?: string | undefined;
  readonly maxActions?: number | undefined;
  /** RFC 3339 times; `validFor` in milliseconds. */
  readonly notBefore?: string | undefined;
  readonly notAfter?: string | undefined;
  readonly validFor?: number | undefined;
  readonly policy?: JsonObject | undefined;
  /** Agent that may delegate on; the delegation then allows no action itself. */
  readonly to?: string | undefined;
  readonly parent?: string | undefined;
}

function refused(message: string): OsaProofError {
  return new OsaProofError("WORKSPACE_INVALID", message);
}

/** Signs and stores a delegation. @throws OsaProofError when it would not hold, with what to do */
export async function makeDelegation(
  workspace: Workspace,
  request: DelegationRequest,
): Promise<Stored<DelegationV1>> {
  const agent = agentOf(workspace, request.agent);
  const parent =
    request.parent === undefined ? null : parentOf(workspace.state, request.parent, agent, request);
  const session = request.session ?? parent?.session_id ?? newId("session");
  requireOpenSession(workspace.state, session, agent.agentId);
  const policy = request.policy ?? DEFAULT_POLICY;
  const policyDigest = parent?.policy_digest ?? sha256Hex(canonicalBytes(policy));
  const { from } = currentRoot(workspace);
  const issuedAt = workspace.time([
    agent.certificate.statement.issued_at,
    ...(from === null ? [] : [from]),
    ...(parent === null ? [] : [parent.issued_at]),
  ]);
  const maxActions = request.maxActions ?? parent?.max_actions;
  const statement = await createDelegation(
    {
      namespace_id: workspace.config.namespace_id,
      issued_at: issuedAt,
      delegation_id: newId("delegation"),
      agent_id: agent.agentId,
      agent_key_certificate_digest: agent.certificate.digest,
      mission_id: missionOf(workspace.state, session, request.mission),
      session_id: session,
      runtime_id: runtimeFor(workspace.state, session, agent.agentId, request.runtime),
      policy_digest: policyDigest,
      tools: request.tools,
      ...windowOf(
        request,
        issuedAt,
        parent === null ? [agent.certificate.statement] : [agent.certificate.statement, parent],
      ),
      ...(maxActions === undefined ? {} : { max_actions: maxActions }),
      ...(request.parent === undefined ? {} : { parent_delegation_digest: request.parent }),
      ...(request.to === undefined ? {} : { delegate_agent_id: request.to }),
    },
    await agentSigner(workspace, agent),
  );
  const known = workspace.state.policies.some((item) => sha256Hex(canonicalBytes(item)) === policyDigest);
  await workspace.commit({ delegations: [statement], ...(known ? {} : { policies: [policy] }) });
  const stored = workspace.state.delegations.at(-1);
  if (stored === undefined) throw refused("the delegation was not stored");
  return stored;
}

/** The parent, when the child would only narrow it. */
function parentOf(
  state: State,
  digest: string,
  agent: CurrentAgent,
  request: DelegationRequest,
): DelegationV1 {
  const parent = delegationByDigest(state, digest).statement;
  if (parent.delegate_agent_id !== agent.agentId) {
    throw refused(
      `delegation ${digest} was given to ${parent.delegate_agent_id ?? "nobody"}, not to ${agent.agentId}; name the agent it was given to with --agent, or make a parent with --to ${agent.agentId}`,
    );
  }
  const extra = request.tools.filter((tool) => !parent.tools.includes(tool));
  if (extra.length > 0) {
    throw refused(
      `a delegation only narrows its parent, which does not list ${extra.join(", ")}; leave these out`,
    );
  }
  for (const [option, asked, given] of [
    ["--session", request.session, parent.session_id],
    ["--mission", request.mission, parent.mission_id],
  ] as const) {
    if (asked !== undefined && asked !== given) {
      throw refused(`${option}: expected ${given}, which is the parent's, found ${asked}; leave it out`);
    }
  }
  if (request.policy !== undefined && sha256Hex(canonicalBytes(request.policy)) !== parent.policy_digest) {
    throw refused("--policy: a delegation has the policy of its parent; leave it out");
  }
  if (parent.max_actions !== undefined && (request.maxActions ?? 0) > parent.max_actions) {
    throw refused(
      `--max-actions: expected at most ${parent.max_actions}, the parent's, found ${request.maxActions}`,
    );
  }
  let depth = 1;
  for (let link: DelegationV1 | undefined = parent; link !== undefined; depth += 1) {
    const above: string | undefined = link.parent_delegation_digest;
    link = state.delegations.find((item) => item.digest === above)?.statement;
  }
  if (depth > LIMITS.maxDelegationDepth) {
    throw refused(
      `a chain holds at most ${LIMITS.maxDelegationDepth} delegations; delegate from one higher up`,
    );
  }
  return parent;
}

/** @throws OsaProofError WORKSPACE_INVALID */
export function delegationByDigest(state: State, digest: string): Stored<DelegationV1> {
  const found = state.delegations.find((item) => item.digest === digest);
  if (found !== undefined) return found;
  throw refused(`delegation ${digest} is not in this workspace; make one with osa-proof delegate`);
}

/** A sealed session gets no further runtime: its seal names every one. */
export function requireOpenSession(state: State, session: string, agentId: string): void {
  const sealed = state.seals.some(
    ({ statement }) => statement.session_id === session && statement.agent_id === agentId,
  );
  if (sealed) throw refused(`session ${session} has its seal and takes nothing more; begin another session`);
}

function missionOf(state: State, session: string, asked: string | undefined): string {
  const known = state.delegations.find(({ statement }) => statement.session_id === session)?.statement;
  if (known !== undefined && asked !== undefined && asked !== known.mission_id) {
    throw refused(
      `session ${session} belongs to mission ${known.mission_id}, not ${asked}; leave --mission out`,
    );
  }
  return known?.mission_id ?? asked ?? newId("mission");
}

function runtimeFor(state: State, session: string, agentId: string, asked: string | undefined): string {
  if (asked === undefined) return newId("runtime");
  requireRuntimeFits(state, asked, session, agentId);
  return asked;
}

/** A runtime belongs to one agent and one session, and is over once it is closed. */
export function requireRuntimeFits(state: State, runtime: string, session: string, agentId: string): void {
  const known = [...state.runtimeCertificates, ...state.delegations].find(
    ({ statement }) => statement.runtime_id === runtime,
  )?.statement;
  if (known !== undefined && (known.session_id !== session || known.agent_id !== agentId)) {
    throw refused(
      `runtime ${runtime} belongs to agent ${known.agent_id} and session ${known.session_id}; name another with --runtime`,
    );
  }
  if (state.closes.some(({ statement }) => statement.runtime_id === runtime)) {
    throw refused(`runtime ${runtime} is closed and acts no more; name another with --runtime`);
  }
}

interface Window {
  readonly not_before: string;
  readonly not_after: string;
}

/** The asked window; the default one is cut to what allows it, an explicit one beyond that is refused. */
function windowOf(request: DelegationRequest, issuedAt: string, within: readonly Window[]): Window {
  const ms = (text: string): number => parseTime(text) ?? Number.NaN;
  const earliest = Math.max(...within.map((window) => ms(window.not_before)));
  const latest = Math.min(...within.map((window) => ms(window.not_after)));
  const from = request.notBefore === undefined ? Math.max(ms(issuedAt), earliest) : ms(request.notBefore);
  const asked =
    request.notAfter === undefined ? from + (request.validFor ?? DEFAULT_VALIDITY) : ms(request.notAfter);
  const explicit = request.notAfter !== undefined || request.validFor !== undefined;
  const until = explicit ? asked : Math.min(asked, latest);
  if (from < earliest || until > latest || from >= until) {
    throw refused(
      `the delegation's window ${formatTime(from)} to ${formatTime(until)} is not one inside ${formatTime(earliest)} to ${formatTime(latest)}, which its agent key and parent allow; choose another with --not-before, --not-after or --valid-for`,
    );
  }
  return { not_before: formatTime(from), not_after: formatTime(until) };
}

/** How a person says under which delegations a runtime acts. */
export interface DelegationChoice {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly runtime?: string | undefined;
  /** Digests. */
  readonly delegations?: readonly string[] | undefined;
}

/**
 * The delegations that are named or, without names, those of the newest runtime that has one now. All are for one
 * runtime. @throws OsaProofError WORKSPACE_INVALID, saying what is missing
 */
export function chooseDelegations(
  workspace: Workspace,
  choice: DelegationChoice,
): readonly Stored<DelegationV1>[] {
  const { state, context } = workspace;
  const now = context.now();
  const fits = ({ statement }: Stored<DelegationV1>): boolean =>
    (choice.agent === undefined || statement.agent_id === choice.agent) &&
    (choice.session === undefined || statement.session_id === choice.session) &&
    (choice.runtime === undefined || statement.runtime_id === choice.runtime);
  if (choice.delegations !== undefined && choice.delegations.length > 0) {
    const named = choice.delegations.map((digest) => delegationByDigest(state, digest));
    for (const item of named) {
      const fault =
        faultOf(workspace, item, now) ?? (fits(item) ? null : "is for another agent, session or runtime");
      if (fault !== null)
        throw refused(
          `delegation ${item.digest} ${fault}; name another, or make one with osa-proof delegate`,
        );
    }
    if (new Set(named.map(({ statement }) => statement.runtime_id)).size > 1) {
      throw refused("the delegations are for several runtimes; name those of one");
    }
    return named;
  }
  const usable = state.delegations.filter((item) => fits(item) && faultOf(workspace, item, now) === null);
  const runtime = usable.at(-1)?.statement.runtime_id;
  if (runtime === undefined) {
    throw refused(
      "there is no delegation to act under: expected one that is in its time and whose runtime is open; make one with osa-proof delegate and osa-proof runtime issue (record makes both with --delegate)",
    );
  }
  // Newest first, so that of two that list a tool the later word counts.
  return usable.filter(({ statement }) => statement.runtime_id === runtime).reverse();
}

/** Why nothing can be done under a delegation now, as the rest of a sentence; null when it can. */
function faultOf({ state }: Workspace, { statement }: Stored<DelegationV1>, now: number): string | null {
  if (statement.delegate_agent_id !== undefined) return `only delegates on to ${statement.delegate_agent_id}`;
  if (now < (parseTime(statement.not_before) ?? 0)) return `begins at ${statement.not_before}`;
  if (now >= (parseTime(statement.not_after) ?? 0)) return `ended at ${statement.not_after}`;
  if (state.closes.some((close) => close.statement.runtime_id === statement.runtime_id)) {
    return `is for runtime ${statement.runtime_id}, which is closed`;
  }
  return isCurrent(state, statement) ? null : "was made with a key or root that has been replaced";
}

function isCurrent(state: State, statement: DelegationV1): boolean {
  const record = state.identityRecords.findLast((item) => item.statement.agent_id === statement.agent_id);
  return (
    record?.statement.agent_key_certificate_digests.includes(statement.agent_key_certificate_digest) === true
  );
}
