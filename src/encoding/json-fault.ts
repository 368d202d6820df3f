/** Layer 1: what the parsers of this folder answer, whatever the encoding they read. */
import type { FaultCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import { canonicalSize } from "./jcs-size.js";
import type { JsonValue } from "./json-value.js";

/** One thing that is wrong with a text. */
export interface JsonFault {
  readonly code: FaultCode;
  /** JSON Pointer to the value at fault, as far as `pointerOf` goes; "" where reading ended. */
  readonly pointer: string;
  /** Bytes before the place at fault; 0 where the whole input is at fault. */
  readonly offset: number;
  /** One sentence for a person, with nothing of the input in it but single characters by number. */
  readonly detail: string;
}

/** What a parser makes of some bytes. */
export interface ParsedJson {
  /**
   * Undefined only when reading could not finish. With faults it is for looking at, never for hashing: of two
   * members with one name the first is kept, and a number or text may be one that `isJsonValue` refuses.
   */
  readonly value: JsonValue | undefined;
  /** The first fault of each code, in the order of the text. Empty: the bytes are good. */
  readonly faults: readonly JsonFault[];
}

/** A value that a caller recognised in the text by itself, the first offset behind it, and the values in it, itself included. */
export interface Recognised {
  readonly value: JsonValue;
  readonly end: number;
  readonly values: number;
}

/** Makes, for a text, a function that gets the path of a value and the offset where it begins. */
export type Recogniser = (
  text: string,
) => (path: readonly (string | number)[], at: number) => Recognised | null;

/** What a caller allows. */
export interface ParseLimits {
  readonly maxBytes: number;
  /** Nesting of arrays and objects, the outermost counted as 1; above `LIMITS.maxDepth` it means that. */
  readonly maxDepth: number;
  /** Values in the whole input; absent, or above `LIMITS.maxValues`, it means that. */
  readonly maxValues?: number;
  /**
   * Where a number need not follow the integer rule of docs/SPEC.md (digits only: no sign, fraction or exponent),
   * asked with the names and indexes that lead to it. Absent: nowhere does it have to. Only JSON text has
   * spellings, and the value no longer shows them, so the rule can be checked here and nowhere else.
   */
  readonly isFreeNumber?: (path: readonly (string | number)[]) => boolean;
  /**
   * True: a number whose canonical form is another decimal number (`0.10000000000000001`, `1e-400`) is refused, and
   * an integer beyond 2^53-1 in any spelling (`1e21`).
   */
  readonly exactNumbers?: boolean;
  /**
   * Makes a function that is asked at each object, with the names and indexes that lead to it, and that may read it in
   * its own way; null leaves it to the parser. Made only for a text that is ASCII throughout, so that offsets are those
   * of its bytes. It must answer as the parser would have, without a fault.
   */
  readonly recogniser?: Recogniser | undefined;
}

/** No byte of either encoding becomes more bytes of canonical form: the worst is a half-precision float, 3 to 22. */
const MOST_GROWTH = 8;

/** An answer for input that nothing is read of, or that ends in nothing but this fault. */
export function refuse(code: FaultCode, detail: string): ParsedJson {
  return { value: undefined, faults: [{ code, pointer: "", offset: 0, detail }] };
}

/** The fault of a value that was read without one from so many bytes, but is longer in canonical form than any bundle. */
export function refuseTooLong(value: JsonValue, byteLength: number): ParsedJson | null {
  if (byteLength * MOST_GROWTH <= LIMITS.maxBundleBytes) return null;
  return canonicalSize(value) <= LIMITS.maxBundleBytes ? null : refuse("FORMAT_TOO_LARGE", TOO_LONG);
}

export const TOO_LONG: string = `in canonical form it has more than ${LIMITS.maxBundleBytes} bytes`;
