/** Writes schemas/*.json from the closed schemas in the code: `npm run schemas`. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { SCHEMAS, schemaText } from "../src/cli/schemas.js";

// Compiled, this file stands one level deeper.
const folder = new URL("../../schemas/", import.meta.url);
for (const name of readdirSync(folder)) {
  if (name.endsWith(".json")) rmSync(new URL(name, folder));
}
for (const entry of SCHEMAS) {
  writeFileSync(new URL(`${entry.name}.json`, folder), schemaText(entry));
}
console.log(`${SCHEMAS.length} schemas written`);
