/** Interleaved rounds: the cases of one comparison take turns, so that what disturbs the machine disturbs both. */

/** Seconds of CPU time, user and system, of this process with all its threads while `work` ran. */
export async function cpuSeconds(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Seconds by the clock on the wall. */
export async function wallSeconds(work) {
  const before = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - before) / 1e9;
}

/**
 * Runs every case once a round, in alternating order, after `warm` rounds that do not count: the compiler of the
 * engine settles over the first tens of thousands of receipts. Returns the seconds of each case, round by round.
 * A case is a function, or an object with `run` and how many items it handles, which then are seconds per item.
 */
export async function interleave(cases, { rounds, warm = 3, clock = cpuSeconds }) {
  const entries = Object.entries(cases).map(([name, work]) =>
    typeof work === "function" ? { name, run: work, items: 1 } : { name, ...work },
  );
  const seconds = Object.fromEntries(entries.map(({ name }) => [name, []]));
  for (let round = -warm; round < rounds; round += 1) {
    const order = round % 2 === 0 ? entries : [...entries].reverse();
    for (const { name, run, items } of order) {
      const taken = await clock(run);
      if (round >= 0) seconds[name].push(taken / items);
    }
  }
  return seconds;
}

/** Round by round, one case over another. */
export function ratios(over, under) {
  return over.map((seconds, round) => seconds / under[round]);
}
