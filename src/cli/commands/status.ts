/** `osa-proof status`: what a workspace holds, by session, and what is left to do. Asks for no passphrase. */
import type { Command } from "commander";
import type { CommandContext, Register } from "../command.js";
import { counted, jsonText, paint, printable, table, writeLines } from "../print.js";
import { addWorkspaceOptions, type Workspace, type WorkspaceOptions, withWorkspace } from "../workspace.js";
import { agentIds } from "../workspace-authority.js";
import { untakenSessions } from "../workspace-journals.js";
import { unanchoredLists } from "../workspace-ledger.js";

interface StatusOptions extends WorkspaceOptions {
  readonly json?: true;
}

/** One session of the workspace. */
interface SessionStatus {
  readonly session_id: string;
  readonly mission_id: string;
  readonly receipt_count: number;
  /** Receipts that stand in no evidence tree yet. */
  readonly unsealed_count: number;
  readonly open_runtimes: readonly string[];
  readonly last_receipt_digest: string;
  readonly last_issued_at: string;
}

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("status"))
    .description("list the sessions of the workspace and what is left to close, seal and bundle")
    .option("--json", "print it as JSON")
    .action((options: StatusOptions) => status(context, options));
};

async function status(context: CommandContext, options: StatusOptions): Promise<void> {
  await withWorkspace(context, options, async (workspace) => {
    const list = workspace.state.lists.at(-1);
    const result = {
      namespace_id: workspace.config.namespace_id,
      agents: agentIds(workspace),
      sessions: sessionsOf(workspace),
      journals: await untakenSessions(workspace),
      revocation_list: {
        list_number: list?.statement.list_number ?? null,
        issued_at: list?.statement.issued_at ?? null,
        anchored: unanchoredLists(workspace).length === 0,
      },
    };
    if (options.json) {
      context.out(`${jsonText(result)}\n`);
      return;
    }
    writeLines(context, [
      paint(context, "heading", `Namespace ${printable(result.namespace_id)}: ${result.agents.join(", ")}`),
      ...table(result.sessions.map(row)),
      ...result.journals.map(
        ({ name, running }) =>
          `  runtime ${printable(name)} ${running ? "is at work" : "has ended, not taken in"}`,
      ),
      ...(result.sessions.length + result.journals.length === 0
        ? ["  no session yet: osa-proof record or exec"]
        : []),
      `Revocation list ${result.revocation_list.list_number} of ${result.revocation_list.issued_at}${result.revocation_list.anchored ? "" : ", not anchored yet"}.`,
      result.journals.some(({ running }) => !running) ? "Next: osa-proof seal" : nextStep(result.sessions),
    ]);
  });
}

function sessionsOf({ state }: Workspace): readonly SessionStatus[] {
  const sealed = new Set(state.trees.flatMap((tree) => tree.leaves));
  const closed = new Set(
    state.closes.map(({ statement }) => `${statement.session_id} ${statement.runtime_id}`),
  );
  const sessions = new Map<string, SessionStatus>();
  for (const { digest, statement } of state.receipts) {
    const { session_id, mission_id, runtime_id, issued_at } = statement;
    const before = sessions.get(session_id);
    const open = new Set(before?.open_runtimes);
    if (!closed.has(`${session_id} ${runtime_id}`)) open.add(runtime_id);
    sessions.set(session_id, {
      session_id,
      mission_id,
      receipt_count: (before?.receipt_count ?? 0) + 1,
      unsealed_count: (before?.unsealed_count ?? 0) + (sealed.has(digest) ? 0 : 1),
      open_runtimes: [...open],
      last_receipt_digest: digest,
      last_issued_at: issued_at,
    });
  }
  return [...sessions.values()];
}

function row(session: SessionStatus): readonly string[] {
  const { open_runtimes: open, unsealed_count: unsealed } = session;
  return [
    printable(session.session_id),
    counted(session.receipt_count, "receipt"),
    `last ${session.last_issued_at}`,
    open.length === 0 ? "closed" : `open: ${open.map(printable).join(", ")}`,
    unsealed === 0 ? "sealed" : `${unsealed} not sealed`,
  ];
}

function nextStep(sessions: readonly SessionStatus[]): string {
  if (sessions.some((session) => session.unsealed_count > 0)) return "Next: osa-proof seal";
  if (sessions.some((session) => session.open_runtimes.length > 0)) return "Next: osa-proof close";
  return sessions.length === 0 ? "Next: osa-proof delegate" : "Next: osa-proof bundle --session ID -o FILE";
}
