/** `osa-proof demo`: the whole story in a temporary folder, from keys to rejections, in a few seconds. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { OsaProofError } from "../../errors.js";
import type { CommandContext, Register } from "../command.js";
import { cameOutRight, FILES, type Outcome, playStory, type Teller } from "../demo/story.js";
import { pathOf } from "../input.js";
import { paint, printable, writeLines } from "../print.js";

interface DemoOptions {
  readonly keep?: true;
  readonly dir?: string;
}

async function demo(context: CommandContext, options: DemoOptions): Promise<void> {
  const folder = await openFolder(context, options.dir);
  const keep = options.keep === true || options.dir !== undefined;
  try {
    writeLines(context, [
      paint(context, "heading", "A session of two agents that add up invoices: proven, then attacked."),
      "",
    ]);
    const right = await playStory(folder, context.now, teller(context));
    writeLines(context, [
      right
        ? paint(context, "good", "Every step came out as it must.")
        : paint(context, "bad", "A step did not come out as it must; see above."),
      ...(keep
        ? kept(folder)
        : ["The folder is removed; to keep it and try the commands: osa-proof demo --keep"]),
    ]);
    context.exit(right ? 0 : 1);
  } finally {
    if (!keep) await rm(folder, { recursive: true, force: true });
  }
}

function kept(folder: string): readonly string[] {
  return [
    `Everything is in ${printable(folder)}. Try there:`,
    `  osa-proof inspect ${FILES.bundle}`,
    `  osa-proof graph ${FILES.bundle} --format svg -o session.svg`,
    `  osa-proof verify ${FILES.bundle} --trust ${FILES.trust} --expect-output ${FILES.report}`,
  ];
}

/** A new temporary folder, or the one named, which must be new or empty. @throws OsaProofError IO_FAILED, USAGE */
async function openFolder(context: CommandContext, named: string | undefined): Promise<string> {
  try {
    if (named === undefined) return await mkdtemp(join(tmpdir(), "osa-proof-demo-"));
    const folder = pathOf(context, named);
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return folder;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OsaProofError(
      "IO_FAILED",
      `the demo has no folder to work in (${reason}); name one with --dir`,
      {
        cause,
      },
    );
  }
  throw new OsaProofError("USAGE", `--dir ${printable(named)} is not empty; name a new or an empty folder`);
}

/** Prints each step as a line or two, then what a person would type. */
function teller(context: CommandContext): Teller {
  let number = 0;
  const heading = (title: string): string => {
    number += 1;
    return paint(context, "heading", `${number}. ${title}`);
  };
  const typed = (command: string): string => `   ${paint(context, "command", `$ ${command}`)}`;
  return {
    step: (title, explanation, commands) =>
      writeLines(context, [heading(title), `   ${explanation}`, ...commands.map(typed), ""]),
    outcome: (outcome) =>
      writeLines(context, [
        heading(outcome.title),
        `   ${outcome.explanation}`,
        ...outcome.commands.map(typed),
        ...verdictLines(context, outcome),
        "",
      ]),
  };
}

function verdictLines(context: CommandContext, outcome: Outcome): readonly string[] {
  const { report, expected } = outcome;
  const { verdict, first_failure: first } = report;
  const said = paint(context, verdict === "ACCEPTED" ? "good" : "bad", verdict);
  const why =
    first === null
      ? [`   ${said}  ${report.receipt_count} receipts, scope ${report.scope}, every check passed`]
      : [`   ${said}  ${first.code} at ${printable(first.pointer)}`, `   ${printable(first.message)}`];
  if (cameOutRight(outcome)) return why;
  const wanted = expected === null ? "ACCEPTED" : `REJECTED with ${expected}`;
  return [...why, `   ${paint(context, "bad", `This had to be ${wanted}.`)}`];
}

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("demo")
    .description("play the whole story in a temporary folder: a real session, accepted, then attacked")
    .option("--keep", "keep the folder")
    .option("--dir <directory>", "work in this new or empty directory, and keep it")
    .action((options: DemoOptions) => demo(context, options));
};
