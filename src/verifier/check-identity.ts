/** Check 2, IDENTITY: every certificate and record chains to a pinned root (docs/SPEC.md, "Check 2"). */
import { groupBy, type Identified, runtimeKeyName } from "../bundle/contents.js";
import type { PublicKey } from "../crypto/keys.js";
import type { FailureCode } from "../errors.js";
import { LIMITS } from "../limits.js";
import { agentDomain } from "../statements/fields.js";
import type {
  AgentKeyCertificateV1,
  IdentityRecordV1,
  RuntimeKeyCertificateV1,
} from "../statements/identity.js";
import { checkConflicts } from "./check-conflicts.js";
import { checkRootLine, type Root, type RootLine } from "./root-line.js";
import { instant, inWindow, isEmptyWindow, isInside, isSignedBy, placeOf, type Run } from "./run.js";

/** A statement that a root signed and that holds. */
export interface RootSigned<T> {
  readonly item: Identified<T>;
  readonly root: Root;
}

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
  /** Per agent, highest record number first. */
  readonly records: ReadonlyMap<string, readonly RootSigned<IdentityRecordV1>[]>;
}

type FailAt = (item: Identified<object>, code: FailureCode, detail: string) => null;

function failing(run: Run): FailAt {
  return (item, code, detail) => {
    run.failed.add(item);
    run.findings.fail("IDENTITY", code, placeOf(run, item), detail);
    return null;
  };
}

export function checkIdentity(run: Run): Identity {
  const fail = failing(run);
  const line = checkRootLine(run);
  checkRotationHead(run, line);
  const agentCertificates = new Map<string, AgentCertificate>();
  for (const item of run.contents.agentCertificates) {
    const certificate = checkAgentCertificate(run, line, item, fail);
    if (certificate !== null) agentCertificates.set(item.digest, certificate);
  }
  const runtimeCertificates = new Map<string, RuntimeCertificate>();
  for (const item of run.contents.runtimeCertificates) {
    const certificate = checkRuntimeCertificate(run, agentCertificates, item, fail);
    if (certificate !== null) runtimeCertificates.set(item.digest, certificate);
  }
  const sound: RootSigned<IdentityRecordV1>[] = [];
  for (const item of run.contents.identityRecords) {
    const root = checkRootSigned(run, line, item, fail);
    if (root === null) continue;
    if (isEmptyWindow(item.statement)) fail(item, "IDENTITY_WINDOW_INVALID", "its window holds no instant");
    else sound.push({ item, root });
  }
  checkConflicts(run);
  const identity: Identity = {
    line,
    agentCertificates,
    runtimeCertificates,
    runtimeCertificatesByName: groupBy(run.contents.runtimeCertificates, (item) =>
      runtimeKeyName(item.statement),
    ),
    records: new Map(
      [...groupBy(sound, (record) => record.item.statement.agent_id)].map(([agent, records]) => [
        agent,
        [...records].sort((a, b) => b.item.statement.record_number - a.item.statement.record_number),
      ]),
    ),
  };
  checkUse(run, identity, fail);
  return identity;
}

/** The sound certificate of a receipt's runtime key: exactly one of the bundle fits; null otherwise. */
export function runtimeOfReceipt(
  identity: Pick<Identity, "runtimeCertificates" | "runtimeCertificatesByName">,
  receipt: { readonly statement: Parameters<typeof runtimeKeyName>[0] },
): RuntimeCertificate | null {
  const candidates = identity.runtimeCertificatesByName.get(runtimeKeyName(receipt.statement)) ?? [];
  const [only] = candidates;
  if (only === undefined || candidates.length > 1) return null;
  return identity.runtimeCertificates.get(only.digest) ?? null;
}

/** Known heads: a verifier that has seen a rotation refuses to go back behind it, or to see another in its place. */
function checkRotationHead(run: Run, line: RootLine): void {
  const index =
    run.heads?.namespaces.findIndex((entry) => entry.namespace_id === run.namespace.namespace_id) ?? -1;
  const head = run.heads?.namespaces[index]?.root_rotation;
  if (head === undefined) return;
  const pinned = Math.max(...run.namespace.roots.map((root) => root.rotation_number));
  const highest = Math.max(pinned, ...line.rotations.map((rotation) => rotation.statement.rotation_number));
  const same = line.rotations.find((rotation) => rotation.statement.rotation_number === head.number);
  const place = { pointer: `/namespaces/${index}/root_rotation`, source: "heads" } as const;
  if (same !== undefined && same.digest !== head.digest) {
    run.findings.fail(
      "IDENTITY",
      "IDENTITY_ROTATION_INVALID",
      place,
      `rotation ${head.number} was known with another digest: the line is forked`,
    );
  } else if (highest < head.number) {
    run.findings.fail(
      "IDENTITY",
      "IDENTITY_ROTATION_INVALID",
      place,
      `rotation ${head.number} is known, and only ${highest} is shown or pinned`,
    );
  }
}

/** Issuer, algorithm, signature, agent domain and the root's own time, for what a root signs. */
function checkRootSigned(
  run: Run,
  line: RootLine,
  item: Identified<IdentityRecordV1 | AgentKeyCertificateV1>,
  fail: FailAt,
): Root | null {
  const { statement } = item;
  if (!run.namespace.agent_domains.includes(agentDomain(statement.agent_id))) {
    return fail(
      item,
      "IDENTITY_AGENT_OUTSIDE_NAMESPACE",
      `${statement.agent_id} bears a DNS name that is not pinned`,
    );
  }
  const root = line.byKeyId.get(statement.issuer_key_id);
  if (root === undefined) {
    return fail(item, "IDENTITY_ROOT_UNKNOWN", `${statement.issuer_key_id} is no root of this namespace`);
  }
  if (root.key.algorithm !== statement.signing_algorithm) {
    return fail(item, "IDENTITY_ISSUER_MISMATCH", "its signing_algorithm is not that of the root key");
  }
  if (!isSignedBy(item, root.key)) {
    return fail(item, "IDENTITY_SIGNATURE_INVALID", "the root's signature does not verify");
  }
  if (root.from !== null && instant(statement.issued_at) < root.from) {
    return fail(item, "IDENTITY_ROTATION_INVALID", "it was issued before its root came into effect");
  }
  return root;
}

function checkAgentCertificate(
  run: Run,
  line: RootLine,
  item: Identified<AgentKeyCertificateV1>,
  fail: FailAt,
): AgentCertificate | null {
  const root = checkRootSigned(run, line, item, fail);
  const key = run.keys.get(item.statement.public_key);
  if (root === null || key === null) return null;
  if (isEmptyWindow(item.statement))
    return fail(item, "IDENTITY_WINDOW_INVALID", "its window holds no instant");
  return { item, key, root };
}

function checkRuntimeCertificate(
  run: Run,
  agents: ReadonlyMap<string, AgentCertificate>,
  item: Identified<RuntimeKeyCertificateV1>,
  fail: FailAt,
): RuntimeCertificate | null {
  const { statement } = item;
  const agent = findAgentCertificate(run, agents, item, fail);
  const key = run.keys.get(statement.public_key);
  if (agent === null || key === null) return null;
  const issuer = agent.item.statement;
  if (statement.issuer_key_id !== issuer.agent_key_id || statement.agent_id !== issuer.agent_id) {
    return fail(
      item,
      "IDENTITY_ISSUER_MISMATCH",
      "its issuer or agent is not that of the agent key certificate it names",
    );
  }
  if (statement.signing_algorithm !== agent.key.algorithm) {
    return fail(item, "IDENTITY_ISSUER_MISMATCH", "its signing_algorithm is not that of the agent key");
  }
  if (!isSignedBy(item, agent.key)) {
    return fail(item, "IDENTITY_SIGNATURE_INVALID", "the agent key's signature does not verify");
  }
  const lifetime = instant(statement.not_after) - instant(statement.not_before);
  if (
    isEmptyWindow(statement) ||
    !isInside(statement, issuer) ||
    lifetime > run.trust.maxRuntimeKeyLifetime
  ) {
    return fail(
      item,
      "IDENTITY_WINDOW_INVALID",
      "its window is empty, outside its agent certificate's, or longer than the policy allows",
    );
  }
  if (instant(issuer.issued_at) > instant(statement.issued_at) + run.trust.skew) {
    return fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the agent key certificate it names");
  }
  return { item, key, agent };
}

/** The agent certificate that a statement names by digest. Silent when that one failed by itself. */
export function findAgentCertificate(
  run: Run,
  agents: ReadonlyMap<string, AgentCertificate>,
  item: Identified<{ readonly agent_key_certificate_digest?: string }>,
  fail: FailAt,
): AgentCertificate | null {
  const named = item.statement.agent_key_certificate_digest;
  const found = named === undefined ? undefined : agents.get(named);
  if (found !== undefined) return found;
  if (named !== undefined && run.certificateDigests.has(named)) {
    run.failed.add(item);
    return null;
  }
  return fail(
    item,
    "IDENTITY_CERTIFICATE_MISSING",
    `agent key certificate ${named ?? ""} is not in the bundle`,
  );
}

/** Every use of an agent: its record must cover it and list the certificate that is used. */
function checkUse(run: Run, identity: Identity, fail: FailAt): void {
  const { delegations, closes, seals, receipts } = run.contents;
  for (const item of [
    ...delegations,
    ...seals,
    ...closes.filter((close) => close.statement.closed_by === "agent"),
  ]) {
    const agent = findAgentCertificate(run, identity.agentCertificates, item, fail);
    if (agent === null) continue;
    if (instant(agent.item.statement.issued_at) > instant(item.statement.issued_at) + run.trust.skew) {
      fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the agent key certificate it names");
    }
  }
  const delegationByDigest = new Map(delegations.map((item) => [item.digest, item]));
  for (const item of receipts) {
    const { statement } = item;
    const runtime = runtimeOfReceipt(identity, item);
    if (runtime !== null) {
      if (instant(runtime.item.statement.issued_at) > instant(statement.issued_at) + run.trust.skew) {
        fail(item, "IDENTITY_ISSUED_AFTER_USE", "it was issued before the certificate of its runtime key");
      }
      checkRecord(run, identity, item, runtime.agent, fail);
    }
    let link = delegationByDigest.get(statement.delegation_digest);
    for (let depth = 0; link !== undefined && depth < LIMITS.maxDelegationDepth; depth += 1) {
      const agent = identity.agentCertificates.get(link.statement.agent_key_certificate_digest);
      if (agent !== undefined && agent !== runtime?.agent) checkRecord(run, identity, item, agent, fail);
      link = delegationByDigest.get(link.statement.parent_delegation_digest ?? "");
    }
  }
  checkSessionEnds(run, identity, fail);
}

/** Closes and seals use their agent at their own time. */
function checkSessionEnds(run: Run, identity: Identity, fail: FailAt): void {
  for (const item of run.contents.closes) {
    const { statement } = item;
    for (const digest of statement.runtime_key_certificate_digests) {
      if (run.certificateDigests.has(digest)) continue;
      fail(item, "IDENTITY_CERTIFICATE_MISSING", `runtime key certificate ${digest} is not in the bundle`);
    }
    const signer = closeSigner(identity, statement);
    if (signer !== null) checkRecord(run, identity, item, signer, fail);
  }
  for (const item of run.contents.seals) {
    const agent = identity.agentCertificates.get(item.statement.agent_key_certificate_digest);
    if (agent !== undefined) checkRecord(run, identity, item, agent, fail);
  }
}

/** The agent certificate behind a close: its own, or that of the last runtime certificate it lists. */
function closeSigner(
  identity: Identity,
  close: {
    readonly runtime_key_certificate_digests: readonly string[];
    readonly agent_key_certificate_digest?: string;
  },
): AgentCertificate | null {
  const own = close.agent_key_certificate_digest;
  if (own !== undefined) return identity.agentCertificates.get(own) ?? null;
  const last = close.runtime_key_certificate_digests.at(-1);
  return identity.runtimeCertificates.get(last ?? "")?.agent ?? null;
}

/** The record that counts at the statement's time, by its highest number; it must list the certificate. */
function checkRecord(
  run: Run,
  identity: Identity,
  item: Identified<{ readonly issued_at: string }>,
  agent: AgentCertificate,
  fail: FailAt,
): void {
  const used = instant(item.statement.issued_at);
  const record = recordAt(run, identity, agent.item.statement.agent_id, used);
  if (record === null) {
    fail(
      item,
      "IDENTITY_RECORD_MISSING",
      `no record of ${agent.item.statement.agent_id} covers ${item.statement.issued_at}`,
    );
  } else if (!record.item.statement.agent_key_certificate_digests.includes(agent.item.digest)) {
    fail(
      item,
      "IDENTITY_CERTIFICATE_NOT_LISTED",
      `record ${record.item.statement.record_number} of ${agent.item.statement.agent_id} does not list the certificate used`,
    );
  }
}

/** The record of an agent that counts at an instant, or null. */
export function recordAt(
  run: Run,
  identity: Identity,
  agentId: string,
  time: number,
): RootSigned<IdentityRecordV1> | null {
  const records = identity.records.get(agentId) ?? [];
  return (
    records.find(
      ({ item }) =>
        inWindow(time, item.statement) && instant(item.statement.issued_at) <= time + run.trust.skew,
    ) ?? null
  );
}
