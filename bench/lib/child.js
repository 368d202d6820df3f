/** Measurements in processes of their own, so that neither compiled code nor memory of one touches another. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a script of bench/ in a new process and returns the JSON that it prints. What it says on stderr is shown. */
export function runScript(script, args, nodeOptions = []) {
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const result = spawnSync(process.execPath, [...nodeOptions, path, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (result.status !== 0) throw new Error(`bench/${script} ${args.join(" ")} failed`);
  return JSON.parse(result.stdout);
}

/** The most memory that this process ever held, in megabytes of 1,000,000 bytes. */
export function peakMegabytes() {
  return (process.resourceUsage().maxRSS * 1_024) / 1e6;
}
