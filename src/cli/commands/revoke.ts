/** `osa-proof revoke`: everything a key signed is void from now on, and it is said in an anchored list. */
import { join } from "node:path";
import type { Command } from "commander";
import { OsaProofError } from "../../errors.js";
import type { CommandContext, Register } from "../command.js";
import { counted, jsonText, writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  SUPPLEMENT_FILE,
  type Workspace,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import {
  currentRoot,
  knownKeys,
  type NamedKey,
  nextList,
  rootSigner,
  thumbprintOf,
} from "../workspace-authority.js";
import { anchorNow, commitWithSupplement, unanchoredLists } from "../workspace-ledger.js";

interface RevokeOptions extends WorkspaceOptions {
  readonly reason: string;
  readonly json?: true;
}

const MAX_REASON_CHARACTERS = 256;

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("revoke"))
    .description("revoke a key: a new, anchored revocation list")
    .argument("<key>", "a key id, a thumbprint, or the name of an agent or runtime for all its keys")
    .requiredOption("--reason <text>", "why, for people who read the list")
    .option("--json", "print what was made as JSON")
    .action((key: string, options: RevokeOptions) => revoke(context, key, options));
};

async function revoke(context: CommandContext, name: string, options: RevokeOptions): Promise<void> {
  if (options.reason.length < 1 || options.reason.length > MAX_REASON_CHARACTERS) {
    throw new OsaProofError(
      "USAGE",
      `--reason: expected 1 to ${MAX_REASON_CHARACTERS} characters, found ${options.reason.length}`,
    );
  }
  await withWorkspace(context, options, async (workspace) => {
    const keys = keysToRevoke(workspace, name);
    const revokedAt = workspace.time();
    const entries = keys.map(({ keyId, publicKey }) => ({
      key_id: keyId,
      key_thumbprint: thumbprintOf(publicKey),
      revoked_at: revokedAt,
      reason: options.reason,
    }));
    // Stored before it is anchored: a revocation that is known binds even without an anchor.
    await workspace.commit({ lists: [await nextList(workspace, entries, await rootSigner(workspace))] });
    const { listAnchors } = await anchorNow(workspace, { leaves: [], lists: unanchoredLists(workspace) });
    await commitWithSupplement(workspace, { listAnchors });
    const list = workspace.state.lists.at(-1);
    if (options.json) {
      const result = {
        revoked_key_ids: keys.map(({ keyId }) => keyId),
        list_number: list?.statement.list_number,
        revocation_list_digest: list?.digest,
        supplement: join(workspace.directory, SUPPLEMENT_FILE),
      };
      context.out(`${jsonText(result)}\n`);
      return;
    }
    writeLines(context, [
      `${counted(keys.length, "key")} revoked by list ${list?.statement.list_number}: ${keys.map(({ keyId }) => keyId).join(", ")}.`,
      `Give ${workspace.shown(SUPPLEMENT_FILE)} to your auditors (osa-proof verify --revocations FILE); new bundles carry the list themselves.`,
    ]);
  });
}

/** @throws OsaProofError WORKSPACE_INVALID */
function keysToRevoke(workspace: Workspace, name: string): readonly NamedKey[] {
  const known = knownKeys(workspace);
  const named = known.filter(
    ({ keyId, publicKey, names }) =>
      keyId === name || thumbprintOf(publicKey) === name || names.includes(name),
  );
  if (named.length === 0) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `no key of this workspace is called ${name}: expected a key id, a thumbprint, an agent_id or a runtime_id; osa-proof inspect shows those in a bundle`,
    );
  }
  const revoked = new Set(workspace.state.lists.at(-1)?.statement.entries.map((entry) => entry.key_id));
  const keys = named.filter(({ keyId }) => !revoked.has(keyId));
  if (keys.length === 0) {
    throw new OsaProofError("WORKSPACE_INVALID", `${name} is revoked already; nothing was changed`);
  }
  if (keys.some(({ keyId }) => keyId === currentRoot(workspace).keyId)) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `${name} is the root that signs now, and a list that it signs about itself would be void; run osa-proof rotate-root first`,
    );
  }
  return keys;
}
