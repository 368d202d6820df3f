/**
 * Layer 8: Claude Code transcripts (.jsonl), one entry a line. The transcript is written beside the session: it may
 * lag, end in the middle of a line, or hold a line twice.
 */
import * as v from "valibot";
import type { JsonValue } from "../../encoding/json-value.js";
import { CallList } from "./call-list.js";
import { type ClaudeEntry, type Place, SessionTree } from "./claude-tree.js";
import { importProblem } from "./problem.js";
import { instantOf, Json, readShape } from "./shape.js";
import { isArray, memberOf, NOTHING, type Path, readSource, Source } from "./source.js";
import type { CallStatus, ImportedSession } from "./types.js";

const Entry = v.object({
  type: v.string(),
  uuid: v.nullish(v.string()),
  parentUuid: v.nullish(v.string()),
  isSidechain: v.nullish(v.boolean()),
  agentId: v.nullish(v.string()),
  sessionId: v.nullish(v.string()),
  timestamp: v.nullish(v.string()),
  toolUseResult: v.optional(Json),
  message: v.object({ id: v.nullish(v.string()), content: v.union([v.string(), v.array(Json)]) }),
});

const ToolUse = v.object({ id: v.string(), name: v.string(), input: v.optional(Json) });
const ToolResult = v.object({
  tool_use_id: v.string(),
  content: v.optional(Json),
  is_error: v.nullish(v.boolean()),
});

/** The transcript has no member for a refusal: these openings of its own sentences are all there is. */
const REFUSALS = [
  "User rejected tool use",
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action right now",
  "Permission to use ",
  "Claude requested permissions to ",
];
const INTERRUPTION = "[Request interrupted by user";

interface State {
  readonly calls: CallList;
  readonly tree: SessionTree;
  readonly seen: Set<string>;
  readonly sessions: Set<string>;
}

export function readClaudeCode(bytes: Uint8Array): ImportedSession {
  const calls = new CallList();
  const state: State = { calls, tree: new SessionTree(calls), seen: new Set(), sessions: new Set() };
  let entries = 0;
  let other = 0;
  for (const line of linesOf(bytes)) {
    const source = openLine(line, calls);
    if (source === null) continue;
    const type = memberOf(source.value, "type");
    if (typeof type !== "string") other++;
    else {
      entries++;
      if (type === "user" || type === "assistant") readEntry(source, state);
    }
    source.close();
  }
  if (entries === 0) {
    throw importProblem(
      "the recording",
      "lines of a Claude Code transcript, each an object with a type",
      "no such line",
      "check the file, or name another format with --format",
    );
  }
  if (other > 0) calls.note(`${other} lines are no transcript entries and were left out`);
  if (state.sessions.size > 1) calls.note(`lines of ${state.sessions.size} sessions are in this file`);
  return calls.finish("claude-code", [...state.sessions][0]);
}

interface Line {
  readonly bytes: Uint8Array;
  readonly number: number;
  /** True for a last line without its newline. */
  readonly open: boolean;
}

function* linesOf(bytes: Uint8Array): Generator<Line> {
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    if (line.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d)) {
      yield { bytes: line, number, open: newline < 0 };
    }
    start = end + 1;
  }
}

function openLine({ bytes, number, open }: Line, calls: CallList): Source | null {
  const source = readSource(bytes, `line ${number}`);
  if (source instanceof Source) return source;
  // Cut inside a character, the line is not even UTF-8.
  if (open && (source.code === "FORMAT_TRUNCATED" || source.code === "FORMAT_TEXT_INVALID")) {
    calls.note(`line ${number}, the last one, is cut off and was left out`);
    return null;
  }
  throw importProblem(
    `line ${number}`,
    "one complete JSON text",
    `this at byte ${source.offset}: ${source.detail}`,
    "repair or remove this line; nothing may be missing silently",
  );
}

function readEntry(source: Source, state: State): void {
  const entry = readShape(Entry, source, []);
  if (typeof entry.uuid === "string") {
    // A resumed session repeats lines of the one it goes on from.
    if (state.seen.has(`line ${entry.uuid}`)) return;
    state.seen.add(`line ${entry.uuid}`);
  }
  if (typeof entry.sessionId === "string") state.sessions.add(entry.sessionId);
  const place = state.tree.enter(entry);
  if (typeof entry.message.content === "string") return;
  for (const [index, block] of entry.message.content.entries()) {
    const at = ["message", "content", index];
    const type = memberOf(block, "type");
    if (typeof type !== "string") continue;
    // The names also cover tools that ran at the model's side, such as `server_tool_use`.
    if (type.endsWith("tool_use")) addCall(source, at, entry, place, state);
    else if (type.endsWith("tool_result")) readResult(source, at, entry, state);
  }
}

function addCall(source: Source, at: Path, entry: ClaudeEntry, place: Place, state: State): void {
  const use = readShape(ToolUse, source, at);
  // A message that was still growing may be written again with more in it.
  const block = `call ${entry.message.id ?? entry.uuid} ${use.id}`;
  const input = source.take([...at, "input"]);
  if (state.seen.has(block)) return;
  state.seen.add(block);
  const call = {
    tool: use.name,
    input,
    callId: use.id,
    time: instantOf(entry.timestamp),
    agent: entry.agentId,
  };
  const group = state.tree.groupFor(place, entry.message.id);
  const index = state.calls.add(group, call, [`id ${use.id}`]);
  state.tree.noteCall(index, group, use.name, memberOf(use.input, "prompt"));
}

function readResult(source: Source, at: Path, entry: ClaudeEntry, state: State): void {
  const result = readShape(ToolResult, source, at);
  const output = result.content === undefined ? NOTHING : source.take([...at, "content"]);
  const status = statusOf(result.is_error === true, result.content, entry.toolUseResult);
  const index = state.calls.answer(`id ${result.tool_use_id}`, output, status);
  if (index !== null) state.tree.noteResult(index);
}

function statusOf(
  isError: boolean,
  content: JsonValue | undefined,
  structured: JsonValue | undefined,
): CallStatus {
  const texts = [textOf(structured), textOf(content)];
  if (memberOf(structured, "interrupted") === true) return "interrupted";
  if (!isError) return "completed";
  if (texts.some((text) => text.startsWith(INTERRUPTION))) return "interrupted";
  return texts.some((text) => REFUSALS.some((opening) => text.startsWith(opening))) ? "denied" : "failed";
}

/** A text, or the first text block of a list, without the "Error: " that may stand before it. */
function textOf(content: JsonValue | undefined): string {
  const text = isArray(content) ? memberOf(content[0], "text") : content;
  if (typeof text !== "string") return "";
  return text.startsWith("Error: ") ? text.slice("Error: ".length) : text;
}
