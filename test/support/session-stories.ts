/** Stories about whole sessions: closes, seals, a crash, a renewed key. */
import { MINUTE } from "./keys.js";
import { begin, finish, type MakeStory, story } from "./story.js";
import { basePolicy } from "./trust.js";
import { World } from "./world.js";

const STRICT_SESSION = { require_session_close: true, require_session_seal: true } as const;

/** Two runtimes of one agent in one session; `rt-2` works between the first and last receipt of `rt-1`. */
async function sessionReceipts(world: World): Promise<void> {
  await begin(world);
  for (const runtime of ["rt-1", "rt-2"]) {
    await world.runtime(runtime, "planner");
    await world.delegation(runtime, "planner", runtime);
  }
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-2", sequence: 1, time: 7 * MINUTE, parents: ["1"] });
  await world.receipt("4", { runtime: "rt-2", sequence: 2, time: 8 * MINUTE, parents: ["3"] });
  await world.receipt("5", { runtime: "rt-1", sequence: 3, time: 9 * MINUTE, parents: ["2"] });
}

export const wholeSession: MakeStory = async (changes) => {
  const world = new World(changes);
  await sessionReceipts(world);
  await world.close("rt-1", "5", 15 * MINUTE);
  await world.close("rt-2", "4", 16 * MINUTE);
  await world.step("closes");
  await world.seal("planner", ["rt-1", "rt-2"], 20 * MINUTE);
  return story(await finish(world, ["4", "5"], "session"), { trust: basePolicy(STRICT_SESSION) });
};

/** Closes, and nobody asks for a seal. */
export const sessionWithoutSeal: MakeStory = async (changes) => {
  const world = new World(changes);
  await sessionReceipts(world);
  await world.close("rt-1", "5", 15 * MINUTE);
  await world.close("rt-2", "4", 16 * MINUTE);
  const trust = basePolicy({ require_session_close: true });
  return story(await finish(world, ["5"], "session"), { trust });
};

/** `rt-2` crashed: the agent closes it. */
export const agentClose: MakeStory = async (changes) => {
  const world = new World(changes);
  await sessionReceipts(world);
  await world.close("rt-1", "5", 15 * MINUTE);
  await world.close("rt-2", "4", 45 * MINUTE, { byAgent: "planner" });
  await world.seal("planner", ["rt-1", "rt-2"], 50 * MINUTE);
  await world.step("receipts");
  await world.tree("tree", 60 * MINUTE);
  world.finish();
  const trust = basePolicy({ ...STRICT_SESSION, accept_agent_close: true });
  return story(world.bundle("session", ["4", "5"]), { trust });
};

/** One runtime, two certificates one after the other; `sequence` runs on. */
export const keyRenewal: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  const second = "runtime:rt-1:2";
  await world.runtime("rt-1", "planner", { time: 28 * MINUTE, key: "rt-1-key-2", label: second });
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 25 * MINUTE, parents: ["1"] });
  const renewed = { certificate: second, parents: ["2"] };
  await world.receipt("3", { runtime: "rt-1", sequence: 3, time: 35 * MINUTE, ...renewed });
  await world.close("rt-1", "3", 40 * MINUTE, { certificates: ["runtime:rt-1", second] });
  return story(await finish(world, ["3"], "session"), { trust: basePolicy({ require_session_close: true }) });
};

/** A session whose first receipt continues what another session did. */
export const olderAncestor: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-0", "planner", { session: "session-0" });
  await world.delegation("rt-0", "planner", "rt-0", { session: "session-0" });
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("0", { runtime: "rt-0", sequence: 1, time: 2 * MINUTE });
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, parents: ["0"] });
  await world.close("rt-1", "1", 15 * MINUTE);
  return story(await finish(world, ["1"], "session"), { trust: basePolicy({ require_session_close: true }) });
};
