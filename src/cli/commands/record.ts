/** `osa-proof record`: a recorded agent session becomes signed receipts, one a call, in order. */
import type { Command } from "commander";
import { encodeToolName } from "../../collect/import/index.js";
import { sha256Hex } from "../../crypto/digest.js";
import { OsaProofError } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import type { ActionContent } from "../../runtime/action.js";
import type { DelegationV1 } from "../../statements/delegation.js";
import { collectDigest } from "../arguments.js";
import type { CommandContext, Register } from "../command.js";
import { counted, jsonText, printable, writeLines } from "../print.js";
import { showProgress } from "../progress.js";
import { type Recording, readRecording, toolsOf } from "../recording.js";
import { addWorkspaceOptions, type Workspace, type WorkspaceOptions, withWorkspace } from "../workspace.js";
import { chooseDelegations, MERGE_TOOL, makeDelegation } from "../workspace-delegation.js";
import { requireNoJournal } from "../workspace-journals.js";
import { issueRuntimeKey, RuntimeSession, runtimeOf } from "../workspace-runtime.js";
import type { Stored } from "../workspace-state.js";

interface RecordOptions extends WorkspaceOptions {
  readonly from: string;
  readonly format?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly mission?: string;
  readonly delegation?: readonly string[];
  readonly delegate?: true;
  readonly keepOpen?: true;
  readonly json?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("record"))
    .description("turn a recorded agent session into signed receipts")
    .requiredOption("--from <file>", "the recording")
    .option("--format <name>", "its format (default: told from its content)")
    .option("--agent <agent_id>", "whose actions they are (default: that of the delegation)")
    .option("--session <id>", "session of the delegation to use, or of the one that --delegate makes")
    .option(
      "--delegation <digest...>",
      "delegations to act under (default: those of the newest runtime)",
      collectDigest,
    )
    .option("--delegate", "first delegate exactly the tools of the recording to a new runtime")
    .option("--mission <id>", "mission of the delegation that --delegate makes")
    .option("--keep-open", "do not close the runtime's session at the end")
    .option("--json", "print what was made as JSON")
    .action((options: RecordOptions) => record(context, options));
};

async function record(context: CommandContext, options: RecordOptions): Promise<void> {
  if (options.delegate && options.delegation !== undefined) {
    throw new OsaProofError("USAGE", "--delegate and --delegation exclude each other; give one");
  }
  if (options.mission !== undefined && !options.delegate) {
    throw new OsaProofError(
      "USAGE",
      "--mission: only with --delegate; a delegation that is there has its mission",
    );
  }
  const recording = await readRecording(context, options.from, options.format);
  if (recording.session.calls.length === 0) {
    throw new OsaProofError(
      "IMPORT_INVALID",
      `${options.from}: the recording has no tool call, so there is nothing to record`,
    );
  }
  await withWorkspace(context, options, async (workspace) => {
    const delegations = options.delegate
      ? [await delegateTools(workspace, recording, options)]
      : chooseDelegations(workspace, {
          agent: options.agent,
          session: options.session,
          delegations: options.delegation,
        });
    await requireNoJournal(workspace, runtimeOf(delegations).runtimeId);
    const session = new RuntimeSession(workspace, runtimeOf(delegations));
    requireAllowed(recording, delegations, session.nextSequence);
    const digests = await signCalls(context, session, recording, delegations);
    const close = options.keepOpen ? null : await session.close();
    await session.commit();
    report(context, options, recording, { ...runtimeOf(delegations), digests, close });
  });
}

/** A delegation of exactly what the recording used, and a key for its runtime. */
async function delegateTools(
  workspace: Workspace,
  { session }: Recording,
  options: RecordOptions,
): Promise<Stored<DelegationV1>> {
  const delegation = await makeDelegation(workspace, {
    tools: toolsOf(session),
    agent: options.agent,
    session: options.session,
    mission: options.mission,
  });
  const certificate = await issueRuntimeKey(workspace, runtimeOf([delegation]));
  await workspace.commit({ runtimeCertificates: [certificate] });
  return delegation;
}

/** Everything that would be refused later is refused before anything is signed. */
function requireAllowed(
  { session }: Recording,
  delegations: readonly Stored<DelegationV1>[],
  firstSequence: number,
): void {
  const outside = toolsOf(session).filter((tool) => delegationFor(delegations, tool) === undefined);
  if (outside.length > 0) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `the delegation does not list ${outside.join(", ")}; make one that does with osa-proof delegate --tools-from FILE, or let record make it with --delegate`,
    );
  }
  const last = firstSequence + session.calls.length - 1;
  const bound = Math.min(
    ...delegations.map(({ statement }) => statement.max_actions ?? Number.POSITIVE_INFINITY),
  );
  if (last > bound) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `the delegation allows ${bound} actions, and this recording would end at number ${last}; delegate more with --max-actions`,
    );
  }
}

function delegationFor(
  delegations: readonly Stored<DelegationV1>[],
  tool: string,
): Stored<DelegationV1> | undefined {
  return delegations.find(({ statement }) => statement.tools.includes(tool));
}

/** One receipt a call; what it came after is what the recording says it came after. */
async function signCalls(
  context: CommandContext,
  session: RuntimeSession,
  { bytes, session: { calls, format } }: Recording,
  delegations: readonly Stored<DelegationV1>[],
): Promise<readonly string[]> {
  // Says in every receipt that this is hearsay: a reading of a file, not the witnessing of an action.
  // Two items: the first may be shown to anybody; the digest of a short recording could be found by guessing.
  const evidence: readonly ActionContent[] = [
    { json: { recorded_from: { format } } },
    { json: { recording: { sha256: sha256Hex(bytes), size: bytes.length } } },
  ];
  const sign = async (
    tool: string,
    action: Pick<Parameters<RuntimeSession["sign"]>[1], "input" | "output" | "status" | "parents">,
  ): Promise<string> => {
    const delegation = delegationFor(delegations, tool);
    if (delegation === undefined)
      throw new OsaProofError("WORKSPACE_INVALID", `the delegation does not list ${tool}`);
    return session.sign(delegation, { ...action, tool, evidence });
  };
  const before = session.last?.digest;
  const progress = showProgress(context, "signing receipt", calls.length);
  const digests: string[] = [];
  for (const call of calls) {
    let parents = call.parents.flatMap((index) => digests[index] ?? []);
    if (call.parents.length === 0 && before !== undefined) parents = [before];
    while (parents.length > LIMITS.maxParentsPerReceipt) {
      const joined = parents.slice(0, LIMITS.maxParentsPerReceipt);
      const merge = {
        input: { json: { joins: joined.length } },
        output: { json: null },
        status: "completed",
      } as const;
      parents = [...parents.slice(joined.length), await sign(MERGE_TOOL, { ...merge, parents: joined })];
    }
    const { input, output, status } = call;
    digests.push(await sign(encodeToolName(call.tool), { input, output, status, parents }));
    progress.step();
  }
  progress.end();
  return digests;
}

function report(
  context: CommandContext,
  options: RecordOptions,
  { session }: Recording,
  made: {
    readonly agentId: string;
    readonly sessionId: string;
    readonly runtimeId: string;
    readonly digests: readonly string[];
    readonly close: string | null;
  },
): void {
  if (options.json) {
    const result = {
      format: session.format,
      agent_id: made.agentId,
      session_id: made.sessionId,
      runtime_id: made.runtimeId,
      receipt_digests: made.digests,
      session_close_digest: made.close,
      notes: session.notes,
    };
    context.out(`${jsonText(result)}\n`);
    return;
  }
  writeLines(context, [
    `${counted(made.digests.length, "receipt")} signed from a recording (${session.format}) in session ${made.sessionId}.`,
    ...session.notes.map((note) => `  note: ${printable(note)}`),
    made.close === null ? "The runtime is still open." : "The runtime's session is closed.",
    "Next: osa-proof seal",
  ]);
}
