/**
 * Coverage-guided fuzzing of every parser: `npm run fuzz -- [target ...] [--seconds N] [--seed N] [--save]`.
 * `--save` keeps the inputs found in test/fuzz/corpus. An input that breaks an invariant is always kept there, and
 * `corpus.test.ts` runs it for ever after. Exit code 1 when there was one.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { keepCrash, readCorpus, writeCorpus } from "./corpus.js";
import { Coverage } from "./coverage.js";
import { randomFrom } from "./mutate.js";
import { Search } from "./search.js";

// The code under test alone: neither tests nor packages count. V8 counts the blocks of what it compiles from here on, so
// everything else is imported after this.
const coverage = new Coverage((url) => url.includes("/build/fuzz/src/"));
const { TARGETS } = await import("./targets.js");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    save: { type: "boolean", default: false },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
const chosen = TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (
  !(seconds > 0) ||
  !Number.isInteger(seed) ||
  chosen.length < new Set(positionals).size ||
  chosen.length === 0
) {
  console.error(
    `usage: fuzz [--seconds N] [--seed N] [--save] [${TARGETS.map(({ name }) => name).join(" | ")} ...]`,
  );
  process.exit(2);
}

if (chosen.length > 1) {
  console.log(`${seconds} s for each target, seed ${seed}`);
  // A process for each: what one target has loaded and optimised slows the coverage of the next.
  const save = values.save ? ["--save"] : [];
  const statuses = chosen.map(({ name }) => {
    const args = [
      ...process.argv.slice(1, 2),
      name,
      "--seconds",
      values.seconds,
      "--seed",
      values.seed,
      ...save,
    ];
    return spawnSync(process.execPath, args, { stdio: "inherit" }).status;
  });
  process.exit(statuses.every((status) => status === 0) ? 0 : 1);
}

for (const target of chosen) {
  const search = new Search(target, coverage, randomFrom(seed));
  const { executions, blocks, crashes, corpus } = await search.run(readCorpus(target.name), seconds * 1_000);
  const kept = values.save ? `, ${writeCorpus(target.name, corpus)} inputs kept` : "";
  console.log(
    `${target.name}: ${executions} executions, ${blocks} blocks covered by ${corpus.length} inputs${kept}`,
  );
  for (const { input, message } of crashes) {
    console.log(`  BROKEN ${keepCrash(target.name, input)}: ${message}`);
  }
  process.exit(crashes.length === 0 ? 0 : 1);
}
