/** Decides one bundle under one trust policy at one instant (docs/SPEC.md, "Verification"). */

import { isStream } from "../bundle/stream-format.js";
import type { VerifyOptions } from "./check-trust.js";
import { isBytes } from "./inputs.js";
import { ALL_SIGNATURES_HERE } from "./receipt-judge.js";
import type { VerificationReportV1 } from "./report.js";
import { StreamVerifier } from "./verify-stream.js";
import { WholeVerification } from "./whole-verification.js";

/**
 * Verifies a bundle. Synchronous and pure: no network, no clock but `options.at`, no environment.
 *
 * @param bundle bytes of a ProofBundleV3: JSON, CBOR or its streaming form
 * @param trustPolicy bytes of the auditor's TrustPolicyV1 JSON; never taken from the bundle
 * @returns the report; `verdict` is ACCEPTED or REJECTED. Never throws on bad input.
 */
export function verifyBundle(
  bundle: Uint8Array,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
): VerificationReportV1 {
  if (isBytes(bundle) && isStream(bundle)) return verifyStreamBytes(bundle, trustPolicy, options);
  const verification = new WholeVerification(bundle, trustPolicy, options, ALL_SIGNATURES_HERE);
  verification.judge(0, verification.count);
  return verification.report();
}

/** A stream that is there as a whole. */
function verifyStreamBytes(
  bundle: Uint8Array,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
): VerificationReportV1 {
  const verifier = new StreamVerifier(trustPolicy, options);
  verifier.take(bundle);
  return verifier.report();
}
