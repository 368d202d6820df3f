/** Every change of one value, member or array of a bundle that the sweep tries. */
import type { BundleEncoding } from "../../src/bundle/codec.js";
import type { JsonObject, JsonValue } from "../../src/encoding/json-value.js";
import { appendPointer } from "../../src/encoding/pointer.js";
import { encodeMembers, encodeValue, isArray } from "./layout.js";
import { hexChanges, numberChanges, type Replacement, stringChanges } from "./leaves.js";
import { proofChanges } from "./proofs.js";

export interface Change {
  /** The kind that is counted. */
  readonly kind: string;
  /** What of this kind was done. */
  readonly detail: string;
  /** The value, member or array that was changed. */
  readonly pointer: string;
  /** The value whose bytes are replaced: the same or the one around it. */
  readonly at: string;
  /** The bytes in its place; null where this encoding has no such spelling. */
  readonly bytes: (encoding: BundleEncoding) => Uint8Array | null;
}

export function replacement(
  kind: string,
  detail: string,
  pointer: string,
  value: JsonValue,
  at: string = pointer,
): Change {
  return { kind, detail, pointer, at, bytes: (encoding) => encodeValue(value, encoding) };
}

/** All changes below and at a value, whose own pointer is given. */
export function* changesOf(root: JsonValue): Generator<Change> {
  yield* walk(root, "", "", valuesByName(root));
}

type Siblings = ReadonlyMap<string, ReadonlySet<string>>;

function* walk(value: JsonValue, pointer: string, name: string, siblings: Siblings): Generator<Change> {
  yield* wrongTypes(value, pointer);
  if (typeof value !== "object" || value === null) {
    yield* leafChanges(value, pointer, name, siblings);
  } else if (isArray(value)) {
    yield* arrayChanges(value, pointer);
    for (const [index, item] of value.entries()) {
      yield* walk(item, appendPointer(pointer, index), name, siblings);
    }
  } else {
    yield* objectChanges(value, pointer);
    for (const [member, item] of Object.entries(value)) {
      yield* walk(item, appendPointer(pointer, member), member, siblings);
    }
  }
}

/** All strings that stand in members, or arrays in members, of each name. */
function valuesByName(root: JsonValue): Siblings {
  const found = new Map<string, Set<string>>();
  const visit = (value: JsonValue, name: string): void => {
    if (typeof value === "string") {
      const known = found.get(name) ?? new Set();
      found.set(name, known.add(value));
    } else if (typeof value === "object" && value !== null) {
      for (const [member, item] of Object.entries(value)) visit(item, isArray(value) ? name : member);
    }
  };
  visit(root, "");
  return found;
}

const SAMPLES: readonly JsonValue[] = [null, true, 0, "text", [], {}];

function* wrongTypes(value: JsonValue, pointer: string): Generator<Change> {
  for (const sample of [...SAMPLES, [value], { value }]) {
    if (typeOf(sample) === typeOf(value)) continue;
    yield replacement("wrong type", JSON.stringify(sample).slice(0, 12), pointer, sample);
  }
}

function typeOf(value: JsonValue): string {
  return value === null ? "null" : isArray(value) ? "array" : typeof value;
}

/** One of so many spellings is tried at one place. */
const SPELLINGS_APART = 4;

function* leafChanges(
  value: null | boolean | number | string,
  pointer: string,
  name: string,
  siblings: Siblings,
): Generator<Change> {
  const replacements: Iterable<Replacement> =
    typeof value === "number"
      ? numberChanges(value)
      : typeof value === "string"
        ? [
            ...stringChanges(value, name, siblings.get(name) ?? new Set()),
            ...hexChanges(value, name),
            ...(name === "proof" ? proofChanges(value) : []),
          ]
        : typeof value === "boolean"
          ? [{ kind: "boundary", detail: "negated", value: !value }]
          : [];
  let spellings = 0;
  for (const { kind, detail, ...rest } of replacements) {
    // A spelling is judged by the reader, which does not know where it stands: each place gets some of them.
    if (kind === "spelling" && (spellings++ + pointer.length) % SPELLINGS_APART !== 0) continue;
    if ("value" in rest) {
      if (rest.value !== value) yield replacement(kind, detail, pointer, rest.value);
    } else {
      yield { kind, detail, pointer, at: pointer, bytes: (encoding) => rest[encoding] ?? null };
    }
  }
}

function* arrayChanges(array: readonly JsonValue[], pointer: string): Generator<Change> {
  const change = (kind: string, detail: string, value: readonly JsonValue[], at = pointer): Change =>
    replacement(kind, detail, at, value, pointer);
  if (array.length > 0) {
    yield change("array emptied", "", []);
    yield change("array doubled", "", [...array, ...array]);
    yield change("array nested", "", [array]);
  }
  yield change("element added", "null", [...array, null]);
  for (const [index, item] of array.entries()) {
    const place = appendPointer(pointer, index);
    yield change("element doubled", "", array.toSpliced(index, 0, item), place);
    yield change("element removed", "", array.toSpliced(index, 1), place);
    const next = array[index + 1];
    if (next !== undefined && JSON.stringify(next) !== JSON.stringify(item)) {
      yield change("elements swapped", "", array.toSpliced(index, 2, next, item), place);
    }
  }
  if (array.length > 2) yield change("array reversed", "", array.toReversed());
}

const ADDED: readonly (readonly [name: string, value: JsonValue])[] = [
  ["comment", ""],
  ["x-osa", null],
  ["__proto__", {}],
  ["constructor", 1],
  ["", []],
];

function* objectChanges(object: JsonObject, pointer: string): Generator<Change> {
  const members = Object.entries(object);
  const rebuilt = (entries: readonly (readonly [string, JsonValue])[]) => (encoding: BundleEncoding) =>
    encodeMembers(
      entries.map(([name, value]) => ({ name, value: encodeValue(value, encoding) })),
      encoding,
    );
  const added = (kind: string, detail: string, extra: readonly [string, JsonValue]): Change => ({
    kind,
    detail,
    pointer: appendPointer(pointer, extra[0]),
    at: pointer,
    bytes: rebuilt([...members, extra]),
  });
  for (const extra of ADDED) {
    if (!Object.hasOwn(object, extra[0])) yield added("member added", extra[0], extra);
  }
  if (members.length > 0) {
    yield { kind: "object emptied", detail: "", pointer, at: pointer, bytes: rebuilt([]) };
  }
  for (const [name, value] of members) {
    const others = members.filter(([other]) => other !== name);
    const place = appendPointer(pointer, name);
    const without = { pointer: place, at: pointer };
    yield { kind: "member deleted", detail: "", ...without, bytes: rebuilt(others) };
    for (const other of [`${name}_`, name.toUpperCase(), `${name}\u0000`]) {
      if (Object.hasOwn(object, other)) continue;
      const bytes = rebuilt([...others, [other, value]]);
      yield { kind: "member renamed", detail: other.slice(name.length), ...without, bytes };
    }
    yield added("member duplicated", "same value", [name, value]);
    yield added("member duplicated", "null", [name, null]);
    yield {
      ...added("member duplicated", "", [name, null]),
      detail: "null first",
      bytes: nullFirst(name, object),
    };
  }
}

/** The repeated member stands before the true one: whoever keeps the last sees nothing. */
function nullFirst(name: string, object: JsonObject): Change["bytes"] {
  return (encoding) => {
    const members = Object.entries(object).map(([member, value]) => ({
      name: member,
      value: encodeValue(value, encoding),
    }));
    return encodeMembers([{ name, value: encodeValue(null, encoding) }, ...members], encoding);
  };
}
