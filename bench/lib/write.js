/** Saves results and renders from them what is read: docs/bench.json, docs/bench.svg, and the README's block. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plot } from "../plot.js";
import { ROOT } from "./child.js";
import { figuresBlock, withBlock } from "./page.js";

const SAVED = join(ROOT, "docs/bench.json");

export function save(result) {
  writeFileSync(SAVED, `${JSON.stringify(result, null, 2)}\n`);
}

/** The saved results; null when there are none. */
export function saved() {
  return existsSync(SAVED) ? JSON.parse(readFileSync(SAVED, "utf8")) : null;
}

/** Whether results are of this version on this machine, so that figures of both may stand in one table. */
export function isOf(result, machine) {
  const where = ({ version, cpu, cores, node, nodeOpenssl }) =>
    [version, cpu, cores, node, nodeOpenssl].join();
  return where(result.machine) === where(machine);
}

/**
 * Results with newer figures, and points of the plot if there are any, in place of theirs. Each figure is a ratio of what
 * ran side by side, so it needs none of the others.
 */
export function withNewer(result, { figures, points }) {
  const newer = new Map(figures.map((figure) => [figure.name, figure]));
  return {
    ...result,
    figures: result.figures.map((figure) => newer.get(figure.name) ?? figure),
    points: points ?? result.points,
  };
}

/** Writes picture and block anew from the saved results, so that changing how they look needs no new run. */
export function render() {
  const result = saved();
  if (result !== null) writeFileSync(join(ROOT, "docs/bench.svg"), plot(result));
  const readme = join(ROOT, "README.md");
  writeFileSync(readme, withBlock(readFileSync(readme, "utf8"), figuresBlock(result)));
}
