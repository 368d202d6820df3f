/**
 * Runs mutants in one process: all tests are collected once, then each mutant is switched on and the tests that reach it
 * are called, those that found mutants before and quick ones first, up to the first that fails.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from "vitest";
import {
  type Coverage,
  type Instrumented,
  type Job,
  OF_SHEER_SIZE,
  type Result,
  SLOW_TEST_MS,
} from "./plan.js";

/** What the switches in the source read and count. */
interface Switch {
  activeMutant: string | undefined;
  calls: number;
  limit: number;
  /** By mutant. */
  readonly counts: Float64Array;
}

const job: Job = JSON.parse(process.env["MUTATION_JOB"] ?? "null");
const { mutants }: Instrumented = JSON.parse(readFileSync(job.instrumented, "utf8"));
const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
const folderOf = (id: string): string => fileOf.get(id)?.split("/")[1] ?? "";
const state: Switch = {
  activeMutant: undefined,
  calls: 0,
  limit: Number.POSITIVE_INFINITY,
  counts: new Float64Array(mutants.length),
};
Object.assign(globalThis, { __stryker__: state });

/** The process may not go on: what the mutants left behind makes tests fail by themselves. The caller starts another. */
const POISONED = 75;

if (job.kind === "load") state.activeMutant = job.mutants[0];

function testsIn(suite: RunnerTestSuite): RunnerTestCase[] {
  return suite.tasks.flatMap((task) => (task.type === "suite" ? testsIn(task) : [task]));
}

function nameOf(task: RunnerTestCase | RunnerTestSuite): string {
  return task.suite === undefined ? task.name : `${nameOf(task.suite)} ${task.name}`.trim();
}

async function failureOf(test: RunnerTestCase): Promise<string | null> {
  try {
    await TestRunner.getTestFn(test)();
    return null;
  } catch (error) {
    return String(error);
  }
}

async function cover(tests: readonly RunnerTestCase[]): Promise<void> {
  const milliseconds: number[] = [];
  const reached = (): [string, number][] => {
    const found: [string, number][] = [];
    state.counts.forEach((count, id) => {
      if (count > 0) found.push([String(id), count]);
    });
    return found;
  };
  const whileLoading = reached().map(([id]) => id);
  const hits: Record<string, number[]> = {};
  const work: Record<string, number[]> = {};
  for (const [index, test] of tests.entries()) {
    state.counts.fill(0);
    const start = performance.now();
    const failure = await failureOf(test);
    milliseconds.push(Math.round((performance.now() - start) * 100) / 100);
    if ((milliseconds.at(-1) ?? 0) > 2000) log({ slow: nameOf(test) });
    if (failure !== null) throw new Error(`without a mutant, "${nameOf(test)}" fails: ${failure}`);
    for (const [mutant, count] of reached()) {
      hits[mutant] ??= [];
      hits[mutant].push(index);
      const folder = folderOf(mutant);
      work[folder] ??= tests.map(() => 0);
      work[folder][index] = (work[folder][index] ?? 0) + count;
    }
  }
  const coverage: Coverage = { tests: tests.map(nameOf), milliseconds, hits, work, whileLoading };
  writeFileSync(job.coverage, JSON.stringify(coverage));
}

/** Tests that say in their name what a file is about are tried early: `check-anchor.ts` with `ANCHOR_…`. */
function topicOf(file: string): RegExp {
  const word = file.replace(/^.*[/-]/, "").replace(/\.ts$/, "");
  return new RegExp(word.slice(0, 6), "i");
}

let lastLine = 0;

function log(
  line: { readonly started: string } | { readonly alive: true } | { readonly slow: string } | Result,
): void {
  lastLine = performance.now();
  appendFileSync(job.log, `${JSON.stringify(line)}\n`);
}

/** The caller ends a process that says nothing for a while. */
function sayAlive(): void {
  if (performance.now() - lastLine > 5000) log({ alive: true });
}

async function runAll(tests: readonly RunnerTestCase[]): Promise<void> {
  const coverage: Coverage = JSON.parse(readFileSync(job.coverage, "utf8"));
  if (coverage.tests.length !== tests.length) throw new Error("the tests are not those of the coverage");
  /** How many mutants of a file a test has found. */
  const found = new Map<string, number>();

  for (const [position, id] of job.mutants.entries()) {
    const file = fileOf.get(id) ?? "";
    const key = (index: number): string => `${file} ${index}`;
    const topic = topicOf(file);
    const worth = (index: number): number => {
      const before = (found.get(key(index)) ?? 0) + (topic.test(coverage.tests[index] ?? "") ? 5 : 0);
      return (1 + before) / (0.5 + (coverage.milliseconds[index] ?? 0));
    };
    const reaching = [...(coverage.hits[id] ?? [])].sort((a, b) => worth(b) - worth(a));
    let spent = 0;
    log({ started: id });
    let result: Result = { id, status: reaching.length === 0 ? "no coverage" : "survived" };
    for (const index of reaching) {
      const test = tests[index];
      if (test === undefined) continue;
      const cost = coverage.milliseconds[index] ?? 0;
      if (spent + cost > job.patience || (cost > SLOW_TEST_MS && job.folder === "verifier")) continue;
      spent += cost;
      sayAlive();
      state.calls = 0;
      state.limit = (coverage.work[job.folder]?.[index] ?? 0) * 20 + 10_000;
      state.activeMutant = id;
      const failure = await failureOf(test);
      state.activeMutant = undefined;
      const endless = state.calls > state.limit;
      state.limit = Number.POSITIVE_INFINITY;
      if (endless) {
        result = { id, status: "timeout", by: nameOf(test) };
        break;
      }
      if (failure === null) continue;
      // A test that also fails with the mutant off was broken by what an earlier mutant left behind.
      const poisoned = (await failureOf(test)) !== null;
      if (poisoned && position > 0) process.exit(POISONED);
      found.set(key(index), (found.get(key(index)) ?? 0) + 1);
      log({ id, status: "killed", by: nameOf(test) });
      if (poisoned) process.exit(POISONED);
      result = { id, status: "killed" };
      break;
    }
    if (result.status !== "killed") log(result);
  }
}

/** The mutant was on while the modules loaded: the tests are called, the quick ones first, whatever they reached. */
async function runLoaded(tests: readonly RunnerTestCase[]): Promise<void> {
  const coverage: Coverage = JSON.parse(readFileSync(job.coverage, "utf8"));
  const id = job.mutants[0] ?? "";
  if (tests.length !== coverage.tests.length) {
    log({ id, status: "killed", by: "the tests that are collected" });
    return;
  }
  const order = tests
    .map((test, index) => ({ test, cost: coverage.milliseconds[index] ?? 0 }))
    .filter(({ cost }) => cost <= job.patience / 10)
    .sort((a, b) => a.cost - b.cost);
  for (const { test } of order) {
    sayAlive();
    if ((await failureOf(test)) === null) continue;
    log({ id, status: "killed", by: nameOf(test) });
    return;
  }
  log({ id, status: "survived" });
}

export default class MutationRunner extends TestRunner {
  async onCollected(files: RunnerTestFile[]): Promise<void> {
    const failed = files.find(({ result }) => result?.state === "fail");
    if (failed !== undefined) throw new Error(failed.result?.errors?.[0]?.message ?? "collecting failed");
    const collected = files.flatMap(testsIn).filter(({ mode }) => mode === "run");
    const tests = collected.filter((test) => !OF_SHEER_SIZE.test(nameOf(test)));
    if (job.kind === "cover") await cover(tests);
    else if (job.kind === "run") await runAll(tests);
    else await runLoaded(tests);
    for (const test of collected) test.mode = "skip";
  }
}
