/**
 * osa-proof: signed action receipts and their fail-closed offline verifier.
 *
 * The dozen names most programs need. Certificates and the other statements are in `osa-proof/statements`,
 * signers and salts in `osa-proof/runtime`, the verifier alone in `osa-proof/verifier`.
 */

export type { BundleClaim, ProofMaterial, SealedTree } from "./bundle/assemble.js";
export { assembleBundle, withholdDisclosures } from "./bundle/assemble.js";
export type { BundleEncoding } from "./bundle/codec.js";
export { encodeBundle } from "./bundle/codec.js";
export { decodeBundle } from "./bundle/decode.js";
export type { ProofBundleV3 } from "./bundle/format.js";
export type { SigningAlgorithm } from "./crypto/keys.js";
export type { Signer } from "./crypto/signer.js";
export type { CheckName, ErrorCode, FailureCode, LibraryCode } from "./errors.js";
export { OsaProofError } from "./errors.js";
export { statementDigest } from "./statements/canonical.js";
export type { ActionStatus, Commitment, CommittedValue } from "./statements/commitment.js";
export { commit, openCommitment } from "./statements/commitment.js";
export type { DelegationV1 } from "./statements/delegation.js";
export { createDelegation } from "./statements/delegation.js";
export type { ActionReceiptDraft, ActionReceiptV3 } from "./statements/receipt.js";
export { createActionReceipt } from "./statements/receipt.js";
export type { EvidenceTree } from "./tree/merkle.js";
export { evidenceTree } from "./tree/merkle.js";
export type { VerifyOptions } from "./verifier/check-trust.js";
export type { Failure, Verdict, VerificationReportV1 } from "./verifier/report.js";
export { verifyBundle } from "./verifier/verify.js";
