import { existsSync } from "node:fs";
import { parseJson } from "../../src/encoding/json.js";
import type { ParsedJson } from "../../src/encoding/json-fault.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";

export const limits: { readonly maxBytes: number; readonly maxDepth: number } = {
  maxBytes: 1_000_000,
  maxDepth: LIMITS.maxDepth,
};

/** `parseJson` of a well-formed text. */
export function parse(text: string): ParsedJson {
  return parseJson(encodeUtf8(text), limits);
}

/** Codes of all faults of a text, in the order found. */
export function codes(text: string): string[] {
  return parse(text).faults.map((fault) => fault.code);
}

/** The public vectors of one kind, or null, said once on the console, when they are not beside this project. */
export function vectorFolder(kind: string): URL | null {
  const folder = new URL(`../../../shared/vectors/${kind}/`, import.meta.url);
  if (existsSync(folder)) return folder;
  console.warn(
    `../shared/vectors/${kind} is not there: its tests are skipped, the project's own cases still run`,
  );
  return null;
}
