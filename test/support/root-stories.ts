/** Stories about what roots say: rotations, revocation lists, supplements and known heads. */
import type { KnownHeadsV1 } from "../../src/verifier/inputs.js";
import { DAY, HOUR, MINUTE } from "./keys.js";
import { begin, finish, type MakeStory, single, story } from "./story.js";
import { basePolicy, NAMESPACE, pinnedRoot, withNamespace } from "./trust.js";
import { type Draft, World } from "./world.js";

/** The policy pins root-0, and everything is signed by root-1. */
export const rotationForward: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.rotation(1, -4 * DAY, -3 * DAY);
  world.root = "root-1";
  await world.step("rotation");
  return story(await single(world));
};

/** The policy pins root-1; the session is under root-0 and was anchored before the change. */
export const rotationBackward: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await world.rotation(1, 60 * MINUTE, 90 * MINUTE);
  world.root = "root-1";
  await world.list(2, 95 * MINUTE);
  world.finish();
  const trust = withNamespace(basePolicy(), { roots: [pinnedRoot("root-1", 1)] });
  return story(world.bundle("causal", ["1"]), { trust });
};

/** Both roots are pinned, the older one with its number; it counts only through the rotation. */
export const bothRootsPinned: MakeStory = async (changes) => {
  const { bundle, at } = await rotationBackward(changes);
  const roots = [pinnedRoot("root-0", 0), pinnedRoot("root-1", 1)];
  return { bundle, at, trust: withNamespace(basePolicy(), { roots }) };
};

/** Three lists in a row, each with what the one before had; the keys on them are of nobody here. */
export const severalLists: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.list(1, -3 * DAY, ["lost-1"]);
  await world.list(2, -2 * DAY, ["lost-1", "lost-2"]);
  await world.list(3, -HOUR, ["lost-1", "lost-2", "lost-3"]);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  const trust = withNamespace(basePolicy(), { minimum_revocation_list_number: 3 });
  return story(await finish(world, ["1"]), { trust });
};

/** Verified a month later with a list that the bundle cannot have. */
export const supplementNewerList: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await world.list(2, 30 * DAY - HOUR, ["lost-1"]);
  await world.step("list");
  world.finish();
  const supplement = world.supplement(["list:2"]);
  return story(world.bundle("causal", ["1"]), { supplement, at: 30 * DAY });
};

/** The rotation that leads to the agent's root comes beside the bundle. */
export const supplementRotation: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.rotation(1, -4 * DAY, -3 * DAY);
  world.root = "root-1";
  const supplement = world.supplement(["rotation:1"]);
  return story(await single(world), { supplement });
};

function headsOf(world: World, more: Draft = {}): KnownHeadsV1 {
  const list = { number: 1, digest: world.digest("list:1") };
  return {
    protocol: "OSA_PROOF_V3",
    type: "KnownHeadsV1",
    namespaces: [{ namespace_id: NAMESPACE, revocation_list: list, ...more }],
    logs: [world.log.head()],
  };
}

export const withKnownHeads: MakeStory = async (changes) => {
  const world = new World(changes);
  const bundle = await single(world);
  return story(bundle, { heads: headsOf(world) });
};

export const rotationWithHeads: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.rotation(1, -4 * DAY, -3 * DAY);
  world.root = "root-1";
  const bundle = await single(world);
  const head = { number: 1, digest: world.digest("rotation:1") };
  return story(bundle, { heads: headsOf(world, { root_rotation: head }) });
};
