import type { JsonValue } from "../../src/encoding/json-value.js";

/**
 * RFC 8785 written down sentence by sentence, slow and without any library: the second opinion for `canonicalJson`.
 * Only for good values; it checks nothing.
 */
export function referenceJcs(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return String(value === 0 ? 0 : value);
  if (typeof value === "string") return quote(value);
  if (isList(value)) return `[${value.map(referenceJcs).join(",")}]`;
  const members: [string, JsonValue][] = Object.entries(value);
  members.sort(([a], [b]) => compareUnits(a, b));
  return `{${members.map(([name, member]) => `${quote(name)}:${referenceJcs(member)}`).join(",")}}`;
}

/** Section 3.2.3: the names as arrays of unsigned 16-bit numbers, the shorter first when one begins the other. */
function compareUnits(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/** Section 3.2.2.2: two-character escapes where they exist, four lowercase digits for other controls, all else as it is. */
function quote(text: string): string {
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charAt(i);
    const code = text.charCodeAt(i);
    out += SHORT.get(unit) ?? (code < 0x20 ? `\\u${code.toString(16).padStart(4, "0")}` : unit);
  }
  return `${out}"`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
