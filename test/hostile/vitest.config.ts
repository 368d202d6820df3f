/** `npm run test:hostile`: every case, some minutes on one core. `npm test` runs a sample of them. */
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.js";

// The list of files is replaced, which merging would not do.
const { test, ...rest } = base;
export default mergeConfig(
  { ...rest, test: { ...test, include: ["test/hostile/*.hostile.ts"] } },
  { test: { testTimeout: 1_800_000, maxWorkers: 1, setupFiles: ["test/hostile/setup.ts"] } },
);
