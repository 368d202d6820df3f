/** Every statement kind: type, closed schema and maker. */

export type { CanonicalStatement } from "./canonical.js";
export { canonicalStatement, canonicalText, statementDigest } from "./canonical.js";
export type { ActionStatus, BlobReference, Commitment, CommittedValue } from "./commitment.js";
export { commit, committedValue, NO_EVIDENCE_ROOT, openCommitment } from "./commitment.js";
export type { DelegationV1 } from "./delegation.js";
export { createDelegation, delegation } from "./delegation.js";
export type {
  AgentKeyCertificateV1,
  IdentityRecordV1,
  IssuedDraft,
  RuntimeKeyCertificateV1,
} from "./identity.js";
export {
  agentKeyCertificate,
  createAgentKeyCertificate,
  createIdentityRecord,
  createRuntimeKeyCertificate,
  identityRecord,
  runtimeKeyCertificate,
} from "./identity.js";
export type { ActionReceiptDraft, ActionReceiptV3 } from "./receipt.js";
export { actionReceipt, createActionReceipt } from "./receipt.js";
export type { RevocationEntry, RevocationListV1 } from "./revocation.js";
export { createRevocationList, revocationList } from "./revocation.js";
export type { RootRotationDraft, RootRotationV1 } from "./rotation.js";
export { createRootRotation, rootRotation } from "./rotation.js";
export type { SessionCloseV1, SessionSealV1 } from "./session.js";
export { createSessionClose, createSessionSeal, sessionClose, sessionSeal } from "./session.js";
