/**
 * Layer 1: the compact binary form, a JSON value as deterministic CBOR (docs/SPEC.md, "Compact binary form").
 *
 * | JSON | CBOR (RFC 8949) |
 * | --- | --- |
 * | null, true, false | simple values 22, 21, 20 |
 * | a number that is an integer of at most 2^53-1 in magnitude | integer |
 * | every other number | the shortest of binary16, 32 and 64 that keeps the value |
 * | a text of `0x` and lower-case hex for whole bytes | byte string of these bytes |
 * | every other text | text string |
 * | array | array |
 * | object | map with text names, in bytewise order of their encodings |
 *
 * Heads are in their shortest form, lengths definite; there is nothing else: no tag, no other simple value, no
 * NaN, infinity or negative zero. So each value has one encoding, and each encoding one value.
 */

import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { readScanned } from "./cbor-read.js";
import { scanCbor } from "./cbor-scan.js";
import { writeCbor } from "./cbor-write.js";
import { isJsonValue } from "./jcs.js";
import { type ParsedJson, type ParseLimits, refuse, refuseTooLong, TOO_LONG } from "./json-fault.js";
import type { JsonValue } from "./json-value.js";

/**
 * The one encoding of `value`. Throws VALUE_NOT_JSON for what `isJsonValue` refuses. Negative zero is
 * written as zero, as in canonical JSON.
 */
export function encodeCbor(value: JsonValue): Uint8Array {
  if (!isJsonValue(value)) {
    throw new OsaProofError(
      "VALUE_NOT_JSON",
      `only null, booleans, finite numbers, well-formed text without noncharacters, dense arrays and plain objects of these, nested at most ${LIMITS.maxDepth} deep, can be written as CBOR`,
    );
  }
  return writeCbor(value, 1024).slice();
}

/**
 * Reads one value, and only in the encoding that `encodeCbor` gives it. Never throws on bad input.
 *
 * Codes are those of `parseJson`: more than `maxBytes`, more values or deeper nesting than allowed, and, where
 * nothing else was found, a canonical form longer than any bundle = FORMAT_TOO_LARGE; bad
 * UTF-8 or a noncharacter = FORMAT_TEXT_INVALID; a repeated name = FORMAT_DUPLICATE_MEMBER; NaN, an infinity,
 * negative zero, an integer beyond 2^53-1 = FORMAT_NUMBER_INVALID; more announced than there is = FORMAT_TRUNCATED;
 * anything else outside the table above, a second spelling, a name out of order and bytes behind the value
 * included = FORMAT_SYNTAX_INVALID. `offset` counts bytes. With any fault there is no value.
 */
export function parseCbor(bytes: Uint8Array, limits: ParseLimits): ParsedJson {
  if (bytes.length > limits.maxBytes) {
    return refuse("FORMAT_TOO_LARGE", `${bytes.length} bytes, where at most ${limits.maxBytes} are read`);
  }
  const { faults, hasTooLongBytes } = scanCbor(bytes, {
    maxDepth: Math.min(limits.maxDepth, LIMITS.maxDepth),
    maxValues: Math.min(limits.maxValues ?? LIMITS.maxValues, LIMITS.maxValues),
  });
  if (faults.length > 0) return { value: undefined, faults };
  if (hasTooLongBytes) return refuse("FORMAT_TOO_LARGE", TOO_LONG);
  const value = readScanned(bytes);
  if (value === undefined) {
    return refuse("FORMAT_SYNTAX_INVALID", "the value does not encode to the bytes it was read from");
  }
  return refuseTooLong(value, bytes.length) ?? { value, faults: [] };
}
