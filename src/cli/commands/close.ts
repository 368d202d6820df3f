/** `osa-proof close`: the last word of a runtime. */
import type { Command } from "commander";
import { OsaProofError } from "../../errors.js";
import type { CommandContext, Register } from "../command.js";
import { jsonText, writeLines } from "../print.js";
import { addWorkspaceOptions, type Workspace, type WorkspaceOptions, withWorkspace } from "../workspace.js";
import { takeJournals } from "../workspace-journals.js";
import { type RuntimeName, RuntimeSession } from "../workspace-runtime.js";

interface CloseOptions extends WorkspaceOptions {
  readonly runtime?: string;
  readonly session?: string;
  readonly byAgent?: true;
  readonly json?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("close"))
    .description("close the session of a runtime, or of every open one")
    .option("--runtime <id>", "which runtime (default: every open one with a receipt)")
    .option("--session <id>", "only runtimes of this session")
    .option("--by-agent", "sign with the agent's key, for a runtime that crashed and lost its own")
    .option("--json", "print what was made as JSON")
    .action((options: CloseOptions) => close(context, options));
};

async function close(context: CommandContext, options: CloseOptions): Promise<void> {
  await withWorkspace(context, options, async (workspace) => {
    await takeJournals(workspace);
    const names = openRuntimes(workspace, options);
    const closes: { runtime_id: string; session_id: string; session_close_digest: string }[] = [];
    for (const name of names) {
      const session = new RuntimeSession(workspace, name);
      const digest = await session.close(options.byAgent === true);
      await session.commit();
      closes.push({ runtime_id: name.runtimeId, session_id: name.sessionId, session_close_digest: digest });
    }
    if (options.json) context.out(`${jsonText({ closes })}\n`);
    else
      writeLines(context, [
        ...closes.map((made) => `Runtime ${made.runtime_id} of session ${made.session_id} is closed.`),
        "Next: osa-proof seal",
      ]);
  });
}

/** @throws OsaProofError WORKSPACE_INVALID when there is none */
function openRuntimes({ state }: Workspace, options: CloseOptions): readonly RuntimeName[] {
  const closed = new Set(state.closes.map(({ statement }) => statement.runtime_id));
  const found = new Map<string, RuntimeName>();
  for (const { statement } of state.receipts) {
    const { runtime_id: runtimeId, session_id: sessionId, agent_id: agentId } = statement;
    if (closed.has(runtimeId)) continue;
    if (options.runtime !== undefined && options.runtime !== runtimeId) continue;
    if (options.session !== undefined && options.session !== sessionId) continue;
    found.set(runtimeId, { runtimeId, sessionId, agentId });
  }
  if (found.size > 0) return [...found.values()];
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    "there is no open runtime with a receipt that fits; osa-proof record closes its own unless told --keep-open",
  );
}
