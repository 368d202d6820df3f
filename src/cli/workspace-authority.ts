/** The namespace's side of a workspace: its root, its agents' keys and its revocation lists. */

import { parsePublicKey } from "../crypto/keys.js";
import type { Signer } from "../crypto/signer.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { formatTime, parseTime } from "../encoding/time.js";
import { OsaProofError } from "../errors.js";
import { newId } from "../runtime/entropy.js";
import { statementDigest } from "../statements/canonical.js";
import {
  type AgentKeyCertificateV1,
  createAgentKeyCertificate,
  createIdentityRecord,
} from "../statements/identity.js";
import {
  createRevocationList,
  type RevocationEntry,
  type RevocationListV1,
} from "../statements/revocation.js";
import type { SupplementV1 } from "../verifier/inputs.js";
import type { Workspace } from "./workspace.js";
import type { Additions, State, Stored } from "./workspace-state.js";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
/** How long an agent's key and record are good for. */
const AGENT_LIFETIME = 365 * DAY;
/** A list says of itself that it ends after this; how old it may be is the auditor's to say. */
const LIST_LIFETIME = 7 * DAY;

/** The root that signs now. */
export interface CurrentRoot {
  readonly keyId: string;
  readonly publicKey: string;
  readonly generation: number;
  /** The instant from which it signs; null for the first root. */
  readonly from: string | null;
}

export function currentRoot({ config, state }: Workspace): CurrentRoot {
  const newest = state.rotations.at(-1)?.statement;
  if (newest === undefined) {
    return { keyId: config.root_key_id, publicKey: config.root_public_key, generation: 0, from: null };
  }
  return {
    keyId: newest.new_root_key_id,
    publicKey: newest.new_root_public_key,
    generation: newest.rotation_number,
    from: newest.effective_at,
  };
}

export async function rootSigner(workspace: Workspace): Promise<Signer> {
  return workspace.keys.signer(currentRoot(workspace).keyId, "root");
}

/** Times that nothing signed by the current root may lie before. */
function since(workspace: Workspace): readonly string[] {
  const { from } = currentRoot(workspace);
  return from === null ? [] : [from];
}

/** Agents of the workspace, first one first. */
export function agentIds({ state }: { readonly state: State }): readonly string[] {
  return [...new Set(state.identityRecords.map(({ statement }) => statement.agent_id))];
}

/** An agent with the certificate its statements name. */
export interface CurrentAgent {
  readonly agentId: string;
  readonly certificate: Stored<AgentKeyCertificateV1>;
}

/** The named agent, or the workspace's first. @throws OsaProofError WORKSPACE_INVALID */
export function agentOf(workspace: Workspace, named?: string): CurrentAgent {
  const { state } = workspace;
  const agentId = named ?? agentIds(workspace)[0] ?? "";
  const record = state.identityRecords.findLast(({ statement }) => statement.agent_id === agentId);
  const digest = record?.statement.agent_key_certificate_digests.at(-1);
  const certificate = state.agentCertificates.find((item) => item.digest === digest);
  if (certificate !== undefined) return { agentId, certificate };
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `agent ${agentId} is not in this workspace: expected ${agentIds(workspace).join(" or ")}; add it with osa-proof agent add`,
  );
}

/** The signer of an agent. Refuses a key that is revoked or past its time. @throws OsaProofError */
export async function agentSigner(workspace: Workspace, agent: CurrentAgent): Promise<Signer> {
  const { agent_key_id: keyId, not_after: end } = agent.certificate.statement;
  requireNotRevoked(workspace, keyId);
  if (workspace.context.now() >= (parseTime(end) ?? 0)) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `the key of agent ${agent.agentId} ended at ${end}; give it a new one with osa-proof agent add --new-key`,
    );
  }
  return workspace.keys.signer(keyId, "agent");
}

/** @throws OsaProofError WORKSPACE_INVALID when the newest list names the key */
export function requireNotRevoked({ state }: Workspace, keyId: string): void {
  const list = state.lists.at(-1)?.statement;
  const entry = list?.entries.find((item) => item.key_id === keyId);
  if (list === undefined || entry === undefined) return;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `key ${keyId} is revoked by list ${list.list_number}, so nothing it signs would count; make a new key`,
  );
}

/** Certificate and record of an agent's key under the current root. The record takes the place of earlier ones. */
export async function certifyAgent(
  workspace: Workspace,
  agentId: string,
  key: { readonly keyId: string; readonly publicKey: string },
  root: Signer,
  issuedAt: string,
): Promise<Required<Pick<Additions, "agentCertificates" | "identityRecords">>> {
  const { state, config } = workspace;
  const window = {
    not_before: issuedAt,
    not_after: formatTime((parseTime(issuedAt) ?? 0) + AGENT_LIFETIME),
  };
  const common = { namespace_id: config.namespace_id, issued_at: issuedAt, agent_id: agentId, ...window };
  const certificate = await createAgentKeyCertificate(
    { ...common, agent_key_id: key.keyId, public_key: key.publicKey },
    root,
  );
  const earlier = state.identityRecords.filter(({ statement }) => statement.agent_id === agentId);
  const record = await createIdentityRecord(
    {
      ...common,
      record_number: 1 + Math.max(0, ...earlier.map(({ statement }) => statement.record_number)),
      agent_key_certificate_digests: [statementDigest(certificate)],
    },
    root,
  );
  return { agentCertificates: [certificate], identityRecords: [record] };
}

/** Makes and certifies a new key for an agent. */
export async function createAgent(
  workspace: Workspace,
  agentId: string,
  root: Signer,
): Promise<ReturnType<typeof certifyAgent>> {
  const { keys, config } = workspace;
  const signer = await keys.create(
    newId("agent-key"),
    "agent",
    config.algorithm,
    await workspace.protection(),
  );
  const key = { keyId: signer.keyId, publicKey: encodeHex(signer.publicKey) };
  return certifyAgent(workspace, agentId, key, root, workspace.time(since(workspace)));
}

/** The next revocation list: everything the newest one has, and the given entries. */
export async function nextList(
  workspace: Workspace,
  entries: readonly RevocationEntry[],
  root: Signer,
): Promise<RevocationListV1> {
  const newest = workspace.state.lists.at(-1);
  const after = newest === undefined ? since(workspace) : [...since(workspace), newest.statement.issued_at];
  const issuedAt = workspace.time(after);
  return createRevocationList(
    {
      namespace_id: workspace.config.namespace_id,
      issued_at: issuedAt,
      list_number: (newest?.statement.list_number ?? 0) + 1,
      not_after: formatTime((parseTime(issuedAt) ?? 0) + LIST_LIFETIME),
      entries: [...(newest?.statement.entries ?? []), ...entries],
      previous_list_digest: newest?.digest ?? null,
    },
    root,
  );
}

/** What auditors who hold older bundles need: the newest list, and every list since the newest that is anchored. */
export function currentSupplement({
  config,
  state,
}: {
  config: Workspace["config"];
  state: State;
}): SupplementV1 {
  return {
    protocol: "OSA_PROOF_V3",
    type: "SupplementV1",
    namespace_id: config.namespace_id,
    root_rotations: state.rotations.map(({ statement }) => statement),
    revocation_lists: listsToShow(state),
  };
}

/** The newest anchored list and whatever came after it. Lists are cumulative: older ones say nothing more. */
export function listsToShow(state: State): SupplementV1["revocation_lists"] {
  const anchors = new Map(state.listAnchors.map((item) => [item.list_digest, item.anchors]));
  const newestAnchored = state.lists.findLastIndex(({ digest }) => anchors.has(digest));
  return state.lists
    .slice(Math.max(0, newestAnchored))
    .map(({ statement, digest }) => ({ list: statement, anchors: anchors.get(digest) ?? [] }));
}

/** A key with the names that people use for it. */
export interface NamedKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly names: readonly string[];
}

/** Every key that ever signed a statement of this workspace. */
export function knownKeys(workspace: Workspace): readonly NamedKey[] {
  const { state, config } = workspace;
  const keys: NamedKey[] = [
    { keyId: config.root_key_id, publicKey: config.root_public_key, names: [] },
    ...state.rotations.map(({ statement }) => ({
      keyId: statement.new_root_key_id,
      publicKey: statement.new_root_public_key,
      names: [],
    })),
    ...state.agentCertificates.map(({ statement }) => ({
      keyId: statement.agent_key_id,
      publicKey: statement.public_key,
      names: [statement.agent_id],
    })),
    ...state.runtimeCertificates.map(({ statement }) => ({
      keyId: statement.runtime_key_id,
      publicKey: statement.public_key,
      names: [statement.runtime_id],
    })),
  ];
  return [...new Map(keys.map((key) => [key.keyId, key])).values()];
}

export function thumbprintOf(publicKey: string): string {
  return parsePublicKey(decodeHex(publicKey) ?? new Uint8Array())?.thumbprint ?? "";
}
