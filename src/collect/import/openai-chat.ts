/**
 * Layer 8: OpenAI chat messages with tool calls: a bare array of messages, an object with `messages`, a tau-bench
 * result (an object with `traj`), or a list of such objects, each of which starts a chain of its own.
 */
import * as v from "valibot";
import { CallList, type Group } from "./call-list.js";
import { Json, JsonList, readShape } from "./shape.js";
import { isArray, memberOf, NOTHING, type Path, type Source } from "./source.js";
import type { CallStatus, ImportedSession } from "./types.js";

const FunctionCall = v.object({ name: v.string(), arguments: v.optional(Json) });
const Message = v.object({
  role: v.string(),
  content: v.optional(Json),
  tool_calls: v.nullish(v.array(v.object({ id: v.nullish(v.string()), function: FunctionCall }))),
  /** What messages had before `tool_calls`; the result is then a message of role "function". */
  function_call: v.nullish(FunctionCall),
  tool_call_id: v.nullish(v.string()),
  /** SWE-agent: one message as the result of these calls. */
  tool_call_ids: v.nullish(v.array(v.string())),
  name: v.nullish(v.string()),
  agent: v.nullish(v.string()),
  is_demo: v.nullish(v.boolean()),
});
type ChatMessage = v.InferOutput<typeof Message>;

export function readOpenAiChat(source: Source): ImportedSession {
  const calls = new CallList();
  const chats = chatPaths(source);
  for (const { path, textErrors } of chats) readMessages(source, path, calls, textErrors);
  if (chats.length > 1)
    calls.note(`${chats.length} conversations in one file: each starts a chain of its own`);
  return calls.finish("openai-chat");
}

function chatPaths(source: Source): { path: Path; textErrors: boolean }[] {
  const of = (path: Path, holder: typeof source.value | undefined): { path: Path; textErrors: boolean } =>
    memberOf(holder, "traj") === undefined
      ? { path: [...path, "messages"], textErrors: false }
      : { path: [...path, "traj"], textErrors: true };
  if (!isArray(source.value)) return [of([], source.value)];
  if (source.value.length === 0 || memberOf(source.value[0], "role") !== undefined) {
    return [{ path: [], textErrors: false }];
  }
  return source.value.map((item, index) => of([index], item));
}

/**
 * Adds the calls of one list of messages. Chat messages have no mark for a failed call; with `textErrors` a result
 * that begins with "Error:" is one, which is what tau-bench writes. Messages of a demonstration (`is_demo`) were
 * put in front of the session and are no calls of it.
 */
export function readMessages(source: Source, path: Path, calls: CallList, textErrors: boolean): void {
  let group: Group | null = null;
  const count = readShape(JsonList, source, path).length;
  for (let index = 0; index < count; index++) {
    const at = [...path, index];
    const message = readShape(Message, source, at);
    if (message.is_demo === true) continue;
    if (message.role === "tool" || message.role === "function") {
      readResult(source, at, message, calls, textErrors);
    } else if ((message.tool_calls ?? []).length > 0 || message.function_call) {
      group = calls.after(group);
      addCalls(source, at, message, calls, group);
    }
  }
}

function addCalls(source: Source, at: Path, message: ChatMessage, calls: CallList, group: Group): void {
  for (const [index, { id, function: called }] of (message.tool_calls ?? []).entries()) {
    const input = source.takeJsonText([...at, "tool_calls", index, "function", "arguments"]);
    const keys = [`tool ${called.name}`, ...(typeof id === "string" ? [`id ${id}`] : [])];
    calls.add(group, { tool: called.name, input, callId: id, agent: message.agent }, keys);
  }
  const { function_call: called } = message;
  if (!called) return;
  const input = source.takeJsonText([...at, "function_call", "arguments"]);
  calls.add(group, { tool: called.name, input, agent: message.agent }, [`tool ${called.name}`]);
}

function readResult(
  source: Source,
  at: Path,
  message: ChatMessage,
  calls: CallList,
  textErrors: boolean,
): void {
  const output = message.content === undefined ? NOTHING : source.take([...at, "content"]);
  const failed = textErrors && typeof message.content === "string" && message.content.startsWith("Error:");
  const status: CallStatus = failed ? "failed" : "completed";
  const ids =
    message.tool_call_ids ?? (typeof message.tool_call_id === "string" ? [message.tool_call_id] : []);
  for (const id of ids) calls.answer(`id ${id}`, output, status);
  if (ids.length === 0) calls.answer(`tool ${message.name ?? ""}`, output, status);
}
