/** What a story is, and the steps that many of them share. */
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import type { ExpectationsV1, KnownHeadsV1 } from "../../src/verifier/inputs.js";
import type { TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { HOUR, MINUTE } from "./keys.js";
import { basePolicy } from "./trust.js";
import type { Changes, Draft, World } from "./world.js";

/** Everything that one verification gets. */
export interface Story {
  readonly bundle: ProofBundleV3;
  readonly trust: TrustPolicyV1;
  /** Seconds after the session began. */
  readonly at: number;
  readonly expectations?: ExpectationsV1;
  readonly supplement?: Draft;
  readonly heads?: KnownHeadsV1;
}

export type MakeStory = (changes?: Changes) => Promise<Story>;

/** The verification time of every story that does not say otherwise: three hours after the session began. */
export const VERIFIED_AT: number = 3 * HOUR;

export function story(bundle: ProofBundleV3, more: Partial<Story> = {}): Story {
  return { bundle, trust: basePolicy(), at: VERIFIED_AT, ...more };
}

export async function begin(world: World): Promise<void> {
  await world.list(1, -HOUR);
  await world.agent("planner");
}

/** One agent, one runtime, one receipt, all leaves in one anchored tree. */
export async function single(world: World): Promise<ProofBundleV3> {
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  return finish(world, ["1"]);
}

export async function finish(
  world: World,
  targets: readonly string[],
  scope: "causal" | "session" = "causal",
  shown?: readonly string[],
): Promise<ProofBundleV3> {
  await world.step("receipts");
  await world.tree("tree", 40 * MINUTE);
  await world.step("tree");
  world.finish();
  return world.bundle(scope, targets, shown);
}
