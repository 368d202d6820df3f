/** Runs command lines in this process, and a bundle that has something of every kind. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import type { CommandContext } from "../../src/cli/command.js";
import { runCli } from "../../src/cli/main.js";
import { DAY, HOUR, MINUTE } from "../support/keys.js";
import { World } from "../support/world.js";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in the real program, with its output kept and a clock that stands still. */
export async function run(args: readonly string[], surroundings: Partial<CommandContext> = {}): Promise<Ran> {
  let out = "";
  let err = "";
  const code = await runCli(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: {},
    cwd: process.cwd(),
    colour: false,
    progress: false,
    now: () => Date.UTC(2026, 10, 2, 12),
    keyCost: 10,
    ...surroundings,
  });
  // The program says this only of errors that are not its own.
  if (err.includes("unexpected:")) throw new Error(err);
  return { code, out, err };
}

/** Gives a new folder to the body and removes it afterwards. */
export async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "osa-proof-test-"));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A whole session of two agents, closed and sealed, with disclosures of each kind and a rotated root. */
export async function richSession(): Promise<ProofBundleV3> {
  const world = new World();
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.agent("coder");
  await world.runtime("rt-1", "planner");
  await world.runtime("rt-2", "coder");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder", max: 10 });
  await world.delegation("rt-2", "coder", "rt-2", { parent: "to-coder", tools: ["file.write"], max: 5 });
  await world.receipt("1", {
    runtime: "rt-1",
    sequence: 1,
    time: 5 * MINUTE,
    input: { json: { title: "\u001b[31mred\u202e", path: ["/a", null, 1.5] } },
    evidence: [{ bytes: "0x00ff" }, { json: "second item" }],
  });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", {
    runtime: "rt-2",
    sequence: 1,
    time: 7 * MINUTE,
    parents: ["1"],
    tool: "file.write",
    output: { blob: { media_type: "text/csv", size: 9_000, sha256: `0x${"ab".repeat(32)}` } },
  });
  await world.receipt("4", { runtime: "rt-1", sequence: 3, time: 9 * MINUTE, parents: ["2", "3"] });
  await world.close("rt-1", "4", 10 * MINUTE);
  await world.close("rt-2", "3", 10 * MINUTE, { byAgent: "coder" });
  await world.seal("planner", ["rt-1"], 11 * MINUTE);
  await world.tree("tree", 40 * MINUTE);
  world.disclose("1", "input");
  world.disclose("1", "evidence 0");
  world.disclose("3", "output");
  world.disclose("4", "output");
  world.policies.push({ name: "fixture policy", rules: ["no network", "no secrets in output"] });
  await world.rotation(1, 2 * HOUR, 2 * HOUR + DAY);
  world.finish();
  return world.bundle("session", ["4"]);
}
