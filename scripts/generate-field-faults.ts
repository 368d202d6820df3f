/** Writes docs/field-faults.md. Run from the root of the project: `npm run field-faults`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIELD_FAULTS, fieldFaultsPage, namedTests } from "./field-faults.js";

const root = process.cwd();
const tests = namedTests(root);
writeFileSync(join(root, "docs", "field-faults.md"), fieldFaultsPage(tests));
console.log(`${FIELD_FAULTS.length} faults, ${tests.length} test titles`);
