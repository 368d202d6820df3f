/**
 * Layer 1: JSON Pointer (RFC 6901), the way a report says where in a value something is wrong.
 *
 * A member name of a hostile input can be half a gigabyte, or no good text. Such a name never stands in a pointer:
 * the pointer ends before it, at the object that has the member (docs/SPEC.md, "Reading bytes").
 */
import * as LIMITS from "../limits.js";
import { hasNoncharacter, isWellFormed } from "./utf8.js";

/**
 * The pointer to a member or element of what `pointer` names; `pointer` itself where the name cannot stand in one,
 * and then nothing is to be appended to that. `""` names the whole value.
 */
export function appendPointer(pointer: string, token: string | number): string {
  if (typeof token === "number") return `${pointer}/${token}`;
  return isToken(token) ? `${pointer}/${token.replaceAll("~", "~0").replaceAll("/", "~1")}` : pointer;
}

/** The pointer to what these names and indexes lead to, ending before the first name that cannot stand in one. */
export function pointerOf(path: readonly (string | number)[]): string {
  let pointer = "";
  for (const token of path) {
    if (typeof token === "string" && !isToken(token)) break;
    pointer = appendPointer(pointer, token);
  }
  return pointer;
}

function isToken(name: string): boolean {
  return name.length <= LIMITS.maxPointerTokenCharacters && isWellFormed(name) && !hasNoncharacter(name);
}

/**
 * Order of pointers for "which failure is first" (docs/SPEC.md, "Report"): token by token after unescaping, two
 * all-digit tokens as numbers, an all-digit token before any other, others by UTF-16 code unit; a pointer sorts
 * before those that it begins.
 * Zero only for equal pointers. Nothing depends on a locale.
 */
export function comparePointers(a: string, b: string): number {
  if (a === b) return 0;
  const left = a.split("/");
  const right = b.split("/");
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const order = compareTokens(unescapeToken(left[i] ?? ""), unescapeToken(right[i] ?? ""));
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

function compareTokens(a: string, b: string): number {
  // Without a place of their own, 2 < 10 < 1x < 2 would go in a circle, and the first would hang on the sorting.
  if (isDigits(a) !== isDigits(b)) return isDigits(a) ? -1 : 1;
  if (isDigits(a)) {
    // Compared as digit strings: a member name may be a longer number than a double can hold.
    const left = a.replace(/^0+(?=.)/, "");
    const right = b.replace(/^0+(?=.)/, "");
    if (left.length !== right.length) return left.length - right.length;
    if (left !== right) return left < right ? -1 : 1;
  }
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isDigits(token: string): boolean {
  return /^[0-9]+$/.test(token);
}
