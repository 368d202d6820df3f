/** `osa-proof runtime issue`: an ephemeral key for one runtime, and its certificate. */
import type { Command } from "commander";
import { OsaProofError } from "../../errors.js";
import { parseDuration } from "../arguments.js";
import type { CommandContext, Register } from "../command.js";
import { jsonText, writeLines } from "../print.js";
import { addWorkspaceOptions, type Workspace, type WorkspaceOptions, withWorkspace } from "../workspace.js";
import { agentOf } from "../workspace-authority.js";
import { requireRuntimeFits } from "../workspace-delegation.js";
import { issueRuntimeKey, type RuntimeName } from "../workspace-runtime.js";

interface IssueOptions extends WorkspaceOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly runtime?: string;
  readonly validFor?: number;
  readonly publicKey?: string;
  readonly keyId?: string;
  readonly json?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  const runtime = program.command("runtime").description("the runtimes of the workspace");
  addWorkspaceOptions(runtime.command("issue"))
    .description("make an ephemeral runtime key and its certificate")
    .option("--agent <agent_id>", "whose runtime (default: that of the newest delegation)")
    .option("--session <id>", "(default: that of the newest delegation)")
    .option("--runtime <id>", "(default: that of the newest delegation)")
    .option("--public-key <hex>", "certify a key that the runtime made: its SubjectPublicKeyInfo as 0x hex")
    .option("--key-id <id>", "the id the runtime gave that key")
    .option("--valid-for <duration>", "how long the key lives, such as 10m (default: 30m)", parseDuration)
    .option("--json", "print the certificate as JSON")
    .action((options: IssueOptions) => issue(context, options));
};

async function issue(context: CommandContext, options: IssueOptions): Promise<void> {
  const { publicKey, keyId } = options;
  if ((publicKey === undefined) !== (keyId === undefined)) {
    throw new OsaProofError("USAGE", "--public-key and --key-id go together; give both or neither");
  }
  const given = publicKey === undefined || keyId === undefined ? undefined : { publicKey, keyId };
  await withWorkspace(context, options, async (workspace) => {
    const name = nameOf(workspace, options);
    requireRuntimeFits(workspace.state, name.runtimeId, name.sessionId, name.agentId);
    const earlier = workspace.state.runtimeCertificates.filter(
      ({ statement }) => statement.runtime_id === name.runtimeId,
    );
    const certificate = await issueRuntimeKey(workspace, name, options.validFor, given);
    await workspace.commit({ runtimeCertificates: [certificate] });
    // The newest key signs; those before it sign no more.
    if (given === undefined) {
      for (const { statement } of earlier) await workspace.keys.discard(statement.runtime_key_id);
    }
    if (options.json) {
      context.out(`${jsonText(certificate)}\n`);
      return;
    }
    writeLines(context, [
      `Runtime ${name.runtimeId} of session ${name.sessionId} has key ${certificate.runtime_key_id} until ${certificate.not_after}.`,
      given === undefined
        ? "Next: osa-proof record --from FILE, or osa-proof exec -- COMMAND"
        : "Its private key stays with the runtime; this workspace cannot sign for it.",
    ]);
  });
}

/** The runtime that is named or, for what is not named, that of the newest delegation that fits. */
function nameOf(workspace: Workspace, options: IssueOptions): RuntimeName {
  const { agent, session, runtime } = options;
  const delegation = workspace.state.delegations.findLast(
    ({ statement }) =>
      statement.delegate_agent_id === undefined &&
      (agent === undefined || statement.agent_id === agent) &&
      (session === undefined || statement.session_id === session) &&
      (runtime === undefined || statement.runtime_id === runtime),
  )?.statement;
  if (delegation !== undefined) {
    return {
      agentId: delegation.agent_id,
      sessionId: delegation.session_id,
      runtimeId: delegation.runtime_id,
    };
  }
  if (session !== undefined && runtime !== undefined) {
    return { agentId: agentOf(workspace, agent).agentId, sessionId: session, runtimeId: runtime };
  }
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    "there is no delegation that says which runtime this is for; make one with osa-proof delegate, or name --session and --runtime",
  );
}
