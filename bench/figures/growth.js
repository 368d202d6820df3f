/** Whether a receipt costs the same in a long history as in a short one, whatever the shape of the history. */

import { opensslSpeed } from "../lib/machine.js";
import { interleave, ratios } from "../lib/rounds.js";
import { median } from "../lib/stats.js";
import { makeBundle } from "../session.js";
import { streamGrowth } from "./streaming.js";
import { wholeCheck } from "./verify.js";

/** Short verifications are repeated, so that none is timed over less than this many receipts. */
const LEAST_RECEIPTS = 1_000;
const MOST_REPEATS = 200;
const QUICK_SIZES = [1_000, 10_000];
const PLOTTED_SIZES = [1, 10, 100, 1_000, 10_000, 100_000];

/** Seconds of CPU time per verification for each size, round by round, with OpenSSL's speed of each round. */
async function timed(sizes, shape, { rounds, beside }) {
  const cases = {};
  for (const size of sizes) {
    const check = wholeCheck(await makeBundle(size, { shape }));
    const items = Math.min(MOST_REPEATS, Math.ceil(LEAST_RECEIPTS / size));
    const run = () => {
      for (let repeat = 0; repeat < items; repeat += 1) check();
    };
    cases[size] = { run, items };
  }
  const speeds = [];
  if (beside) cases.openssl = () => speeds.push(opensslSpeed("ecdsap256"));
  const { openssl: _, ...seconds } = await interleave(cases, { rounds, warm: 1 });
  // The round that warms up asks OpenSSL too.
  return { seconds, speeds: speeds.slice(-rounds) };
}

const perReceipt = (seconds, size) => seconds[size].map((taken) => taken / size);

/**
 * A million receipts fit no JSON text that a bundle may have, so the full run takes the streaming form; the short one
 * compares smaller bundles.
 */
function compare(shape) {
  return async ({ rounds, quick }) => {
    if (!quick) return { samples: (await streamGrowth(shape)).samples };
    const [small, large] = QUICK_SIZES;
    const { seconds } = await timed([small, large], shape, { rounds });
    return { samples: ratios(perReceipt(seconds, large), perReceipt(seconds, small)) };
  };
}

/** {@link compare}, and in the full run the time that each size takes, beside that of the signatures. */
async function withPoints(options) {
  if (options.quick) return compare("mixed")(options);
  const { samples, large } = await streamGrowth("mixed");
  const { seconds, speeds } = await timed(PLOTTED_SIZES, "mixed", { rounds: options.rounds, beside: true });
  if (speeds.includes(null)) return { samples };
  const perCheck = median(speeds.map(({ verify }) => 1 / verify));
  const point = (receipts, taken) => ({
    receipts,
    seconds: median(taken),
    opensslSeconds: receipts * perCheck,
  });
  const ofLarge = large.secondsPerReceipt.map((taken) => taken * large.receipts);
  return {
    samples,
    // The largest in the streaming form, the others in one piece.
    points: [...PLOTTED_SIZES.map((size) => point(size, seconds[size])), point(large.receipts, ofLarge)],
  };
}

const common = { unit: "x", target: 1.15 };

export const growth = {
  ...common,
  name: "growth",
  title: "streaming form: time per receipt at 1,000,000 over 10,000, forks and merges",
  target: 1.1,
  quick: true,
  measure: withPoints,
};

export const growthOfChain = {
  ...common,
  name: "growth-chain",
  title: "the same, one chain: each receipt after the one before",
  measure: compare("chain"),
};

export const growthOfFan = {
  ...common,
  name: "growth-fan",
  title: "the same, one fan: every receipt after the first",
  measure: compare("fan"),
};
