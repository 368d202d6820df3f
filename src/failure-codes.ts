/**
 * Layer 0: the closed list that a verification report draws from, in the order that decides `first_failure` inside a
 * check (docs/SPEC.md, "Failure codes"). A code is never reused or renamed.
 */

export type FailureCode =
  | "TRUST_POLICY_MISSING"
  | "TRUST_POLICY_INVALID"
  | "TRUST_INPUT_INVALID"
  | "TRUST_NAMESPACE_NOT_PINNED"
  | "FORMAT_TOO_LARGE"
  | "FORMAT_TEXT_INVALID"
  | "FORMAT_SYNTAX_INVALID"
  | "FORMAT_TRUNCATED"
  | "FORMAT_DUPLICATE_MEMBER"
  | "FORMAT_NUMBER_INVALID"
  | "FORMAT_VERSION_UNSUPPORTED"
  | "FORMAT_UNKNOWN_MEMBER"
  | "FORMAT_MISSING_MEMBER"
  | "FORMAT_WRONG_TYPE"
  | "FORMAT_VALUE_INVALID"
  | "FORMAT_ALGORITHM_NOT_ACCEPTED"
  | "FORMAT_EMPTY"
  | "FORMAT_MIXED_RUN"
  | "FORMAT_DUPLICATE_STATEMENT"
  | "FORMAT_UNREFERENCED"
  | "IDENTITY_ROOT_UNKNOWN"
  | "IDENTITY_ROTATION_INVALID"
  | "IDENTITY_AGENT_OUTSIDE_NAMESPACE"
  | "IDENTITY_RECORD_MISSING"
  | "IDENTITY_CERTIFICATE_MISSING"
  | "IDENTITY_CERTIFICATE_NOT_LISTED"
  | "IDENTITY_ISSUER_MISMATCH"
  | "IDENTITY_SIGNATURE_INVALID"
  | "IDENTITY_CONFLICT"
  | "IDENTITY_WINDOW_INVALID"
  | "IDENTITY_ISSUED_AFTER_USE"
  | "DELEGATION_MISSING"
  | "DELEGATION_SIGNATURE_INVALID"
  | "DELEGATION_OUTSIDE_WINDOW"
  | "DELEGATION_BINDING_MISMATCH"
  | "DELEGATION_TOOL_OUT_OF_SCOPE"
  | "DELEGATION_POLICY_NOT_ACCEPTED"
  | "DELEGATION_MAX_ACTIONS_EXCEEDED"
  | "DELEGATION_TOP_NOT_ALLOWED"
  | "DELEGATION_NOT_DELEGATE"
  | "DELEGATION_WIDENED"
  | "DELEGATION_TOO_DEEP"
  | "REVOCATION_LIST_MISSING"
  | "REVOCATION_SIGNATURE_INVALID"
  | "REVOCATION_KEY_REVOKED"
  | "REVOCATION_LIST_CONFLICT"
  | "REVOCATION_LIST_ROLLED_BACK"
  | "REVOCATION_LIST_FROM_FUTURE"
  | "REVOCATION_LIST_STALE"
  | "REVOCATION_LIST_NOT_ANCHORED"
  | "RECEIPT_KEY_UNRESOLVED"
  | "RECEIPT_ALGORITHM_MISMATCH"
  | "RECEIPT_SIGNATURE_INVALID"
  | "RECEIPT_OUTSIDE_KEY_WINDOW"
  | "RECEIPT_ID_REUSED"
  | "RECEIPT_COMMITMENT_REUSED"
  | "DAG_TARGET_MISSING"
  | "DAG_PARENT_MISSING"
  | "DAG_EQUIVOCATION"
  | "DAG_ORDER_CYCLE"
  | "DAG_TIME_ORDER"
  | "DAG_SEQUENCE_GAP"
  | "DAG_CLOSE_MISSING"
  | "DAG_CLOSE_INVALID"
  | "DAG_CLOSE_MISMATCH"
  | "DAG_SEAL_MISSING"
  | "DAG_SEAL_INVALID"
  | "DAG_SEAL_MISMATCH"
  | "EVIDENCE_NOT_INCLUDED"
  | "EVIDENCE_ROOT_MISMATCH"
  | "EVIDENCE_PROOF_INVALID"
  | "EVIDENCE_DISCLOSURE_MISMATCH"
  | "EVIDENCE_ITEM_NOT_INCLUDED"
  | "ANCHOR_PROOF_INVALID"
  | "ANCHOR_ENTRY_MISMATCH"
  | "ANCHOR_LOG_FORK"
  | "ANCHOR_LOG_NOT_CONTINUED"
  | "ANCHOR_MISSING"
  | "ANCHOR_OPERATOR_ONLY"
  | "ANCHOR_QUORUM_NOT_MET"
  | "ANCHOR_TIME_MISSING"
  | "ANCHOR_FROM_FUTURE"
  | "ANCHOR_BEFORE_ISSUE"
  | "ANCHOR_TOO_LATE"
  | "ANCHOR_AFTER_ROTATION"
  | "ATTESTATION_MISSING"
  | "ATTESTATION_DOCUMENT_INVALID"
  | "ATTESTATION_KEY_NOT_BOUND"
  | "ATTESTATION_MEASUREMENT_NOT_ALLOWED"
  | "ATTESTATION_PLATFORM_NOT_ALLOWED"
  | "EXPECTATION_RUN_MISMATCH"
  | "EXPECTATION_TARGET_MISMATCH"
  | "EXPECTATION_SCOPE_TOO_WEAK"
  | "EXPECTATION_OUTPUT_MISMATCH"
  | "INTERNAL_FAULT";

/** Each code with what a person should do about it, which every report says; what it means is in errors.ts. */
export const ADVICE: Readonly<Record<FailureCode, string>> = {
  TRUST_POLICY_MISSING: "Give the trust policy that you pinned yourself; there is no default.",
  TRUST_POLICY_INVALID:
    "Correct the trust policy at this place; nothing is verified under a policy that is not understood in full.",
  TRUST_INPUT_INVALID: "Correct this input or leave it out.",
  TRUST_NAMESPACE_NOT_PINNED:
    "If you trust this namespace, pin its root in the policy after checking the key out of band.",
  FORMAT_TOO_LARGE:
    "Ask for a smaller bundle or for its streaming form, or raise the limit in the policy if it is the policy that sets it.",
  FORMAT_TEXT_INVALID:
    "The file was written or changed by a tool with another text encoding; ask for the original bytes.",
  FORMAT_SYNTAX_INVALID: "Ask for the file as its maker wrote it.",
  FORMAT_TRUNCATED: "The file ends too early; fetch it again.",
  FORMAT_DUPLICATE_MEMBER:
    "Readers could disagree on which value counts, so none is taken; ask for the file as its maker wrote it.",
  FORMAT_NUMBER_INVALID: "Integers are written as plain digits up to 9007199254740991.",
  FORMAT_VERSION_UNSUPPORTED: "Use a verifier for that version, or ask for a bundle of this one.",
  FORMAT_UNKNOWN_MEMBER: "Nothing unknown is ignored; ask for a bundle made for this protocol version.",
  FORMAT_MISSING_MEMBER: "Ask the maker for a complete bundle.",
  FORMAT_WRONG_TYPE: "Ask for the file as its maker wrote it.",
  FORMAT_VALUE_INVALID: "Each value has one spelling; ask for the file as its maker wrote it.",
  FORMAT_ALGORITHM_NOT_ACCEPTED: "Accept the algorithm in the policy only if you mean to.",
  FORMAT_EMPTY: "An empty bundle proves nothing; ask for one with receipts and targets.",
  FORMAT_MIXED_RUN: "Ask for one bundle for each namespace, mission and session.",
  FORMAT_DUPLICATE_STATEMENT: "Ask the maker to pack each statement once.",
  FORMAT_UNREFERENCED:
    "Often the sign that a statement was altered, or that the one naming it was taken out; ask for the bundle as its maker wrote it.",
  IDENTITY_ROOT_UNKNOWN:
    "Pin this root, or give the rotation that leads to it, only after checking it out of band.",
  IDENTITY_ROTATION_INVALID: "Do not trust this root before its owner confirms the rotation out of band.",
  IDENTITY_AGENT_OUTSIDE_NAMESPACE: "Add the name to agent_domains only if this namespace may speak for it.",
  IDENTITY_RECORD_MISSING: "Ask for the identity record that was in force at that time.",
  IDENTITY_CERTIFICATE_MISSING: "Ask the maker for a complete bundle.",
  IDENTITY_CERTIFICATE_NOT_LISTED: "The agent was not known by this key at that time; ask the namespace why.",
  IDENTITY_ISSUER_MISMATCH: "The statement does not belong to the certificate it names; treat it as forged.",
  IDENTITY_SIGNATURE_INVALID: "It was altered or forged; do not rely on it.",
  IDENTITY_CONFLICT:
    "Two statements tell different stories under one name; ask the namespace which is false.",
  IDENTITY_WINDOW_INVALID: "Ask for a certificate whose window the policy allows.",
  IDENTITY_ISSUED_AFTER_USE:
    "A certificate cannot support what was signed before it; treat the later one as made up afterwards.",
  DELEGATION_MISSING: "Ask for the delegation; without it the action was not allowed by anybody.",
  DELEGATION_SIGNATURE_INVALID: "It was altered or forged; the action was not allowed by it.",
  DELEGATION_OUTSIDE_WINDOW: "The permission was not in force at that time.",
  DELEGATION_BINDING_MISMATCH: "The permission was given for something else.",
  DELEGATION_TOOL_OUT_OF_SCOPE:
    "The agent did something it was not allowed to do, or the delegation is too narrow.",
  DELEGATION_POLICY_NOT_ACCEPTED: "The agent acted under another policy than the one you require.",
  DELEGATION_MAX_ACTIONS_EXCEEDED: "More was done than the delegation allows.",
  DELEGATION_TOP_NOT_ALLOWED:
    "Ask for the parent delegation, or name this agent in top_delegators only if it may start chains.",
  DELEGATION_NOT_DELEGATE: "The permission above was given to another agent.",
  DELEGATION_WIDENED: "A child may only narrow its parent; this permission is void.",
  DELEGATION_TOO_DEEP: "Chains end at 8 delegations.",
  REVOCATION_LIST_MISSING: "Give a current list with its anchor as a supplement.",
  REVOCATION_SIGNATURE_INVALID: "Fetch the list again from the namespace.",
  REVOCATION_KEY_REVOKED: "Nothing this key signed counts, whenever it signed it.",
  REVOCATION_LIST_CONFLICT:
    "The namespace shows two stories about its revocations; ask it which list is false.",
  REVOCATION_LIST_ROLLED_BACK: "Give the newer list as a supplement.",
  REVOCATION_LIST_FROM_FUTURE: "Give a list from before the verification time, or verify at a later time.",
  REVOCATION_LIST_STALE: "Give a newer list as a supplement, or verify as of a time when this one was fresh.",
  REVOCATION_LIST_NOT_ANCHORED: "Ask for the list with an anchor made soon after it was issued.",
  RECEIPT_KEY_UNRESOLVED: "Without one certificate for its key nobody answers for this receipt.",
  RECEIPT_ALGORITHM_MISMATCH: "The label and the key must agree; treat the receipt as forged.",
  RECEIPT_SIGNATURE_INVALID: "Do not rely on this receipt.",
  RECEIPT_OUTSIDE_KEY_WINDOW: "The key was not valid at that time.",
  RECEIPT_ID_REUSED: "A receipt_id names one receipt; ask the maker which is false.",
  RECEIPT_COMMITMENT_REUSED: "Each commitment has its own salt, so an equal one was copied.",
  DAG_TARGET_MISSING: "Ask for the bundle that holds this receipt.",
  DAG_PARENT_MISSING: "Ask for a bundle with the whole history.",
  DAG_EQUIVOCATION: "Keep both receipts: together they prove that the runtime or its key lied.",
  DAG_ORDER_CYCLE: "The runtime contradicts itself about what came first.",
  DAG_TIME_ORDER: "A clock was wrong, or a receipt was made up afterwards.",
  DAG_SEQUENCE_GAP: "Receipts were left out; ask for the whole session.",
  DAG_CLOSE_MISSING: "Ask for the session close, or for a bundle of scope causal.",
  DAG_CLOSE_INVALID: "The end of this session is not proven.",
  DAG_CLOSE_MISMATCH: "Receipts were left out or added after the close.",
  DAG_SEAL_MISSING: "Ask for the session seal.",
  DAG_SEAL_INVALID: "The set of runtimes of this session is not proven.",
  DAG_SEAL_MISMATCH: "A runtime of this session was left out or added.",
  EVIDENCE_NOT_INCLUDED: "Ask for a bundle with a tree or proof for it.",
  EVIDENCE_ROOT_MISMATCH: "A leaf was altered, left out or moved; ask for the tree as it was sealed.",
  EVIDENCE_PROOF_INVALID: "Ask for a new inclusion proof.",
  EVIDENCE_DISCLOSURE_MISMATCH: "What is shown is not what was committed.",
  EVIDENCE_ITEM_NOT_INCLUDED: "This item was not part of the action.",
  ANCHOR_PROOF_INVALID:
    "A wrong proof on a ledger you pinned is a reason for alarm; ask for the proof again.",
  ANCHOR_ENTRY_MISMATCH: "The ledger holds something else, or the proof was altered.",
  ANCHOR_LOG_FORK: "Keep both checkpoints: together they prove that the log lied.",
  ANCHOR_LOG_NOT_CONTINUED:
    "Ask the operator for a supplement made for the size that you know; a log that cannot give it was begun anew.",
  ANCHOR_MISSING: "Ask for an anchor on a ledger you pin, or pin the ledger after checking its key.",
  ANCHOR_OPERATOR_ONLY: "Ask for witness cosignatures.",
  ANCHOR_QUORUM_NOT_MET: "Ask for more cosignatures of witnesses you pin.",
  ANCHOR_TIME_MISSING: "Wait for the ledger, or pin witnesses that date checkpoints.",
  ANCHOR_FROM_FUTURE: "Check the verification time and your clock.",
  ANCHOR_BEFORE_ISSUE: "The statement is dated wrongly.",
  ANCHOR_TOO_LATE: "Only an anchor made in time shows that the key was not stolen first.",
  ANCHOR_AFTER_ROTATION: "Anchor first, then rotate; this came too late to be believed under the old root.",
  ATTESTATION_MISSING: "Ask for the attestation document.",
  ATTESTATION_DOCUMENT_INVALID: "Use a verifier that knows this platform, or ask for a valid document.",
  ATTESTATION_KEY_NOT_BOUND: "The document is about another key.",
  ATTESTATION_MEASUREMENT_NOT_ALLOWED: "The runtime is not one of those you allow.",
  ATTESTATION_PLATFORM_NOT_ALLOWED: "The platform runs in a state you do not allow.",
  EXPECTATION_RUN_MISMATCH: "This bundle may be sound, but it answers another question.",
  EXPECTATION_TARGET_MISMATCH: "This bundle may be sound, but it answers another question.",
  EXPECTATION_SCOPE_TOO_WEAK: "Ask for a bundle of scope session.",
  EXPECTATION_OUTPUT_MISMATCH: "Ask for the disclosure of this output, or look at the file again.",
  INTERNAL_FAULT: "This is a fault of the verifier; report it with the input, and do not rely on the bundle.",
};

const order: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.keys(ADVICE).map((code, index) => [code, index]),
);

/** Position of a code in the list: the tie-break inside one check. */
export function codeOrder(code: FailureCode): number {
  return order.get(code) ?? order.size;
}
