/** Reads the mutated folder from its instrumented text, and hands the collected tests to `runner.ts`. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import type { Instrumented, Job } from "./plan.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const job: Job = JSON.parse(process.env["MUTATION_JOB"] ?? "null");
const { files }: Instrumented = JSON.parse(readFileSync(job.instrumented, "utf8"));

/** Stryker's own helpers, which are slower and count less than these. */
const COUNTER = /function stryCov_9fa48\(\) \{[\s\S]*?\n\}\n/;
const SWITCH = /function stryMutAct_9fa48\(id\) \{[\s\S]*?\n\}\n/;
const COUNTED = `function stryCov_9fa48() {
  const { counts } = globalThis.__stryker__;
  for (let i = 0; i < arguments.length; i++) counts[arguments[i]]++;
}
`;
const NOT_COUNTED = "function stryCov_9fa48() {}\n";
/** Every loop passes a switch, so a test that does not come to an end passes more of them than it can need. */
const LIMITED = `const stryState = globalThis.__stryker__;
function stryMutAct_9fa48(id) {
  if (++stryState.calls > stryState.limit) throw new Error("far more work than without the mutant");
  return stryState.activeMutant === id;
}
`;

function instrumented(): Plugin {
  return {
    name: "instrumented",
    enforce: "pre",
    load(id) {
      const name = relative(ROOT, id);
      const text = files[name];
      if (text === undefined) return undefined;
      if (job.kind !== "cover" && !name.startsWith(`src/${job.folder}/`)) return undefined;
      const quick = text
        .replace(COUNTER, job.kind === "cover" ? COUNTED : NOT_COUNTED)
        .replace(SWITCH, LIMITED);
      if (text.includes("stryMutAct_9fa48") && !quick.includes("stryState")) {
        throw new Error("Stryker's helpers are not where they were");
      }
      return quick;
    },
  };
}

export default defineConfig({
  plugins: [instrumented()],
  resolve: {
    alias: { "#backend": fileURLToPath(new URL("../../src/crypto/backend-node.ts", import.meta.url)) },
  },
  test: {
    include: ["test/mutation/all.mutation.ts"],
    runner: "test/mutation/runner.ts",
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 120_000,
    reporters: ["dot"],
  },
});
