/** What is downloaded and installed. These are counted, not timed: one sample each. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "../lib/child.js";

async function measureVerifier() {
  // Only here: vite takes longer to load than most figures to measure.
  const { browserVerifier } = await import("../lib/browser-build.js");
  return { samples: [gzipSync(await browserVerifier(), { level: 9 }).length / 1e3] };
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
  title: "what a page downloads that imports `verifyBundle` alone, minified and gzipped",
  unit: "kB",
  target: 45,
  limit: 49,
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
