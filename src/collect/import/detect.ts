/** Layer 8: which format a recording is in, told by the members that only that format has. */
import { parseJson } from "../../encoding/json.js";
import type { JsonValue } from "../../encoding/json-value.js";
import * as LIMITS from "../../limits.js";
import { isArray, memberOf } from "./source.js";
import type { ImportFormat } from "./types.js";

/** The format of a document that is one JSON text, or null. */
export function formatOfDocument(document: JsonValue): ImportFormat | null {
  if (isArray(document)) return formatOfList(document);
  const has = (name: string): boolean => memberOf(document, name) !== undefined;
  if (has("type") && (has("message") || has("uuid") || has("sessionId"))) return "claude-code";
  if (has("samples") && has("eval")) return "inspect";
  if (has("events")) return "adk";
  if (has("traj") || has("messages")) return "openai-chat";
  if (!has("trajectory") && !has("history")) return null;
  const list = memberOf(document, has("history") ? "history" : "trajectory");
  return isArray(list) && formatOfList(list) === "openhands" ? "openhands" : "swe-agent";
}

function formatOfList(list: readonly JsonValue[]): ImportFormat | null {
  const first = list[0];
  const has = (name: string): boolean => memberOf(first, name) !== undefined;
  if (has("role") || has("traj") || has("messages")) return "openai-chat";
  if (has("tool") || (has("name") && (has("arguments") || has("input")))) return "calls";
  if (has("source") && (has("action") || has("observation"))) return "openhands";
  return null;
}

/** True when the first line is an entry of a transcript: such a file is no JSON text as a whole. */
export function looksLikeTranscript(bytes: Uint8Array): boolean {
  const newline = bytes.indexOf(0x0a);
  if (newline < 0) return false;
  const first = parseJson(bytes.subarray(0, newline), {
    maxBytes: LIMITS.maxBundleBytes,
    maxDepth: LIMITS.maxDepth,
  });
  return typeof memberOf(first.value, "type") === "string";
}
