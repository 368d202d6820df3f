/**
 * `npm run test:mutation [-- folder…] [--fresh] [--loading] [--patience=60000] [--same-tests]`: mutates `src/<folder>` and runs the tests against each mutant.
 *
 * What was found before stays found while the mutated file is unchanged (`--fresh` forgets it); what survived is always
 * tried again. Mutants that act only while modules load need a start each and are tried with `--loading`.
 * `--same-tests` takes the pass without mutants from the run before. Everything is kept under `build/mutation/`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { instrument } from "./instrument.js";
import { type Coverage, FOLDERS, type Job, type Mutant, type Result } from "./plan.js";

const WORK = "build/mutation";
const PROCESSES = 2;
const SILENCE_MS = 30_000;
/** A start reads and compiles all modules before its first line. */
const START_MS = 180_000;

interface Ended {
  readonly results: readonly Result[];
  /** The mutant that was running when the process ended. */
  readonly open: string | null;
  readonly output: string;
  readonly exit: number | null;
}

function readJson<T>(path: string, otherwise: T): T {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : otherwise;
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** One process of vitest. Resolves when it has ended, by itself or because it was silent for too long. */
function runJob(job: Job): Promise<Ended> {
  rmSync(job.log, { force: true });
  const child = spawn("node_modules/.bin/vitest", ["run", "--config", "test/mutation/vitest.config.ts"], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, MUTATION_JOB: JSON.stringify(job) },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    });
  }
  return new Promise((resolve) => {
    let seen = "";
    let since = Date.now();
    const watch = setInterval(() => {
      const now = existsSync(job.log) ? readFileSync(job.log, "utf8") : "";
      if (now !== seen) since = Date.now();
      seen = now;
      const patience = job.kind === "cover" ? START_MS * 4 : seen === "" ? START_MS : SILENCE_MS;
      if (Date.now() - since > patience) endGroup(child);
    }, 1000);
    child.on("close", (exit) => {
      clearInterval(watch);
      endGroup(child);
      const lines = existsSync(job.log) ? readFileSync(job.log, "utf8").split("\n").filter(Boolean) : [];
      let open: string | null = null;
      const results: Result[] = [];
      for (const line of lines) {
        const entry: { started?: string; alive?: true } | Result = JSON.parse(line);
        if ("id" in entry) {
          results.push(entry);
          open = null;
        } else if (entry.started !== undefined) open = entry.started;
      }
      resolve({ results, open, output, exit });
    });
  });
}

/** Runs the mutants in as many processes, one after the other, as they need. */
async function runQueue(job: Job, done: (result: Result) => void): Promise<void> {
  let queue = job.mutants;
  while (queue.length > 0) {
    const { results, open, output } = await runJob({ ...job, mutants: queue });
    for (const result of results) done(result);
    const finished = new Set(results.map(({ id }) => id));
    if (open !== null && open === queue[0]) {
      done({ id: open, status: "timeout", by: "the process did not come back" });
      finished.add(open);
    }
    if (finished.size === 0 && open === null) throw new Error(`no mutant was run:\n${output}`);
    queue = queue.filter((id) => !finished.has(id));
    // An open mutant that is not the first one is tried again as the first of a process.
    if (open !== null && !finished.has(open)) queue = [open, ...queue.filter((id) => id !== open)];
  }
}

/** A start for each: a module that cannot load, or tests that cannot be collected, is found too. */
async function runLoading(job: Job, done: (result: Result) => void): Promise<void> {
  for (const id of job.mutants) {
    const { results, exit } = await runJob({ ...job, kind: "load", mutants: [id] });
    const ended: Result = { id, status: exit === null ? "timeout" : "killed", by: "the modules do not load" };
    done(results[0] ?? ended);
  }
}

function keyOf(mutant: Mutant, digest: string): string {
  return [digest, mutant.line, mutant.column, mutant.mutator, mutant.replacement].join(" ");
}

const INSTRUMENTED = `${WORK}/instrumented.json`;
const COVERAGE = `${WORK}/coverage.json`;
const KNOWN = `${WORK}/known.json`;
const RESULTS = `${WORK}/results.json`;

const NO_COVERAGE: Coverage = { tests: [], milliseconds: [], hits: {}, work: {}, whileLoading: [] };

/** All tests once, without a mutant. */
async function cover(): Promise<Coverage> {
  rmSync(COVERAGE, { force: true });
  const paths = { instrumented: INSTRUMENTED, coverage: COVERAGE, log: `${WORK}/cover.log` };
  const { output } = await runJob({ kind: "cover", folder: "", ...paths, patience: 0, mutants: [] });
  if (!existsSync(COVERAGE)) throw new Error(`the tests do not pass without a mutant:\n${output}`);
  return readJson(COVERAGE, NO_COVERAGE);
}

interface Book {
  readonly results: Map<string, Result>;
  done(result: Result): void;
}

async function runFolder(
  folder: string,
  mutants: readonly Mutant[],
  coverage: Coverage,
  book: Book,
  loading: boolean,
  patience: number,
): Promise<void> {
  const whileLoading = new Set(coverage.whileLoading);
  const open = mutants.map(({ id }) => id).filter((id) => !book.results.has(id));
  const atLoading = open.filter((id) => coverage.hits[id] === undefined && whileLoading.has(id));
  const waiting = open.filter((id) => !atLoading.includes(id));
  process.stdout.write(
    `${folder}: ${mutants.length} mutants, ${mutants.length - open.length} known or ignored, ${waiting.length} to run, ` +
      `${atLoading.length} that act only while loading${loading ? "" : " (not run)"}\n`,
  );
  const parts = [...Array(PROCESSES).keys()];
  const jobFor = (ids: readonly string[], part: number): Job => ({
    kind: "run",
    folder,
    instrumented: INSTRUMENTED,
    coverage: COVERAGE,
    patience,
    mutants: ids.filter((_, index) => index % PROCESSES === part),
    log: `${WORK}/${folder}.${part}.log`,
  });
  await Promise.all(parts.map((part) => runQueue(jobFor(waiting, part), book.done)));
  if (loading) await Promise.all(parts.map((part) => runLoading(jobFor(atLoading, part), book.done)));
  else
    for (const id of atLoading)
      book.results.set(id, { id, status: "ignored", by: "acts only while loading" });
}

function print(folder: string, mutants: readonly Mutant[], results: ReadonlyMap<string, Result>): void {
  const tally = new Map<string, number>();
  for (const { id, file, line, column, original, replacement } of mutants) {
    const status = results.get(id)?.status ?? "no coverage";
    tally.set(status, (tally.get(status) ?? 0) + 1);
    if (status !== "survived" && status !== "no coverage") continue;
    const short = (text: string): string => text.replace(/\s+/g, " ").slice(0, 90);
    process.stdout.write(`${status} ${file}:${line}:${column} ${short(original)} -> ${short(replacement)}\n`);
  }
  process.stdout.write(`${folder}: ${JSON.stringify(Object.fromEntries(tally))}\n`);
}

async function main(given: readonly string[]): Promise<void> {
  const wanted = given.filter((word) => !word.startsWith("--"));
  const patience = Number(given.find((word) => word.startsWith("--patience="))?.slice(11) ?? 60_000);
  mkdirSync(WORK, { recursive: true });
  const instrumented = await instrument(FOLDERS);
  writeFileSync(INSTRUMENTED, JSON.stringify(instrumented));
  const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
  const digests = new Map(Object.keys(instrumented.files).map((file) => [file, digest(file)]));
  const keys = new Map(instrumented.mutants.map((one) => [one.id, keyOf(one, digests.get(one.file) ?? "")]));
  const known: Record<string, Omit<Result, "id">> = given.includes("--fresh") ? {} : readJson(KNOWN, {});
  const results = new Map<string, Result>();
  for (const { id, ignored } of instrumented.mutants) {
    const before = known[keys.get(id) ?? ""];
    if (ignored !== undefined) results.set(id, { id, status: "ignored", by: ignored });
    else if (before !== undefined) results.set(id, { ...before, id });
  }
  const book: Book = {
    results,
    done(result) {
      results.set(result.id, result);
      if (result.status !== "killed" && result.status !== "timeout") return;
      const { id: _, ...found } = result;
      known[keys.get(result.id) ?? ""] = found;
      writeFileSync(KNOWN, JSON.stringify(known));
    },
  };
  const coverage =
    given.includes("--same-tests") && existsSync(COVERAGE) ? readJson(COVERAGE, NO_COVERAGE) : await cover();
  process.stdout.write(`${coverage.tests.length} tests\n`);
  for (const folder of wanted.length > 0 ? wanted : FOLDERS) {
    const mutants = instrumented.mutants.filter(({ file }) => file.startsWith(`src/${folder}/`));
    await runFolder(folder, mutants, coverage, book, given.includes("--loading"), patience);
    print(folder, mutants, results);
    writeFileSync(RESULTS, JSON.stringify(Object.fromEntries(results)));
  }
}

await main(process.argv.slice(2));
