/** IdentityRecordV1, AgentKeyCertificateV1 and RuntimeKeyCertificateV1: who may sign (docs/SPEC.md, "Keys and chain"). */
import type { Signer } from "../crypto/signer.js";
import * as LIMITS from "../limits.js";
import * as fields from "./fields.js";
import { algorithmsOf, hasInstant, requireSigner, signStatement } from "./maker.js";
import { array, integer, object, optional, type Schema } from "./schema.js";

/** Resolves an agent_id to the certificates of its keys; signed by the namespace root. */
export interface IdentityRecordV1 extends fields.Issued<"IdentityRecordV1"> {
  readonly agent_id: string;
  readonly record_number: number;
  readonly agent_key_certificate_digests: readonly string[];
  readonly not_before: string;
  readonly not_after: string;
}

/** Names an agent's key; signed by the namespace root. */
export interface AgentKeyCertificateV1 extends fields.Issued<"AgentKeyCertificateV1"> {
  readonly agent_id: string;
  readonly agent_key_id: string;
  readonly public_key: string;
  readonly not_before: string;
  readonly not_after: string;
}

/** Names one runtime's short-lived key for one session; signed by the agent key. */
export interface RuntimeKeyCertificateV1 extends fields.Issued<"RuntimeKeyCertificateV1"> {
  readonly agent_id: string;
  readonly agent_key_certificate_digest: string;
  readonly runtime_id: string;
  readonly runtime_key_id: string;
  readonly session_id: string;
  readonly public_key: string;
  readonly not_before: string;
  readonly not_after: string;
  /** SHA-256 of the attestation document that binds this key to a runtime. */
  readonly attestation_digest?: string;
}

const window = { not_before: fields.time, not_after: fields.time };

export const identityRecord: Schema<IdentityRecordV1> = object<IdentityRecordV1>({
  ...fields.issued("IdentityRecordV1"),
  agent_id: fields.agentId,
  record_number: integer(1),
  agent_key_certificate_digests: array(fields.digest, {
    minimum: 1,
    maximum: LIMITS.maxCertificatesPerRecord,
    unique: true,
  }),
  ...window,
});

export const agentKeyCertificate: Schema<AgentKeyCertificateV1> = object<AgentKeyCertificateV1>({
  ...fields.issued("AgentKeyCertificateV1"),
  agent_id: fields.agentId,
  agent_key_id: fields.identifier,
  public_key: fields.publicKey,
  ...window,
});

export const runtimeKeyCertificate: Schema<RuntimeKeyCertificateV1> = object<RuntimeKeyCertificateV1>({
  ...fields.issued("RuntimeKeyCertificateV1"),
  agent_id: fields.agentId,
  agent_key_certificate_digest: fields.digest,
  runtime_id: fields.identifier,
  runtime_key_id: fields.identifier,
  session_id: fields.identifier,
  public_key: fields.publicKey,
  ...window,
  attestation_digest: optional(fields.digest),
});

/** All members of a typed statement but those that the maker and its signer fill in. */
export type IssuedDraft<T> = Omit<
  T,
  "protocol" | "type" | "issuer_key_id" | "signature" | keyof fields.Algorithms
>;

/** Signs an identity record with the root key. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createIdentityRecord(
  draft: IssuedDraft<IdentityRecordV1>,
  root: Signer,
): Promise<IdentityRecordV1> {
  const unsigned = issuedBy("IdentityRecordV1", draft, root);
  return signStatement(identityRecord, unsigned, root, "identity record", hasInstant);
}

/** Signs an agent key certificate with the root key. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createAgentKeyCertificate(
  draft: IssuedDraft<AgentKeyCertificateV1>,
  root: Signer,
): Promise<AgentKeyCertificateV1> {
  const unsigned = issuedBy("AgentKeyCertificateV1", draft, root);
  return signStatement(agentKeyCertificate, unsigned, root, "agent key certificate", hasInstant);
}

/** Signs a runtime key certificate with the agent key. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createRuntimeKeyCertificate(
  draft: IssuedDraft<RuntimeKeyCertificateV1>,
  agent: Signer,
): Promise<RuntimeKeyCertificateV1> {
  const unsigned = issuedBy("RuntimeKeyCertificateV1", draft, agent);
  return signStatement(runtimeKeyCertificate, unsigned, agent, "runtime key certificate", hasInstant);
}

/** Fills in protocol, type, issuer and algorithms. */
export function issuedBy<const T extends string, D extends object>(
  type: T,
  draft: D,
  signer: Signer,
): D & Omit<fields.Issued<T>, "signature" | "namespace_id" | "issued_at"> {
  requireSigner(signer);
  return { ...draft, protocol: fields.PROTOCOL, type, issuer_key_id: signer.keyId, ...algorithmsOf(signer) };
}
