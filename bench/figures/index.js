/**
 * Every figure, in the order of the table. A figure is
 *
 *     name      how it is asked for: `npm run bench -- --only NAME`
 *     title     what is divided by what
 *     unit      "x" for a ratio, "MB" or "kB" (1,000,000 and 1,000 bytes), "" for a count
 *     better    "lower" (left out) or "higher"
 *     target    what it must reach
 *     limit     what it is held to while the target is not reached; left out from then on
 *     quick     true: part of the short run in continuous integration
 *     measure   ({rounds, quick}) => {samples, points?}, run in a process of its own;
 *               absent while what it measures does not exist, and `waits` says what that is
 */
import { canonicalWriter } from "./canonical.js";
import { command } from "./command.js";
import { growth, growthOfChain, growthOfFan } from "./growth.js";
import { browserVerifier, packageSize, runtimeDependencies } from "./package.js";
import { portable } from "./portable.js";
import { recordAndSign } from "./sign.js";
import { streamingMemory, streamingMemoryOfTwo, twoThreads } from "./streaming.js";
import { treeMemory, treeTime } from "./tree.js";
import { verifyComplete, verifyEd25519, verifyInclusion } from "./verify.js";

export const FIGURES = [
  verifyComplete,
  verifyInclusion,
  verifyEd25519,
  twoThreads,
  recordAndSign,
  growth,
  growthOfChain,
  growthOfFan,
  streamingMemory,
  streamingMemoryOfTwo,
  treeTime,
  treeMemory,
  canonicalWriter,
  portable,
  command,
  browserVerifier,
  packageSize,
  runtimeDependencies,
];
