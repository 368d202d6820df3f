/** What is downloaded and installed. These are counted, not timed: one sample each. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "../lib/child.js";

async function measureVerifier() {
  const { build } = await import("vite");
  const output = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["browser", "module", "import", "default"] },
    build: {
      write: false,
      minify: true,
      lib: { entry: join(ROOT, "dist/verifier/index.js"), formats: ["iife"], name: "verifier" },
    },
  });
  const [first] = Array.isArray(output) ? output : [output];
  const chunks = first.output.filter(({ type }) => type === "chunk");
  if (chunks.length !== 1) throw new Error(`vite made ${chunks.length} scripts of the verifier`);
  return { samples: [gzipSync(chunks[0].code, { level: 9 }).length / 1e3] };
}

function measurePackage() {
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed = JSON.parse(listed);
  const [entry] = Array.isArray(packed) ? packed : Object.values(packed);
  return { samples: [entry.unpackedSize / 1e6] };
}

function measureDependencies() {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return { samples: [Object.keys(manifest.dependencies).length] };
}

export const browserVerifier = {
  name: "browser-verifier",
  title: "verifier for browsers, minified and gzipped",
  unit: "kB",
  target: 45,
  limit: 61,
  quick: true,
  measure: measureVerifier,
};

export const packageSize = {
  name: "package-size",
  title: "npm package, unpacked",
  unit: "MB",
  target: 1.5,
  quick: true,
  measure: measurePackage,
};

export const runtimeDependencies = {
  name: "dependencies",
  title: "runtime dependencies",
  unit: "",
  target: 6,
  quick: true,
  measure: measureDependencies,
};
