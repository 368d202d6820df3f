/**
 * Layer 8: from the file of a recorded agent session to a neutral list of calls.
 *
 * A recording is somebody's word: it may have been edited, and nothing here can tell. Reading it says what the file
 * says, in its order, each value unchanged or as its exact bytes.
 */
import * as LIMITS from "../../limits.js";
import { readAdk } from "./adk.js";
import { readClaudeCode } from "./claude-code.js";
import { formatOfDocument, looksLikeTranscript } from "./detect.js";
import { readInspect } from "./inspect.js";
import { readOpenAiChat } from "./openai-chat.js";
import { readOpenHands } from "./openhands.js";
import { readPlainCalls } from "./plain-calls.js";
import { importProblem } from "./problem.js";
import { openSource, type Source } from "./source.js";
import { readSweAgent } from "./swe-agent.js";
import type { ImportedSession, ImportFormat } from "./types.js";

export { encodeToolName } from "./tool-name.js";
export type { CallStatus, ImportedCall, ImportedSession, ImportedValue, ImportFormat } from "./types.js";

export const IMPORT_FORMATS: readonly ImportFormat[] = [
  "claude-code",
  "swe-agent",
  "openhands",
  "openai-chat",
  "inspect",
  "adk",
  "calls",
];

const DOCUMENT_READERS: Readonly<
  Record<Exclude<ImportFormat, "claude-code">, (source: Source) => ImportedSession>
> = {
  "swe-agent": readSweAgent,
  openhands: readOpenHands,
  "openai-chat": readOpenAiChat,
  inspect: readInspect,
  adk: readAdk,
  calls: readPlainCalls,
};

/**
 * Reads a recorded session; without `format` the format is told from the content.
 *
 * Throws IMPORT_INVALID, and nothing else, for a file that is empty, cut off, too large, nested deeper than
 * `LIMITS.maxDepth`, in another format, or undecided (a member name twice where it tells what was called).
 * A last line of a transcript that is cut off, and a call without a result, are noted instead.
 */
export function importSession(bytes: Uint8Array, format?: ImportFormat): ImportedSession {
  if (bytes.length === 0) {
    throw importProblem("the recording", "a recorded session", "an empty file", "check the path");
  }
  if (bytes.length > LIMITS.maxBundleBytes) {
    throw importProblem(
      "the recording",
      `at most ${LIMITS.maxBundleBytes} bytes`,
      `${bytes.length}`,
      "split the recording",
    );
  }
  if (format === "claude-code" || (format === undefined && looksLikeTranscript(bytes))) {
    return readClaudeCode(bytes);
  }
  const source = openSource(bytes, "the recording");
  const told = format ?? formatOfDocument(source.value);
  if (told === "claude-code") return readClaudeCode(bytes);
  if (told === null) {
    throw importProblem(
      "the recording",
      `a session in one of the formats ${IMPORT_FORMATS.join(", ")}`,
      "JSON of another shape",
      "name the format with --format if it is one of these",
    );
  }
  const reader = Object.hasOwn(DOCUMENT_READERS, told) ? DOCUMENT_READERS[told] : undefined;
  if (reader === undefined) {
    throw importProblem(
      "the format",
      `one of ${IMPORT_FORMATS.join(", ")}`,
      "another name",
      "correct --format",
    );
  }
  const session = reader(source);
  source.close();
  return session;
}
