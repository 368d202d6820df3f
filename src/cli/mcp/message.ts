/**
 * What a line of MCP's stdio transport is to a recorder (JSON-RPC 2.0; Model Context Protocol, "Transports", stdio).
 *
 * A recorder that reads a line otherwise than the server does would let a call pass unseen. So a line in which readers
 * may see different things (a member twice, a member that differs from a known one in case only, no strict JSON) passes
 * only when nothing in it can be `tools/call`.
 */
import { parseJson } from "../../encoding/json.js";
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { decodeUtf8 } from "../../encoding/utf8.js";
import * as LIMITS from "../../limits.js";
import { isObject } from "../../statements/schema.js";

/** A request's id with its type: `1` and `"1"` are two. */
export type RequestId = string | number;

export function idKey(id: RequestId): string {
  return JSON.stringify(id);
}

/** A call as the client asked for it. */
export interface ToolCall {
  readonly id: RequestId;
  readonly name: string;
  readonly params: JsonObject;
  /** True when canonical JSON gives the parameters back unchanged; else only the line itself is exact. */
  readonly exact: boolean;
}

export type ClientMessage =
  | { readonly kind: "other" }
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "cancel"; readonly id: RequestId; readonly reason: string | null }
  /** Must not reach the server; answered under `ids`, or not at all when there is none to answer. */
  | { readonly kind: "refuse"; readonly ids: readonly (RequestId | null)[]; readonly reason: string };

const REQUEST_NAMES = ["jsonrpc", "id", "method", "params", "result", "error"];
const CALL_NAMES = ["name", "arguments", "_meta", "task"];
const OTHER: ClientMessage = { kind: "other" };

/** Reads a line from the client. */
export function readClientLine(line: Uint8Array): ClientMessage {
  const text = decodeUtf8(line);
  if (text !== null && text.trim() === "") return OTHER;
  const { value, faults } = parseJson(line, {
    maxBytes: Number.POSITIVE_INFINITY,
    maxDepth: LIMITS.maxDepth,
    exactNumbers: true,
  });
  const doubtful = faults.some(
    ({ code }) => code !== "FORMAT_NUMBER_INVALID" && code !== "FORMAT_TEXT_INVALID",
  );
  if (value === undefined || doubtful) {
    if (!mayCall(text)) return OTHER;
    const reason = `not a message that every reader understands alike: ${faults[0]?.detail ?? "no JSON"}`;
    return { kind: "refuse", ids: [null], reason };
  }
  if (Array.isArray(value)) return readBatch(value);
  return isObject(value) ? readMessage(value, faults.length === 0) : OTHER;
}

/** Batches were a part of one revision. One with a call is refused as a whole: it could be answered only in part. */
function readBatch(messages: readonly JsonValue[]): ClientMessage {
  const read = messages.map((item) => (isObject(item) ? readMessage(item, true) : OTHER));
  if (read.every(({ kind }) => kind === "other" || kind === "cancel")) return OTHER;
  const ids = messages.flatMap((item) => (isObject(item) && "method" in item ? (idOf(item) ?? []) : []));
  return { kind: "refuse", ids, reason: "a tool is called one at a time here, not in a batch" };
}

function readMessage(message: JsonObject, exact: boolean): ClientMessage {
  const id = idOf(message);
  const twin = twinOf(message, REQUEST_NAMES);
  if (twin !== null && JSON.stringify(message).toLowerCase().includes("tools/call")) {
    return { kind: "refuse", ids: [id], reason: `the member ${twin} is written otherwise than in JSON-RPC` };
  }
  const { method, params } = message;
  if (method === "notifications/cancelled") return readCancel(params);
  if (method !== "tools/call") return OTHER;
  if (id === null) return { kind: "refuse", ids: [], reason: "a call without an id has no answer to record" };
  const name = isMembers(params) ? params["name"] : undefined;
  if (!isMembers(params) || typeof name !== "string" || twinOf(params, CALL_NAMES) !== null) {
    return { kind: "refuse", ids: [id], reason: "params of tools/call: expected an object with a name" };
  }
  return { kind: "call", call: { id, name, params, exact } };
}

function readCancel(params: JsonValue | undefined): ClientMessage {
  if (!isMembers(params)) return OTHER;
  const { requestId, reason } = params;
  if (typeof requestId !== "string" && typeof requestId !== "number") return OTHER;
  return { kind: "cancel", id: requestId, reason: typeof reason === "string" ? reason : null };
}

function isMembers(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isObject(value);
}

function idOf({ id }: JsonObject): RequestId | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** A member that a reader who does not mind case would take for one of these. */
function twinOf(object: JsonObject, names: readonly string[]): string | null {
  return (
    Object.keys(object).find((name) => !names.includes(name) && names.includes(name.toLowerCase())) ?? null
  );
}

/** Whether any reader could find `tools/call` in it: as it is, with an escape, or in text that is not UTF-8. */
function mayCall(text: string | null): boolean {
  return text === null || /\\u|tools\\?\/call/i.test(text);
}

/** What the server said of a call. */
export interface ServerAnswer {
  readonly id: RequestId;
  /** The result or error; undefined when the line could be read by `JSON.parse` alone. */
  readonly body: JsonValue | undefined;
  readonly outcome: "completed" | "failed" | "interrupted";
}

/** The answers in a line from the server; most lines have one or none. */
export function readServerLine(line: Uint8Array): readonly ServerAnswer[] {
  const { value, faults } = parseJson(line, {
    maxBytes: Number.POSITIVE_INFINITY,
    maxDepth: LIMITS.maxDepth,
    exactNumbers: true,
  });
  const strict = value !== undefined && faults.length === 0;
  const read: unknown = strict ? value : looseJson(line);
  const messages: readonly unknown[] = Array.isArray(read) ? read : [read];
  return messages.flatMap((message) => {
    if (typeof message !== "object" || message === null || "method" in message || !("id" in message))
      return [];
    const { id } = message;
    if (typeof id !== "string" && typeof id !== "number") return [];
    const body =
      "error" in message ? { error: message.error } : { result: "result" in message ? message.result : null };
    return [{ id, body: strict ? (body as JsonValue) : undefined, outcome: outcomeOf(message) }];
  });
}

function looseJson(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
}

function outcomeOf(message: object): ServerAnswer["outcome"] {
  if ("error" in message || !("result" in message)) return "failed";
  const { result } = message;
  if (typeof result !== "object" || result === null) return "completed";
  if ("isError" in result && result.isError === true) return "failed";
  // Revision 2026-07-28: the tool has not run to its end, and the client calls again with what it was asked for.
  return "resultType" in result && result.resultType === "input_required" ? "interrupted" : "completed";
}
