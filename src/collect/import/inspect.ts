/** Layer 8: Inspect evaluation logs in JSON: each sample's messages are a conversation of its own. */
import * as v from "valibot";
import { CallList, type Group } from "./call-list.js";
import { Json, JsonList, readShape } from "./shape.js";
import { NOTHING, type Path, type Source } from "./source.js";
import type { CallStatus, ImportedSession } from "./types.js";

const Log = v.object({
  eval: v.nullish(v.object({ run_id: v.nullish(v.string()) })),
  samples: v.array(v.object({ messages: v.nullish(JsonList) })),
});
const Message = v.object({
  role: v.string(),
  content: v.optional(Json),
  tool_calls: v.nullish(
    v.array(v.object({ id: v.nullish(v.string()), function: v.string(), arguments: v.optional(Json) })),
  ),
  tool_call_id: v.nullish(v.string()),
  function: v.nullish(v.string()),
  error: v.nullish(v.object({ type: v.nullish(v.string()) })),
});
type InspectMessage = v.InferOutput<typeof Message>;

export function readInspect(source: Source): ImportedSession {
  const calls = new CallList();
  const log = readShape(Log, source, []);
  for (const [sample, { messages }] of log.samples.entries()) {
    let group: Group | null = null;
    for (let index = 0; index < (messages ?? []).length; index++) {
      const at = ["samples", sample, "messages", index];
      const message = readShape(Message, source, at);
      if (message.role === "tool") readResult(source, at, message, calls);
      const asked = message.tool_calls ?? [];
      if (asked.length === 0) continue;
      group = calls.after(group);
      for (const [place, { id, function: tool }] of asked.entries()) {
        const input = source.take([...at, "tool_calls", place, "arguments"]);
        const keys = [`tool ${tool}`, ...(typeof id === "string" ? [`id ${id}`] : [])];
        calls.add(group, { tool, input, callId: id }, keys);
      }
    }
  }
  if (log.samples.length > 1) {
    calls.note(`${log.samples.length} samples in one file: each starts a chain of its own`);
  }
  return calls.finish("inspect", log.eval?.run_id);
}

/** The output of a failed call is the whole message, since the reason stands beside the content. */
function readResult(source: Source, at: Path, message: InspectMessage, calls: CallList): void {
  const key =
    typeof message.tool_call_id === "string" ? `id ${message.tool_call_id}` : `tool ${message.function}`;
  if (message.error) {
    const status: CallStatus = message.error.type === "approval" ? "denied" : "failed";
    calls.answer(key, source.take(at), status);
    return;
  }
  calls.answer(key, message.content === undefined ? NOTHING : source.take([...at, "content"]), "completed");
}
