/** Verifies a bundle, of which a part was accepted before (docs/SPEC.md, "Audit state"). */
import { canonicalBytes } from "../encoding/jcs.js";
import type { JsonValue } from "../encoding/json-value.js";
import { OsaProofError } from "../errors.js";
import { type ParallelOptions, verifyInThreads } from "../parallel/verify-parallel.js";
import { readOptions, type VerifyOptions } from "../verifier/check-trust.js";
import { isBytes } from "../verifier/inputs.js";
import type { VerificationReportV1 } from "../verifier/report.js";
import type { Pieces } from "../verifier/verify-stream.js";
import { AuditState } from "./audit-state.js";

export interface AuditOptions extends ParallelOptions {
  /** The state that the verification before gave; null for the first one. */
  readonly state: Uint8Array | null;
}

export interface Audited {
  /** The report of `verifyBundle` with the known heads of the state. */
  readonly report: VerificationReportV1;
  /** The state to keep for the next verification, whatever the verdict. */
  readonly state: Uint8Array;
  /** Receipts of the bundle whose signatures were not checked again. */
  readonly known: number;
  /** Receipts that were accepted before and are not in this bundle; null when it was not accepted. */
  readonly missing: number | null;
}

/**
 * Verifies a bundle like `verifyBundleParallel`, but for the signatures of receipts that were accepted under this state
 * before. All other checks run over all receipts: the report is the one of a full run, revocations and rotations that
 * came since included.
 *
 * @param bundle bytes of a bundle in any form, or the pieces of one in its streaming form
 * @throws OsaProofError STATE_INVALID on a damaged state; ARGUMENT_INVALID when `options` has heads, which are the
 *   state's. Never on bad input.
 */
export async function continueAudit(
  bundle: Uint8Array | Pieces,
  trustPolicy: Uint8Array,
  options: Omit<VerifyOptions, "heads">,
  audit: AuditOptions,
): Promise<Audited> {
  // Each option counts wherever the object holds it, and one that throws is refused by the verification.
  const given = readOptions(options);
  if (given !== null && "heads" in given)
    throw new OsaProofError("ARGUMENT_INVALID", "heads: known heads are those of the audit state");
  const { state: before, ...parallel } = audit ?? {};
  if (before !== null && !isBytes(before))
    throw new OsaProofError("ARGUMENT_INVALID", "state: expected bytes, or null");
  const state = before === null ? new AuditState() : AuditState.read(before);
  let known = 0;
  const counted = {
    has: (...asked: Parameters<AuditState["has"]>): boolean => {
      const has = state.has(...asked);
      if (has) known += 1;
      return has;
    },
  };
  // Decoded heads are JSON by construction; their interface type has no index signature to say so.
  const heads = state.heads === null ? {} : { heads: canonicalBytes(state.heads as unknown as JsonValue) };
  const { report, signed } = await verifyInThreads(
    bundle,
    trustPolicy,
    given === null ? options : ({ ...given, ...heads } as VerifyOptions),
    parallel,
    counted,
  );
  const missing = signed === null ? null : state.missingFrom(signed);
  if (signed !== null) state.add(signed);
  state.heads = report.heads ?? state.heads;
  return { report, state: state.encode(), known, missing };
}
