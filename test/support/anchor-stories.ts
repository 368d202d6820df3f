/** Stories about trees, anchors and time. */
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { DAY, HOUR, MINUTE } from "./keys.js";
import { begin, finish, type MakeStory, single, story } from "./story.js";
import { basePolicy } from "./trust.js";
import { rootOf, World } from "./world.js";

/**
 * Everything as late, early or long as it may just be: the receipts at both ends of key and delegation, a parent as
 * much younger than its child as the clock skew allows, list and tree anchored at the last moment, list at its last.
 */
export const atTheBoundaries: MakeStory = async (changes) => {
  const world = new World(changes);
  // The second of three witnesses makes the quorum, one second after the first.
  await world.list(1, -HOUR, [], "list:1", DAY - 1);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 0, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-1", sequence: 3, time: 30 * MINUTE - 0.001, parents: ["2"] });
  await world.step("receipts");
  await world.tree("tree", 30 * MINUTE + DAY - 1);
  world.finish();
  return story(world.bundle("causal", ["3"]), {
    trust: basePolicy({ max_revocation_age_seconds: 27 * HOUR }),
    at: 26 * HOUR,
  });
};

/** Verified a day after the session, under a policy that allows lists of two days. */
export const dayLater: MakeStory = async (changes) =>
  story(await single(new World(changes)), {
    trust: basePolicy({ max_revocation_age_seconds: 2 * DAY }),
    at: 26 * HOUR,
  });

export const unpinnedExtraAnchor: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  const subject = { subject: "evidence_root", digest: rootOf(world.leafDigests()), treeSize: 1 } as const;
  world.addAnchor("tree", await world.anchor("elsewhere", subject, 41 * MINUTE, world.otherLog));
  world.addAnchor("tree", { type: "opentimestamps", proof: "0x004f70656e54696d657374616d7073" });
  await world.step("anchors");
  world.finish();
  return story(world.bundle("causal", ["1"]));
};

/** The log was known between the list and the tree, and is shown to continue what was known. */
export const logContinued: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.log.anchor({ entry: encodeUtf8("entry of somebody else: fourth"), cosigners: [] });
  const known = world.log.head();
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  const bundle = await finish(world, ["1"]);
  return story(bundle, {
    supplement: { ...world.supplement([]), log_consistency: [world.log.continued(known.size)] },
    heads: { protocol: "OSA_PROOF_V3", type: "KnownHeadsV1", namespaces: [], logs: [known] },
  });
};

/** Two anchors of one root on the pinned log; the earlier one dates it. */
export const anchoredTwice: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  const subject = { subject: "evidence_root", digest: rootOf(world.leafDigests()), treeSize: 1 } as const;
  world.addAnchor("tree", await world.anchor("again", subject, 100 * MINUTE));
  world.finish();
  return story(world.bundle("causal", ["1"]));
};

/** A later tree over the same receipt that nobody has anchored. */
export const secondTreeWithoutAnchor: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await world.tree("second", 0, { leaves: ["receipt:1"], anchored: false });
  world.finish();
  return story(world.bundle("causal", ["1", "2"]));
};

/** Only what leads to the target is shown; the rest of the tree stands behind audit paths. */
export const inclusionProofs: MakeStory = async (changes) => {
  const world = new World(changes);
  await forkedWithoutTree(world);
  return story(await finish(world, ["2"], "causal", ["receipt:1", "receipt:2"]));
};

/** The coder's runtime and delegation would be unreferenced here, so all four receipts are the planner's. */
async function forkedWithoutTree(world: World): Promise<void> {
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-1", sequence: 3, time: 7 * MINUTE, parents: ["1"] });
  await world.receipt("4", { runtime: "rt-1", sequence: 4, time: 8 * MINUTE, parents: ["2", "3"] });
}

/** The ancestors of two targets, without the receipt that came after them; the tree ends with them. */
export const causalScope: MakeStory = async (changes) => {
  const world = new World(changes);
  await forkedWithoutTree(world);
  await world.step("receipts");
  const shown = ["receipt:1", "receipt:2", "receipt:3"];
  await world.tree("tree", 40 * MINUTE, { leaves: shown });
  world.finish();
  return story(world.bundle("causal", ["2", "3"], shown));
};
