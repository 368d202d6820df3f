/** Puts every mutant of some folders behind a switch, with the instrumenter of Stryker. */
import { readdirSync, readFileSync } from "node:fs";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import type { Instrumented, Mutant } from "./plan.js";

const quiet = {
  isTraceEnabled: (): boolean => false,
  isDebugEnabled: (): boolean => false,
  isInfoEnabled: (): boolean => false,
  isWarnEnabled: (): boolean => false,
  isErrorEnabled: (): boolean => false,
  isFatalEnabled: (): boolean => false,
  trace: (): void => {},
  debug: (): void => {},
  info: (): void => {},
  warn: (): void => {},
  error: (): void => {},
  fatal: (): void => {},
};

/**
 * A literal with a space in it is a sentence for people: what a message says is not part of any verdict.
 * Literals without one (codes, names of members, pointers, prefixes, separators) are mutated like all else.
 */
function ignoredReason(mutator: string, original: string): string | undefined {
  const sentence = mutator === "StringLiteral" && /\S\s|\s\S/.test(original.slice(1, -1));
  return sentence ? "text for people" : undefined;
}

/** The text between two places; lines and columns count from 0 here, as Stryker reports them. */
function textBetween(
  lines: readonly string[],
  start: { readonly line: number; readonly column: number },
  end: { readonly line: number; readonly column: number },
): string {
  const covered = lines.slice(start.line, end.line + 1);
  covered[covered.length - 1] = (covered.at(-1) ?? "").slice(0, end.column);
  covered[0] = (covered[0] ?? "").slice(start.column);
  return covered.join("\n");
}

export async function instrument(folders: readonly string[]): Promise<Instrumented> {
  const names = folders.flatMap((folder) =>
    readdirSync(`src/${folder}`)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `src/${folder}/${name}`),
  );
  const sources = new Map(names.map((name) => [name, readFileSync(name, "utf8")]));
  const { files, mutants } = await new Instrumenter(quiet).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, ignorers: [], excludedMutations: [] },
  );
  const lines = new Map([...sources].map(([name, content]) => [name, content.split("\n")]));
  return {
    files: Object.fromEntries(files.map(({ name, content }) => [name, content])),
    mutants: mutants.map(({ id, fileName, mutatorName, location, replacement, statusReason }): Mutant => {
      const original = textBetween(lines.get(fileName) ?? [], location.start, location.end);
      const ignored = statusReason ?? ignoredReason(mutatorName, original);
      return {
        id,
        file: fileName,
        line: location.start.line + 1,
        column: location.start.column + 1,
        mutator: mutatorName,
        original,
        replacement: replacement ?? "",
        ...(ignored === undefined ? {} : { ignored }),
      };
    }),
  };
}
