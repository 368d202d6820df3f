/** `osa-proof exec`: runs a command as one action and signs what it did. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import { encodeToolName } from "../../collect/import/index.js";
import { isJsonValue } from "../../encoding/jcs.js";
import type { JsonObject } from "../../encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import type { ActionContent } from "../../runtime/action.js";
import type { ActionStatus } from "../../statements/commitment.js";
import type { DelegationV1 } from "../../statements/delegation.js";
import { collectDigest } from "../arguments.js";
import type { CommandContext, Register } from "../command.js";
import { readInputIfThere } from "../input.js";
import { type OutputFile, outputFile } from "../output.js";
import { PASSPHRASE_VARIABLE, Passphrase } from "../passphrase.js";
import { printable } from "../print.js";
import { toolNameOf } from "../recording.js";
import { addWorkspaceOptions, type Workspace, type WorkspaceOptions, withWorkspace } from "../workspace.js";
import { chooseDelegations, DENIED_TOOL } from "../workspace-delegation.js";
import { requireNoJournal } from "../workspace-journals.js";
import { RuntimeSession, runtimeOf } from "../workspace-runtime.js";
import type { Stored } from "../workspace-state.js";

interface ExecOptions extends WorkspaceOptions {
  readonly tool?: string;
  readonly parent?: readonly string[];
  readonly agent?: string;
  readonly session?: string;
  readonly runtime?: string;
  readonly delegation?: readonly string[];
  readonly withCwd?: true;
  readonly digestTo?: string;
}

/** What a shell answers for a command that it may not run, and for one that is not there. */
const [EXIT_DENIED, EXIT_NOT_FOUND, EXIT_SIGNAL] = [126, 127, 128];

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("exec"))
    .description("run a command as one action: arguments, exit code and digests of its output are committed")
    .usage("[options] -- <command> [arguments...]")
    .argument("<command...>", "the command and its arguments, run without a shell")
    .option("--tool <name>", "tool that this action is (default: the command as it is written)")
    .option(
      "--parent <digest...>",
      "receipts it came after (default: the last one of its runtime)",
      collectDigest,
    )
    .option("--agent <agent_id>", "only delegations of this agent")
    .option("--session <id>", "only delegations of this session")
    .option("--runtime <id>", "only delegations of this runtime")
    .option(
      "--delegation <digest...>",
      "delegations to act under (default: those of the newest runtime)",
      collectDigest,
    )
    .option("--with-cwd", "commit to the working directory as well")
    .option(
      "--digest-to <file>",
      "write the receipt's digest to this file, new or with an older digest, for a later --parent",
    )
    .addHelpText(
      "after",
      "\nThe exit code is the command's own; 128 and the signal's number when a signal ended it, 127 when it\ncould not be started, 126 when its tool was refused and the refusal recorded under osa.denied, and 2 when osa-proof\nitself could not work or may not record the refusal, which it then says on stderr. On systems where a\nprocess can read its parent's environment, prefer --passphrase-fd to OSA_PROOF_PASSPHRASE here.",
    )
    .action((command: string[], options: ExecOptions) => exec(context, command, options));
};

async function exec(context: CommandContext, argv: readonly string[], options: ExecOptions): Promise<void> {
  const [command = ""] = argv;
  const tool = options.tool === undefined ? encodeToolName(command) : toolNameOf(options.tool);
  // A digest that an earlier run wrote there may be replaced, and nothing else.
  const digestTo = await digestFile(context, options.digestTo);
  const passphrase = new Passphrase(context, options.passphraseFd);
  const inWorkspace = <T>(action: (workspace: Workspace) => Promise<T>): Promise<T> =>
    withWorkspace(context, options, action, passphrase);
  // Everything that can be wrong is found before the command runs; the workspace is free while it does.
  const allowed = await inWorkspace(async (workspace) => {
    requireParents(workspace, options.parent ?? []);
    const delegations = chooseDelegations(workspace, { ...options, delegations: options.delegation });
    await requireNoJournal(workspace, runtimeOf(delegations).runtimeId);
    const session = new RuntimeSession(workspace, runtimeOf(delegations));
    await session.unlock();
    const listed = find(delegations, tool, session);
    const delegation = listed ?? find(delegations, DENIED_TOOL, session);
    if (delegation !== undefined) return { delegation: delegation.digest, isListed: listed !== undefined };
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `no delegation lists tool ${tool}, or its actions are used up; nothing was run. Delegate it with osa-proof delegate --tool ${tool}, or delegate ${DENIED_TOOL} to have refusals recorded`,
    );
  });
  const done = allowed.isListed ? await run(context, argv) : denied();
  const asked: JsonObject = {
    ...(allowed.isListed ? {} : { tool }),
    argv: [...argv],
    ...(options.withCwd ? { cwd: context.cwd } : {}),
  };
  try {
    await inWorkspace(async (workspace) => {
      const delegations = chooseDelegations(workspace, { delegations: [allowed.delegation] });
      const session = new RuntimeSession(workspace, runtimeOf(delegations));
      const [delegation] = delegations;
      if (delegation === undefined) throw new OsaProofError("WORKSPACE_INVALID", "the delegation is gone");
      const parents = options.parent ?? (session.last === undefined ? [] : [session.last.digest]);
      const { status, output } = done;
      const action = { input: contentOf(asked), output: contentOf(output), status, parents };
      const digest = await session.sign(delegation, {
        ...action,
        tool: allowed.isListed ? tool : DENIED_TOOL,
      });
      await session.commit();
      await digestTo?.write(encodeUtf8(`${digest}\n`));
    });
  } catch (error) {
    if (!(error instanceof OsaProofError)) throw error;
    const happened = allowed.isListed
      ? `${command} ran and ended with ${done.exitCode}`
      : `${command} was not run`;
    throw new OsaProofError(error.code, `${happened}, but it has no receipt: ${error.message}`, {
      cause: error,
    });
  }
  if (!allowed.isListed) {
    context.err(`osa-proof: no delegation lists tool ${tool}: not run, and recorded as ${DENIED_TOOL}\n`);
  }
  context.exit(done.exitCode);
}

async function digestFile(context: CommandContext, name: string | undefined): Promise<OutputFile | null> {
  if (name === undefined) return null;
  const file = await outputFile(context, "--digest-to", name, true);
  const before = await readInputIfThere(context, "digest file", file.path);
  if (before === null || isDigestLine(before)) return file;
  throw new OsaProofError(
    "USAGE",
    `--digest-to ${name}: is there already, and holds something else than a digest; name another file`,
  );
}

function isDigestLine(bytes: Uint8Array): boolean {
  return /^(?:0x[0-9a-f]{64}\n)?$/.test(decodeUtf8(bytes) ?? "-");
}

function requireParents({ state }: Workspace, parents: readonly string[]): void {
  const known = new Set(state.receipts.map(({ digest }) => digest));
  const missing = parents.find((parent) => !known.has(parent));
  if (missing === undefined) return;
  throw new OsaProofError("WORKSPACE_INVALID", `receipt ${missing} is not in this workspace; check --parent`);
}

/** A delegation that lists the tool and has an action left. */
function find(
  delegations: readonly Stored<DelegationV1>[],
  tool: string,
  session: RuntimeSession,
): Stored<DelegationV1> | undefined {
  return delegations.find(
    ({ statement }) =>
      statement.tools.includes(tool) &&
      session.nextSequence <= (statement.max_actions ?? Number.POSITIVE_INFINITY),
  );
}

interface Done {
  readonly status: ActionStatus;
  readonly output: JsonObject;
  readonly exitCode: number;
}

function denied(): Done {
  return { status: "denied", output: { reason: "no delegation lists this tool" }, exitCode: EXIT_DENIED };
}

/** Runs the command to its end. Signals sent to this process reach it; this process stays to sign what happened. */
async function run(context: CommandContext, [command = "", ...args]: readonly string[]): Promise<Done> {
  // What an agent runs has no business with the passphrase of the keys that vouch for it.
  const { [PASSPHRASE_VARIABLE]: _withheld, ...env } = context.env;
  const child = spawn(command, args, {
    cwd: context.cwd,
    env,
    stdio: ["inherit", "pipe", "pipe"],
    shell: false,
  });
  const pass = (signal: NodeJS.Signals): boolean => child.kill(signal);
  // A terminal sends its own interrupt to the command as well, so that one is only survived.
  const survive = (): void => undefined;
  process.on("SIGTERM", pass).on("SIGHUP", pass).on("SIGINT", survive);
  try {
    const started = new Promise<string | null>((resolve) => {
      child.once("spawn", () => resolve(null));
      child.once("error", (error) => resolve("code" in error ? String(error.code) : "unknown"));
    });
    const closed = once(child, "close").catch(() => []);
    const [stdout, stderr, fault] = await Promise.all([
      passOn(child.stdout, context.streams.stdout),
      passOn(child.stderr, context.streams.stderr),
      started,
    ]);
    if (fault !== null) {
      context.err(`osa-proof: ${printable(command)} could not be started (${fault})\n`);
      const output = { error: fault, exit_code: null, signal: null, stdout, stderr };
      return { status: "failed", output, exitCode: EXIT_NOT_FOUND };
    }
    await closed;
    const { exitCode, signalCode } = child;
    const output = { exit_code: exitCode, signal: signalCode, stdout, stderr };
    if (signalCode !== null) {
      return { status: "interrupted", output, exitCode: EXIT_SIGNAL + constants.signals[signalCode] };
    }
    return { status: exitCode === 0 ? "completed" : "failed", output, exitCode: exitCode ?? EXIT_SIGNAL };
  } finally {
    process.off("SIGTERM", pass).off("SIGHUP", pass).off("SIGINT", survive);
  }
}

/** Passes a stream on byte for byte and digests it. A reader that has gone away does not stop the digest. */
async function passOn(
  from: Readable,
  to: Writable,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  let gone = false;
  const leave = (): void => {
    gone = true;
  };
  to.on("error", leave);
  try {
    for await (const chunk of from as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      size += chunk.length;
      if (!gone && !to.write(chunk)) await Promise.race([once(to, "drain"), once(to, "close")]).catch(leave);
    }
  } finally {
    to.off("error", leave);
  }
  return { sha256: `0x${hash.digest("hex")}`, size };
}

/** JSON where it can hold the value, else the bytes of its text: every action can have a receipt. */
function contentOf(value: JsonObject): ActionContent {
  return isJsonValue(value) ? { json: value } : { bytes: encodeUtf8(JSON.stringify(value)) };
}
