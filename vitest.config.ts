import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: {
      "#backend": fileURLToPath(new URL("./src/crypto/backend-node.ts", import.meta.url)),
      "#proofs": fileURLToPath(new URL("./src/tree/proven-tree.ts", import.meta.url)),
      "#receipts": fileURLToPath(new URL("./src/bundle/receipt-source.ts", import.meta.url)),
    },
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "build/test-results.json" }]]
      : ["default"],
  },
});
