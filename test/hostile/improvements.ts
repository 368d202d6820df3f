/**
 * Where a rejected bundle may become an accepted one by leaving something out: the written exceptions. For each, the
 * verifier says no because of what it sees, and cannot miss what it was never shown (docs/SPEC.md, "What it proves
 * and what it does not").
 */
import type { FailureCode } from "../../src/errors.js";

interface Exception {
  readonly codes: readonly FailureCode[];
  /** What was left out. */
  readonly removed: RegExp;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    codes: ["REVOCATION_KEY_REVOKED"],
    removed: /^\/revocation_lists\/\d+$/,
    reason:
      "a visible revocation binds; an older list still serves whoever was not shown it, until it is stale",
  },
  {
    codes: ["REVOCATION_LIST_CONFLICT", "REVOCATION_SIGNATURE_INVALID"],
    removed: /^\/revocation_lists\/\d+$/,
    reason: "a visible fork or forged list is refused; the lists that agree would do without it",
  },
  {
    codes: ["ANCHOR_PROOF_INVALID"],
    removed: /^\/(evidence_trees|revocation_lists)\/\d+(\/anchors(\/\d+(\/proof)?)?)?$/,
    reason: "a wrong anchor is refused even beside enough good ones, and so is one wrong line of a witness",
  },
  {
    codes: ["ANCHOR_LOG_NOT_CONTINUED"],
    removed: /^\/supplement$/,
    reason: "that a log continues what is known is asked for by the auditor's supplement, and not without it",
  },
  {
    codes: ["IDENTITY_ROTATION_INVALID"],
    removed: /^\/root_rotations\/\d+$/,
    reason: "a visible second rotation is refused; a rotation that is never shown cannot be missed",
  },
  {
    codes: ["IDENTITY_CERTIFICATE_NOT_LISTED", "IDENTITY_CONFLICT"],
    removed: /^\/identity_records\/\d+$/,
    reason: "a visible newer or second record binds; one that is never shown cannot be missed",
  },
  {
    codes: ["EVIDENCE_DISCLOSURE_MISMATCH", "EVIDENCE_ITEM_NOT_INCLUDED", "FORMAT_MISSING_MEMBER"],
    removed: /^\/disclosures(\/\d+)?$/,
    reason: "a false opening is refused; any disclosure may be withheld",
  },
  {
    codes: ["FORMAT_DUPLICATE_STATEMENT", "EVIDENCE_PROOF_INVALID"],
    removed:
      /^\/(receipts|disclosures|policies|revocation_lists|evidence_trees)(\/\d+(\/(anchors|proofs)\/\d+(\/proof)?)?)?$/,
    reason: "twice the same, or a proof of what is not there, is refused; what is left is whole without it",
  },
  {
    codes: ["FORMAT_UNREFERENCED", "FORMAT_UNKNOWN_MEMBER", "FORMAT_VALUE_INVALID"],
    removed:
      /^\/(trust_policy|policies|attestations|disclosures|(agent_key_certificates|delegations|runtime_key_certificates|policies|attestations|disclosures)\/\d+|evidence_trees\/\d+\/anchors\/\d+)$/,
    reason: "what rides along unverified is refused; the claim does not rest on it",
  },
];

/** The reason of the written exception for this removal; null when there is none. */
export function exceptionFor(code: FailureCode | undefined, pointer: string): string | null {
  const found = EXCEPTIONS.find(
    ({ codes, removed }) => codes.some((one) => one === code) && removed.test(pointer),
  );
  return found?.reason ?? null;
}
