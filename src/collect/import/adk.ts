/**
 * Layer 8: Google ADK sessions: events of several authors, with function calls and responses among their parts.
 * Member names come in snake case or, from newer exports, in camel case.
 */
import * as v from "valibot";
import type { JsonValue } from "../../encoding/json-value.js";
import { CallList, type Group } from "./call-list.js";
import { instantOfSeconds, Json, JsonList, readShape } from "./shape.js";
import { memberOf, type Path, type Source } from "./source.js";
import type { CallStatus, ImportedSession } from "./types.js";

const Call = v.object({ id: v.nullish(v.string()), name: v.string(), args: v.optional(Json) });
const Response = v.object({
  id: v.nullish(v.string()),
  name: v.nullish(v.string()),
  response: v.optional(Json),
});
const Part = v.object({
  function_call: v.nullish(Call),
  functionCall: v.nullish(Call),
  function_response: v.nullish(Response),
  functionResponse: v.nullish(Response),
});
const Event = v.object({
  author: v.nullish(v.string()),
  timestamp: v.nullish(v.number()),
  /** Dotted names of the agents above, where agents run beside each other. */
  branch: v.nullish(v.string()),
  content: v.nullish(v.object({ parts: v.nullish(v.array(Part)) })),
});
type AdkEvent = v.InferOutput<typeof Event>;

/** What ADK answers for a call that a person did not confirm. */
const REJECTED = "This tool call is rejected.";

export function readAdk(source: Source): ImportedSession {
  const calls = new CallList();
  const branches = new Map<string, Group>();
  const count = readShape(JsonList, source, ["events"]).length;
  for (let index = 0; index < count; index++) {
    const at = ["events", index];
    readEvent(source, at, readShape(Event, source, at), calls, branches);
  }
  const id = memberOf(source.value, "id");
  return calls.finish("adk", typeof id === "string" ? id : null);
}

function readEvent(
  source: Source,
  at: Path,
  event: AdkEvent,
  calls: CallList,
  branches: Map<string, Group>,
): void {
  const branch = event.branch ?? "";
  let group: Group | null = null;
  for (const [index, part] of (event.content?.parts ?? []).entries()) {
    const here = [...at, "content", "parts", index];
    const call = part.function_call ?? part.functionCall;
    const response = part.function_response ?? part.functionResponse;
    if (call) {
      group ??= nextGroup(branch, calls, branches);
      const input = source.take([...here, part.function_call ? "function_call" : "functionCall", "args"]);
      const time = instantOfSeconds(event.timestamp);
      const known = { tool: call.name, input, callId: call.id, time, agent: event.author };
      calls.add(group, known, [call.id ? `id ${call.id}` : `tool ${call.name}${branch && ` in ${branch}`}`]);
    }
    if (response) {
      const name = part.function_response ? "function_response" : "functionResponse";
      const key = response.id
        ? `id ${response.id}`
        : `tool ${response.name ?? ""}${branch && ` in ${branch}`}`;
      calls.answer(key, source.take([...here, name, "response"]), statusOf(response.response));
    }
  }
}

/**
 * A branch goes on from its own last calls, or forks from the nearest branch above; the one above goes on from its
 * own and from all that ran beneath it since.
 */
function nextGroup(branch: string, calls: CallList, branches: Map<string, Group>): Group {
  let before: readonly number[] = [];
  for (let above = branch; ; above = above.slice(0, Math.max(0, above.lastIndexOf(".")))) {
    const group = branches.get(above);
    if (group !== undefined) {
      before = group.tips;
      break;
    }
    if (above === "") break;
  }
  for (const [name, group] of branches) {
    if (name === branch || !(branch === "" || name.startsWith(`${branch}.`))) continue;
    before = before.concat(group.tips);
    branches.delete(name);
  }
  const group = calls.behind(before);
  branches.set(branch, group);
  return group;
}

/** ADK writes what went wrong as the member `error` of the response. */
function statusOf(response: JsonValue | undefined): CallStatus {
  const error = memberOf(response, "error");
  if (error === undefined || error === null) return "completed";
  return error === REJECTED ? "denied" : "failed";
}
