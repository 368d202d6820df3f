/** Layer 8: from the name a recording gives a tool to a tool name of the protocol. */
import { encodeUtf8, isWellFormed } from "../../encoding/utf8.js";
import * as LIMITS from "../../limits.js";
import { importProblem } from "./problem.js";

/**
 * A tool name of docs/SPEC.md, "Conventions": printable ASCII `!` to `~` without `*`. Every other character, and
 * `%` itself, becomes `%` and two upper-case hex digits for each byte of its UTF-8, so two names never meet.
 * The dot of a leading `osa.` is written so too: that prefix is the protocol's own, and a recording does not get it.
 * Throws IMPORT_INVALID for an empty name, a lone surrogate, or more than 128 characters after encoding.
 */
export function encodeToolName(name: string): string {
  if (!isWellFormed(name)) {
    throw importProblem(
      "the tool name",
      "well-formed text",
      "a lone surrogate",
      "rename the tool in the recording",
    );
  }
  let encoded = "";
  for (const byte of encodeUtf8(name)) {
    const plain = byte > 0x20 && byte < 0x7f && byte !== 0x25 && byte !== 0x2a;
    encoded += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  if (encoded.startsWith("osa.")) encoded = `osa%2E${encoded.slice(4)}`;
  if (encoded.length < 1 || encoded.length > LIMITS.maxIdentifierCharacters) {
    throw importProblem(
      "the tool name",
      `1 to ${LIMITS.maxIdentifierCharacters} characters after percent-encoding`,
      `${encoded.length}`,
      "shorten or rename the tool in the recording",
    );
  }
  return encoded;
}
