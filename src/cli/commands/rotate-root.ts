/** `osa-proof rotate-root`: a new root key, endorsed by the old one, and everything under it issued anew. */
import type { Command } from "commander";
import { encodeHex } from "../../encoding/hex.js";
import { formatTime, parseTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import { newId } from "../../runtime/entropy.js";
import { createRootRotation } from "../../statements/rotation.js";
import type { CommandContext, Register } from "../command.js";
import { jsonText, writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  fileText,
  SUPPLEMENT_FILE,
  TRUST_FILE,
  type Workspace,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import {
  agentIds,
  agentOf,
  certifyAgent,
  currentRoot,
  nextList,
  rootSigner,
} from "../workspace-authority.js";
import { anchorNow, commitWithSupplement, unanchoredLists } from "../workspace-ledger.js";

interface RotateOptions extends WorkspaceOptions {
  readonly json?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("rotate-root"))
    .description("replace the root key and issue certificates, records and the revocation list anew")
    .option("--json", "print what was made as JSON")
    .action((options: RotateOptions) => rotate(context, options));
};

async function rotate(context: CommandContext, options: RotateOptions): Promise<void> {
  await withWorkspace(context, options, async (workspace) => {
    requireAllAnchored(workspace);
    const trust = await workspace.trust();
    const old = currentRoot(workspace);
    const oldRoot = await rootSigner(workspace);
    const { config, keys } = workspace;
    const newRoot = await keys.create(
      newId("root-key"),
      "root",
      config.algorithm,
      await workspace.protection(),
    );
    const effectiveAt = effectiveTime(workspace);
    const rotation = await createRootRotation(
      {
        namespace_id: config.namespace_id,
        issued_at: effectiveAt,
        rotation_number: old.generation + 1,
        effective_at: effectiveAt,
      },
      oldRoot,
      newRoot,
    );
    const made = await underNewRoot(workspace, effectiveAt, newRoot);
    const publicKey = encodeHex(newRoot.publicKey);
    const namespaces = trust.namespaces.map((namespace) =>
      namespace.namespace_id === config.namespace_id
        ? {
            ...namespace,
            roots: [{ key_id: newRoot.keyId, public_key: publicKey, rotation_number: old.generation + 1 }],
          }
        : namespace,
    );
    await commitWithSupplement(workspace, { rotations: [rotation], ...made }, [
      { file: TRUST_FILE, content: fileText({ ...trust, namespaces }) },
    ]);
    const list = await nextList(workspace, [], newRoot);
    await workspace.commit({ lists: [list] });
    const { listAnchors } = await anchorNow(workspace, { leaves: [], lists: unanchoredLists(workspace) });
    await commitWithSupplement(workspace, { listAnchors });
    report(context, workspace, options, effectiveAt);
  });
}

/** What rests on the old root counts only if it was anchored before the change. */
function requireAllAnchored({ state }: Workspace): void {
  const sealed = new Set(state.trees.flatMap((tree) => tree.leaves));
  const open = [...state.receipts, ...state.closes, ...state.seals].filter(
    ({ digest }) => !sealed.has(digest),
  );
  if (open.length === 0) return;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `${open.length} receipts or closes are not anchored, and after the rotation they never could be; run osa-proof seal first`,
  );
}

/**
 * Now, but after everything the old root signed and every checkpoint that dates it: both must lie strictly before.
 * Checkpoints are dated in whole seconds, downwards.
 */
function effectiveTime(workspace: Workspace): string {
  const { state } = workspace;
  const signed = [...state.lists, ...state.agentCertificates, ...state.identityRecords, ...state.rotations];
  const latest = Math.max(...signed.map(({ statement }) => parseTime(statement.issued_at) ?? 0));
  const anchored = 1_000 * Math.floor(workspace.context.now() / 1_000);
  return workspace.time([formatTime(Math.max(latest, anchored) + 1)]);
}

/** Certificates and records of every agent's key that is not revoked, under the new root. */
async function underNewRoot(
  workspace: Workspace,
  issuedAt: string,
  newRoot: Awaited<ReturnType<typeof rootSigner>>,
): Promise<Awaited<ReturnType<typeof certifyAgent>>> {
  const revoked = new Set(workspace.state.lists.at(-1)?.statement.entries.map((entry) => entry.key_id));
  const agentCertificates = [];
  const identityRecords = [];
  for (const agentId of agentIds(workspace)) {
    const { agent_key_id: keyId, public_key: publicKey } = agentOf(workspace, agentId).certificate.statement;
    if (revoked.has(keyId)) continue;
    const made = await certifyAgent(workspace, agentId, { keyId, publicKey }, newRoot, issuedAt);
    agentCertificates.push(...made.agentCertificates);
    identityRecords.push(...made.identityRecords);
  }
  return { agentCertificates, identityRecords };
}

function report(
  context: CommandContext,
  workspace: Workspace,
  options: RotateOptions,
  effectiveAt: string,
): void {
  const root = currentRoot(workspace);
  const list = workspace.state.lists.at(-1);
  if (options.json) {
    const result = {
      root_key_id: root.keyId,
      rotation_number: root.generation,
      effective_at: effectiveAt,
      root_rotation_digest: workspace.state.rotations.at(-1)?.digest,
      list_number: list?.statement.list_number,
      revocation_list_digest: list?.digest,
    };
    context.out(`${jsonText(result)}\n`);
    return;
  }
  writeLines(context, [
    `Root ${root.keyId} signs since ${effectiveAt}, as number ${root.generation} of its namespace.`,
    `Give ${workspace.shown(TRUST_FILE)} and ${workspace.shown(SUPPLEMENT_FILE)} to your auditors: who pins the old root and never hears of this cannot miss it.`,
    "Pack bundles again that auditors verify under the new trust.json: those packed before do not hold the rotation.",
    "Delegations made before the rotation authorise nothing new: make new ones with osa-proof delegate.",
  ]);
}
