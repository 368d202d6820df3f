/// <reference types="vite/types/importMeta.d.ts" />
/** All tests of a run in one module graph, so that a mutant costs its tests and not a start. */
import { it } from "vitest";

import.meta.glob(
  [
    "../{encoding,crypto,tree,anchors,statements,verifier}/**/*.test.ts",
    // It switches a way of the verifier off for a while; a mutant that it finds would leave it off.
    "!../verifier/receipt-reader-off.test.ts",
  ],
  { eager: true },
);

it("has tests", () => {});
