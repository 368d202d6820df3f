/** The command as somebody at a terminal meets it: from nothing to the verdict on one receipt. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../lib/child.js";
import { interleave, ratios } from "../lib/rounds.js";

const CASE = join(ROOT, "fixtures/valid/one-receipt");
const REPORTER = join(ROOT, "bench/lib/report-cpu.cjs");

/** Seconds of CPU time of a whole process of Node.js, its start included. */
function run(args) {
  const { status, stderr } = spawnSync(process.execPath, ["--require", REPORTER, ...args], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stderr.slice(stderr.lastIndexOf("\n")));
}

async function measure({ rounds }) {
  const { at } = JSON.parse(readFileSync(join(CASE, "case.json"), "utf8"));
  const files = [join(CASE, "bundle.json"), "--trust", join(CASE, "trust.json"), "--at", at];
  const seconds = await interleave(
    {
      empty: () => run(["-e", "0"]),
      command: () => run([join(ROOT, "bin/osa-proof.js"), "verify", ...files]),
    },
    // The processes say themselves what they took: by the clock they would also wait for whatever else runs here.
    { rounds, warm: 1, clock: (start) => start() },
  );
  return { samples: ratios(seconds.command, seconds.empty) };
}

export const command = {
  name: "command",
  title: "`osa-proof verify` of one receipt, whole process: CPU over `node -e 0`",
  unit: "x",
  target: 1.6,
  limit: 1.75,
  quick: true,
  measure,
};
