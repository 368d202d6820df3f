/** The files of a journal and what stands in their lines (docs/JOURNAL.md). */
import { parseJson } from "../../encoding/json.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import * as LIMITS from "../../limits.js";
import { canonicalText } from "../../statements/canonical.js";
import * as fields from "../../statements/fields.js";
import { Faults, object, type Schema, version } from "../../statements/schema.js";

export const HEADER_FILE = "journal.json";
export const RECEIPTS_FILE = "receipts.jsonl";
/** Salts and committed values: apart from the receipts, so that they can be erased alone. */
export const OPENINGS_FILE = "openings.jsonl";
export const CERTIFICATES_FILE = "runtime-key-certificates.jsonl";
export const DELEGATIONS_FILE = "delegations.jsonl";
/** Calls that began; which of them ended is told by the receipts. */
export const CALLS_FILE = "calls.jsonl";
export const CLOSE_FILE = "session-close.json";
export const LOCK_FILE = "lock";

/** Whose journal it is, fixed when it was made: one runtime in one session. */
export interface JournalHeader {
  readonly format: "osa-proof-journal-1";
  readonly namespace_id: string;
  readonly agent_id: string;
  readonly runtime_id: string;
  readonly session_id: string;
  readonly mission_id: string;
}

export const journalHeader: Schema<JournalHeader> = object<JournalHeader>({
  format: version("osa-proof-journal-1"),
  namespace_id: fields.identifier,
  agent_id: fields.agentId,
  runtime_id: fields.identifier,
  session_id: fields.identifier,
  mission_id: fields.identifier,
});

/** A call that was allowed and is about to run. */
export interface BegunCall {
  readonly action_id: string;
  readonly tool: string;
  readonly begun_at: string;
}

export const begunCall: Schema<BegunCall> = object<BegunCall>({
  action_id: fields.identifier,
  tool: fields.toolName,
  begun_at: fields.time,
});

/** One value as a line: canonical JSON, which holds no raw newline, and a newline. */
export function lineOf(value: object): string {
  return `${canonicalText(value)}\n`;
}

const LINE_END = 0x0a;

/** What could be read of a file of lines. */
export interface ReadLines<T> {
  readonly values: readonly T[];
  /** Bytes of the lines in `values`. What stands behind them is no line: cut off, or damaged. */
  readonly goodBytes: number;
  readonly totalBytes: number;
  /** True when a line that can be read stands behind one that cannot: that is damage, and no torn end. */
  readonly damaged: boolean;
  /** Number of the first line that cannot be read, from 1; 0 when all can. */
  readonly badLine: number;
}

/** Reads lines up to the first that is not one: cut short, not strict JSON, or not of the schema. */
export function readLines<T>(bytes: Uint8Array, schema: Schema<T>): ReadLines<T> {
  const values: T[] = [];
  let goodBytes = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_END, goodBytes);
    const value = end < 0 ? undefined : decodeBytes(schema, bytes.subarray(goodBytes, end));
    if (value === undefined) break;
    values.push(value);
    goodBytes = end + 1;
  }
  const badLine = goodBytes === bytes.length ? 0 : values.length + 1;
  return { values, goodBytes, totalBytes: bytes.length, damaged: hasLine(bytes, goodBytes, schema), badLine };
}

/** Whether any line behind `from`, but the first, can be read. */
function hasLine(bytes: Uint8Array, from: number, schema: Schema<unknown>): boolean {
  let start = bytes.indexOf(LINE_END, from) + 1;
  while (start > 0 && start < bytes.length) {
    const end = bytes.indexOf(LINE_END, start);
    if (end < 0) return false;
    if (decodeBytes(schema, bytes.subarray(start, end)) !== undefined) return true;
    start = end + 1;
  }
  return false;
}

/** The value, or undefined for bytes that are not strict JSON of this schema. */
export function decodeBytes<T>(schema: Schema<T>, bytes: Uint8Array): T | undefined {
  const { value, faults } = parseJson(bytes, {
    maxBytes: LIMITS.maxBundleBytes,
    maxDepth: LIMITS.maxDepth,
    exactNumbers: true,
  });
  if (value === undefined || faults.length > 0) return undefined;
  return schema.decode(value, "", new Faults());
}

export function encodeLines(lines: readonly string[]): Uint8Array {
  return encodeUtf8(lines.join(""));
}
