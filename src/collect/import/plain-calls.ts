/**
 * Layer 8: a plain list of calls, for everything that has no reader of its own:
 * `[{"tool", "arguments", "result", "id"?, "status"?, "isError"?, "parents"?, "timestamp"?, "time"?, "agent"?}, …]`.
 */
import * as v from "valibot";
import { CallList, type Group } from "./call-list.js";
import { importProblem } from "./problem.js";
import { instantOf, instantOfSeconds, Json, JsonList, readShape } from "./shape.js";
import { NOTHING, type Path, type Source } from "./source.js";
import type { CallStatus, ImportedSession } from "./types.js";

const Call = v.object({
  tool: v.optional(v.string()),
  /** Another name for `tool`, as `input` and `output` are for `arguments` and `result`. */
  name: v.optional(v.string()),
  arguments: v.optional(Json),
  input: v.optional(Json),
  result: v.optional(Json),
  output: v.optional(Json),
  id: v.nullish(v.string()),
  status: v.nullish(v.picklist(["completed", "failed", "denied", "interrupted"])),
  isError: v.nullish(v.boolean()),
  /** Indexes of earlier calls; without them a call follows the one before it. */
  parents: v.nullish(v.array(v.pipe(v.number(), v.integer(), v.minValue(0)))),
  /** RFC 3339 text, or seconds since 1970. */
  timestamp: v.nullish(v.union([v.string(), v.number()])),
  /** Milliseconds since 1970. */
  time: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0))),
  agent: v.nullish(v.string()),
});
type PlainCall = v.InferOutput<typeof Call>;

/** A call without a result and without a status is "interrupted". */
export function readPlainCalls(source: Source): ImportedSession {
  const calls = new CallList();
  let last: Group | null = null;
  const count = readShape(JsonList, source, []).length;
  for (let index = 0; index < count; index++) {
    const call = readShape(Call, source, [index]);
    const group: Group = call.parents
      ? calls.behind(parentsOf(call.parents, source, index))
      : calls.after(last);
    last = group;
    addCall(source, index, call, calls, group);
  }
  return calls.finish("calls");
}

function parentsOf(parents: readonly number[], source: Source, index: number): readonly number[] {
  const seen = new Set<number>();
  const wrong = parents.findIndex((parent) => parent >= index || seen.size === seen.add(parent).size);
  if (wrong < 0) return parents;
  throw importProblem(
    source.label,
    "the index of an earlier call, each once",
    "another",
    "list the calls so that every call stands behind its parents",
    `/${index}/parents/${wrong}`,
  );
}

function addCall(source: Source, index: number, call: PlainCall, calls: CallList, group: Group): void {
  const tool = call.tool ?? call.name;
  if (tool === undefined) {
    throw importProblem(source.label, "a tool name", "nothing", "give each call its tool", `/${index}/tool`);
  }
  const input: Path = [index, call.arguments === undefined ? "input" : "arguments"];
  const output: Path = [index, call.result === undefined ? "output" : "result"];
  const seconds = typeof call.timestamp === "number" ? call.timestamp : null;
  const text = typeof call.timestamp === "string" ? call.timestamp : null;
  const time = call.time ?? instantOf(text) ?? instantOfSeconds(seconds);
  const key = `place ${index}`;
  calls.add(group, { tool, input: source.take(input), callId: call.id, time, agent: call.agent }, [key]);
  const hasResult = call.result !== undefined || call.output !== undefined;
  const status: CallStatus | null | undefined = call.status ?? (call.isError === true ? "failed" : null);
  if (!hasResult && !status) return;
  calls.answer(key, hasResult ? source.take(output) : NOTHING, status ?? "completed");
}
