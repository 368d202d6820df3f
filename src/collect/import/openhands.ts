/**
 * Layer 8: OpenHands events: actions, and observations that name the action they come from (`cause`). The list may
 * be the whole file, or stand under `trajectory` or `history`.
 */
import * as v from "valibot";
import { CallList, type Group } from "./call-list.js";
import { instantOf, Json, JsonList, readShape } from "./shape.js";
import { isArray, memberOf, type Path, type Source, type Taken } from "./source.js";
import type { CallStatus, ImportedSession } from "./types.js";

const ModelCall = v.object({ id: v.nullish(v.string()) });
const Choice = v.object({ message: v.nullish(v.object({ tool_calls: v.nullish(v.array(ModelCall)) })) });
const Event = v.object({
  id: v.nullish(v.union([v.number(), v.string()])),
  source: v.nullish(v.string()),
  timestamp: v.nullish(v.string()),
  action: v.nullish(v.string()),
  observation: v.nullish(v.string()),
  cause: v.nullish(v.union([v.number(), v.string()])),
  success: v.nullish(v.boolean()),
  args: v.optional(Json),
  content: v.optional(Json),
  tool_call_metadata: v.nullish(
    v.object({
      function_name: v.string(),
      tool_call_id: v.string(),
      model_response: v.nullish(v.object({ id: v.nullish(v.string()), choices: v.nullish(v.array(Choice)) })),
    }),
  ),
});
type OpenHandsEvent = v.InferOutput<typeof Event>;

/** Actions of the session itself; they touch nothing outside of it. */
const NO_CALLS: ReadonlySet<string> = new Set([
  "message",
  "system",
  "recall",
  "null",
  "change_agent_state",
  "condensation",
  "condensation_request",
]);

export function readOpenHands(source: Source): ImportedSession {
  const calls = new CallList();
  const list = listPath(source);
  const count = readShape(JsonList, source, list).length;
  const groups = new Map<string, Group>();
  let last: Group | null = null;
  let unzoned = false;
  for (let index = 0; index < count; index++) {
    const at = [...list, index];
    const event = readShape(Event, source, at);
    if (typeof event.observation === "string") readObservation(source, at, event, calls);
    if (!isCall(event)) {
      if (event.action === "finish")
        calls.note("the finish action ends the session and is not taken as a call");
      continue;
    }
    // One response of the model may ask for several calls.
    const response = event.tool_call_metadata?.model_response?.id ?? `event ${index}`;
    const group: Group = groups.get(response) ?? calls.after(last);
    groups.set(response, group);
    last = group;
    addCall(source, at, event, calls, group);
    unzoned ||= typeof event.timestamp === "string" && instantOf(event.timestamp) === undefined;
  }
  if (unzoned) calls.note("the times of the recording have no zone and were left out");
  return calls.finish("openhands");
}

function listPath(source: Source): Path {
  if (isArray(source.value)) return [];
  return memberOf(source.value, "history") === undefined ? ["trajectory"] : ["history"];
}

function isCall(event: OpenHandsEvent): boolean {
  if (typeof event.action !== "string" || event.action === "finish") return false;
  if (event.tool_call_metadata) return true;
  return event.source === "agent" && !NO_CALLS.has(event.action);
}

function addCall(source: Source, at: Path, event: OpenHandsEvent, calls: CallList, group: Group): void {
  const metadata = event.tool_call_metadata;
  const keys: string[] = [];
  if (event.id !== null && event.id !== undefined) keys.push(`event ${event.id}`);
  if (metadata) keys.push(`id ${metadata.tool_call_id}`);
  const call = {
    tool: metadata?.function_name ?? event.action ?? "",
    input: takeArguments(source, at, event),
    callId: metadata?.tool_call_id,
    time: instantOf(event.timestamp),
  };
  calls.add(group, call, keys);
}

/** What the model asked for; where the response was not kept, what the action says. */
function takeArguments(source: Source, at: Path, event: OpenHandsEvent): Taken {
  const choices = event.tool_call_metadata?.model_response?.choices ?? [];
  for (const [choice, { message }] of choices.entries()) {
    const asked = message?.tool_calls ?? [];
    const index = asked.findIndex((call) => call.id === event.tool_call_metadata?.tool_call_id);
    if (index < 0) continue;
    const response = [...at, "tool_call_metadata", "model_response", "choices", choice];
    return source.takeJsonText([...response, "message", "tool_calls", index, "function", "arguments"]);
  }
  return source.take([...at, "args"]);
}

function readObservation(source: Source, at: Path, event: OpenHandsEvent, calls: CallList): void {
  if (event.observation === "null") return;
  const cause = `event ${event.cause}`;
  const id = event.tool_call_metadata ? `id ${event.tool_call_metadata.tool_call_id}` : null;
  const key = calls.has(cause) ? cause : id;
  // Observations without a call, such as a change of the agent's state, are usual here.
  if (key === null || !(calls.has(key) || event.tool_call_metadata)) return;
  calls.answer(key, source.take([...at, "content"]), statusOf(event));
}

function statusOf(event: OpenHandsEvent): CallStatus {
  if (event.observation === "user_rejected") return "denied";
  return event.observation === "error" || event.success === false ? "failed" : "completed";
}
