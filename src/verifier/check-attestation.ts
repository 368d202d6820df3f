/** Check 9, ATTESTATION: runtime keys are bound to an allowed platform, where the policy asks (docs/SPEC.md, "Check 9"). */
import type { Named } from "../bundle/contents.js";
import type { Attestation, AttestationType } from "../bundle/format.js";
import { decodeHex } from "../encoding/hex.js";
import type { FailureCode } from "../errors.js";
import type { RuntimeCertificate } from "./identity.js";
import { placeOf, type Run } from "./run.js";
import type { AttestationRequirement } from "./trust-policy.js";

/** Why a document does not attest a runtime key, or null when it does. */
export type AttestationDecoder = (
  document: Uint8Array,
  runtime: RuntimeCertificate,
  requirement: AttestationRequirement,
) => { readonly code: FailureCode; readonly detail: string } | null;

/** Decoders by document type. None is registered yet, so a policy that requires attestation rejects. */
const DECODERS: ReadonlyMap<AttestationType, AttestationDecoder> = new Map();

/** True when the check had something to judge: without a requirement it stays NOT_EVALUATED. */
export function checkAttestation(run: Run, runtimes: Iterable<RuntimeCertificate>): boolean {
  const requirements = run.trust.attestationRequirements;
  if (requirements.length === 0) {
    for (const { pointer } of run.contents.attestations) {
      run.findings.notCounted.push({
        source: "bundle",
        pointer,
        reason: "the policy requires no attestation, so it was not evaluated",
      });
    }
    return false;
  }
  const documents = new Map(
    run.contents.attestations.map((attestation) => [attestation.digest, attestation]),
  );
  for (const runtime of runtimes) {
    const found = judge(runtime, documents, requirements);
    if (found !== null)
      run.findings.fail("ATTESTATION", found.code, placeOf(run, runtime.item), found.detail);
  }
  return true;
}

function judge(
  runtime: RuntimeCertificate,
  documents: ReadonlyMap<string, Named<Attestation>>,
  requirements: readonly AttestationRequirement[],
): { readonly code: FailureCode; readonly detail: string } | null {
  const digest = runtime.item.statement.attestation_digest;
  const attestation = digest === undefined ? undefined : documents.get(digest);
  if (attestation === undefined) {
    return {
      code: "ATTESTATION_MISSING",
      detail: "the policy requires attestation, and this runtime key has no document in the bundle",
    };
  }
  const requirement = requirements.find(({ type }) => type === attestation.value.type);
  const decoder = DECODERS.get(attestation.value.type);
  if (requirement === undefined || decoder === undefined) {
    return {
      code: "ATTESTATION_DOCUMENT_INVALID",
      detail: `documents of type ${attestation.value.type} cannot be judged by this verifier`,
    };
  }
  return decoder(decodeHex(attestation.value.document) ?? new Uint8Array(0), runtime, requirement);
}
