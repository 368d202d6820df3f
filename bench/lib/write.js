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

/**
 * The saved results with these figures in place of theirs; null when nothing is saved, or it was measured elsewhere.
 * Each figure is a ratio of what ran side by side, so figures of two runs may stand in one table.
 */
export function replaced({ machine, figures }) {
  if (!existsSync(SAVED)) return null;
  const saved = JSON.parse(readFileSync(SAVED, "utf8"));
  const where = ({ cpu, cores, node, nodeOpenssl }) => [cpu, cores, node, nodeOpenssl].join();
  if (where(saved.machine) !== where(machine)) return null;
  const anew = new Map(figures.map((figure) => [figure.name, figure]));
  return { ...saved, figures: saved.figures.map((figure) => anew.get(figure.name) ?? figure) };
}

/** Writes picture and block anew from the saved results, so that changing how they look needs no new run. */
export function render() {
  const result = existsSync(SAVED) ? JSON.parse(readFileSync(SAVED, "utf8")) : null;
  if (result !== null) writeFileSync(join(ROOT, "docs/bench.svg"), plot(result));
  const readme = join(ROOT, "README.md");
  writeFileSync(readme, withBlock(readFileSync(readme, "utf8"), figuresBlock(result)));
}
