/** `npm run test:controls`: every control. `npm test` runs a sample of them. */
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.js";

// The list of files is replaced, which merging would not do.
const { test, ...rest } = base;
export default mergeConfig(
  { ...rest, test: { ...test, include: ["test/controls/*.controls.ts"] } },
  { test: { testTimeout: 600_000, maxWorkers: 2 } },
);
