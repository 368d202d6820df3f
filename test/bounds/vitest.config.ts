/** `npm run test:bounds`: some minutes on one core, too heavy for every `npm test`. */
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.js";

const config: typeof base = mergeConfig(base, { test: { include: [], maxWorkers: 1 } });
config.test = { ...config.test, include: ["test/bounds/*.bounds.ts", "test/bounds/*.test.ts"] };
export default config;
