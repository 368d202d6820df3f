/**
 * Verifies one hostile input in a process of its own, so that its heap has a bound and its peak memory is its own:
 * `node --max-old-space-size=<MB> child.js <case> <directory>`. The directory holds `trust.json`, `at` and the bundles
 * that the parent made. Prints one line of JSON: what the verifier said, how long the input was, and the peak
 * memory of the process above what it held with the input in hand.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { verifyBundle } from "../../dist/index.js";
import { INPUTS } from "./inputs.js";

const [, , name = "", directory = ""] = process.argv;
const read = (file) => new Uint8Array(readFileSync(join(directory, file)));
const trust = read("trust.json");
const at = readFileSync(join(directory, "at"), "utf8");
// What is only needed once is loaded before anything is measured.
verifyBundle(read("small.json"), trust, { at });

const { bundle, options, policy } = INPUTS[name](read);
globalThis.gc?.();
const before = process.memoryUsage().rss;
const started = performance.now();
const report = verifyBundle(bundle ?? read("small.json"), policy ?? trust, { at, ...options });
const milliseconds = performance.now() - started;
const peak = process.resourceUsage().maxRSS * 1024;
const first = report.first_failure;
console.log(
  JSON.stringify({
    verdict: report.verdict,
    code: first?.code ?? null,
    pointer: (first?.pointer ?? "").slice(0, 200),
    source: first?.source ?? null,
    failures: report.checks.reduce((sum, check) => sum + check.failure_count, 0),
    inputBytes: (bundle ?? []).length,
    extraBytes: Math.max(0, peak - before),
    milliseconds: Math.round(milliseconds),
  }),
);
