/**
 * Layer 8: SWE-agent trajectories (.traj). With function calling the calls and what the model was shown of their
 * results are in `history`; before that, each step of `trajectory` is a shell command and its observation.
 */
import * as v from "valibot";
import { CallList, type Group } from "./call-list.js";
import { readMessages } from "./openai-chat.js";
import { Json, JsonList, readShape } from "./shape.js";
import { isArray, memberOf, type Source } from "./source.js";
import type { ImportedSession } from "./types.js";

const Step = v.object({ action: v.string(), observation: v.optional(Json) });

/** The format marks no call as failed: every call with an observation is "completed". */
export function readSweAgent(source: Source): ImportedSession {
  const calls = new CallList();
  const steps = memberOf(source.value, "trajectory");
  const history = memberOf(source.value, "history");
  if (isArray(history) && history.some(hasToolCalls)) readMessages(source, ["history"], calls, false);
  else readSteps(source, calls);
  const session = calls.finish("swe-agent");
  if (!isArray(steps) || steps.length === session.calls.length) return session;
  const count = `the trajectory has ${steps.length} steps and the recording ${session.calls.length} calls`;
  return { ...session, notes: [...session.notes, count] };
}

function hasToolCalls(message: Parameters<typeof memberOf>[0]): boolean {
  const list = memberOf(message, "tool_calls");
  return isArray(list) && list.length > 0 && memberOf(message, "is_demo") !== true;
}

function readSteps(source: Source, calls: CallList): void {
  let group: Group | null = null;
  const count = readShape(JsonList, source, ["trajectory"]).length;
  for (let index = 0; index < count; index++) {
    const at = ["trajectory", index];
    const step = readShape(Step, source, at);
    // A step whose answer held no command ran nothing.
    if (step.action.trim() === "") continue;
    group = calls.after(group);
    const key = `step ${index}`;
    calls.add(group, { tool: "shell", input: source.takeAs("command", [...at, "action"]) }, [key]);
    if (step.observation === undefined || step.observation === null) continue;
    calls.answer(key, source.take([...at, "observation"]), "completed");
  }
}
