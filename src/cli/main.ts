/** The command line: one program, its commands, and the one boundary where an error becomes a sentence. */
import { Command, CommanderError } from "commander";
import { OsaProofError } from "../errors.js";
import { systemClock } from "../runtime/clock.js";
import type { CommandContext, Register } from "./command.js";
import { packageVersion } from "./packaged.js";
import { printable } from "./print.js";
import { StandardOutput } from "./standard-output.js";

/** In the order in which a person meets them; each is loaded when it is needed, since loading all takes longer than most. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly register: Register }>>> = {
  init: () => import("./commands/init.js"),
  agent: () => import("./commands/agent.js"),
  delegate: () => import("./commands/delegate.js"),
  runtime: () => import("./commands/runtime.js"),
  record: () => import("./commands/record.js"),
  exec: () => import("./commands/exec.js"),
  mcp: () => import("./commands/mcp.js"),
  close: () => import("./commands/close.js"),
  status: () => import("./commands/status.js"),
  seal: () => import("./commands/seal.js"),
  bundle: () => import("./commands/bundle.js"),
  verify: () => import("./commands/verify.js"),
  selftest: () => import("./commands/selftest.js"),
  inspect: () => import("./commands/inspect.js"),
  graph: () => import("./commands/graph.js"),
  supplement: () => import("./commands/supplement.js"),
  revoke: () => import("./commands/revoke.js"),
  "rotate-root": () => import("./commands/rotate-root.js"),
  schema: () => import("./commands/schema.js"),
  codes: () => import("./commands/codes.js"),
  demo: () => import("./commands/demo.js"),
};

const EXIT_NO_REPORT = 2;
/** Cost of new key files, as a binary logarithm: 2^17 needs 128 MiB and some tenths of a second. */
const KEY_COST = 17;

/**
 * Runs one command line (without the program's own name) and gives its exit code: 0 done or accepted, 1 rejected,
 * 2 could not run. What `context` leaves out comes from the process. Never throws.
 */
export async function runCli(args: readonly string[], context: Partial<CommandContext>): Promise<number> {
  let code = 0;
  const full: CommandContext = {
    ...processContext(...standardOutputs()),
    ...context,
    exit: (given) => {
      code = given;
      context.exit?.(given);
    },
  };
  try {
    await (await makeProgram(full, args[0])).parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return code;
    // Commander has already written its own sentence.
    if (!(error instanceof CommanderError)) full.err(`osa-proof: ${sentence(error)}\n`);
    return EXIT_NO_REPORT;
  }
}

/** Sentences are one line each, and nothing in them drives a terminal. */
function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " ").trim());
}

/** Commander repeats an unknown `--option=value` as a whole, and the value may be a secret typed in a wrong place. */
function withoutValue(text: string): string {
  return text.replace(/^error: /, "").replace(/^(unknown option '[^'=]*)=.*'/s, "$1'");
}

/** What went wrong, without a stack trace. */
function sentence(error: unknown): string {
  const text = oneLine(error instanceof Error ? error.message : String(error));
  return error instanceof OsaProofError ? text : `unexpected: ${text}`;
}

/** The program of `bin/`: runs this process's command line and sets its exit code. */
export async function main(): Promise<void> {
  const [stdout, stderr] = standardOutputs();
  const code = await runCli(process.argv.slice(2), processContext(stdout, stderr));
  const isLost = (): boolean => stdout.isLost || stderr.isLost;
  process.exitCode = isLost() ? EXIT_NO_REPORT : code;
  process.once("exit", () => {
    if (isLost()) process.exitCode = EXIT_NO_REPORT;
  });
}

/** With the one command that the first word names; with all for help, and for a word that names none. */
async function makeProgram(context: CommandContext, word: string | undefined): Promise<Command> {
  const program = new Command("osa-proof");
  program
    .description("Proof that an AI agent did what it says: signed action receipts and an offline verifier.")
    .helpOption("-h, --help", "print help")
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      outputError: (text, write) => write(`osa-proof: ${oneLine(withoutValue(text))}\n`),
    });
  const named = Object.hasOwn(COMMANDS, word ?? "") ? COMMANDS[word ?? ""] : undefined;
  // Behind the name of a command, --version is no option of the program any more.
  if (named === undefined) program.version(packageVersion(), "--version", "print the version");
  const loaders = named === undefined ? Object.values(COMMANDS) : [named];
  for (const { register } of await Promise.all(loaders.map((load) => load()))) register(program, context);
  refuseRepeats(program);
  return program;
}

/** An option that takes one value is given once: otherwise one of two values would silently not count. */
function refuseRepeats(command: Command): void {
  const given = new Set<string>();
  for (const option of command.options) {
    if (option.variadic || REPEATABLE.has(option.long ?? "")) continue;
    const takesValue = option.required || option.optional;
    const opposite = option.negate
      ? option.long?.replace("--no-", "--")
      : option.long?.replace("--", "--no-");
    const event = option.negate
      ? `option:no-${option.name().replace(/^no-/, "")}`
      : `option:${option.name()}`;
    command.on(event, () => {
      if (takesValue && given.has(option.long ?? "")) command.error(`error: ${option.long} was given twice`);
      if (given.has(opposite ?? ""))
        command.error(`error: ${option.long} and ${opposite} exclude each other`);
      given.add(option.long ?? "");
    });
  }
  for (const below of command.commands) refuseRepeats(below);
}

/** Options of one value at a time that may come again, and that count each time. */
const REPEATABLE: ReadonlySet<string> = new Set(["--expect-target"]);

function standardOutputs(): readonly [stdout: StandardOutput, stderr: StandardOutput] {
  return [new StandardOutput(1, () => process.stdout), new StandardOutput(2, () => process.stderr)];
}

function processContext(stdout: StandardOutput, stderr: StandardOutput): CommandContext {
  const { env } = process;
  // In this order: the stream of stdin takes longer to make than a small bundle to verify.
  const isTerminal = stderr.isTerminal && process.stdin.isTTY === true;
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    env,
    cwd: process.cwd(),
    colour: stdout.isTerminal && (env["NO_COLOR"] ?? "") === "",
    progress: stderr.isTerminal,
    now: systemClock,
    exit: () => undefined,
    askSecret: isTerminal
      ? async (question) => (await import("./passphrase.js")).askAtTerminal(question)
      : undefined,
    streams: {
      get stdin() {
        return process.stdin;
      },
      get stdout() {
        return stdout.stream();
      },
      get stderr() {
        return stderr.stream();
      },
    },
    keyCost: KEY_COST,
  };
}
