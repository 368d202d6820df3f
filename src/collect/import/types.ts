/** Layer 8: what every reader of a recorded session gives, whatever the format it read. */
import type { JsonValue } from "../../encoding/json-value.js";

export type ImportFormat =
  | "claude-code"
  | "swe-agent"
  | "openhands"
  | "openai-chat"
  | "inspect"
  | "adk"
  | "calls";

/** A value as recorded: JSON where JSON gives it back unchanged, else the exact bytes of its text. */
export type ImportedValue = { readonly json: JsonValue } | { readonly bytes: Uint8Array };

export type CallStatus = "completed" | "failed" | "denied" | "interrupted";

export interface ImportedCall {
  /** As recorded, any text; `encodeToolName` makes a tool name of it. */
  readonly tool: string;
  readonly input: ImportedValue;
  /** `{ json: null }` when the recording has no result; the status is then "interrupted". */
  readonly output: ImportedValue;
  readonly status: CallStatus;
  /** Indexes of earlier calls, ascending and unique; any number of them. */
  readonly parents: readonly number[];
  /** The recording's own id. Recordings use one id for several calls: it names nothing by itself. */
  readonly callId?: string;
  /** Milliseconds since 1970, where the recording has an instant (a time without a zone is none). */
  readonly time?: number;
  /** Author, where the recording tells agents apart. */
  readonly agent?: string;
}

export interface ImportedSession {
  readonly format: ImportFormat;
  /** In recorded order. */
  readonly calls: readonly ImportedCall[];
  readonly sessionId?: string;
  /** What a person should know, in sentences; they may hold names out of the recording. */
  readonly notes: readonly string[];
}
