/** All cases that must be REJECTED, in the order of the checks, and the codes that no case can have. */
import type { FailureCode } from "../../../src/errors.js";
import { ANCHOR_CASES } from "./anchor-cases.js";
import { CERTIFICATE_CASES } from "./certificate-cases.js";
import { DAG_CASES } from "./dag-cases.js";
import { DELEGATION_CASES } from "./delegation-cases.js";
import { EVIDENCE_CASES } from "./evidence-cases.js";
import { FORMAT_BYTES_CASES } from "./format-bytes-cases.js";
import { FORMAT_RUN_CASES } from "./format-run-cases.js";
import { FORMAT_SHAPE_CASES } from "./format-shape-cases.js";
import { FORMAT_VALUE_CASES } from "./format-value-cases.js";
import type { InvalidCase } from "./invalid.js";
import { QUESTION_CASES } from "./question-cases.js";
import { RECEIPT_CASES } from "./receipt-cases.js";
import { REVOCATION_CASES } from "./revocation-cases.js";
import { ROOT_CASES } from "./root-cases.js";
import { TRUST_CASES } from "./trust-cases.js";

export const INVALID_CASES: readonly InvalidCase[] = [
  ...TRUST_CASES,
  ...FORMAT_BYTES_CASES,
  ...FORMAT_SHAPE_CASES,
  ...FORMAT_VALUE_CASES,
  ...FORMAT_RUN_CASES,
  ...ROOT_CASES,
  ...CERTIFICATE_CASES,
  ...DELEGATION_CASES,
  ...REVOCATION_CASES,
  ...RECEIPT_CASES,
  ...DAG_CASES,
  ...EVIDENCE_CASES,
  ...ANCHOR_CASES,
  ...QUESTION_CASES,
];

const NO_DECODER =
  "This version registers no decoder of attestation documents, so none is ever judged further than ATTESTATION_DOCUMENT_INVALID.";

/** Codes that no input can produce in this version, with the reason. */
export const CANNOT_OCCUR: Partial<Readonly<Record<FailureCode, string>>> = {
  ATTESTATION_KEY_NOT_BOUND: NO_DECODER,
  ATTESTATION_MEASUREMENT_NOT_ALLOWED: NO_DECODER,
  ATTESTATION_PLATFORM_NOT_ALLOWED: NO_DECODER,
  INTERNAL_FAULT:
    "It reports an unexpected exception inside the verifier. An input that produced it would be a fault to mend, not a case to keep.",
};
