/** Layer 0: every way in which this package says no. */
import type { FailureCode } from "./failure-codes.js";

export type { FailureCode } from "./failure-codes.js";

/** The numbered checks of a verification, in the order they run. */
export const CHECKS = [
  "TRUST",
  "FORMAT",
  "IDENTITY",
  "DELEGATION",
  "REVOCATION",
  "RECEIPT",
  "DAG",
  "EVIDENCE",
  "ANCHOR",
  "ATTESTATION",
  "EXPECTATION",
] as const;

export type CheckName = (typeof CHECKS)[number];

/** The codes that a fault of an input can have, in the order of the list of all (failure-codes.ts). */
export const FAULT_CODES = [
  "FORMAT_TOO_LARGE",
  "FORMAT_TEXT_INVALID",
  "FORMAT_SYNTAX_INVALID",
  "FORMAT_TRUNCATED",
  "FORMAT_DUPLICATE_MEMBER",
  "FORMAT_NUMBER_INVALID",
  "FORMAT_VERSION_UNSUPPORTED",
  "FORMAT_UNKNOWN_MEMBER",
  "FORMAT_MISSING_MEMBER",
  "FORMAT_WRONG_TYPE",
  "FORMAT_VALUE_INVALID",
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** Code and one line of meaning, in the order of the list. */
export const FAILURE_CODES: Readonly<Record<FailureCode, string>> = {
  TRUST_POLICY_MISSING: "no trust policy was given",
  TRUST_POLICY_INVALID: "malformed, unknown member, or nothing is pinned or required",
  TRUST_INPUT_INVALID: "time, supplement, heads or expectations unusable",
  TRUST_NAMESPACE_NOT_PINNED: "the policy has no root for this namespace",
  FORMAT_TOO_LARGE: "over a size, count or depth limit",
  FORMAT_TEXT_INVALID: "bad UTF-8, BOM, lone surrogate or noncharacter",
  FORMAT_SYNTAX_INVALID: "not strict JSON or deterministic CBOR; trailing bytes",
  FORMAT_TRUNCATED: "the file or stream ends early",
  FORMAT_DUPLICATE_MEMBER: "a member name appears twice",
  FORMAT_NUMBER_INVALID: "a number that I-JSON or the integer rule forbids",
  FORMAT_VERSION_UNSUPPORTED: "protocol or type missing or unknown",
  FORMAT_UNKNOWN_MEMBER: "a member that the closed schema does not have",
  FORMAT_MISSING_MEMBER: "a required member is absent",
  FORMAT_WRONG_TYPE: "wrong JSON type, null included",
  FORMAT_VALUE_INVALID: "digest, key, id, time or enum not in its one spelling",
  FORMAT_ALGORITHM_NOT_ACCEPTED: "algorithm not in the policy",
  FORMAT_EMPTY: "no receipt or no target",
  FORMAT_MIXED_RUN: "another namespace or mission, or session targets in two sessions",
  FORMAT_DUPLICATE_STATEMENT: "one statement twice",
  FORMAT_UNREFERENCED: "nothing in the claim refers to this",
  IDENTITY_ROOT_UNKNOWN: "issuer is no root of this namespace",
  IDENTITY_ROTATION_INVALID: "unsigned by one side, out of line, forked, or its root used too early",
  IDENTITY_AGENT_OUTSIDE_NAMESPACE: "the agent's DNS name is not pinned for it",
  IDENTITY_RECORD_MISSING: "no record of this agent covers the receipt",
  IDENTITY_CERTIFICATE_MISSING: "a named certificate is not in the bundle",
  IDENTITY_CERTIFICATE_NOT_LISTED: "the record that counts does not list it",
  IDENTITY_ISSUER_MISMATCH: "key id, key type, agent or role does not fit the issuer",
  IDENTITY_SIGNATURE_INVALID: "record, certificate or rotation signature does not verify",
  IDENTITY_CONFLICT: "one record number, key id, key or runtime_id used for two",
  IDENTITY_WINDOW_INVALID: "empty, longer than pinned, or not inside its issuer's",
  IDENTITY_ISSUED_AFTER_USE: "certificate made after what it supports",
  DELEGATION_MISSING: "delegation or parent not in the bundle",
  DELEGATION_SIGNATURE_INVALID: "not signed by the agent key it names",
  DELEGATION_OUTSIDE_WINDOW: "action outside it, it outside its certificate, or issued after the action",
  DELEGATION_BINDING_MISMATCH: "agent, mission, session, runtime or policy differs, or it only delegates on",
  DELEGATION_TOOL_OUT_OF_SCOPE: "the tool is not listed",
  DELEGATION_POLICY_NOT_ACCEPTED: "policy digest not among the required",
  DELEGATION_MAX_ACTIONS_EXCEEDED: "sequence or count above the bound",
  DELEGATION_TOP_NOT_ALLOWED: "no parent, and its agent may not start a chain",
  DELEGATION_NOT_DELEGATE: "the parent was given to another agent",
  DELEGATION_WIDENED: "the child allows more than its parent",
  DELEGATION_TOO_DEEP: "more than 8 in the chain",
  REVOCATION_LIST_MISSING: "no list for the namespace",
  REVOCATION_SIGNATURE_INVALID: "a list not signed by the root of its time",
  REVOCATION_KEY_REVOKED: "a key in a chain is on a list",
  REVOCATION_LIST_CONFLICT: "a fork, a dropped entry or a wrong predecessor",
  REVOCATION_LIST_ROLLED_BACK: "below the pinned minimum or known head",
  REVOCATION_LIST_FROM_FUTURE: "only lists dated after the verification time",
  REVOCATION_LIST_STALE: "past its end or older than allowed",
  REVOCATION_LIST_NOT_ANCHORED: "no counting anchor, or anchored too late",
  RECEIPT_KEY_UNRESOLVED: "no runtime certificate fits, or two do",
  RECEIPT_ALGORITHM_MISMATCH: "label and key type differ",
  RECEIPT_SIGNATURE_INVALID: "not strict, not low-S, or does not verify",
  RECEIPT_OUTSIDE_KEY_WINDOW: "issued_at outside the runtime certificate",
  RECEIPT_ID_REUSED: "one receipt_id on two receipts",
  RECEIPT_COMMITMENT_REUSED: "two equal commitments",
  DAG_TARGET_MISSING: "a target is not in the bundle",
  DAG_PARENT_MISSING: "a parent is not in the bundle",
  DAG_EQUIVOCATION: "one runtime, one sequence, two receipts",
  DAG_ORDER_CYCLE: "parents contradict the sequence order",
  DAG_TIME_ORDER: "a receipt older than its cause, beyond skew",
  DAG_SEQUENCE_GAP: "session scope with a sequence missing",
  DAG_CLOSE_MISSING: "a required session close is absent",
  DAG_CLOSE_INVALID: "close signature, window, issuer kind, or a second close",
  DAG_CLOSE_MISMATCH: "close and receipts disagree",
  DAG_SEAL_MISSING: "a required session seal is absent",
  DAG_SEAL_INVALID: "seal signature, window or issuer, or a second seal",
  DAG_SEAL_MISMATCH: "seal and closes disagree",
  EVIDENCE_NOT_INCLUDED: "a receipt, close or seal is in no evidence tree",
  EVIDENCE_ROOT_MISMATCH: "shown leaves, in order, do not give the root",
  EVIDENCE_PROOF_INVALID: "audit path wrong, or one leaf or place used twice",
  EVIDENCE_DISCLOSURE_MISMATCH: "opening does not fit this field of this receipt",
  EVIDENCE_ITEM_NOT_INCLUDED: "item not under evidence_merkle_root",
  ANCHOR_PROOF_INVALID: "a pinned ledger's proof does not verify",
  ANCHOR_ENTRY_MISMATCH: "the proof is for another entry",
  ANCHOR_LOG_FORK: "same size as a known head, another root",
  ANCHOR_LOG_NOT_CONTINUED: "asked for, and the log is not shown to continue its known head",
  ANCHOR_MISSING: "no anchor on a pinned ledger",
  ANCHOR_OPERATOR_ONLY: "only the operator's own word, and the policy does not accept that",
  ANCHOR_QUORUM_NOT_MET: "too few pinned witnesses",
  ANCHOR_TIME_MISSING: "pending, or nobody pinned dates it",
  ANCHOR_FROM_FUTURE: "dated after the verification time",
  ANCHOR_BEFORE_ISSUE: "anchored before it says it was issued",
  ANCHOR_TOO_LATE: "anchored too long after the key expired",
  ANCHOR_AFTER_ROTATION: "under an old root, anchored after the change",
  ATTESTATION_MISSING: "required, and not in the bundle",
  ATTESTATION_DOCUMENT_INVALID: "chain, signature, time or digest wrong",
  ATTESTATION_KEY_NOT_BOUND: "user data is not this runtime's binding",
  ATTESTATION_MEASUREMENT_NOT_ALLOWED: "measurement empty or not listed",
  ATTESTATION_PLATFORM_NOT_ALLOWED: "debug mode, old TCB or wrong level",
  EXPECTATION_RUN_MISMATCH: "another namespace, mission, session or agent",
  EXPECTATION_TARGET_MISMATCH: "another receipt or tool",
  EXPECTATION_SCOPE_TOO_WEAK: "session scope was asked for or required",
  EXPECTATION_OUTPUT_MISMATCH: "status or file is not disclosed, or is another",
  INTERNAL_FAULT: "unexpected error, turned into a rejection",
};

/** What makers, signers, ledgers, workspaces and importers throw; never part of a report. */
export const LIBRARY_CODES = {
  ARGUMENT_INVALID: "a caller's argument breaks the documented shape",
  VALUE_NOT_JSON: "a value cannot be written as I-JSON and read back unchanged",
  BUNDLE_INVALID: "bytes that were to be opened are not a well-formed bundle",
  BUNDLE_INCOMPLETE: "something the chosen targets need is not in the material",
  SIGNER_FAILED: "a signer refused, or gave a signature that does not verify under its own key",
  KEY_INVALID: "a key file or key cannot be used",
  KEY_LOCKED: "a key is encrypted and no passphrase, or a wrong one, was given",
  LEDGER_REFUSED: "a log or witness refused to go on, by its own rules",
  LEDGER_CORRUPT: "stored log or witness state contradicts itself",
  IMPORT_INVALID: "a recorded session cannot be read in the stated format",
  STATE_INVALID: "an audit state is damaged or was not written by this package",
  ACTION_REFUSED: "the delegation does not allow this action, or the session cannot sign it now",
  JOURNAL_INVALID: "a journal is damaged, closed, or belongs to another runtime",
  JOURNAL_LOCKED: "another process has this journal open",
  JOURNAL_FAILED: "a receipt could not be stored, so the session signs no more until it is opened again",
  WORKSPACE_INVALID: "a workspace is missing, damaged or in the wrong state for this command",
  IO_FAILED: "a file could not be read or written",
  USAGE: "the command line is not one this command understands",
} as const;

export type LibraryCode = keyof typeof LIBRARY_CODES;
export type ErrorCode = FailureCode | LibraryCode;

/** The check a code belongs to; `INTERNAL_FAULT` belongs to whichever check was running. */
export function checkOf(code: FailureCode): CheckName | null {
  const prefix = code.slice(0, code.indexOf("_"));
  return CHECKS.find((check) => check === prefix) ?? null;
}

/** Options of {@link OsaProofError}: where in the input, and what was underneath. */
export interface OsaProofErrorOptions {
  /** JSON Pointer (RFC 6901) into the value at fault; "" for the whole of it. */
  readonly pointer?: string;
  readonly cause?: unknown;
}

/** The one error class of this package. Messages never hold private keys, salts or withheld values. */
export class OsaProofError extends Error {
  override readonly name: string = "OsaProofError";
  readonly code: ErrorCode;
  readonly pointer: string;

  constructor(code: ErrorCode, message: string, options: OsaProofErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.pointer = options.pointer ?? "";
  }
}
