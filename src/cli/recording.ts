/** Recordings of sessions, and the tools in them, as maker commands read them. */
import {
  encodeToolName,
  IMPORT_FORMATS,
  type ImportedSession,
  type ImportFormat,
  importSession,
} from "../collect/import/index.js";
import { OsaProofError } from "../errors.js";
import type { CommandContext } from "./command.js";
import { readInput } from "./input.js";
import { short } from "./print.js";
import { DENIED_TOOL, MERGE_TOOL } from "./workspace-delegation.js";

/** A tool as people call it, as a tool name of the protocol; the protocol's own is taken as it is. */
export function toolNameOf(name: string): string {
  return name === DENIED_TOOL ? name : encodeToolName(name);
}

/** A recording with its bytes, which its digest is taken over. */
export interface Recording {
  readonly bytes: Uint8Array;
  readonly session: ImportedSession;
}

/** @throws OsaProofError IMPORT_INVALID, IO_FAILED, USAGE */
export async function readRecording(
  context: CommandContext,
  file: string,
  format: string | undefined,
): Promise<Recording> {
  const known: ImportFormat | undefined = IMPORT_FORMATS.find((name) => name === format);
  if (format !== undefined && known === undefined) {
    throw new OsaProofError(
      "USAGE",
      `--format: expected one of ${IMPORT_FORMATS.join(", ")}, found ${short(format, 40)}`,
    );
  }
  const bytes = await readInput(context, "recording", file);
  try {
    return { bytes, session: importSession(bytes, known) };
  } catch (error) {
    if (!(error instanceof OsaProofError)) throw error;
    throw new OsaProofError(error.code, `${file}: ${error.message}`, {
      pointer: error.pointer,
      cause: error,
    });
  }
}

/** Most parents that one receipt may have. */
const MAX_PARENTS = 64;

/** Tool names that the calls of a recording need, each once, in order of first use. */
export function toolsOf(session: ImportedSession): readonly string[] {
  const tools = session.calls.map((call) => encodeToolName(call.tool));
  const wide = session.calls.some((call) => call.parents.length > MAX_PARENTS);
  return [...new Set(wide ? [...tools, MERGE_TOOL] : tools)];
}
