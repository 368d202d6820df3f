/** DelegationV1: what an agent allows a runtime, or another agent, to do (docs/SPEC.md, "Delegation"). */
import type { Signer } from "../crypto/signer.js";
import * as LIMITS from "../limits.js";
import * as fields from "./fields.js";
import { type IssuedDraft, issuedBy } from "./identity.js";
import { hasInstant, signStatement } from "./maker.js";
import { array, integer, object, optional, type Schema } from "./schema.js";

export interface DelegationV1 extends fields.Issued<"DelegationV1"> {
  readonly delegation_id: string;
  readonly agent_id: string;
  readonly agent_key_certificate_digest: string;
  readonly mission_id: string;
  readonly session_id: string;
  readonly runtime_id: string;
  readonly policy_digest: string;
  /** Exact tool names; nothing in them is a pattern. */
  readonly tools: readonly string[];
  readonly not_before: string;
  readonly not_after: string;
  readonly max_actions?: number;
  readonly parent_delegation_digest?: string;
  /** Present: this delegation authorises no receipt, only children signed by that agent. */
  readonly delegate_agent_id?: string;
}

export const delegation: Schema<DelegationV1> = object<DelegationV1>({
  ...fields.issued("DelegationV1"),
  delegation_id: fields.identifier,
  agent_id: fields.agentId,
  agent_key_certificate_digest: fields.digest,
  mission_id: fields.identifier,
  session_id: fields.identifier,
  runtime_id: fields.identifier,
  policy_digest: fields.digest,
  tools: array(fields.toolName, { minimum: 1, maximum: LIMITS.maxToolsPerDelegation, unique: true }),
  not_before: fields.time,
  not_after: fields.time,
  max_actions: optional(integer(1)),
  parent_delegation_digest: optional(fields.digest),
  delegate_agent_id: optional(fields.agentId),
});

/** Signs a delegation with the agent key. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createDelegation(
  draft: IssuedDraft<DelegationV1>,
  agent: Signer,
): Promise<DelegationV1> {
  return signStatement(delegation, issuedBy("DelegationV1", draft, agent), agent, "delegation", hasInstant);
}
