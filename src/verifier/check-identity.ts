/** Check 2, IDENTITY: every certificate and record chains to a pinned root (docs/SPEC.md, "Check 2"). */
import { groupBy, type Identified, runtimeKeyName } from "../bundle/contents.js";
import { agentDomain } from "../statements/fields.js";
import type {
  AgentKeyCertificateV1,
  IdentityRecordV1,
  RuntimeKeyCertificateV1,
} from "../statements/identity.js";
import { checkConflicts } from "./check-conflicts.js";
import { checkDelegationUse, findAgentCertificate } from "./check-use.js";
import type { AgentCertificate, Identity, RuntimeCertificate, SoundRecord } from "./identity.js";
import { checkRootLine, type Root, type RootLine } from "./root-line.js";
import {
  type FailAt,
  failing,
  instant,
  isEmptyWindow,
  isInside,
  isSignedBy,
  type Run,
  spanOf,
} from "./run.js";

export function checkIdentity(run: Run): Identity {
  const fail = failing(run, "IDENTITY");
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
  const sound: SoundRecord[] = [];
  for (const item of run.contents.identityRecords) {
    const root = checkRootSigned(run, line, item, fail);
    if (root === null) continue;
    if (isEmptyWindow(item.statement)) fail(item, "IDENTITY_WINDOW_INVALID", "its window holds no instant");
    else sound.push({ item, root, ...spanOf(item.statement) });
  }
  checkConflicts(run);
  const identity: Identity = {
    line,
    agentCertificates,
    runtimeCertificates,
    runtimeCertificatesByName: groupBy(run.contents.runtimeCertificates, (item) =>
      runtimeKeyName(item.statement),
    ),
    agentsWithFailedRecords: new Set(
      run.contents.identityRecords
        .filter((record) => run.failed.has(record))
        .map((record) => record.statement.agent_id),
    ),
    records: new Map(
      [...groupBy(sound, (record) => record.item.statement.agent_id)].map(([agent, records]) => [
        agent,
        [...records].sort((a, b) => b.item.statement.record_number - a.item.statement.record_number),
      ]),
    ),
  };
  checkDelegationUse(run, identity, fail);
  return identity;
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
    if (line.failedKeyIds.has(statement.issuer_key_id)) {
      // The rotation that would lead to this root has failed, and that is what is reported.
      run.failed.add(item);
      return null;
    }
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
