/** Layer 8: shapes of outside formats, checked with valibot, and the times that these formats write. */
import * as v from "valibot";
import type { JsonValue } from "../../encoding/json-value.js";
import { appendPointer } from "../../encoding/pointer.js";
import { parseTime } from "../../encoding/time.js";
import { describe, importProblem } from "./problem.js";
import type { Path, Source } from "./source.js";
import { valueAt } from "./source.js";

/** Any JSON, passed on as the same object: a shape that copied it would drop names such as `__proto__`. */
export const Json: v.CustomSchema<JsonValue, undefined> = v.custom<JsonValue>((value) => value !== undefined);

/** A list whose items are looked at one by one. */
export const JsonList: v.ArraySchema<typeof Json, undefined> = v.array(Json);

/**
 * What a source holds at `path`, in a stated shape. Unknown members are let pass: these formats are not ours and
 * grow. Throws IMPORT_INVALID with a pointer.
 */
export function readShape<T extends v.GenericSchema>(
  schema: T,
  source: Source,
  path: Path,
): v.InferOutput<T> {
  const value = valueAt(source.value, path);
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const below = (issue.path ?? []).map((item) => ("key" in item ? item.key : ""));
  const pointer = [...path, ...below].reduce<string>(
    (text, token) => appendPointer(text, typeof token === "number" ? token : String(token)),
    "",
  );
  throw importProblem(
    source.label,
    issue.expected ?? "another shape",
    describe(issue.input),
    "check that the file is of the stated format, or name another with --format",
    pointer,
  );
}

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970 of an RFC 3339 time with any fraction and offset; undefined for anything else. */
export function instantOf(text: string | null | undefined): number | undefined {
  const match = INSTANT.exec(text ?? "");
  if (match === null) return undefined;
  const [, date = "", clock = "", fraction = "", zone = "Z"] = match;
  const ms = parseTime(`${date}T${clock}.${fraction.padEnd(3, "0").slice(0, 3)}Z`);
  if (ms === null) return undefined;
  if (zone === "Z") return ms;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return ms - (zone.startsWith("-") ? -1 : 1) * minutes * 60_000;
}

/** Milliseconds since 1970 of a number of seconds; undefined when that is no time of the years 1970 to 9999. */
export function instantOfSeconds(seconds: number | null | undefined): number | undefined {
  const ms = Math.round((seconds ?? Number.NaN) * 1000);
  return ms >= 0 && ms <= 253_402_300_799_999 ? ms : undefined;
}
