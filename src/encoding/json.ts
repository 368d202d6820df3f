/**
 * Layer 1: from bytes to a JSON value, strictly (RFC 8259 grammar, RFC 7493 restrictions), and what is wrong with them.
 *
 * `JSON.parse` is not enough for signed data: it keeps the last of two equal names, rounds integers silently,
 * reads `1e400` as Infinity and lets lone surrogates pass. This parser names each of these instead.
 */
import { type ParsedJson, type ParseLimits, refuse, refuseTooLong } from "./json-fault.js";
import { EndOfPass, JsonReader } from "./json-reader.js";
import { decodeUtf8 } from "./utf8.js";

export type { JsonFault, ParsedJson, ParseLimits, Recognised, Recogniser } from "./json-fault.js";

/**
 * Reads one JSON text. Never throws on bad input.
 *
 * - More than `maxBytes`: FORMAT_TOO_LARGE. Invalid UTF-8 or a byte order mark: FORMAT_TEXT_INVALID. Nothing else is then done.
 * - Ending the pass: FORMAT_SYNTAX_INVALID (grammar, and anything behind the value), FORMAT_TRUNCATED (the input
 *   ends where more must come), FORMAT_TOO_LARGE (nested deeper, or more values, than allowed).
 * - Noted while going on: FORMAT_TEXT_INVALID (a lone surrogate or noncharacter in a string or name),
 *   FORMAT_DUPLICATE_MEMBER (names compared after unescaping), FORMAT_NUMBER_INVALID (beyond a double, an integer
 *   literal beyond 2^53-1, and where `isFreeNumber` says no, all but plain digits).
 * - Where nothing else was found: FORMAT_TOO_LARGE (a canonical form longer than any bundle).
 *
 * A number with a fraction or exponent becomes the nearest double; digits that a double cannot hold are a fault
 * only with `exactNumbers`. Negative zero is read as zero. Objects inherit nothing, arrays are dense.
 */
export function parseJson(bytes: Uint8Array, limits: ParseLimits): ParsedJson {
  if (bytes.length > limits.maxBytes) {
    return refuse("FORMAT_TOO_LARGE", `${bytes.length} bytes, where at most ${limits.maxBytes} are read`);
  }
  const text = decodeUtf8(bytes);
  if (text === null) return refuse("FORMAT_TEXT_INVALID", "the bytes are not valid UTF-8");
  if (text.startsWith("\ufeff")) {
    return refuse("FORMAT_TEXT_INVALID", "the text begins with a byte order mark, which JSON does not have");
  }
  // Text that has as many units as bytes is ASCII.
  const ascii = text.length === bytes.length;
  const reader = new JsonReader(text, ascii ? limits : { ...limits, recogniser: undefined });
  try {
    const value = reader.readText();
    const tooLong = reader.faults.length === 0 ? refuseTooLong(value, bytes.length) : null;
    return tooLong ?? { value, faults: reader.faults };
  } catch (error) {
    if (error instanceof EndOfPass) return { value: undefined, faults: reader.faults };
    throw error;
  }
}
