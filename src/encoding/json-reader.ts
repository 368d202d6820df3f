/**
 * Layer 1: the single pass of `parseJson` over a decoded text. Use it through `json.ts`.
 *
 * Recursive, one level for each array or object, with the depth checked before each descent.
 */

import type { FaultCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import { isSameDecimal } from "./decimal-text.js";
import type { JsonFault, ParseLimits, Recogniser } from "./json-fault.js";
import { emptyObject, type JsonValue } from "./json-value.js";
import { pointerOf } from "./pointer.js";
import { encodeUtf8, hasNoncharacter, hasSuspectUnit, isWellFormed } from "./utf8.js";

/** Thrown inside the pass, and caught by `parseJson`, when nothing after this place can be read. */
export class EndOfPass extends Error {}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const ARRAY_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

export class JsonReader {
  /** At most one of each code, in the order found. */
  readonly faults: JsonFault[] = [];
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  readonly #isFreeNumber: ParseLimits["isFreeNumber"];
  readonly #exactNumbers: boolean;
  readonly #recognise: ReturnType<Recogniser> | undefined;
  /** True when no text of the source can be at fault unless it has an escape. */
  readonly #plainSource: boolean;
  /** Index of the next UTF-16 code unit to read. */
  #at = 0;
  /** Values begun. */
  #values = 0;
  /** Member names and element indexes from the outermost value to the one being read. */
  readonly #path: (string | number)[] = [];

  /** `text` has no byte order mark and no lone surrogate; its length is already bounded. */
  constructor(text: string, limits: Omit<ParseLimits, "maxBytes">) {
    this.#text = text;
    this.#maxDepth = Math.min(limits.maxDepth, LIMITS.maxDepth);
    this.#maxValues = Math.min(limits.maxValues ?? LIMITS.maxValues, LIMITS.maxValues);
    this.#isFreeNumber = limits.isFreeNumber;
    this.#exactNumbers = limits.exactNumbers ?? false;
    this.#plainSource = !hasSuspectUnit(text);
    this.#recognise = limits.recogniser?.(text);
  }

  /** The one value of the text; throws EndOfPass, with the reason in `faults`, when there is none. */
  readText(): JsonValue {
    this.#skipSpace();
    const value = this.#readValue();
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      throw this.#end("FORMAT_SYNTAX_INVALID", `nothing may follow the value, found ${this.#found()}`);
    }
    return value;
  }

  /** Reads the value that begins exactly here, and nothing behind it. */
  #readValue(): JsonValue {
    this.#values++;
    if (this.#values > this.#maxValues && this.#at < this.#text.length) {
      throw this.#end("FORMAT_TOO_LARGE", `more than ${this.#maxValues} values`);
    }
    const code = this.#text.charCodeAt(this.#at);
    switch (code) {
      case QUOTE: {
        const start = this.#at;
        const value = this.#readString();
        this.#checkText(value, start);
        return value;
      }
      case OBJECT_OPEN:
        return this.#recognised() ?? this.#readObject();
      case ARRAY_OPEN:
        return this.#readArray();
      case 0x74:
        return this.#readWord("true", true);
      case 0x66:
        return this.#readWord("false", false);
      case 0x6e:
        return this.#readWord("null", null);
      default:
        if (code === MINUS || isDigit(code)) return this.#readNumber();
        throw this.#expected("a value");
    }
  }

  /** The object that begins here, if the caller knows it. */
  #recognised(): JsonValue | null {
    const found = this.#recognise?.(this.#path, this.#at) ?? null;
    // The object itself has been counted. What goes beyond the limit is refused at its place by the parser.
    if (found === null || this.#values + found.values - 1 > this.#maxValues) return null;
    this.#values += found.values - 1;
    this.#at = found.end;
    return found.value;
  }

  #readObject(): JsonValue {
    this.#descend();
    const object = emptyObject();
    const depth = this.#path.push("");
    if (this.#opensEmpty(OBJECT_CLOSE)) return object;
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#expected("a member name in quotes");
      const start = this.#at;
      const name = this.#readString();
      this.#path[depth - 1] = name;
      this.#checkText(name, start);
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at) !== COLON) throw this.#expected('":" after a member name');
      this.#at++;
      this.#skipSpace();
      const repeated = name in object; // nothing is inherited, so these are its own names
      if (repeated) this.#note("FORMAT_DUPLICATE_MEMBER", start, "a member of this name is already there");
      const value = this.#readValue();
      if (!repeated) object[name] = value;
      if (this.#closes(OBJECT_CLOSE, '"," or "}" after a member')) return object;
    }
  }

  #readArray(): JsonValue {
    this.#descend();
    const array: JsonValue[] = [];
    const depth = this.#path.push(0);
    if (this.#opensEmpty(ARRAY_CLOSE)) return array;
    for (;;) {
      this.#path[depth - 1] = array.length;
      array.push(this.#readValue());
      // An array that grew by pushing holds room for sixteen more; a million short ones would be mostly room.
      if (this.#closes(ARRAY_CLOSE, '"," or "]" after an element'))
        return array.length < 32 ? array.slice() : array;
    }
  }

  #descend(): void {
    if (this.#path.length >= this.#maxDepth) {
      throw this.#end("FORMAT_TOO_LARGE", `arrays and objects nested deeper than ${this.#maxDepth}`);
    }
    this.#at++;
    this.#skipSpace();
  }

  /** True, and the bracket is taken, when an array or object closes right after it opened. */
  #opensEmpty(close: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== close) return false;
    this.#at++;
    this.#path.pop();
    return true;
  }

  /** Takes what follows an item: true for the closing bracket, false for a comma. */
  #closes(close: number, wanted: string): boolean {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    if (code !== close && code !== COMMA) throw this.#expected(wanted);
    this.#at++;
    if (code === close) {
      this.#path.pop();
      return true;
    }
    this.#skipSpace();
    return false;
  }

  /** The text of the string that begins here, unescaped. */
  #readString(): string {
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    for (let i = start + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        this.#at = i + 1;
        // Every escape was checked above, so this is one correct string token: the built-in only unescapes it.
        return escaped ? String(JSON.parse(text.slice(start, i + 1))) : text.slice(start + 1, i);
      }
      if (code === BACKSLASH) {
        escaped = true;
        this.#at = i + 1;
        i += this.#escapeLength() - 1;
      } else if (code < 0x20) {
        this.#at = i;
        throw this.#expected("a control character to be escaped");
      }
    }
    throw this.#endsEarly();
  }

  /** Code units of the escape including its backslash, which has just been passed. */
  #escapeLength(): number {
    const kind = this.#text.charAt(this.#at);
    if (kind !== "" && '"\\/bfnrt'.includes(kind)) return 2;
    if (kind !== "u") throw this.#expected("an escape that JSON has");
    for (let i = 0; i < 4; i++) {
      this.#at++;
      if (!isHexDigit(this.#text.charCodeAt(this.#at)))
        throw this.#expected('four hexadecimal digits after "\\u"');
    }
    return 6;
  }

  #readNumber(): number {
    const start = this.#at;
    if (this.#text.charCodeAt(this.#at) === MINUS) this.#at++;
    if (this.#text.charCodeAt(this.#at) === ZERO) {
      this.#at++;
      if (isDigit(this.#text.charCodeAt(this.#at))) throw this.#expected("no digit behind a leading zero");
    } else this.#skipDigits();
    let integer = true;
    if (this.#text.charCodeAt(this.#at) === DOT) {
      integer = false;
      this.#at++;
      this.#skipDigits();
    }
    if (isExponentMark(this.#text.charCodeAt(this.#at))) {
      integer = false;
      this.#at++;
      const sign = this.#text.charCodeAt(this.#at);
      if (sign === 0x2b || sign === MINUS) this.#at++;
      this.#skipDigits();
    }
    const literal = this.#text.slice(start, this.#at);
    const value = Number(literal);
    const digitsOnly = integer && this.#text.charCodeAt(start) !== MINUS;
    this.#checkNumber(value, literal, start, integer, digitsOnly);
    // Negative zero is zero: canonical JSON has one spelling for both.
    return value === 0 ? 0 : value;
  }

  #checkNumber(value: number, literal: string, start: number, integer: boolean, digitsOnly: boolean): void {
    let detail: string | null = null;
    if (!Number.isFinite(value)) detail = "the number is beyond a double";
    else if (integer && !Number.isSafeInteger(value)) detail = "an integer is beyond 2^53-1 in magnitude";
    else if (!digitsOnly && this.#isFreeNumber?.(this.#path) === false) {
      detail = "an integer is written in digits only, without sign, fraction or exponent";
    } else if (this.#exactNumbers && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      detail = "an integer is beyond 2^53-1 in magnitude";
    } else if (!integer && this.#exactNumbers && !isSameDecimal(literal, String(value))) {
      detail = "a double cannot hold this number: its canonical form is another decimal number";
    }
    if (detail !== null) this.#note("FORMAT_NUMBER_INVALID", start, detail);
  }

  /** Passes one digit or more. */
  #skipDigits(): void {
    if (!isDigit(this.#text.charCodeAt(this.#at))) throw this.#expected("a digit");
    do this.#at++;
    while (isDigit(this.#text.charCodeAt(this.#at)));
  }

  #readWord<T extends JsonValue>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.#text.charCodeAt(this.#at) !== word.charCodeAt(i)) throw this.#expected(`the word "${word}"`);
      this.#at++;
    }
    return value;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  /** The I-JSON rules for one string or name, after unescaping: escapes can hide what raw text cannot hold. */
  #checkText(text: string, start: number): void {
    // Where the source has no suspect unit, only an escape can make one, and an escape leaves a longer source.
    if (this.#plainSource && text.length === this.#at - start - 2) return;
    if (!isWellFormed(text))
      this.#note("FORMAT_TEXT_INVALID", start, "a lone surrogate, which is no character");
    else if (hasNoncharacter(text)) this.#note("FORMAT_TEXT_INVALID", start, "a Unicode noncharacter");
  }

  /** Records a fault after which reading goes on, unless its code is there already. */
  #note(code: FaultCode, start: number, detail: string): void {
    // Only the first of a code: a pointer for each of a million faults would cost the square of the input.
    if (this.faults.some((fault) => fault.code === code)) return;
    this.faults.push({ code, pointer: pointerOf(this.#path), offset: this.#byteOffset(start), detail });
  }

  /** What to throw when something else than `wanted` stands here. */
  #expected(wanted: string): EndOfPass {
    if (this.#at >= this.#text.length) return this.#endsEarly();
    return this.#end("FORMAT_SYNTAX_INVALID", `expected ${wanted}, found ${this.#found()}`);
  }

  #endsEarly(): EndOfPass {
    this.#at = this.#text.length;
    return this.#end("FORMAT_TRUNCATED", "the input ends before its value is complete");
  }

  #end(code: FaultCode, detail: string): EndOfPass {
    this.faults.push({ code, pointer: "", offset: this.#byteOffset(this.#at), detail });
    return new EndOfPass(detail);
  }

  /** The character here by number, since it may be one that a terminal obeys. */
  #found(): string {
    const point = this.#text.codePointAt(this.#at) ?? 0;
    return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  }

  #byteOffset(index: number): number {
    return encodeUtf8(this.#text.slice(0, index)).length;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

function isExponentMark(code: number): boolean {
  return code === 0x65 || code === 0x45;
}
