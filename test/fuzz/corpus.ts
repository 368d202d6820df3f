/** The inputs kept in test/fuzz/corpus, one folder for each target. Names that begin with "crash-" once broke something. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(process.cwd(), "test", "fuzz", "corpus");
const MAX_FILES = 60;
const MAX_FILE_BYTES = 1_024;
const MAX_TARGET_BYTES = 16_384;

export function readCorpus(target: string): readonly Uint8Array[] {
  const folder = join(FOLDER, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => new Uint8Array(readFileSync(join(folder, name))));
}

function nameOf(input: Uint8Array): string {
  return createHash("sha256").update(input).digest("hex").slice(0, 12);
}

export function keepCrash(target: string, input: Uint8Array): string {
  mkdirSync(join(FOLDER, target), { recursive: true });
  const path = join(FOLDER, target, `crash-${nameOf(input)}`);
  writeFileSync(path, input);
  return path;
}

/** Replaces what is kept for a target, crashes apart, by the shortest of these inputs; returns how many. */
export function writeCorpus(target: string, inputs: readonly Uint8Array[]): number {
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!name.startsWith("crash-")) rmSync(join(folder, name));
  const short = inputs.filter(({ length }) => length <= MAX_FILE_BYTES).slice(0, MAX_FILES);
  let [total, count] = [0, 0];
  for (const input of short) {
    total += input.length;
    if (total > MAX_TARGET_BYTES) break;
    writeFileSync(join(folder, nameOf(input)), input);
    count += 1;
  }
  return count;
}
