/** Layer 8: the one error of the readers. */
import { OsaProofError } from "../../errors.js";

/** IMPORT_INVALID in the one sentence that every importer error has. No text of the recording goes into it. */
export function importProblem(
  object: string,
  expected: string,
  found: string,
  advice: string,
  pointer = "",
): OsaProofError {
  const place = pointer === "" ? "" : ` at ${pointer}`;
  return new OsaProofError(
    "IMPORT_INVALID",
    `${object}${place}: expected ${expected}, found ${found}; ${advice}`,
    {
      pointer,
    },
  );
}

/** What a value is, for "found": its kind, never its content. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
