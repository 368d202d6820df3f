/**
 * Layer 8: one JSON text of a recording, from which values are taken without altering them.
 *
 * `json` holds only what canonical JSON gives back unchanged (docs/SPEC.md, "Commitments"). A value that it cannot
 * hold (a name twice, a number beyond I-JSON or not a double's own decimal, a lone surrogate, too deep nesting) is
 * taken as the exact bytes of its text.
 */

import { parseJson } from "../../encoding/json.js";
import type { JsonFault } from "../../encoding/json-fault.js";
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { appendPointer } from "../../encoding/pointer.js";
import { encodeUtf8, isWellFormed } from "../../encoding/utf8.js";
import * as LIMITS from "../../limits.js";
import { importProblem } from "./problem.js";
import { childSpans, hasExactNumbers, rootSpan, type Span } from "./scan.js";
import type { ImportedValue } from "./types.js";

/** Names and indexes from the root of a text to a value. */
export type Path = readonly (string | number)[];

/** A value, and why it is bytes when it is. */
export interface Taken {
  readonly value: ImportedValue;
  readonly reason?: string;
}

/** What stands where the recording has nothing. */
export const NOTHING: Taken = { value: { json: null } };

const TEXT_LIMITS = { maxBytes: LIMITS.maxBundleBytes, maxDepth: LIMITS.maxDepth };
const VALUE_LIMITS = { maxBytes: LIMITS.maxDisclosedValueBytes, maxDepth: LIMITS.maxFreeJsonDepth };

export class Source {
  /** For looking at; where the text has faults, only `take` gives values to commit. */
  readonly value: JsonValue;
  /** What messages call it: "the recording", "line 7". */
  readonly label: string;
  readonly #bytes: Uint8Array;
  /** True when the whole text is one that `json` could hold, but for its depth. */
  readonly #clean: boolean;
  #root: Span | null = null;
  readonly #children = new Map<string, Map<string, Span>>();
  readonly #taken: Span[] = [];

  constructor(bytes: Uint8Array, value: JsonValue, clean: boolean, label: string) {
    this.#bytes = bytes;
    this.value = value;
    this.#clean = clean;
    this.label = label;
  }

  /** The value at `path`; {@link NOTHING} when there is none. */
  take(path: Path): Taken {
    const value = valueAt(this.value, path);
    if (value === undefined) return NOTHING;
    if (this.#clean && fits(value, VALUE_LIMITS.maxDepth)) return { value: { json: value } };
    return exactJson(this.#slice(path));
  }

  /** The value whose JSON text is the string at `path`; on any fault the exact bytes of that string. */
  takeJsonText(path: Path): Taken {
    const text = valueAt(this.value, path);
    if (typeof text !== "string") return this.take(path);
    // A lone surrogate has no bytes, so what is left is the escape that the recording shows.
    if (!isWellFormed(text)) return this.take(path);
    if (!this.#clean) this.#slice(path);
    return exactJson(encodeUtf8(text));
  }

  /** An object with one member, for a recording that keeps a command as bare text; bytes stay bytes. */
  takeAs(name: string, path: Path): Taken {
    const taken = this.take(path);
    return "json" in taken.value ? { value: { json: { [name]: taken.value.json } } } : taken;
  }

  /**
   * To be called when everything is taken. Throws IMPORT_INVALID when a member name appears twice outside of the
   * values that were taken: which of the two tells what was called cannot be decided. Other faults out there are
   * in nothing that is used.
   */
  close(): void {
    if (this.#clean) return;
    const { faults } = parseJson(this.#withoutTaken(), TEXT_LIMITS);
    const twice = faults.find((fault) => fault.code === "FORMAT_DUPLICATE_MEMBER");
    if (twice === undefined) return;
    throw importProblem(
      this.label,
      "every member name once",
      "a name twice",
      "remove the member that does not count, or record this session again",
      twice.pointer,
    );
  }

  #slice(path: Path): Uint8Array {
    this.#root ??= rootSpan(this.#bytes);
    let span = this.#root;
    let key = "";
    for (const token of path) {
      // Each container is scanned once, whatever the number of values taken from it.
      let children = this.#children.get(key);
      if (children === undefined) {
        children = childSpans(this.#bytes, span);
        this.#children.set(key, children);
      }
      span = children.get(String(token)) ?? span;
      key = appendPointer(key, token);
    }
    this.#taken.push(span);
    return this.#bytes.slice(span.start, span.end);
  }

  /** The text with `null` in the place of everything taken. */
  #withoutTaken(): Uint8Array {
    const spans = this.#taken.toSorted((a, b) => a.start - b.start || b.end - a.end);
    const rest = new Uint8Array(this.#bytes.length + 4 * spans.length);
    let from = 0;
    let length = 0;
    const put = (bytes: Uint8Array): void => {
      rest.set(bytes, length);
      length += bytes.length;
    };
    for (const span of spans) {
      if (span.start < from) continue; // inside one that is already out
      put(this.#bytes.subarray(from, span.start));
      put(encodeUtf8("null"));
      from = span.end;
    }
    put(this.#bytes.subarray(from));
    return rest.subarray(0, length);
  }
}

/** A source, or the fault that kept the text from being read to its end. */
export function readSource(bytes: Uint8Array, label: string): Source | JsonFault {
  const { value, faults } = parseJson(bytes, TEXT_LIMITS);
  if (value !== undefined) {
    return new Source(bytes, value, faults.length === 0 && hasExactNumbers(bytes), label);
  }
  return (
    faults.at(-1) ?? {
      code: "FORMAT_SYNTAX_INVALID",
      pointer: "",
      offset: 0,
      detail: "the text cannot be read",
    }
  );
}

/** As {@link readSource}, but throws IMPORT_INVALID. */
export function openSource(bytes: Uint8Array, label: string): Source {
  const source = readSource(bytes, label);
  if (source instanceof Source) return source;
  throw importProblem(
    label,
    "one complete JSON text",
    `this at byte ${source.offset}: ${source.detail}`,
    "check that the file is whole and of the stated format",
  );
}

/** What `value` holds at `path`, or undefined. */
export function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const token of path) {
    if (isArray(here)) here = typeof token === "number" ? here[token] : undefined;
    else here = memberOf(here, String(token));
  }
  return here;
}

/** An own member of an object; undefined for everything else. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Array.isArray, with the readonly arrays that it would forget. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function exactJson(bytes: Uint8Array): Taken {
  const { value, faults } = parseJson(bytes, VALUE_LIMITS);
  const fault = faults[0];
  if (fault !== undefined) return { value: { bytes }, reason: fault.detail };
  if (value === undefined || !hasExactNumbers(bytes)) {
    return { value: { bytes }, reason: "a number that canonical JSON would write as another one" };
  }
  return { value: { json: value } };
}

/** Recursive to the depth that the parser allowed. */
function fits(value: JsonValue, levels: number): boolean {
  if (isArray(value)) return levels > 0 && value.every((item) => fits(item, levels - 1));
  if (isObject(value)) return levels > 0 && Object.values(value).every((item) => fits(item, levels - 1));
  return true;
}
