/** Closes against the certificates of their runtimes, and sessions of which something is not shown. */
import { describe, expect, it } from "vitest";
import { HOUR, at as instant, MINUTE } from "../support/keys.js";
import { agentId, basePolicy } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { failures, outcome, set, verify } from "./attack-tools.js";

async function begin(changes: Changes = {}): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  return world;
}

const certificate = (number: number): string => (number === 1 ? "runtime:rt-1" : `runtime:rt-1:${number}`);

/** A receipt under each of some certificates of one runtime, that begin a minute after each other; and its close. */
async function renewed(count: number, listed: readonly number[]): Promise<World> {
  const world = await begin();
  for (let number = 2; number <= count; number += 1) {
    const plan = { time: number * MINUTE, key: `rt-1-key-${number}`, label: certificate(number) };
    await world.runtime("rt-1", "planner", plan);
  }
  for (let number = 1; number <= count; number += 1) {
    const plan = { runtime: "rt-1", sequence: number, time: (5 + number) * MINUTE };
    await world.receipt(`${number}`, { ...plan, certificate: certificate(number) });
  }
  await world.close("rt-1", `${count}`, 15 * MINUTE, { certificates: listed.map(certificate) });
  return world;
}

describe("the certificates that a close lists", () => {
  it.each([
    [[1, 2, 3], "ACCEPTED"],
    [[2, 1, 3], "DAG_CLOSE_MISMATCH /session_closes/0"],
    [[1, 3, 2], "DAG_CLOSE_MISMATCH /session_closes/0"],
    [[3, 2, 1], "DAG_CLOSE_MISMATCH /session_closes/0"],
  ])("in the order %j of their use", async (listed, expected) => {
    const world = await renewed(3, listed);
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    expect(outcome(verify(world.bundle("session", ["3"])))).toBe(expected);
  });

  it("are not held against receipts of which some are missing, which is a gap and nothing else", async () => {
    const judged = async (missing: readonly string[]): Promise<readonly string[]> => {
      const world = await renewed(2, [1, 2]);
      const shown = ["receipt:1", "receipt:2", "close:rt-1"].filter((label) => !missing.includes(label));
      await world.tree("tree", 40 * MINUTE, { leaves: shown });
      world.finish();
      return failures(verify(world.bundle("session", ["2"], shown)));
    };
    expect(await judged([])).toEqual([]);
    expect(await judged(["receipt:1"])).toEqual(["DAG_SEQUENCE_GAP /receipts/0"]);
  });

  it.each([
    [60, []],
    [61, ["IDENTITY_ISSUED_AFTER_USE /session_closes/0"]],
  ])("the last of them may be issued %d seconds after it", async (seconds, expected) => {
    const late = { [certificate(2)]: set("issued_at", instant(15 * MINUTE + seconds)) };
    const world = await begin({ statements: late });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.runtime("rt-1", "planner", { time: MINUTE, key: "rt-1-key-2", label: certificate(2) });
    await world.close("rt-1", "1", 15 * MINUTE, { certificates: [1, 2].map(certificate) });
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    expect(failures(verify(world.bundle("session", ["1"])))).toEqual(expected);
  });
});

describe("a close that names another", () => {
  it.each([
    ["session_id", "session-1", []],
    ["session_id", "session-2", ["DAG_CLOSE_INVALID", "DAG_CLOSE_MISMATCH"]],
    ["agent_id", agentId("planner"), []],
    ["agent_id", agentId("coder"), ["DAG_CLOSE_INVALID", "DAG_CLOSE_MISMATCH"]],
  ])("%s, %s, is neither its signer's nor that of the receipts", async (member, value, codes) => {
    const world = await begin({ statements: { "close:rt-1": set(member, value) } });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.close("rt-1", "1", 15 * MINUTE);
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    const expected = codes.map((code) => `${code} /session_closes/0`);
    expect(failures(verify(world.bundle("causal", ["1"])))).toEqual(expected);
  });
});

describe("what a session is asked for", () => {
  it("a seal is missing only where the scope is session", async () => {
    const world = await begin();
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.close("rt-1", "1", 15 * MINUTE);
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    const trust = basePolicy({ require_session_seal: true });
    expect(failures(verify(world.bundle("causal", ["1"])))).toEqual([]);
    expect(failures(verify(world.bundle("causal", ["1"]), { trust }))).toEqual([
      "EXPECTATION_SCOPE_TOO_WEAK /claim/scope",
    ]);
    expect(failures(verify(world.bundle("session", ["1"]), { trust }))).toEqual([
      "DAG_SEAL_MISSING /session_seals",
    ]);
  });

  it("targets of two sessions are one run in scope causal only", async () => {
    const world = await begin();
    await world.runtime("rt-0", "planner", { session: "session-0" });
    await world.delegation("rt-0", "planner", "rt-0", { session: "session-0" });
    await world.receipt("0", { runtime: "rt-0", sequence: 1, time: 2 * MINUTE });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, parents: ["0"] });
    await world.close("rt-0", "0", 4 * MINUTE);
    await world.close("rt-1", "1", 15 * MINUTE);
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    expect(outcome(verify(world.bundle("causal", ["0", "1"])))).toBe("ACCEPTED");
    expect(outcome(verify(world.bundle("session", ["1"])))).toBe("ACCEPTED");
    expect(outcome(verify(world.bundle("session", ["0", "1"])))).toBe("FORMAT_MIXED_RUN /claim/targets");
  });
});
