/** Decides one bundle under one trust policy at one instant (docs/SPEC.md, "Verification"). */

import type { VerifyOptions } from "./check-trust.js";
import type { VerificationReportV1 } from "./report.js";
import { ALL_SIGNATURES_HERE } from "./signatures-elsewhere.js";
import { WholeVerification } from "./whole-verification.js";

/**
 * Verifies a bundle in one piece. Synchronous and pure: no network, no clock but `options.at`, no environment.
 *
 * @param bundle bytes of a ProofBundleV3: JSON or CBOR; the streaming form, which `verifyStream` takes, is rejected
 * @param trustPolicy bytes of the auditor's TrustPolicyV1 JSON; never taken from the bundle
 * @returns the report; `verdict` is ACCEPTED or REJECTED. Never throws on bad input.
 */
export function verifyBundle(
  bundle: Uint8Array,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
): VerificationReportV1 {
  const verification = new WholeVerification(bundle, trustPolicy, options, ALL_SIGNATURES_HERE);
  verification.judge(0, verification.count);
  return verification.report();
}
