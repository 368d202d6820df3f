/**
 * Between an MCP client and a server: every `tools/call` becomes a receipt, every other line passes as it is.
 *
 * A call reaches the server when the session allows it, and its answer the client when the receipt is durable. Lines of
 * the client keep their order; an answer may be overtaken by what the server says after it, as JSON-RPC allows.
 */
import { encodeToolName } from "../../collect/import/index.js";
import { sha256Hex } from "../../crypto/digest.js";
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import type { ActionContent } from "../../runtime/action.js";
import type { Branch } from "../../runtime/session/branch.js";
import {
  idKey,
  type RequestId,
  readClientLine,
  readServerLine,
  type ServerAnswer,
  type ToolCall,
} from "./message.js";

/** Sends a line with its newline; resolves when more may be sent. */
export type Send = (line: Uint8Array) => Promise<void>;

export interface ProxyOptions {
  readonly session: Branch;
  readonly toServer: Send;
  readonly toClient: Send;
  /** Called with what a person should know. */
  readonly warn: (message: string) => void;
  /** Puts the receipt's digest into `_meta` of each result. */
  readonly receiptMeta: boolean;
}

/** What came of a call that reached the server. */
type Answer =
  | {
      readonly kind: "answered";
      readonly line: Uint8Array;
      readonly answer: ServerAnswer;
      readonly first: boolean;
    }
  | { readonly kind: "cancelled"; readonly reason: string | null }
  | { readonly kind: "gone" };

interface Pending {
  readonly settle: (answer: Answer) => void;
  cancelled: string | null | undefined;
}

/** A server may answer a cancelled call all the same; after so long it is taken at its word that it does not. */
const CANCEL_GRACE_MS = 2_000;
/** JSON-RPC leaves -32000 to -32099 to implementations. */
const [REFUSED, INVALID, NOT_STORED] = [-32_000, -32_600, -32_001];
const META_NAME = "osa-proof/receipt-digest";

export class McpProxy {
  readonly #options: ProxyOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #running = new Set<Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isServerGone = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Takes a line from the client. Resolves when it was passed on or answered, so that the next keeps its place. */
  async fromClient(line: Uint8Array): Promise<void> {
    const message = readClientLine(line);
    switch (message.kind) {
      case "call":
        await this.#call(message.call, line);
        return;
      case "refuse":
        this.#options.warn(`a message was not passed on: ${message.reason}`);
        for (const id of message.ids) await this.#answerError(id, INVALID, message.reason, null);
        return;
      case "cancel":
        this.#cancel(message.id, message.reason);
        break;
    }
    await this.#options.toServer(line);
  }

  /** Takes a line from the server. Answers to calls wait for their receipts, and nothing waits for them. */
  async fromServer(line: Uint8Array): Promise<void> {
    const answers = this.#pending.size === 0 ? [] : readServerLine(line);
    const mine = answers.filter(({ id }) => this.#pending.has(idKey(id)));
    if (mine.length === 0) {
      await this.#options.toClient(line);
      return;
    }
    for (const answer of mine) {
      // A line that answers several calls is passed on once.
      this.#settle(answer.id, { kind: "answered", line, answer, first: answer === mine[0] });
    }
  }

  /** The server is gone: what still runs is recorded as interrupted. Resolves when all is recorded and answered. */
  async end(): Promise<void> {
    this.#isServerGone = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { settle, cancelled } of this.#pending.values()) {
      settle(cancelled === undefined ? { kind: "gone" } : { kind: "cancelled", reason: cancelled });
    }
    this.#pending.clear();
    await Promise.allSettled(this.#running);
  }

  #settle(id: RequestId, answer: Answer): void {
    const key = idKey(id);
    this.#pending.get(key)?.settle(answer);
    this.#pending.delete(key);
  }

  #cancel(id: RequestId, reason: string | null): void {
    const pending = this.#pending.get(idKey(id));
    if (pending === undefined) return;
    pending.cancelled = reason;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#pending.get(idKey(id)) === pending) this.#settle(id, { kind: "cancelled", reason });
    }, CANCEL_GRACE_MS);
    this.#timers.add(timer);
  }

  /** Resolves when the call has reached the server or was refused; what follows goes on beside. */
  async #call(call: ToolCall, line: Uint8Array): Promise<void> {
    if (this.#pending.has(idKey(call.id))) {
      await this.#answerError(call.id, INVALID, "a call with this id is running; ids are used once", null);
      return;
    }
    const tool = toolOf(call.name);
    if (tool === null) {
      await this.#answerError(call.id, REFUSED, "the name of this tool cannot be recorded", "ACTION_REFUSED");
      return;
    }
    await new Promise<void>((passedOn) => {
      const running = this.#run(call, tool, line, passedOn).finally(() => {
        passedOn();
        this.#running.delete(running);
      });
      this.#running.add(running);
    });
  }

  async #run(call: ToolCall, tool: string, line: Uint8Array, passedOn: () => void): Promise<void> {
    let reachedServer = false;
    let digest = "";
    try {
      const answer = await this.#options.session.run(
        tool,
        call.exact ? call.params : line,
        async () => {
          const answered = this.#expect(call.id);
          reachedServer = true;
          await this.#options.toServer(line);
          passedOn();
          return answered;
        },
        {
          statusOf: (result) => (result.kind === "answered" ? result.answer.outcome : "interrupted"),
          outputOf: outputOf,
          evidenceOf: (result) => [{ json: wireOf(line, result) }],
          onRecorded: (recorded) => {
            digest = recorded.digest;
          },
        },
      );
      if (answer.kind === "answered" && answer.first)
        await this.#options.toClient(this.#withDigest(answer, digest));
    } catch (error) {
      this.#settle(call.id, { kind: "gone" });
      const reason = error instanceof Error ? error.message : String(error);
      const code = error instanceof OsaProofError ? error.code : "INTERNAL_FAULT";
      if (reachedServer) this.#options.warn(`${call.name} may have run, and has no receipt: ${reason}`);
      const told = reachedServer
        ? `the tool may have run, but its receipt could not be made: ${reason}`
        : reason;
      await this.#answerError(call.id, reachedServer ? NOT_STORED : REFUSED, told, code);
    }
  }

  #expect(id: RequestId): Promise<Answer> {
    return new Promise((settle) => {
      if (this.#isServerGone) settle({ kind: "gone" });
      else this.#pending.set(idKey(id), { settle, cancelled: undefined });
    });
  }

  /** The line as it came, or with the digest in `_meta` where that changes nothing else. */
  #withDigest(
    { line, answer: { body } }: Answer & { readonly kind: "answered" },
    digest: string,
  ): Uint8Array {
    if (!this.#options.receiptMeta || body === undefined) return line;
    const message = JSON.parse(new TextDecoder().decode(line)) as JsonObject;
    const { result } = message;
    if (typeof result !== "object" || result === null || Array.isArray(result)) return line;
    const before = (result as JsonObject)["_meta"];
    const meta = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
    const changed = { ...message, result: { ...result, _meta: { ...meta, [META_NAME]: digest } } };
    return encodeUtf8(JSON.stringify(changed));
  }

  async #answerError(
    id: RequestId | null,
    code: number,
    message: string,
    reason: string | null,
  ): Promise<void> {
    const data = reason === null ? {} : { data: { code: reason } };
    const answer = { jsonrpc: "2.0", id, error: { code, message: `osa-proof: ${message}`, ...data } };
    await this.#options.toClient(encodeUtf8(JSON.stringify(answer)));
  }
}

function toolOf(name: string): string | null {
  try {
    return encodeToolName(name);
  } catch {
    return null;
  }
}

/** What the server said, or why it said nothing. */
function outputOf(result: Answer): ActionContent {
  if (result.kind === "gone") return { json: { error: "the server ended before it answered" } };
  if (result.kind === "cancelled") return { json: { cancelled: { reason: result.reason } } };
  const { body } = result.answer;
  return body === undefined ? { bytes: result.line } : { json: body };
}

/** Both lines by their hash, so that a log of the wire can be held against the receipt. */
function wireOf(request: Uint8Array, result: Answer): JsonValue {
  const hashed = (bytes: Uint8Array): JsonObject => ({ sha256: sha256Hex(bytes), size: bytes.length });
  const response = result.kind === "answered" ? hashed(result.line) : null;
  return { mcp: { request: hashed(request), response } };
}
