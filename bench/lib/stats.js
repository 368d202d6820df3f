/** Medians and spreads, and whether a figure holds. Pure. */

/** How far a figure may miss its limit before continuous integration fails: its machine is not ours. */
export const TOLERANCE = 1.3;

/** The middle value; of an even count the upper of the two. */
export function median(values) {
  if (values.length === 0) throw new Error("there is no median of nothing");
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

export function summary(values) {
  return {
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    rounds: values.length,
  };
}

/**
 * A figure with its samples judged. `target` is where it must get to, `limit` what it is held to until then
 * (the target itself once reached), each an upper bound unless the figure is `better: "higher"`.
 * `met` compares with the target, `holds` with the limit and its tolerance.
 */
export function judge(figure, { samples }) {
  const { name, title, unit, better = "lower", target, limit = target } = figure;
  const spread = summary(samples);
  const within = (bound) => (better === "lower" ? spread.median <= bound : spread.median >= bound);
  return {
    name,
    title,
    unit,
    better,
    target,
    limit,
    ...spread,
    met: within(target),
    holds: within(better === "lower" ? limit * TOLERANCE : limit / TOLERANCE),
  };
}
