/** The offline verifier: everything an auditor's script needs, and nothing that signs. */
export { encodeBundle } from "../bundle/codec.js";
export { decodeBundle } from "../bundle/decode.js";
export type { CheckName, ErrorCode, FailureCode, LibraryCode } from "../errors.js";
export { CHECKS, FAILURE_CODES, OsaProofError } from "../errors.js";
export type { VerifyOptions } from "./check-trust.js";
export { explainReport } from "./explain-report.js";
export type {
  ExpectationsV1,
  KnownHead,
  KnownHeadsV1,
  LogHead,
  NamespaceHeads,
  SupplementV1,
} from "./inputs.js";
export { expectations, knownHeads, supplement } from "./inputs.js";
export type {
  CheckResult,
  CheckStatus,
  Failure,
  FailureSource,
  NotCounted,
  TimeVoucher,
  Verdict,
  VerificationReportV1,
} from "./report.js";
export type {
  AttestationRequirement,
  NamespaceTrust,
  PinnedLog,
  PinnedRoot,
  PinnedWitness,
  TlogPins,
  TrustPolicyV1,
  WitnessGroup,
} from "./trust-policy.js";
export { trustPolicy } from "./trust-policy.js";
export { verifyBundle } from "./verify.js";
export type { Pieces } from "./verify-stream.js";
export { StreamVerifier, verifyStream } from "./verify-stream.js";
