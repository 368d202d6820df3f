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

/** Writes picture and block anew from the saved results, so that changing how they look needs no new run. */
export function render() {
  const result = existsSync(SAVED) ? JSON.parse(readFileSync(SAVED, "utf8")) : null;
  if (result !== null) writeFileSync(join(ROOT, "docs/bench.svg"), plot(result));
  const readme = join(ROOT, "README.md");
  writeFileSync(readme, withBlock(readFileSync(readme, "utf8"), figuresBlock(result)));
}
