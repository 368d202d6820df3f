/**
 * Builds of the verifier with one rule switched off. The shipped code has no switch: the source of one module is
 * altered as text, compiled, and loaded as a module graph of its own. Modules that nothing altered reaches are shared.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import type { verifyBundle } from "../../src/verifier/verify.js";

export type VerifyBundle = typeof verifyBundle;

/** One place of the source that makes a rule, and what stands there when the rule is off. */
export interface Off {
  /** Below `src/`. */
  readonly file: string;
  /** Source text that must be found exactly once. */
  readonly fragment: string;
  readonly replacement: string;
}

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const ENTRY = "verifier/verify.ts";
const IMPORT = /(from\s+")(\.{1,2}\/[^"]+)\.js(")/g;

/** The source with one rule off. */
export function alter(source: string, off: Off): string {
  const [before, after, ...more] = source.split(off.fragment);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(
      `src/${off.file} must hold this exactly once, and holds it ${more.length + (after === undefined ? 0 : 1)} times:\n${off.fragment}`,
    );
  }
  return `${before}${off.replacement}${after}`;
}

/** Compiles the verifier once, and then again whatever a switched-off rule reaches. */
export class Builds {
  readonly #folder: string;
  readonly #sources = new Map<string, string>();
  readonly #compiled = new Map<string, string>();
  readonly #loaded = new Map<string, Promise<VerifyBundle>>();
  /** Files that import a file, directly or not, itself included. */
  readonly #importers = new Map<string, ReadonlySet<string>>();
  #count = 0;

  constructor() {
    // Below node_modules, so that dependencies resolve and the test runner leaves the files as they are.
    const cache = join(PROJECT, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    this.#folder = mkdtempSync(join(cache, "osa-proof-controls-"));
    const imports = { "#backend": "./base/crypto/backend-node.js" };
    writeFileSync(join(this.#folder, "package.json"), JSON.stringify({ type: "module", imports }));
    this.#readClosure();
    for (const [file, source] of this.#sources) this.#compiled.set(file, compile(source));
    for (const [file, code] of this.#compiled) this.#write("base", file, code);
    this.#write("base", "crypto/backend-node.ts", compile(sourceOf("crypto/backend-node.ts")));
  }

  /** The verifier as it ships, through the same compiler. */
  base(): Promise<VerifyBundle> {
    return this.#load("base");
  }

  /** The source of a module with one rule off; throws when the rule's fragment is not found exactly once. */
  altered(off: Off): string {
    const source = this.#sources.get(off.file);
    if (source === undefined) throw new Error(`the verifier does not reach src/${off.file}`);
    return alter(source, off);
  }

  /** The verifier without one rule, made once for each. */
  without(off: Off): Promise<VerifyBundle> {
    const name = JSON.stringify(off);
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const made = this.#build(off);
    this.#loaded.set(name, made);
    return made;
  }

  async #build(off: Off): Promise<VerifyBundle> {
    const altered = compile(this.altered(off));
    const fresh = this.#importersOf(off.file);
    const name = `off-${++this.#count}`;
    for (const file of fresh) {
      const code = file === off.file ? altered : (this.#compiled.get(file) ?? "");
      this.#write(name, file, redirect(code, file, fresh));
    }
    return this.#load(name);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #load(name: string): Promise<VerifyBundle> {
    const path = join(this.#folder, name, ENTRY.replace(/\.ts$/, ".js"));
    const loaded: { verifyBundle: VerifyBundle } = await import(/* @vite-ignore */ pathToFileURL(path).href);
    return loaded.verifyBundle;
  }

  #write(name: string, file: string, code: string): void {
    const path = join(this.#folder, name, file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }

  #readClosure(): void {
    const open = [ENTRY];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (this.#sources.has(file)) continue;
      const source = sourceOf(file);
      this.#sources.set(file, source);
      open.push(...importsOf(file, source));
    }
  }

  #importersOf(target: string): ReadonlySet<string> {
    const known = this.#importers.get(target);
    if (known !== undefined) return known;
    const found = new Set([target]);
    for (const wanted of found) {
      for (const [file, source] of this.#sources) {
        if (importsOf(file, source).includes(wanted)) found.add(file);
      }
    }
    this.#importers.set(target, found);
    return found;
  }
}

function sourceOf(file: string): string {
  const source = readFileSync(join(PROJECT, "src", file), "utf8");
  // What package.json stands in for on Node.js, as the imports that they are there.
  const onNode = { "#receipts": "bundle/receipt-source.js", "#proofs": "tree/proven-tree.js" };
  return Object.entries(onNode).reduce(
    (changed, [name, path]) => changed.replace(`"${name}"`, `"./${posix.relative(dirname(file), path)}"`),
    source,
  );
}

function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => target(file, match[2] ?? ""));
}

function target(file: string, specifier: string): string {
  return `${posix.join(posix.dirname(file), specifier)}.ts`;
}

function compile(source: string): string {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** Points the imports of a fresh module at the shared build, but for other fresh modules. */
function redirect(code: string, file: string, fresh: ReadonlySet<string>): string {
  return code.replace(IMPORT, (whole, head: string, specifier: string, tail: string) => {
    const wanted = target(file, specifier);
    if (fresh.has(wanted)) return whole;
    const up = posix.relative(posix.dirname(file), ".") || ".";
    return `${head}${up}/../base/${wanted.replace(/\.ts$/, ".js")}${tail}`;
  });
}
