/** The bundles of the two plainest stories, for tests that need any good bundle. */
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import * as stories from "./stories.js";
import type { Changes } from "./world.js";

export { VERIFIED_AT } from "./stories.js";

/** One agent, one runtime, one receipt. */
export async function oneReceipt(changes: Changes = {}): Promise<ProofBundleV3> {
  return (await stories.oneReceipt(changes)).bundle;
}

/** The planner forks work to the coder and merges what comes back. */
export async function forkAndMerge(changes: Changes = {}): Promise<ProofBundleV3> {
  return (await stories.forkAndMerge(changes)).bundle;
}
