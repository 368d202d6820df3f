/** Layer 8: options objects have the members that are documented, and no others. */
import { appendPointer } from "../encoding/pointer.js";
import { OsaProofError } from "../errors.js";

/** A misspelled member would be something that is never done. @throws OsaProofError ARGUMENT_INVALID */
export function requireMembers(what: string, given: unknown, known: ReadonlySet<string>): void {
  if (typeof given !== "object" || given === null) {
    throw new OsaProofError("ARGUMENT_INVALID", `${what}: expected an object, found ${String(given)}`);
  }
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const pointer = appendPointer("", name);
    throw new OsaProofError("ARGUMENT_INVALID", `${what} at ${pointer}: there is no such member`, {
      pointer,
    });
  }
}
