/** SessionCloseV1 and SessionSealV1: what makes a cut-off tail or a missing runtime visible (docs/SPEC.md, "Session close", "Session seal"). */
import type { Signer } from "../crypto/signer.js";
import * as LIMITS from "../limits.js";
import * as fields from "./fields.js";
import { type IssuedDraft, issuedBy } from "./identity.js";
import { signStatement } from "./maker.js";
import { array, integer, object, oneOf, optional, refine, type Schema } from "./schema.js";

/** The last word of one runtime, signed by its own key or, after a crash, by its agent. */
export interface SessionCloseV1 extends fields.Issued<"SessionCloseV1"> {
  readonly agent_id: string;
  readonly runtime_id: string;
  readonly session_id: string;
  readonly final_sequence: number;
  readonly receipt_count: number;
  readonly last_receipt_digest: string;
  /** Every certificate the runtime used, in order of first use. */
  readonly runtime_key_certificate_digests: readonly string[];
  readonly closed_by: "runtime" | "agent";
  /** Present exactly when `closed_by` is "agent". */
  readonly agent_key_certificate_digest?: string;
}

/** Names the close of every runtime of one agent in one session; signed by the agent key. */
export interface SessionSealV1 extends fields.Issued<"SessionSealV1"> {
  readonly agent_id: string;
  readonly agent_key_certificate_digest: string;
  readonly session_id: string;
  readonly session_close_digests: readonly string[];
}

const closeShape: Schema<SessionCloseV1> = object<SessionCloseV1>({
  ...fields.issued("SessionCloseV1"),
  agent_id: fields.agentId,
  runtime_id: fields.identifier,
  session_id: fields.identifier,
  final_sequence: integer(1),
  receipt_count: integer(1),
  last_receipt_digest: fields.digest,
  runtime_key_certificate_digests: array(fields.digest, {
    minimum: 1,
    maximum: LIMITS.maxCertificatesPerClose,
    unique: true,
  }),
  closed_by: oneOf("runtime", "agent"),
  agent_key_certificate_digest: optional(fields.digest),
});

export const sessionClose: Schema<SessionCloseV1> = refine(closeShape, (close, pointer) => {
  const at = `${pointer}/agent_key_certificate_digest`;
  const present = close.agent_key_certificate_digest !== undefined;
  if (close.closed_by === "agent" && !present) {
    return { code: "FORMAT_MISSING_MEMBER", pointer: at, detail: "required when closed_by is agent" };
  }
  if (close.closed_by === "runtime" && present) {
    return { code: "FORMAT_UNKNOWN_MEMBER", pointer: at, detail: "allowed only when closed_by is agent" };
  }
  return null;
});

export const sessionSeal: Schema<SessionSealV1> = object<SessionSealV1>({
  ...fields.issued("SessionSealV1"),
  agent_id: fields.agentId,
  agent_key_certificate_digest: fields.digest,
  session_id: fields.identifier,
  session_close_digests: array(fields.digest, { minimum: 1, maximum: LIMITS.maxClosesPerSeal, unique: true }),
});

/** Signs a close with the runtime key, or the agent key when `closed_by` is "agent". @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createSessionClose(
  draft: IssuedDraft<SessionCloseV1>,
  signer: Signer,
): Promise<SessionCloseV1> {
  return signStatement(
    sessionClose,
    issuedBy("SessionCloseV1", draft, signer),
    signer,
    "session close",
    ({ receipt_count: count, final_sequence: final }) =>
      count === final ? null : { pointer: "/receipt_count", detail: "expected the value of final_sequence" },
  );
}

/** Signs a seal with the agent key. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createSessionSeal(
  draft: IssuedDraft<SessionSealV1>,
  agent: Signer,
): Promise<SessionSealV1> {
  return signStatement(sessionSeal, issuedBy("SessionSealV1", draft, agent), agent, "session seal");
}
