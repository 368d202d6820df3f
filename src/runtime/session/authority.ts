/** Under what a session acts: its key with the certificate of it, and the delegations. */
import type { Signer } from "../../crypto/signer.js";
import { encodeHex } from "../../encoding/hex.js";
import { parseTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import { statementDigest } from "../../statements/canonical.js";
import { type DelegationV1, delegation } from "../../statements/delegation.js";
import { type RuntimeKeyCertificateV1, runtimeKeyCertificate } from "../../statements/identity.js";
import { requireShape, requireSigner } from "../../statements/maker.js";
import type { ActionContext } from "../action.js";

/** A runtime key that may sign, and the certificate that says so. */
export interface CertifiedKey {
  readonly signer: Signer;
  readonly certificate: RuntimeKeyCertificateV1;
}

/** A delegation with the members that each receipt under it repeats. */
export interface Mandate {
  readonly delegation: DelegationV1;
  readonly context: ActionContext;
}

/** The certificate is of this signer's key. @throws OsaProofError ARGUMENT_INVALID */
export function requireCertifiedKey({ signer, certificate }: CertifiedKey): CertifiedKey {
  requireSigner(signer);
  const own = requireShape(runtimeKeyCertificate, certificate, "certificate");
  const fits: readonly (readonly [member: string, isSame: boolean])[] = [
    ["runtime_key_id", own.runtime_key_id === signer.keyId],
    ["public_key", own.public_key === encodeHex(signer.publicKey)],
  ];
  requireAll("certificate", "that of the signer", fits);
  return { signer, certificate: own };
}

/** The delegation is for the runtime that the certificate names. @throws OsaProofError ARGUMENT_INVALID */
export function requireMandate(given: DelegationV1, certificate: RuntimeKeyCertificateV1): Mandate {
  const own = requireShape(delegation, given, "delegation");
  if (own.delegate_agent_id !== undefined) {
    throw new OsaProofError(
      "ARGUMENT_INVALID",
      "delegation at /delegate_agent_id: it allows an agent to delegate on, and no action itself",
      { pointer: "/delegate_agent_id" },
    );
  }
  requireSameRuntime("delegation", own, certificate);
  const { namespace_id, agent_id, runtime_id, session_id, mission_id, policy_digest } = own;
  return {
    delegation: own,
    context: {
      namespace_id,
      agent_id,
      runtime_id,
      session_id,
      mission_id,
      delegation_digest: statementDigest(own),
      policy_digest,
    },
  };
}

/** Both statements name one runtime. @throws OsaProofError ARGUMENT_INVALID */
export function requireSameRuntime(
  what: string,
  statement: DelegationV1 | RuntimeKeyCertificateV1,
  certificate: RuntimeKeyCertificateV1,
): void {
  const names = ["namespace_id", "agent_id", "runtime_id", "session_id"] as const;
  const fits = names.map((name) => [name, statement[name] === certificate[name]] as const);
  requireAll(what, "that of the certificate", fits);
}

function requireAll(
  what: string,
  whose: string,
  fits: readonly (readonly [member: string, isSame: boolean])[],
): void {
  const other = fits.find(([, isSame]) => !isSame);
  if (other === undefined) return;
  const pointer = `/${other[0]}`;
  throw new OsaProofError("ARGUMENT_INVALID", `${what} at ${pointer}: expected ${whose}`, { pointer });
}

/** A reason why this instant is outside the statement's window, or null. The window is half-open. */
export function outsideWindow(
  what: string,
  window: { readonly not_before: string; readonly not_after: string },
  now: number,
): string | null {
  if (now < (parseTime(window.not_before) ?? Number.POSITIVE_INFINITY)) {
    return `${what} begins at ${window.not_before}`;
  }
  return now < (parseTime(window.not_after) ?? 0) ? null : `${what} ended at ${window.not_after}`;
}

/** @returns the error of an action that must not run or cannot be signed */
export function refused(message: string, cause?: unknown): OsaProofError {
  return new OsaProofError("ACTION_REFUSED", message, { cause });
}
