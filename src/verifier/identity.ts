/** What check IDENTITY establishes and later checks build on. */
import { type Identified, type RuntimeKeyBearer, runtimeKeyName } from "../bundle/contents.js";
import type { PublicKey } from "../crypto/keys.js";
import type {
  AgentKeyCertificateV1,
  IdentityRecordV1,
  RuntimeKeyCertificateV1,
} from "../statements/identity.js";
import type { Root, RootLine } from "./root-line.js";
import { inSpan, type Run, type Span } from "./run.js";

/** A statement that a root signed and that holds. */
export interface RootSigned<T> {
  readonly item: Identified<T>;
  readonly root: Root;
}

/** An identity record with its times: many receipts search few records. */
export interface SoundRecord extends RootSigned<IdentityRecordV1>, Span {}

export interface AgentCertificate extends RootSigned<AgentKeyCertificateV1> {
  readonly key: PublicKey;
}

export interface RuntimeCertificate {
  readonly item: Identified<RuntimeKeyCertificateV1>;
  readonly key: PublicKey;
  readonly agent: AgentCertificate;
}

/** What later checks build on. Only statements that passed are in here. */
export interface Identity {
  readonly line: RootLine;
  readonly agentCertificates: ReadonlyMap<string, AgentCertificate>;
  readonly runtimeCertificates: ReadonlyMap<string, RuntimeCertificate>;
  /** All certificates of the bundle under the name a receipt finds them by, sound or not. */
  readonly runtimeCertificatesByName: ReadonlyMap<string, readonly Identified<RuntimeKeyCertificateV1>[]>;
  /** Agents of which a record failed: which record counts for them is not known. */
  readonly agentsWithFailedRecords: ReadonlySet<string>;
  /** Per agent, highest record number first. */
  readonly records: ReadonlyMap<string, readonly SoundRecord[]>;
}

/** The sound certificate of a receipt's runtime key: exactly one of the bundle fits; null otherwise. */
export function runtimeOfReceipt(
  identity: Pick<Identity, "runtimeCertificates" | "runtimeCertificatesByName">,
  bearer: RuntimeKeyBearer,
): RuntimeCertificate | null {
  const candidates = identity.runtimeCertificatesByName.get(runtimeKeyName(bearer)) ?? [];
  const [only] = candidates;
  if (only === undefined || candidates.length > 1) return null;
  return identity.runtimeCertificates.get(only.digest) ?? null;
}

/** The record of an agent that counts at an instant: the highest-numbered one issued by then that covers it. */
export function recordAt(run: Run, identity: Identity, agentId: string, time: number): SoundRecord | null {
  const records = identity.records.get(agentId) ?? [];
  const latest = time + run.trust.skew;
  return records.find((record) => inSpan(time, record) && record.issued <= latest) ?? null;
}
