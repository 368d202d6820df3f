/**
 * Layer 1: UTF-8 (RFC 3629), read strictly, and the two rules that I-JSON adds for text (RFC 7493 section 2.1).
 */
import { concatBytes } from "./bytes.js";

const encoder = new TextEncoder();
// ignoreBOM means "leave it in the result": a caller must be able to see a byte order mark and refuse it.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// With the u flag a surrogate pair is one code point, so only a lone half has the property.
const LONE_SURROGATE = /\p{Surrogate}/u;
const NONCHARACTER = /\p{Noncharacter_Code_Point}/u;
// Nearly every text has none of these units, and looking for units is several times faster than for properties.
const SURROGATE_UNIT = /[\ud800-\udfff]/;
const SUSPECT_UNIT = /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/;

/** UTF-8 bytes of a well-formed text. A lone surrogate would come out as U+FFFD: check `isWellFormed` first. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Where short texts are written for a moment. */
const scratch = new Uint8Array(16_384);
let isInUse = false;

/**
 * What `use` makes of `prefix` and the UTF-8 bytes of a well-formed text behind it. The bytes are lent: they are wiped
 * when `use` returns or throws. Memory of its own for each text would cost several times the hashing of it.
 */
export function withUtf8<T>(prefix: Uint8Array, text: string, use: (bytes: Uint8Array) => T): T {
  const most = prefix.length + 3 * text.length;
  if (isInUse || most > scratch.length) return use(concatBytes(prefix, encodeUtf8(text)));
  isInUse = true;
  let end = most;
  try {
    scratch.set(prefix);
    end = prefix.length + encoder.encodeInto(text, scratch.subarray(prefix.length)).written;
    return use(scratch.subarray(0, end));
  } finally {
    scratch.fill(0, 0, end);
    isInUse = false;
  }
}

/**
 * The text, or null when the bytes are not valid UTF-8 (overlong forms, encoded surrogates, cut sequences and
 * code points above U+10FFFF included). A byte order mark stays in the text as U+FEFF.
 */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** True when every surrogate is half of a pair, so that the text has UTF-8 bytes. */
export function isWellFormed(text: string): boolean {
  return !SURROGATE_UNIT.test(text) || !LONE_SURROGATE.test(text);
}

/** False when the text can be neither ill-formed nor hold a noncharacter: one quick pass over its units. */
export function hasSuspectUnit(text: string): boolean {
  return SUSPECT_UNIT.test(text);
}

/** True when the text holds one of the 66 noncharacters: U+FDD0 to U+FDEF, and U+nFFFE and U+nFFFF of every plane. */
export function hasNoncharacter(text: string): boolean {
  return hasSuspectUnit(text) && NONCHARACTER.test(text);
}

/** The same text in memory of its own: a part of a long text keeps all of it in memory. */
export function detached(text: string): string {
  return decodeUtf8(encodeUtf8(text)) ?? text;
}
