/**
 * Hostile input by size: each case of the table in docs/SPEC.md, "Limits", verified in a process of its own, with its
 * heap held to what the table states and a clock that only ends a hang. `npm run test:bounds` builds what it runs.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import * as LIMITS from "../../src/limits.js";
import { canonicalStatement } from "../../src/statements/canonical.js";
import { at, MINUTE } from "../support/keys.js";
import { oneReceipt, VERIFIED_AT } from "../support/scenarios.js";
import { begin, finish } from "../support/story.js";
import { basePolicy } from "../support/trust.js";
import { type Draft, World } from "../support/world.js";
import { ROWS } from "./table.js";

const MEGABYTE = 1_000_000;
const CHILD = fileURLToPath(new URL("./child.js", import.meta.url));
const SPEC = fileURLToPath(new URL("../../docs/SPEC.md", import.meta.url));

interface Outcome {
  readonly verdict: string;
  readonly code: string | null;
  readonly pointer: string;
  readonly failures: number;
  readonly extraBytes: number;
}

const directory = mkdtempSync(join(tmpdir(), "osa-proof-bounds-"));
const put = (name: string, bytes: Uint8Array | string): void => writeFileSync(join(directory, name), bytes);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(async () => {
  put("trust.json", JSON.stringify(basePolicy()));
  put("at", at(VERIFIED_AT));
  put("small.json", encodeBundle(await oneReceipt()));
  const disclosed = await disclosedOutput();
  put("disclosed.json", encodeBundle(disclosed));
  put("disclosed.cbor", encodeBundle(disclosed, "cbor"));
  const chain = await chainOfReceipts(20_000);
  put("chain.json", encodeBundle(chain));
  put("chain.cbor", encodeBundle(chain, "cbor"));
  put("delegations.json", await chainOfDelegations(10_000));
}, 600_000);

async function disclosedOutput(): Promise<Awaited<ReturnType<typeof finish>>> {
  const world = new World();
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  world.disclose("1", "output");
  return finish(world, ["1"]);
}

/** Receipts of one runtime, each the child of the one before: the deepest graph that so many can make. */
async function chainOfReceipts(count: number): Promise<Awaited<ReturnType<typeof finish>>> {
  const world = new World();
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  let before: string | undefined;
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const label = String(sequence);
    await world.receipt(label, { runtime: "rt-1", sequence, time: 5 * MINUTE });
    const made = world.find(`receipt:${label}`);
    if (before !== undefined) await resign(world, made.statement, { parent_receipt_digests: [before] });
    before = canonicalStatement(made.statement).digest;
    Object.assign(made, { digest: before });
  }
  return finish(world, [String(count)]);
}

async function resign(world: World, statement: Draft, members: Draft): Promise<void> {
  Object.assign(statement, members);
  const signature = await world
    .key(statement["runtime_key_id"])
    .signer.sign(canonicalStatement(statement).signedBytes);
  statement["signature"] = `0x${Buffer.from(signature).toString("hex")}`;
}

/** Delegations of one agent to itself, each under the one before, and a receipt under the last. */
async function chainOfDelegations(count: number): Promise<Uint8Array> {
  const world = new World();
  await begin(world);
  await world.runtime("rt-1", "planner");
  for (let depth = 1; depth <= count; depth += 1) {
    const last = depth === count;
    await world.delegation(String(depth), "planner", "rt-1", {
      ...(depth === 1 ? {} : { parent: String(depth - 1) }),
      ...(last ? {} : { delegate: "planner" }),
    });
  }
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, delegation: String(count) });
  return encodeBundle(await finish(world, ["1"]));
}

function run(name: string, heapMegabytes: number, seconds: number): Outcome {
  const output = execFileSync(
    process.execPath,
    [`--max-old-space-size=${heapMegabytes}`, "--expose-gc", CHILD, name, directory],
    { encoding: "utf8", timeout: seconds * 1000, stdio: ["ignore", "pipe", "pipe"] },
  );
  return JSON.parse(output);
}

describe.each(ROWS)("$what", ({ cases, answer, megabytes, seconds }) => {
  it.each(cases)(
    "%s",
    (name) => {
      const outcome = run(name, megabytes, seconds);
      console.info(`${name}: ${JSON.stringify(outcome)}`);
      expect(outcome.verdict).toBe(answer === "ACCEPTED" ? "ACCEPTED" : "REJECTED");
      if (answer !== "ACCEPTED") expect(answer.split(" or ")).toContain(outcome.code);
      expect(outcome.extraBytes).toBeLessThan(megabytes * MEGABYTE);
    },
    seconds * 1000 + 10_000,
  );
});

describe("the table of docs/SPEC.md", () => {
  it("states these rows", () => {
    const spec = readFileSync(SPEC, "utf8");
    for (const { what, answer, megabytes, seconds } of ROWS) {
      expect(spec).toContain(`| ${what} | ${answer} | ${megabytes} | ${seconds} |`);
    }
  });

  it("counts every fault, though a report lists only the first", () => {
    const outcome = run("million receipts", 1_000, 120);
    expect(outcome.failures).toBeGreaterThanOrEqual(1_000_000);
    expect(LIMITS.maxReportedFailures).toBe(100);
  });

  it("rests on bounds that no case is below", () => {
    expect(100_000).toBeGreaterThan(LIMITS.maxDepth);
    expect(8_000_000).toBe(LIMITS.maxValues);
    expect(1_000_000).toBeGreaterThan(LIMITS.maxStatementsPerKind);
    expect(1_000_000).toBeGreaterThan(LIMITS.maxParentsPerReceipt);
    expect(10_000).toBeGreaterThan(LIMITS.maxDelegationDepth);
    expect(200 * MEGABYTE).toBeLessThan(LIMITS.maxBundleBytes);
  });
});
