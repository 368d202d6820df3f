/** What is mutated, and the shapes that the steps of a run hand to each other as files under `build/mutation/`. */

/** Smallest first, so that the first results come soon. */
export const FOLDERS: readonly string[] = ["tree", "encoding", "crypto", "anchors", "statements", "verifier"];

/** One change of one place, as Stryker's instrumenter makes it. Lines and columns count from 1. */
export interface Mutant {
  readonly id: string;
  /** Path from the root of the project. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** Why it is not run; absent when it is. */
  readonly ignored?: string;
}

/** All files with every mutant in them behind a switch. */
export interface Instrumented {
  readonly files: Readonly<Record<string, string>>;
  readonly mutants: readonly Mutant[];
}

/** One pass of all tests without a mutant. Tests are numbered in the order in which they are collected. */
export interface Coverage {
  readonly tests: readonly string[];
  readonly milliseconds: readonly number[];
  /** The tests that reach the place of a mutant. */
  readonly hits: Readonly<Record<string, readonly number[]>>;
  /** By folder and test: how many mutants were passed, a measure of the work done. */
  readonly work: Readonly<Record<string, readonly number[]>>;
  /** Mutants whose place is reached while the modules load. */
  readonly whileLoading: readonly string[];
}

export type Status = "killed" | "timeout" | "survived" | "no coverage" | "ignored";

export interface Result {
  readonly id: string;
  readonly status: Status;
  /** The test that failed, or why the mutant was ignored. */
  readonly by?: string;
}

/** What the runner inside vitest is told, as JSON in the variable `MUTATION_JOB`. */
export interface Job {
  readonly kind: "cover" | "run" | "load";
  /** The folder whose files are read with their mutants in them; all folders for "cover". */
  readonly folder: string;
  /** File with an `Instrumented`. */
  readonly instrumented: string;
  /** File with a `Coverage`: written by "cover", read by the others. */
  readonly coverage: string;
  /** How long the tests for one mutant may take together, in milliseconds of the coverage pass. */
  readonly patience: number;
  /** Mutants to run, in order. */
  readonly mutants: readonly string[];
  /** File to which one line of JSON is added when a mutant starts and one when it ends. */
  readonly log: string;
}

/**
 * Tests of sheer size, which say that work stays linear: they take seconds each and are left out.
 * The same functions have tests at small sizes.
 */
export const OF_SHEER_SIZE: RegExp = /million|\b200,000\b|\b10,000\b|more busy keys|never reads more/;

/** Slower tests, in the pass without mutants, are not called for the verifier, which every one of them reaches. */
export const SLOW_TEST_MS = 600;
