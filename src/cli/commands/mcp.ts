/** `osa-proof mcp`: an MCP server behind a proxy that signs every tool call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import type { Command } from "commander";
import { concatBytes } from "../../encoding/bytes.js";
import { OsaProofError } from "../../errors.js";
import type { CommandContext, Register } from "../command.js";
import { addLiveOptions, type LiveOptions, openLiveSession } from "../live-session.js";
import { linesOf } from "../mcp/lines.js";
import { McpProxy, type Send } from "../mcp/proxy.js";
import { PASSPHRASE_VARIABLE, Passphrase } from "../passphrase.js";
import { counted, printable } from "../print.js";
import { addWorkspaceOptions } from "../workspace.js";

interface McpOptions extends LiveOptions {
  readonly receiptMeta?: true;
}

const [EXIT_NOT_FOUND, EXIT_SIGNAL] = [127, 128];
/** How long a server may take to end once its input has ended (Model Context Protocol, "Lifecycle", stdio shutdown). */
const SHUTDOWN_MS = 5_000;
const NEWLINE = new Uint8Array([0x0a]);

export const register: Register = (program: Command, context: CommandContext) => {
  addLiveOptions(addWorkspaceOptions(program.command("mcp")))
    .description("run an MCP server and sign every tool call that passes to it over stdio")
    .usage("[options] -- <server> [arguments...]")
    .argument("<server...>", "the server's command and its arguments, run without a shell")
    .option("--receipt-meta", "put the receipt's digest into _meta of each result")
    .addHelpText(
      "after",
      "\nA call that no delegation allows is answered with an error and does not reach the server. When the client\nends, the session is closed and taken into the workspace: osa-proof seal comes next. Standard input belongs to\nthe client, so a passphrase comes by OSA_PROOF_PASSPHRASE or --passphrase-fd.",
    )
    .action((server: string[], options: McpOptions) => mcp(context, server, options));
};

async function mcp(context: CommandContext, server: readonly string[], options: McpOptions): Promise<void> {
  if (options.passphraseFd === 0) {
    throw new OsaProofError(
      "USAGE",
      "--passphrase-fd: standard input is the client's here; give another one",
    );
  }
  const live = await openLiveSession(context, options, new Passphrase(context, options.passphraseFd));
  const warn = (message: string): void => context.err(`osa-proof: ${printable(message)}\n`);
  let code: number;
  try {
    code = await serve(context, server, options, { session: live.session, warn });
  } finally {
    const count = await live.finish();
    warn(`${counted(count, "receipt")} in session ${live.name.sessionId}; next: osa-proof seal`);
  }
  context.exit(code);
}

async function serve(
  context: CommandContext,
  [command = "", ...args]: readonly string[],
  options: McpOptions,
  given: Pick<ConstructorParameters<typeof McpProxy>[0], "session" | "warn">,
): Promise<number> {
  // What a server runs has no business with the passphrase of the keys that vouch for it.
  const { [PASSPHRASE_VARIABLE]: _withheld, ...env } = context.env;
  const child = spawn(command, args, { cwd: context.cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close").catch(() => []);
  const fault = await new Promise<string | null>((resolve) => {
    child.once("spawn", () => resolve(null));
    child.once("error", (error) => resolve("code" in error ? String(error.code) : "unknown"));
  });
  if (fault !== null) {
    given.warn(`${command} could not be started (${fault})`);
    return EXIT_NOT_FOUND;
  }
  const proxy = new McpProxy({
    ...given,
    toServer: sender(child.stdin),
    toClient: sender(context.streams.stdout),
    receiptMeta: options.receiptMeta === true,
  });
  const stop = (signal: NodeJS.Signals): boolean => child.kill(signal);
  process.on("SIGTERM", stop).on("SIGHUP", stop).on("SIGINT", stop);
  try {
    const input = context.streams.stdin;
    const fromClient = (async () => {
      for await (const line of linesOf(input)) await proxy.fromClient(line);
      child.stdin.end();
      await endInTime(child);
    })();
    const fromServer = (async () => {
      for await (const line of linesOf(child.stdout)) await proxy.fromServer(line);
    })();
    // A client that says too much ends the server, which ends the rest.
    fromClient.catch((error: unknown) => {
      given.warn(error instanceof Error ? error.message : String(error));
      child.kill();
    });
    await fromServer.catch((error: unknown) => {
      given.warn(error instanceof Error ? error.message : String(error));
      child.kill();
    });
    await ended;
    input.destroy();
    await proxy.end();
  } finally {
    process.off("SIGTERM", stop).off("SIGHUP", stop).off("SIGINT", stop);
  }
  const { exitCode, signalCode } = child;
  return signalCode === null ? (exitCode ?? EXIT_SIGNAL) : EXIT_SIGNAL + constants.signals[signalCode];
}

/** Asks more firmly from step to step. */
async function endInTime(child: ReturnType<typeof spawn>): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, SHUTDOWN_MS);
      child.once("close", () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
    child.kill(signal);
  }
}

/** Writes lines in order, and waits when the reader is slow. A reader that has gone away loses them. */
function sender(stream: Writable): Send {
  let isGone = false;
  let ready: Promise<void> | null = null;
  let go: () => void = () => undefined;
  stream.on("drain", () => go());
  for (const event of ["error", "close"]) {
    stream.on(event, () => {
      isGone = true;
      go();
    });
  }
  return async (line) => {
    if (isGone || stream.destroyed || stream.writableEnded) return;
    if (stream.write(concatBytes(line, NEWLINE))) return;
    ready ??= new Promise<void>((resolve) => {
      go = () => {
        ready = null;
        resolve();
      };
    });
    await ready;
  };
}
