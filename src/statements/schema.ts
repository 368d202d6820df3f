/**
 * Closed schemas: one description of a shape that decodes strictly, and from which its JSON Schema is printed.
 *
 * A decoder reports every fault it finds and builds a fresh value; it never keeps a member it does not
 * know (docs/SPEC.md, "Closed schemas"). The order of work inside an object is: type, version members,
 * unknown members, missing members, then each member.
 */
import { emptyObject, type JsonObject, type JsonValue } from "../encoding/json-value.js";
import { appendPointer, comparePointers } from "../encoding/pointer.js";
import { FAULT_CODES, type FaultCode } from "../errors.js";
import * as LIMITS from "../limits.js";

/** One thing wrong with decoded JSON: code, where, and one clause for a person. */
export interface Fault {
  readonly code: FaultCode;
  readonly pointer: string;
  readonly detail: string;
}

/** The order in which faults are judged: the table of codes, then the pointer (docs/SPEC.md, "First failure"). */
export function compareFaults(a: Fault, b: Fault): number {
  return FAULT_CODES.indexOf(a.code) - FAULT_CODES.indexOf(b.code) || comparePointers(a.pointer, b.pointer);
}

/** Values that a reader has checked in full while it read them; no schema looks at them again. */
export type KnownValues = Pick<ReadonlySet<object>, "has">;

const NOTHING_KNOWN: KnownValues = new Set();

/** Where decoders report: how many faults there are, and the first of them; hostile input can have millions. */
export class Faults {
  readonly known: KnownValues;
  #count = 0;
  #kept: Fault[] = [];
  /** The last of a full list: what does not sort before it can never be shown. */
  #last: Fault | undefined;

  constructor(known: KnownValues = NOTHING_KNOWN) {
    this.known = known;
  }

  get count(): number {
    return this.#count;
  }

  report(fault: Fault): void {
    this.#count += 1;
    if (this.#last !== undefined && compareFaults(fault, this.#last) >= 0) return;
    this.#kept.push(fault);
    if (this.#kept.length < 2 * LIMITS.maxReportedFailures) return;
    this.#kept = [...this.first()];
    this.#last = this.#kept.at(-1);
  }

  /** At most `LIMITS.maxReportedFailures` of them, in order. */
  first(): readonly Fault[] {
    return this.#kept.sort(compareFaults).slice(0, LIMITS.maxReportedFailures);
  }
}

/** What a schema is made of, for those who print it. */
export type Shape =
  | { readonly text: string }
  | { readonly allowed: readonly string[] }
  | { readonly minimum: number; readonly maximum: number }
  | { readonly kind: "boolean" | "object" | "any" }
  | { readonly orNull: Schema<unknown> }
  | { readonly item: Schema<unknown>; readonly bounds: ArrayBounds }
  | { readonly members: Readonly<Record<string, Schema<unknown>>> };

/** A closed shape. `decode` returns undefined when it reported a fault. */
export interface Schema<T> {
  readonly shape: Shape;
  /** True when an absent member is allowed. */
  readonly optional?: boolean;
  /** True for `protocol` and `type`, which are judged before anything else of their object. */
  readonly version?: boolean;
  decode(value: JsonValue, pointer: string, into: Faults): T | undefined;
}

/** Members of an object schema, one for each member of `T`; optional members need `optional(...)`. */
export type Members<T> = { readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> };

export function fault(into: Faults, code: FaultCode, pointer: string, detail: string): undefined {
  into.report({ code, pointer, detail });
  return undefined;
}

/** The JSON type name of a value, for messages. */
export function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

export function wrongType(into: Faults, pointer: string, expected: string, value: JsonValue): undefined {
  return fault(into, "FORMAT_WRONG_TYPE", pointer, `expected ${expected}, found ${typeName(value)}`);
}

/** What stands in place of a value out of a closed set; text from outside only when it is short and plain. */
function found(value: JsonValue): string {
  if (typeof value === "number" || typeof value === "boolean") return `found ${value}`;
  if (typeof value !== "string") return `found ${typeName(value)}`;
  return /^[ -~]{0,40}$/.test(value) ? `found "${value}"` : `found text of ${value.length} characters`;
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Marks a member that may be absent. Absent and null are different: null is always refused. */
export function optional<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, optional: true };
}

/** A member with one allowed text, judged before the rest of its object. */
export function version<const T extends string>(text: T): Schema<T> {
  return {
    shape: { allowed: [text] },
    version: true,
    decode(value, pointer, into) {
      if (value === text) return text;
      return fault(into, "FORMAT_VERSION_UNSUPPORTED", pointer, `expected "${text}", ${found(value)}`);
    },
  };
}

/** A string out of a closed list. */
export function oneOf<const T extends string>(...allowed: readonly T[]): Schema<T> {
  return {
    shape: { allowed },
    decode(value, pointer, into) {
      if (typeof value !== "string") return wrongType(into, pointer, "string", value);
      const same = allowed.find((text) => text === value);
      if (same !== undefined) return same;
      return fault(
        into,
        "FORMAT_VALUE_INVALID",
        pointer,
        `expected one of ${allowed.join(", ")}, ${found(value)}`,
      );
    },
  };
}

/** A string that a test accepts; `expected` completes "expected …". */
export function text(expected: string, accepts: (value: string) => boolean): Schema<string> {
  return {
    shape: { text: expected },
    decode(value, pointer, into) {
      if (typeof value !== "string") return wrongType(into, pointer, "string", value);
      if (accepts(value)) return value;
      // Not the text itself: what should be a salt or a key may be one that was written wrongly.
      return fault(
        into,
        "FORMAT_VALUE_INVALID",
        pointer,
        `expected ${expected}, found other text of ${value.length} characters`,
      );
    },
  };
}

/** An integer written as plain digits, between two bounds (docs/SPEC.md, "Integers"). */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  return {
    shape: { minimum, maximum },
    decode(value, pointer, into) {
      if (typeof value !== "number") return wrongType(into, pointer, "number", value);
      if (!Number.isSafeInteger(value) || value < 0) {
        return fault(
          into,
          "FORMAT_NUMBER_INVALID",
          pointer,
          `expected an integer written as plain digits, ${found(value)}`,
        );
      }
      if (value >= minimum && value <= maximum) return value;
      return fault(
        into,
        "FORMAT_VALUE_INVALID",
        pointer,
        `expected ${minimum} to ${maximum}, ${found(value)}`,
      );
    },
  };
}

export const boolean: Schema<boolean> = {
  shape: { kind: "boolean" },
  decode(value, pointer, into) {
    return typeof value === "boolean" ? value : wrongType(into, pointer, "boolean", value);
  },
};

/** Takes a value that its reader has checked by this very schema as it is. */
export function acceptKnown<T extends object>(schema: Schema<T>): Schema<T> {
  return {
    ...schema,
    decode(value, pointer, into) {
      // A reader knows a value by its place, and so by this schema: the value is a T.
      if (isObject(value) && into.known.has(value)) return value as object as T;
      return schema.decode(value, pointer, into);
    },
  };
}

/** Allows null beside the schema; used once, for `previous_list_digest`. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return {
    shape: { orNull: schema },
    decode: (value, pointer, into) => (value === null ? null : schema.decode(value, pointer, into)),
  };
}

/** Bounds of an array; `unique` compares items as text. */
export interface ArrayBounds {
  readonly minimum?: number;
  readonly maximum: number;
  readonly unique?: boolean;
}

/** An array of one schema. More items than `maximum` is FORMAT_TOO_LARGE and the items are not read. */
export function array<T>(item: Schema<T>, bounds: ArrayBounds): Schema<readonly T[]> {
  const minimum = bounds.minimum ?? 0;
  return {
    shape: { item, bounds },
    decode(value, pointer, into) {
      if (!Array.isArray(value)) return wrongType(into, pointer, "array", value);
      if (value.length > bounds.maximum) {
        return fault(
          into,
          "FORMAT_TOO_LARGE",
          pointer,
          `expected at most ${bounds.maximum} items, found ${value.length}`,
        );
      }
      if (value.length < minimum) {
        return fault(
          into,
          "FORMAT_VALUE_INVALID",
          pointer,
          `expected at least ${minimum} items, found ${value.length}`,
        );
      }
      return decodeItems(item, value, pointer, into, bounds.unique === true);
    },
  };
}

function decodeItems<T>(
  item: Schema<T>,
  values: readonly JsonValue[],
  pointer: string,
  into: Faults,
  unique: boolean,
): readonly T[] | undefined {
  const before = into.count;
  const seen = unique && values.length > 1 ? new Set<T>() : undefined;
  const items: T[] = [];
  let index = -1;
  for (const value of values) {
    index += 1;
    const at = `${pointer}/${index}`;
    const decoded = item.decode(value, at, into);
    if (decoded === undefined) continue;
    if (seen?.has(decoded)) fault(into, "FORMAT_VALUE_INVALID", at, "expected each item once");
    seen?.add(decoded);
    items.push(decoded);
  }
  return into.count === before ? items : undefined;
}

/** A closed object: exactly these members, `optional` ones may be absent. */
export function object<T extends object>(members: Members<T>): Schema<T> {
  const entries = Object.entries<Schema<unknown>>(members);
  const known = new Map(entries);
  const versions = entries.filter(([, schema]) => schema.version);
  const rest = entries.filter(([, schema]) => !schema.version);
  return {
    shape: { members },
    decode(value, pointer, into) {
      if (!isObject(value)) return wrongType(into, pointer, "object", value);
      const before = into.count;
      // Nothing is inherited, so that an absent optional member is absent whatever a program did to Object.prototype.
      const out: Record<string, unknown> = emptyObject();
      for (const [name, schema] of versions) {
        // A missing version member reads as null, which no version text equals.
        out[name] = schema.decode(ownMember(value, name) ?? null, appendPointer(pointer, name), into);
      }
      if (into.count !== before) return undefined;
      for (const name of Object.keys(value)) {
        if (known.has(name)) continue;
        fault(
          into,
          "FORMAT_UNKNOWN_MEMBER",
          appendPointer(pointer, name),
          "no such member in this closed schema",
        );
      }
      for (const [name, schema] of rest) {
        const member = ownMember(value, name);
        if (member !== undefined) {
          out[name] = schema.decode(member, `${pointer}/${name}`, into);
        } else if (!schema.optional) {
          fault(into, "FORMAT_MISSING_MEMBER", `${pointer}/${name}`, "a required member is absent");
        }
      }
      // Every member of T was decoded by its own schema, or a fault was reported.
      return into.count === before ? (out as T) : undefined;
    },
  };
}

function ownMember(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Adds a rule over several members; `rule` returns a fault or null and runs only on a well-formed value. */
export function refine<T>(schema: Schema<T>, rule: (value: T, pointer: string) => Fault | null): Schema<T> {
  return {
    ...schema,
    decode(value, pointer, into) {
      const decoded = schema.decode(value, pointer, into);
      if (decoded === undefined) return undefined;
      const found = rule(decoded, pointer);
      if (found === null) return decoded;
      into.report(found);
      return undefined;
    },
  };
}
