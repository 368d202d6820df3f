/**
 * The plain files of a workspace: one statement a line, canonical JSON, appended and synced.
 *
 * A change of several files counts as a whole or not at all: it is written to a journal first, and a journal that a
 * crash left behind is carried out at the next start. Reading goes through the strict decoders.
 */
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensureDirectory, readFileIfThere, writeFileDurably } from "../collect/files.js";
import { parseJson } from "../encoding/json.js";
import type { JsonValue } from "../encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { array, Faults, object, type Schema, text } from "../statements/schema.js";

/** Nothing but its owner reads what is in a workspace, unless a file is made to be given away. */
const PRIVATE = 0o600;
const PUBLIC = 0o644;
const JOURNAL = "journal.json";
const LINE_END = 0x0a;

/** One change: lines to append, and files to replace as a whole. File names are relative to the workspace. */
export interface Change {
  readonly appends: readonly { readonly file: string; readonly lines: readonly string[] }[];
  readonly files: readonly { readonly file: string; readonly content: string }[];
}

const anyText = text("text", () => true);
const fileName = text("a file of the workspace", (name) => /^[a-z-]+(\/[a-z-]+)?\.(jsonl|json)$/.test(name));
const MANY = LIMITS.maxReceipts;

const change: Schema<Change> = object<Change>({
  appends: array(
    object<Change["appends"][number]>({ file: fileName, lines: array(anyText, { maximum: MANY }) }),
    { maximum: 64 },
  ),
  files: array(object<Change["files"][number]>({ file: fileName, content: anyText }), { maximum: 64 }),
});

/** Carries out a change, durably. The caller holds the workspace's lock. @throws OsaProofError IO_FAILED */
export async function commitChange(directory: string, made: Change): Promise<void> {
  const journal = join(directory, JOURNAL);
  await writeFileDurably(journal, encodeUtf8(JSON.stringify(made)), PRIVATE);
  try {
    for (const { file, lines } of made.appends) await appendLines(join(directory, file), lines);
    for (const { file, content } of made.files) await replaceFile(directory, file, content);
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.message}; ` : "";
    throw new OsaProofError(
      "IO_FAILED",
      `${reason}the change is kept in ${journal} and the next command finishes it: make room or access, then go on, and do not repeat this command`,
      { cause },
    );
  }
  await rm(journal, { force: true });
}

/** Finishes a change that was interrupted, and says whether there was one. The caller holds the workspace's lock. */
export async function recoverChange(directory: string): Promise<boolean> {
  const journal = join(directory, JOURNAL);
  const bytes = await readFileIfThere(journal);
  if (bytes === null) return false;
  const pending = decodeJson(change, bytes, LIMITS.maxBundleBytes, journal);
  for (const { file, lines } of pending.appends) {
    const path = join(directory, file);
    // Lines are unique, so those that are there already were written before the interruption.
    const there = new Set(await readTextLines(path));
    await appendLines(
      path,
      lines.filter((line) => !there.has(line)),
    );
  }
  for (const { file, content } of pending.files) await replaceFile(directory, file, content);
  await rm(journal, { force: true });
  return true;
}

/** The decoded lines of a file; none when it is not there. @throws OsaProofError WORKSPACE_INVALID, IO_FAILED */
export async function readLines<T>(path: string, schema: Schema<T>): Promise<readonly T[]> {
  const lines = await readTextLines(path);
  return lines.map((line, index) =>
    decodeJson(schema, encodeUtf8(line), LIMITS.maxBundleBytes, `${path} line ${index + 1}`),
  );
}

/** Decodes JSON bytes of the workspace by a closed schema. @throws OsaProofError WORKSPACE_INVALID */
export function decodeJson<T>(schema: Schema<T>, bytes: Uint8Array, maxBytes: number, name: string): T {
  const parsed = parseJson(bytes, { maxBytes, maxDepth: LIMITS.maxDepth });
  const into = new Faults();
  for (const fault of parsed.faults) into.report(fault);
  const value = parsed.value === undefined ? undefined : schema.decode(parsed.value, "", into);
  const [fault] = into.first();
  if (value !== undefined && fault === undefined) return value;
  const where = fault?.pointer ? ` at ${fault.pointer}` : "";
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `${name}${where}: ${fault?.detail ?? "not readable"}; restore this file from a copy`,
    { pointer: fault?.pointer ?? "" },
  );
}

/** Any JSON object or array, for values whose content is not judged. */
export const anyJson: Schema<JsonValue> = { shape: { kind: "any" }, decode: (value) => value };

async function replaceFile(directory: string, file: string, content: string): Promise<void> {
  await writeFileDurably(join(directory, file), encodeUtf8(content), PUBLIC);
}

/** Whole lines only: one without its end was cut off while it was written, and nobody has seen it. */
async function readTextLines(path: string): Promise<readonly string[]> {
  const bytes = await readFileIfThere(path);
  if (bytes === null) return [];
  const whole = decodeUtf8(bytes.subarray(0, bytes.lastIndexOf(LINE_END) + 1));
  if (whole === null) {
    throw new OsaProofError("WORKSPACE_INVALID", `${path} is not UTF-8 text; restore this file from a copy`);
  }
  return whole === "" ? [] : whole.slice(0, -1).split("\n");
}

/** Appends behind the last whole line and syncs. */
async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  try {
    await ensureDirectory(dirname(path));
    const handle = await open(path, "a+", PRIVATE);
    try {
      await dropPartialLine(handle);
      await handle.appendFile(encodeUtf8(`${lines.join("\n")}\n`));
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof OsaProofError) throw cause;
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw new OsaProofError("IO_FAILED", `cannot append to ${path}${reason}`, { cause });
  }
}

async function dropPartialLine(handle: Awaited<ReturnType<typeof open>>): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const last = new Uint8Array(1);
  await handle.read(last, 0, 1, size - 1);
  if (last[0] === LINE_END) return;
  const bytes = await handle.readFile();
  await handle.truncate(bytes.lastIndexOf(LINE_END) + 1);
}
