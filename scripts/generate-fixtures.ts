/** Writes `fixtures/` and `selftest/`: `npm run fixtures`. The same source always writes the same bytes. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fixtureFiles } from "../test/support/cases/directories.js";
import { selftestControls } from "../test/support/cases/selftest-controls.js";

const target = join(process.cwd(), "fixtures");
const files = await fixtureFiles();
for (const part of ["valid", "invalid"]) await rm(join(target, part), { recursive: true, force: true });
let total = 0;
for (const [path, bytes] of files) {
  const file = join(target, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  total += bytes.length;
}
const controls = selftestControls(files);
await mkdir(join(process.cwd(), "selftest"), { recursive: true });
await writeFile(join(process.cwd(), "selftest", "controls.json"), controls);
console.log(`${files.size} files, ${total} bytes; ${controls.length} bytes of controls`);
