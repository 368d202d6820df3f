/**
 * No regular expression on the verifier's path takes more than about linear work. Every one in the import
 * closure of the verifier is found by the TypeScript parser, read by a matcher that counts its steps, and given worst
 * cases of growing length: doubling the input may at most double the steps, with a margin.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as LIMITS from "../../src/limits.js";
import { countSteps, parsePattern } from "./regexp-steps.js";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** The files that `start` imports, itself included. Both backends count: which one runs depends on the platform. */
function closure(start: string): readonly string[] {
  const seen = new Set([
    start,
    join(root, "crypto/backend-node.ts"),
    join(root, "crypto/backend-portable.ts"),
  ]);
  for (const file of seen) {
    for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8"), true, true).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      const target = resolve(dirname(file), fileName).replace(/\.js$/, ".ts");
      if (existsSync(target)) seen.add(target);
    }
  }
  return [...seen];
}

/** Patterns made of text at run time, with what they are made into. */
const MADE: Readonly<Record<string, string>> = {
  [`\`^[!-~]{1,\${LIMITS.maxMediaTypeCharacters}}$\``]: `^[!-~]{1,${LIMITS.maxMediaTypeCharacters}}$`,
  POINTER: "",
};

function patternsIn(file: string): readonly Found[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const constants = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    const where = `${relative(root, file)}:${source.getLineAndCharacterOfPosition(node.pos).line + 1}`;
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isStringLiteralLike(node.initializer)) {
      constants.set(node.name.getText(), node.initializer.text);
    }
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push({ where, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if (ts.isNewExpression(node) && node.expression.getText() === "RegExp") {
      const [pattern, flags] = node.arguments ?? [];
      const text = pattern?.getText() ?? "";
      const made = constants.get(text) ?? (MADE[text] || undefined);
      if (made === undefined)
        throw new Error(`${where}: a pattern made of ${text}, which this test does not know`);
      found.push({ where, source: made, flags: flags && ts.isStringLiteralLike(flags) ? flags.text : "" });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** How many times the steps of `length` units the steps of twice as many are, at worst over the hostile inputs. */
function growth({ source, flags }: Found, length = 200): number {
  const unicode = flags.includes("u");
  const pattern = parsePattern(source, unicode);
  const samples = [...new Set([...pattern.samples, "a", "0"])];
  const bodies = samples.flatMap((a) => samples.map((b) => a + b));
  let worst = 0;
  for (const body of bodies) {
    for (const [before, after] of [
      ["", ""],
      ["", "\u0001!"],
      ["0.", "\u0001!"],
      ["a+00000000+", "\u0001!"],
    ] as const) {
      const input = (times: number): string => before + body.repeat(times / 2) + after;
      const short = countSteps(pattern, input(length), unicode, 1_000_000).steps;
      const long = countSteps(pattern, input(2 * length), unicode, 1_000_000).steps;
      worst = Math.max(worst, long === Number.POSITIVE_INFINITY ? long : long / (short + length));
    }
  }
  return worst;
}

const files = closure(join(root, "verifier/index.ts"));
const patterns = files.flatMap(patternsIn);

describe("regular expressions of the verifier", () => {
  it("are all found", () => {
    expect(files.length).toBeGreaterThan(40);
    expect(patterns.length).toBeGreaterThan(15);
    // A text given to these would be made into a pattern, or compared by one.
    const hidden = files.filter((file) => /\.(?:match|matchAll|search)\(/.test(readFileSync(file, "utf8")));
    expect(hidden).toEqual([]);
  });

  it.each(patterns)("$where /$source/$flags grows about linearly", (found) => {
    expect(growth(found)).toBeLessThan(2.5);
  });

  it.each(patterns)("$where /$source/$flags is read here as the engine reads it", (found) => {
    const unicode = found.flags.includes("u");
    const pattern = parsePattern(found.source, unicode);
    const engine = new RegExp(found.source, found.flags.replace("g", ""));
    const inputs = [
      "",
      "0",
      "a",
      "2026-01-02T03:04:05Z",
      "1.5e3",
      "-0",
      "a+0123abcd+AA==",
      "\ufffe",
      "007",
      "list",
    ];
    for (const input of [...inputs, ...pattern.samples.map((sample) => sample.repeat(3))]) {
      expect(countSteps(pattern, input, unicode, 1_000_000).found, input).toBe(engine.test(input));
    }
  });
});

describe("regular expressions of the packages that the verifier uses", () => {
  const packages = fileURLToPath(new URL("../../node_modules/", import.meta.url));
  const named = [
    ...readdirSync(join(packages, "@noble/curves")).map((name) => `@noble/curves/${name}`),
    ...readdirSync(join(packages, "@noble/curves/abstract")).map((name) => `@noble/curves/abstract/${name}`),
    ...readdirSync(join(packages, "@noble/hashes")).map((name) => `@noble/hashes/${name}`),
  ].filter((name) => name.endsWith(".js") && existsSync(join(packages, name)));
  const theirs = named.flatMap((name) => patternsIn(join(packages, name)));

  it("grow about linearly too", () => {
    expect(named.length).toBeGreaterThan(20);
    expect(theirs.filter((found) => growth(found) >= 2.5)).toEqual([]);
  });
});

describe("the count", () => {
  it.each(["^(?:a+)+$", "^a*a*$", "(?:a|a)*$", "a+$", "^(?:a|aa)+!$", "(.+)!"])(
    "finds /%s/ too slow",
    (source) => {
      expect(growth({ where: "", source, flags: "" }, 16)).toBeGreaterThan(2.5);
    },
  );
});
