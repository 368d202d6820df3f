/** Changed copies of JSON values: what is not on the way to the change is shared. */
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { appendPointer } from "../../encoding/pointer.js";
import { formatTime, parseTime } from "../../encoding/time.js";
import { isObject } from "../../statements/schema.js";

export type Path = readonly (string | number)[];

export function pointerOf(path: Path): string {
  return path.reduce<string>(appendPointer, "");
}

/** The value at a path, or undefined. */
export function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    if (Array.isArray(found)) found = (found as readonly JsonValue[])[Number(step)];
    else found = found !== undefined && isObject(found) ? found[step] : undefined;
  }
  return found;
}

/** A copy in which `change` has given the value at the path; undefined takes a member or element away. */
export function changedAt(
  value: JsonValue,
  [step, ...rest]: Path,
  change: (value: JsonValue) => JsonValue | undefined,
): JsonValue {
  if (step === undefined) return change(value) ?? null;
  const inner = (member: JsonValue): JsonValue | undefined =>
    rest.length === 0 ? change(member) : changedAt(member, rest, change);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item, index) => {
      const changed = index === step ? inner(item) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const changed = name === step ? inner(member) : member;
    return changed === undefined ? [] : [[name, changed] as const];
  });
  return Object.fromEntries(members);
}

/** A copy of an object with a member that no closed schema has. */
export function withUnknownMember(value: JsonValue): JsonValue {
  return isObject(value) ? { ...value, not_in_any_schema: true } : value;
}

/** Every value below, objects and arrays included, with its path; in document order. */
export function* descendants(value: JsonValue, path: Path = []): Generator<{ path: Path; value: JsonValue }> {
  // Depth is bounded: the value came out of the strict parser.
  const members: readonly (readonly [string | number, JsonValue])[] = Array.isArray(value)
    ? [...(value as readonly JsonValue[]).entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [step, member] of members) {
    const at = [...path, step];
    yield { path: at, value: member };
    yield* descendants(member, at);
  }
}

export function isLeaf(value: JsonValue): boolean {
  return typeof value !== "object" || value === null;
}

const DAY_MILLISECONDS = 86_400_000;
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_TIME = Date.UTC(1, 0, 1);

/** Text of a time moved by so many milliseconds, or the other way where the years that can be written end. */
export function movedTime(time: number, by: number): string {
  const moved = time + by;
  return formatTime(moved >= FIRST_TIME && moved <= LAST_TIME ? moved : time - by);
}

/** Another value of the same kind: a time a day later, hex with its last digit changed, a number one higher. */
export function another(value: JsonValue): JsonValue {
  if (typeof value === "number") return value < Number.MAX_SAFE_INTEGER ? value + 1 : value - 1;
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return `0x${"00".repeat(32)}`;
  const time = parseTime(value);
  if (time !== null) return movedTime(time, DAY_MILLISECONDS);
  return isHexText(value) ? flipped(value) : `${value}x`;
}

export function isHexText(value: JsonValue): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{2,}$/.test(value);
}

/** Hex with the lowest bit of its last byte changed. */
export function flipped(hex: string): string {
  const last = Number.parseInt(hex.slice(-1), 16) ^ 1;
  return hex.slice(0, -1) + last.toString(16);
}

export function asObject(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

export function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
