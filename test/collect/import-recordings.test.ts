/**
 * Real recordings under ../shared/trajectories, each with a plain extraction of its calls.
 *
 * The extraction gives every call of one id the last result of that id. Two recordings use ids again, so seven of its
 * results are those of a later call. The importer pairs by place; these seven are listed, and what is said of them
 * here is checked against both files.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ImportFormat, importSession } from "../../src/collect/import/index.js";

const folder = fileURLToPath(new URL("../../../shared/trajectories/", import.meta.url));
const present = existsSync(folder);
if (!present) console.warn("import: ../shared/trajectories is not there, real recordings are skipped");

interface Expected {
  readonly tool: string;
  readonly arguments: unknown;
  readonly result: unknown;
  readonly id?: string;
  readonly isError?: boolean;
}

const RECORDINGS: readonly (readonly [file: string, format: ImportFormat, calls: number])[] = [
  ["swe-agent-marshmallow-1867.json", "swe-agent", 11],
  ["swe-agent-ctf-flash.json", "swe-agent", 4],
  ["openhands-gui.json", "openhands", 4],
  ["openhands-basic.json", "openhands", 1],
  ["tau-airline-3.json", "openai-chat", 20],
  ["tau-airline-11.json", "openai-chat", 10],
  ["claude-code-session.jsonl", "claude-code", 6],
  ["claude-code-short.jsonl", "claude-code", 2],
  ["adk-spark-session.json", "adk", 2],
  ["inspect-browser.json", "inspect", 4],
];

/** Calls for which the extraction has the result of a later call with the same id, and how their own begins. */
const BORROWED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  "swe-agent-marshmallow-1867.json": {
    1: "File updated.",
    2: "344\n",
    3: "AUTHORS.rst",
    4: 'Found 1 matches for "fields.py"',
    8: "345\n",
  },
  "tau-airline-3.json": { 2: '{"reservation_id": "AQLBTL"', 13: "Error: not enough seats" },
};

function read(file: string): Uint8Array {
  return new Uint8Array(readFileSync(`${folder}${file}`));
}

function expectedOf(file: string): Expected[] {
  return JSON.parse(readFileSync(`${folder}${file.replace(/\.jsonl?$/, ".calls.json")}`, "utf8"));
}

describe.skipIf(!present)("recorded sessions", () => {
  it("are ten with 64 calls", () => {
    expect(RECORDINGS).toHaveLength(10);
    expect(RECORDINGS.reduce((sum, [, , calls]) => sum + calls, 0)).toBe(64);
  });

  it.each(RECORDINGS)("%s: one call for each tool call, in order, unchanged", (file, format, count) => {
    const session = importSession(read(file));
    const expected = expectedOf(file);
    expect(session.format).toBe(format);
    expect(importSession(read(file), format)).toEqual(session);
    expect(session.calls).toHaveLength(count);
    expect(expected).toHaveLength(count);
    for (const [index, call] of session.calls.entries()) {
      const want = expected[index];
      expect(call.tool).toBe(want?.tool);
      expect(call.input).toEqual({ json: want?.arguments });
      expect(call.callId).toBe(want?.id);
      expect(call.parents.every((parent) => parent < index)).toBe(true);
      if (BORROWED[file]?.[index] !== undefined) continue;
      expect(call.output).toEqual({ json: want?.result });
      if (want?.isError === true) expect(["failed", "denied"]).toContain(call.status);
    }
  });

  it.each(Object.keys(BORROWED))(
    "%s: a result is that of its own call, where one id is used again",
    (file) => {
      const { calls, notes } = importSession(read(file));
      const expected = expectedOf(file);
      for (const [place, opening] of Object.entries(BORROWED[file] ?? {})) {
        const call = calls[Number(place)];
        const output = call?.output;
        const text = output !== undefined && "json" in output ? output.json : null;
        expect(String(text).startsWith(opening)).toBe(true);
        // What the extraction says instead is the output of the last call of this id.
        const last = calls.findLast((other) => other.callId === call?.callId);
        expect(last).not.toBe(call);
        expect(last?.output).toEqual({ json: expected[Number(place)]?.result });
        expect(notes.some((note) => note.includes(String(call?.callId)))).toBe(true);
      }
    },
  );

  it("reads the extractions themselves as plain lists of calls", () => {
    for (const [file, , count] of RECORDINGS) {
      const name = file.replace(/\.jsonl?$/, ".calls.json");
      const session = importSession(read(name));
      expect(session.format).toBe("calls");
      expect(session.calls).toHaveLength(count);
    }
  });

  it("forks for parallel calls and merges behind them", () => {
    const { calls } = importSession(read("claude-code-session.jsonl"));
    expect(calls.map((call) => call.parents)).toEqual([[], [0], [1], [1], [2, 3], [2, 3]]);
    expect(importSession(read("claude-code-short.jsonl")).calls.map((call) => call.status)).toEqual([
      "denied",
      "denied",
    ]);
  });

  it("keeps times that are instants, and authors", () => {
    const { calls } = importSession(read("adk-spark-session.json"));
    expect(calls.map((call) => call.time)).toEqual([1734292272523, 1734292291452]);
    expect(calls.map((call) => call.agent)).toEqual(["spark_assistant", "spark_assistant"]);
    expect(importSession(read("claude-code-session.jsonl")).calls[0]?.time).toBe(
      Date.parse("2026-02-10T22:57:57.941Z"),
    );
  });
});
