/** Decides one bundle under one trust policy at one instant (docs/SPEC.md, "Verification"). */

import { isStream } from "../bundle/stream-format.js";
import { checkDisclosures } from "./check-evidence.js";
import { checkFormat, type Opened } from "./check-format.js";
import { checkReuse } from "./check-receipt.js";
import { checkTrust, digestsOf, readOptions, type VerifyOptions } from "./check-trust.js";
import { beginChecks, endChecks } from "./checks.js";
import { Guard } from "./guard.js";
import { isBytes, type KnownHeadsV1 } from "./inputs.js";
import { prepareRun } from "./prepare.js";
import { assembleReport, Findings, type VerificationReportV1 } from "./report.js";
import type { Run } from "./run.js";
import { NO_LEAF } from "./shown-leaves.js";
import { StreamVerifier } from "./verify-stream.js";

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
  const findings = new Findings();
  const late = new Findings();
  const given = readOptions(options) ?? {};
  let opened: Opened | null = null;
  let heads: KnownHeadsV1 | null = null;
  const guard = new Guard(findings);
  const inputs = guard.run("TRUST", () => checkTrust(trustPolicy, given, findings));
  guard.ran("TRUST");
  if (inputs) {
    opened = guard.run("FORMAT", () => checkFormat(bundle, inputs.trust, findings, late)) ?? null;
    const parts = opened;
    // A namespace that is not pinned fails TRUST, and the run ends before FORMAT has judged the bundle.
    if (!findings.hasFailed("TRUST")) guard.ran("FORMAT");
    if (parts !== null) {
      const begin = { head: parts.bundle, contents: parts.contents, receipts: parts.receipts };
      const run = guard.run("TRUST", () => prepareRun(begin, inputs, findings, late));
      if (run) heads = runChecks(run, parts, new Guard(late));
    }
  }
  const digests = guard.run("TRUST", () => digestsOf(trustPolicy, given));
  return assembleReport({
    early: findings,
    late,
    head: opened?.bundle ?? null,
    receiptCount: opened?.receipts.count ?? 0,
    digests,
    at: given.at,
    heads,
  });
}

/** Checks 2 to 10. All of them run, whatever the ones before have found. */
function runChecks(
  run: Run,
  { contents, source, receipts, leaves, trees, disclosures }: Opened,
  guard: Guard,
): KnownHeadsV1 | null {
  const begun = beginChecks(run, guard);
  if (begun === null) return null;
  guard.run("RECEIPT", () => {
    for (const [position, receipt] of source.statements.entries())
      begun.judge.judge(receipts, position, receipt, () => source.signedBytes(receipt));
    checkReuse(run);
  });
  guard.run("EVIDENCE", () => {
    for (const [at, { shown, proven }] of trees.entries()) {
      for (const [index, proof] of (contents.trees[at]?.value.proofs ?? []).entries())
        proven?.add(proof, shown.leaves[index] ?? NO_LEAF);
    }
    for (const [digest, shown] of disclosures) {
      const receipt = source.statements[receipts.digests.find(digest)];
      if (receipt !== undefined) checkDisclosures(run.findings, receipt, () => digest, shown);
    }
    for (const target of run.claim.targets) {
      const position = receipts.digests.find(target);
      const receipt = source.statements[position];
      const shown = disclosures.get(target) ?? [];
      if (receipt !== undefined) run.targets.meet(receipts, position, receipt, shown);
    }
  });
  return endChecks(run, begun, leaves, trees, guard);
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
