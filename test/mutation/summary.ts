/** `npm run mutation-page`: writes docs/mutation.md from the last run under `build/mutation/` and the judgements kept beside this file. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { FOLDERS, type Instrumented, type Mutant, type Result, type Status } from "./plan.js";

/**
 * Survivors that were looked at: changes of one piece of code, `original`, to any of `replacements`, or to anything where
 * these are absent. Texts are compared with runs of white space taken as one space.
 */
interface Judgement {
  readonly file: string;
  readonly original: string;
  readonly replacements?: readonly string[];
  readonly why: string;
}

const COLUMNS: readonly Status[] = ["killed", "timeout", "survived", "no coverage", "ignored"];

const { mutants }: Instrumented = JSON.parse(readFileSync("build/mutation/instrumented.json", "utf8"));
const results: Record<string, Result> = JSON.parse(readFileSync("build/mutation/results.json", "utf8"));
const judgements: Judgement[] = JSON.parse(readFileSync("test/mutation/survivors.json", "utf8"));

/** By the reason that a result gives. */
const WHY_IGNORED: Readonly<Record<string, string>> = {
  "text for people":
    "A string literal with a space in it is a sentence; what a message says is no part of a verdict. Literals without one (codes, pointers, names of members) are mutated.",
  "acts only while loading":
    "Tables and schemas that are made once, when their module is loaded. Each needs a start of its own; this run was without `--loading`.",
};

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function cell(text: string): string {
  const short = oneLine(text);
  const cut = short.length > 100 ? `${short.slice(0, 97)}...` : short;
  return cut === "" ? "(nothing)" : `\`${cut.replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}

function statusOf(mutant: Mutant): Status {
  return results[mutant.id]?.status ?? "no coverage";
}

function row(name: string, group: readonly Mutant[]): string {
  const count = (status: Status): number => group.filter((mutant) => statusOf(mutant) === status).length;
  const found = count("killed") + count("timeout");
  const tried = found + count("survived") + count("no coverage");
  const score = tried === 0 ? "" : `${((100 * found) / tried).toFixed(1)} %`;
  return `| ${[name, group.length, ...COLUMNS.map(count), score].join(" | ")} |`;
}

function judges(judgement: Judgement, mutant: Mutant): boolean {
  const { file, original, replacements } = judgement;
  if (file !== mutant.file || oneLine(original) !== oneLine(mutant.original)) return false;
  return replacements === undefined || replacements.map(oneLine).includes(oneLine(mutant.replacement));
}

const alive = mutants.filter((mutant) => ["survived", "no coverage"].includes(statusOf(mutant)));
const used = new Set<Judgement>();
const judged: string[] = [];
const unjudged: string[] = [];
for (const mutant of alive) {
  const judgement = judgements.find((one) => judges(one, mutant));
  const change = `| ${mutant.file}:${mutant.line} | ${cell(mutant.original)} | ${cell(mutant.replacement)} |`;
  if (judgement === undefined) unjudged.push(change);
  else {
    judged.push(`${change} ${judgement.why} |`);
    used.add(judgement);
  }
}

const ignored = new Map<string, number>();
for (const { id } of mutants) {
  const result = results[id];
  if (result?.status === "ignored") ignored.set(result.by ?? "", (ignored.get(result.by ?? "") ?? 0) + 1);
}

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const page = `# Mutation testing

Written by \`npm run mutation-page\` from the run of ${new Date().toISOString().slice(0, 10)} at commit ${commit}.

A mutant is the source with one small change: a condition turned round, a call left out, a bound moved by one. The tests are run
against each. A mutant that makes no test fail survives, and shows a rule that nothing holds.

\`npm run test:mutation\` does it, on demand and not in CI: it takes some hours of one core.
\`npm run test:mutation -- tree crypto\` takes only these folders; \`--fresh\` forgets what earlier runs found; \`--loading\` also
tries the mutants that act only while modules load, which need a start each.

| folder | mutants | ${COLUMNS.join(" | ")} | score |
| --- | --- | --- | --- | --- | --- | --- | --- |
${FOLDERS.map((folder) =>
  row(
    `\`src/${folder}\``,
    mutants.filter(({ file }) => file.startsWith(`src/${folder}/`)),
  ),
).join("\n")}
${row("all", mutants)}

The score is killed and timeout, of all that were tried. A timeout is a mutant that never ends, or runs far more often than the original.
Of the survivors, ${judged.length} were looked at and judged, ${unjudged.length} were not.

## How it is measured

- The mutants are those of Stryker's instrumenter, all its kinds. They are run by \`test/mutation/runner.ts\`: all tests are collected
  once in one process, then each mutant is switched on and the tests that reach it are called until one fails. Stryker's own runner
  starts vitest anew for each mutant, which takes longer than a night here.
- Mutants are tried with the tests of the mutated folders (\`test/encoding\`, \`crypto\`, \`tree\`, \`anchors\`, \`statements\`, \`verifier\`),
  among them the whole report of each fixture and control case, with its words, as \`test/verifier/reports.jsonl\` keeps it. Not run:
  the command line, hostile sweep, bounds, field faults, random stories, \`receipt-reader-off.test.ts\` (it switches a way of the
  verifier off), and tests of sheer size. Public vectors are used where their folder is there.
- The tests of one mutant together may take no longer than \`--patience\` (in milliseconds of the pass without mutants), quick ones
  first; a mutant that outlives that is called a survivor, whatever the tests not called would have said.
- When a test fails, it is run again with the mutant off. If it still fails, the process is ended and the mutant tried in a new one, so
  that what one mutant leaves behind is not counted for another.

## Mutants that were not tried

| count | mutants | why |
| --- | --- | --- |
${[...ignored].map(([reason, count]) => `| ${count} | ${reason} | ${WHY_IGNORED[reason] ?? ""} |`).join("\n")}

## Survivors that were judged

| place | original | mutant | judgement |
| --- | --- | --- | --- |
${judged.join("\n")}

## Survivors that were not judged

${unjudged.length === 0 ? "None." : `| place | original | mutant |\n| --- | --- | --- |\n${unjudged.join("\n")}`}
`;
writeFileSync("docs/mutation.md", page);

for (const judgement of judgements) {
  if (!used.has(judgement)) process.stdout.write(`no longer a survivor: ${JSON.stringify(judgement)}\n`);
}
process.stdout.write(`${alive.length} survivors, ${unjudged.length} not judged\n`);
