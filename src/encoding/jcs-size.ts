/**
 * Layer 1: how long the canonical form of a value is, without making it.
 *
 * A value can be far longer in JCS than in the bytes it was read from: a control character of a CBOR text is one byte
 * there and six here. Whoever made that form first would find its length by running out of it.
 */
import type { JsonValue } from "./json-value.js";

/** Bytes of `canonicalBytes(value)`. The value is one of our parsers', without fault, so its depth is bounded. */
export function canonicalSize(value: JsonValue): number {
  if (typeof value === "string") return textSize(value);
  if (typeof value !== "object" || value === null) return String(value).length;
  const members = Array.isArray(value) ? value.length : Object.keys(value).length;
  // Brackets and commas.
  let size = 2 + Math.max(0, members - 1);
  if (Array.isArray(value)) {
    for (const element of value) size += canonicalSize(element);
  } else {
    for (const [name, member] of Object.entries(value)) size += textSize(name) + 1 + canonicalSize(member);
  }
  return size;
}

/** With its quotes and escapes (RFC 8785 section 3.2.2.2), in UTF-8. */
function textSize(text: string): number {
  let size = 2 + text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) size += unit < 0x800 || isSurrogate(unit) ? 1 : 2;
    else if (unit < 0x20) size += hasShortEscape(unit) ? 1 : 5;
    else if (unit === 0x22 || unit === 0x5c) size += 1;
  }
  return size;
}

/** Two of these are four bytes. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** `\b`, `\t`, `\n`, `\f` and `\r`. */
function hasShortEscape(unit: number): boolean {
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b;
}
