/** The script that a page downloads which imports `verifyBundle` and nothing else. */
import { join } from "node:path";
import { build } from "vite";
import { ROOT } from "./child.js";

/** Minified, as one script that sets `globalThis.verifier`. */
export async function browserVerifier() {
  const page = {
    name: "page",
    resolveId: (id) => (id.endsWith("page.js") ? id : null),
    load: (id) =>
      id.endsWith("page.js")
        ? `export { verifyBundle } from ${JSON.stringify(join(ROOT, "dist/verifier/index.js"))};`
        : null,
  };
  const output = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["browser", "module", "import", "default"] },
    plugins: [page],
    build: { write: false, minify: true, lib: { entry: "page.js", formats: ["iife"], name: "verifier" } },
  });
  const [first] = Array.isArray(output) ? output : [output];
  const chunks = first.output.filter(({ type }) => type === "chunk");
  if (chunks.length !== 1) throw new Error(`vite made ${chunks.length} scripts of the verifier`);
  return chunks[0].code;
}
