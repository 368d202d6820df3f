/** Indents what tsc wrote to dist, JavaScript and declarations, with tabs in place of four spaces: up to an eighth of the bytes. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

/** Where text goes on over the end of a line as it is, in template literals. */
function templatesOf(source) {
  const ranges = [];
  const visit = (node) => {
    if (ts.isTemplateLiteralToken(node)) ranges.push([node.getStart(source), node.end]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return ranges;
}

for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(?:js|d\.ts)$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const text = readFileSync(path, "utf8");
  const templates = templatesOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  const indented = text.replace(/^(?: {4})+/gm, (spaces, offset) =>
    templates.some(([from, to]) => from < offset && offset < to) ? spaces : "\t".repeat(spaces.length / 4),
  );
  if (indented !== text) writeFileSync(path, indented);
}
