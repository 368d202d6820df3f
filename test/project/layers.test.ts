/** The layer table of CONTRIBUTING.md, enforced: imports go down only, types included. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** Layer of a file under src, by its folder; the package entry and backends are named one by one. */
const LAYERS: readonly (readonly [prefix: string, layer: number])[] = [
  ["errors.ts", 0],
  ["failure-codes.ts", 0],
  ["limits.ts", 0],
  ["encoding/", 1],
  ["crypto/", 2],
  ["statements/", 3],
  ["tree/", 4],
  ["anchors/", 5],
  ["bundle/", 6],
  ["verifier/", 7],
  ["index.ts", 7],
  ["runtime/", 8],
  ["collect/", 8],
  ["parallel/", 8],
  ["audit/", 8],
  ["cli/", 9],
];

function layerOf(file: string): number | undefined {
  return LAYERS.find(([prefix]) => file === prefix || (prefix.endsWith("/") && file.startsWith(prefix)))?.[1];
}

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8");
  return ts.preProcessFile(text, true, true).importedFiles.map((imported) => imported.fileName);
}

function localTarget(file: string, specifier: string): string {
  return relative(root, resolve(dirname(join(root, file)), specifier)).replace(/\.js$/, ".ts");
}

const files = sources(root);
const graph = new Map(
  files.map((file) => [
    file,
    importsOf(file).flatMap((name) => (name.startsWith(".") ? [localTarget(file, name)] : [])),
  ]),
);

/** Everything a file reaches by imports, itself included. */
function closure(start: string): ReadonlySet<string> {
  const seen = new Set([start]);
  for (const file of seen) for (const target of graph.get(file) ?? []) seen.add(target);
  return seen;
}

describe("layers", () => {
  it("give every source file a layer", () => {
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
    expect(files.length).toBeGreaterThan(40);
  });

  it("are imported downwards only, types included", () => {
    const upward = [...graph].flatMap(([file, targets]) =>
      targets
        .filter((target) => (layerOf(target) ?? 99) > (layerOf(file) ?? -1))
        .map((target) => `${file} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it("have no import cycle", () => {
    const cycles = files.filter((file) =>
      (graph.get(file) ?? []).some((target) => closure(target).has(file)),
    );
    expect(cycles).toEqual([]);
  });

  it("F079 keep the verifier's closure free of the outside world", () => {
    const allowed = /^#(?:backend|proofs|receipts)$/;
    const verifier = [...closure("verifier/index.ts")];
    const outside = verifier.flatMap((file) =>
      importsOf(file)
        .filter((name) => !name.startsWith(".") && !allowed.test(name))
        .map((name) => `${file} -> ${name}`),
    );
    expect(outside).toEqual([]);
    expect(verifier.length).toBeGreaterThan(20);
    const impure =
      /\b(?:process|Buffer|globalThis|performance)\.\w|\b(?:require|fetch)\(|\bDate\.now\b|\bMath\.random\b|getRandomValues/;
    const used = verifier.filter((file) => impure.test(readFileSync(join(root, file), "utf8")));
    expect(used).toEqual([]);
  });

  it("are used by tests that can fail: an upward import is found", () => {
    expect((layerOf("verifier/verify.ts") ?? 0) > (layerOf("encoding/json.ts") ?? 99)).toBe(true);
    expect(localTarget("encoding/json.ts", "../verifier/verify.js")).toBe("verifier/verify.ts");
  });
});
