/**
 * Layer 8: where values stand in a JSON text, by byte offset, and whether its numbers survive canonical JSON.
 *
 * Only for bytes that `parseJson` has read to the end: the grammar is not checked again. Nothing here recurses.
 */

import { decodeUtf8 } from "../../encoding/utf8.js";

/** Half-open range of byte offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  while (isSpace(bytes[i])) i++;
  return i;
}

/** The offset behind the string that opens at `at`. */
function skipString(bytes: Uint8Array, at: number): number {
  let i = at + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i + 1;
}

function isOpen(byte: number | undefined): boolean {
  return byte === 0x5b || byte === 0x7b;
}

function isClose(byte: number | undefined): boolean {
  return byte === 0x5d || byte === 0x7d;
}

/** The offset behind the value that begins at `at`. */
function skipValue(bytes: Uint8Array, at: number): number {
  let i = at;
  let depth = 0;
  do {
    const byte = bytes[i];
    if (byte === QUOTE) i = skipString(bytes, i);
    else {
      if (isOpen(byte)) depth++;
      else if (isClose(byte)) depth--;
      i++;
      // A number or word runs up to what ends it.
      while (depth === 0 && i < bytes.length && !isClose(byte) && bytes[i] !== COMMA && !isClose(bytes[i])) {
        if (isSpace(bytes[i])) break;
        i++;
      }
    }
  } while (depth > 0 && i < bytes.length);
  return i;
}

/** The one value of a whole text, without the space around it. */
export function rootSpan(bytes: Uint8Array): Span {
  const start = skipSpace(bytes, 0);
  return { start, end: skipValue(bytes, start) };
}

/** The members or elements of the array or object at `span`, by name or index; the first of equal names. */
export function childSpans(bytes: Uint8Array, span: Span): Map<string, Span> {
  const children = new Map<string, Span>();
  const object = bytes[span.start] === 0x7b;
  if (!object && bytes[span.start] !== 0x5b) return children;
  let i = skipSpace(bytes, span.start + 1);
  for (let index = 0; i < span.end && !isClose(bytes[i]); index++) {
    let token = String(index);
    if (object) {
      const nameEnd = skipString(bytes, i);
      token = String(JSON.parse(decodeUtf8(bytes.subarray(i, nameEnd)) ?? ""));
      i = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1); // over the colon
    }
    const end = skipValue(bytes, i);
    if (!children.has(token)) children.set(token, { start: i, end });
    i = skipSpace(bytes, end);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
  }
  return children;
}

/** True when canonical JSON writes every number of the text as the same decimal number (RFC 8785 section 3.2.2.3). */
export function hasExactNumbers(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; ) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) i = skipString(bytes, i);
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = skipValue(bytes, i);
      if (!isExactNumber(String.fromCharCode(...bytes.subarray(i, Math.min(end, i + MAX_DIGITS)))))
        return false;
      if (end - i > MAX_DIGITS) return false;
      i = end;
    } else i++;
  }
  return true;
}

/** A literal longer than this is not compared but kept as bytes; no double needs more to be written exactly. */
const MAX_DIGITS = 1100;

function isExactNumber(literal: string): boolean {
  const value = Number(literal);
  // Beyond 2^53-1 canonical JSON may write an integer that a strict reader refuses.
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER || Object.is(value, -0))
    return false;
  return decimal(literal) === decimal(String(value));
}

/** One spelling for each decimal number: sign, digits without outer zeros, power of ten. */
function decimal(literal: string): string {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = (negative ? mantissa.slice(1) : mantissa).split(".");
  const all = whole + fraction;
  let first = 0;
  while (all[first] === "0") first++;
  let last = all.length;
  while (last > first && all[last - 1] === "0") last--;
  if (first === last) return "0";
  const power = Number(exponent) - fraction.length + (all.length - last);
  return `${negative ? "-" : ""}${all.slice(first, last)}e${power}`;
}
