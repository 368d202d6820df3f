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
const INPUTS = "test/controls/fixtures.ts";
/** Every loop passes a switch, so a test that does not come to an end passes more of them than it can need. */
const LIMITED = `const stryState = globalThis.__stryker__;
function stryMutAct_9fa48(id) {
  if (++stryState.calls > stryState.limit) throw new Error("far more work than without the mutant");
  return stryState.activeMutant === id;
}
`;

/**
 * Most of what the report of a control case costs is making its inputs. Nothing in `src/verifier` takes part in that, so
 * for its mutants they are made once a process.
 */
function keepInputs(text: string): string {
  const kept = `const kept = new Map<string, Promise<ControlInputs>>();
export function inputsOfFixture(name: string): Promise<ControlInputs> {
  const made = kept.get(name) ?? makeInputs(name);
  kept.set(name, made);
  return made;
}
async function makeInputs(`;
  const changed = text.replace("export async function inputsOfFixture(", () => kept);
  if (changed === text) throw new Error("inputsOfFixture is not where it was");
  return changed;
}

function instrumented(): Plugin {
  return {
    name: "instrumented",
    enforce: "pre",
    load(id) {
      const name = relative(ROOT, id);
      if (name === INPUTS && job.folder === "verifier") return keepInputs(readFileSync(id, "utf8"));
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
    alias: {
      "#backend": fileURLToPath(new URL("../../src/crypto/backend-node.ts", import.meta.url)),
      "#proofs": fileURLToPath(new URL("../../src/tree/proven-tree.ts", import.meta.url)),
      "#receipts": fileURLToPath(new URL("../../src/bundle/receipt-source.ts", import.meta.url)),
    },
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
