/** Removes the declarations in dist that no entry of the package reaches: inner files cannot be imported, so nobody reads them. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const reached = new Set(
  Object.values(exports)
    .flatMap(({ types }) => types ?? [])
    .map((file) => join(ROOT, file)),
);
for (const file of reached) {
  for (const [, name] of readFileSync(file, "utf8").matchAll(/\b(?:from |import\()"(\.[^"]+)\.js"/g)) {
    reached.add(resolve(dirname(file), `${name}.d.ts`));
  }
}
for (const name of readdirSync(join(ROOT, "dist"), { recursive: true })) {
  const file = join(ROOT, "dist", name);
  if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
}
