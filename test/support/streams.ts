/** A stream that is there as a whole, verified in one step. */
import type { VerifyOptions } from "../../src/verifier/check-trust.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { StreamVerifier } from "../../src/verifier/verify-stream.js";

export function verifyStreamBytes(
  stream: Uint8Array,
  trust: Uint8Array,
  options: VerifyOptions,
): VerificationReportV1 {
  const verifier = new StreamVerifier(trust, options);
  verifier.take(stream);
  return verifier.report();
}
