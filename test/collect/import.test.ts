import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeToolName,
  IMPORT_FORMATS,
  type ImportFormat,
  importSession,
} from "../../src/collect/import/index.js";
import { canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import * as LIMITS from "../../src/limits.js";
import { bytesText, fromJson, fromText, lines, refusal, utf8 } from "./import-helpers.js";

describe("importSession", () => {
  it("refuses what is no recording, and accepts the smallest that is", () => {
    expect(fromText('[{"tool":"t"}]').calls).toHaveLength(1);
    expect(refusal(() => importSession(new Uint8Array())).message).toContain("an empty file");
    for (const text of [
      "{}",
      "[]",
      "3",
      "null",
      '"x"',
      "[[]]",
      '{"type":"x"}',
      "not JSON",
      "\ufeff[]",
      '[{"tool":"t"}',
    ]) {
      refusal(() => fromText(text));
    }
    refusal(() => importSession(Uint8Array.of(0x5b, 0xff, 0x5d)));
    // A format that the types do not have, from a caller without types.
    const unknown = "chatgpt" as ImportFormat;
    refusal(() => fromText("[]", unknown));
    refusal(() => fromText("[]", "constructor" as ImportFormat));
  });

  it("refuses nesting beyond the limit and keeps a value too deep for a bundle as bytes", () => {
    const nest = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    const list = (levels: number): string => `[{"tool":"t","arguments":${nest(levels)},"result":1}]`;
    expect(fromText(list(LIMITS.maxFreeJsonDepth)).calls[0]?.input).toHaveProperty("json");
    expect(bytesText(fromText(list(LIMITS.maxFreeJsonDepth + 1)).calls[0]?.input)).toBe(
      nest(LIMITS.maxFreeJsonDepth + 1),
    );
    refusal(() => fromText(list(LIMITS.maxDepth)));
    refusal(() => fromText(list(200_000)));
    refusal(() => fromText(`${list(200_000)}\n`, "claude-code"));
    const text = JSON.stringify([
      { role: "assistant", tool_calls: [{ function: { name: "t", arguments: nest(100_000) } }] },
    ]);
    expect(bytesText(fromText(text).calls[0]?.input)).toHaveLength(200_000);
  });

  it("says what it was told to read and could not", () => {
    const error = refusal(() => fromJson({ history: [] }, "inspect"));
    expect(error.message).toContain("--format");
    expect(error.pointer).toBe("/samples");
  });

  it("keeps names such as __proto__ in values", () => {
    const input = '{"__proto__":{"x":1},"constructor":2}';
    const { calls } = fromText(`[{"tool":"t","arguments":${input},"result":1}]`);
    const value = calls[0]?.input;
    expect(value !== undefined && "json" in value && canonicalJson(value.json)).toBe(input);
  });
});

describe("encodeToolName", () => {
  it("encodes what a tool name cannot hold", () => {
    expect(encodeToolName("mcp__git__status")).toBe("mcp__git__status");
    expect(encodeToolName("run it")).toBe("run%20it");
    expect(encodeToolName("a*b%c")).toBe("a%2Ab%25c");
    expect(encodeToolName("prüfe\n\u{1f600}\u007f")).toBe("pr%C3%BCfe%0A%F0%9F%98%80%7F");
    expect(encodeToolName("!~")).toBe("!~");
  });

  it("gives no recording the prefix of the protocol", () => {
    expect(encodeToolName("osa.denied")).toBe("osa%2Edenied");
    expect(encodeToolName("osa%2Edenied")).toBe("osa%252Edenied");
    expect(encodeToolName("osax.denied")).toBe("osax.denied");
  });

  it("bounds the length after encoding", () => {
    expect(encodeToolName("x".repeat(128))).toHaveLength(128);
    refusal(() => encodeToolName("x".repeat(129)));
    expect(encodeToolName(" ".repeat(42))).toHaveLength(126);
    refusal(() => encodeToolName(" ".repeat(43)));
    refusal(() => encodeToolName(""));
    refusal(() => encodeToolName("\ud800"));
  });

  it("is one to one and always a tool name", () => {
    const short = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((name) => encodeUtf8(name).length * 3 <= LIMITS.maxIdentifierCharacters);
    fc.assert(
      // Each byte may take three characters of the 128 that a tool name has.
      fc.property(short, (name) => {
        const encoded = encodeToolName(name);
        expect(encoded).toMatch(/^[!-)+-~]+$/);
        expect(decodeURIComponent(encoded)).toBe(name);
      }),
    );
  });
});

describe("values", () => {
  it("stay equal beside one that must be kept as bytes", () => {
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .filter((one) => isJsonValue(one) && !/-0/.test(JSON.stringify(one)));
    const odd = fc.constantFrom(
      '{"a":1,"a":[2]}',
      "[12345678901234567890]",
      '"\\udfff"',
      "1e999",
      "-0",
      "0.30000000000000001",
    );
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 5 }),
        odd,
        fc.nat(5),
        fc.constantFrom("", " ", "\n\t"),
        (values, bad, at, gap) => {
          const texts = values.map((one) => JSON.stringify(one, null, gap));
          texts.splice(at % (texts.length + 1), 0, bad);
          const text = `[${texts.map((one) => `{${gap}"result":${gap}${one}${gap},"tool" :"t"}`).join(`${gap},`)}]`;
          for (const [index, call] of fromText(text).calls.entries()) {
            const { output } = call;
            if ("bytes" in output) expect(bytesText(output)).toBe(texts[index]);
            else expect(JSON.parse(canonicalJson(output.json))).toEqual(JSON.parse(texts[index] ?? ""));
            if (texts[index] === bad) expect(output).toHaveProperty("bytes");
          }
        },
      ),
    );
  });
});

/** One small recording of each format. */
const SAMPLES: Readonly<Record<ImportFormat, string>> = {
  "claude-code": lines(
    { type: "user", uuid: "a", parentUuid: null, message: { content: "go" } },
    {
      type: "assistant",
      uuid: "b",
      parentUuid: "a",
      message: { id: "m", content: [{ type: "tool_use", id: "t", name: "Task", input: { prompt: "p" } }] },
    },
    { type: "user", uuid: "s", parentUuid: null, isSidechain: true, message: { content: "p" } },
    {
      type: "user",
      uuid: "c",
      parentUuid: "b",
      toolUseResult: { interrupted: false },
      message: { content: [{ type: "tool_result", tool_use_id: "t", content: "out", is_error: false }] },
    },
  ),
  "swe-agent": JSON.stringify({
    trajectory: [
      { action: "ls", observation: "a" },
      { action: "pwd", observation: "/" },
    ],
    history: [],
  }),
  openhands: JSON.stringify([
    {
      id: 1,
      source: "agent",
      action: "run",
      args: {},
      tool_call_metadata: {
        function_name: "sh",
        tool_call_id: "k",
        model_response: {
          id: "r",
          choices: [{ message: { tool_calls: [{ id: "k", function: { arguments: "{}" } }] } }],
        },
      },
    },
    { id: 2, source: "agent", observation: "run", cause: 1, content: "ok", success: true },
  ]),
  "openai-chat": JSON.stringify([
    {
      role: "assistant",
      tool_calls: [
        { id: "a", function: { name: "f", arguments: '{"n":1}' } },
        { id: "b", function: { name: "g", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
  ]),
  inspect: JSON.stringify({
    eval: { run_id: "r" },
    samples: [
      {
        messages: [
          { role: "assistant", tool_calls: [{ id: "a", function: "f", arguments: { n: 1.5 } }] },
          { role: "tool", tool_call_id: "a", content: "1", error: null },
        ],
      },
    ],
  }),
  adk: JSON.stringify({
    id: "s",
    events: [
      {
        author: "x",
        timestamp: 1.5,
        branch: "p.q",
        content: { parts: [{ function_call: { name: "f", args: {} } }] },
      },
      {
        author: "x",
        branch: "p.q",
        content: { parts: [{ function_response: { name: "f", response: { ok: 1 } } }] },
      },
    ],
  }),
  calls: JSON.stringify([
    { tool: "a", arguments: {}, result: 1 },
    { tool: "b", result: null, parents: [0], status: "failed" },
  ]),
};

/** Either a session or IMPORT_INVALID; anything else fails the test. */
function tryImport(bytes: Uint8Array, format?: ImportFormat): void {
  try {
    const { calls } = importSession(bytes, format);
    for (const [index, call] of calls.entries()) {
      expect(
        call.parents.every((parent, place) => parent < index && parent > (call.parents[place - 1] ?? -1)),
      ).toBe(true);
      for (const value of [call.input, call.output])
        if ("json" in value) expect(isJsonValue(value.json)).toBe(true);
    }
  } catch (error) {
    if (!(error instanceof OsaProofError)) throw error;
    expect(error.code).toBe("IMPORT_INVALID");
  }
}

describe("hostile recordings", () => {
  it("has a sample of every format, each told from its content", () => {
    expect(Object.keys(SAMPLES).toSorted()).toEqual(IMPORT_FORMATS.toSorted());
    for (const format of IMPORT_FORMATS) {
      const session = fromText(SAMPLES[format]);
      expect(session.format).toBe(format);
      expect(session.calls.length).toBeGreaterThan(0);
      expect(session.calls.every((call) => call.status !== "interrupted")).toBe(true);
    }
  });

  it.each(IMPORT_FORMATS)(
    "%s: every cut and every other format gives a session or IMPORT_INVALID",
    (format) => {
      const bytes = utf8(SAMPLES[format]);
      for (let length = 0; length < bytes.length; length++) {
        tryImport(bytes.subarray(0, length));
        tryImport(bytes.subarray(0, length), format);
        if (format !== "claude-code") refusal(() => importSession(bytes.subarray(0, length)));
      }
      for (const other of IMPORT_FORMATS) tryImport(bytes, other);
    },
  );

  it.each(IMPORT_FORMATS)("%s: every leaf and branch replaced by every other type", (format) => {
    const wrong = [undefined, null, true, 0, -1, 1e300, "", "x", [], {}, [null], { id: {} }];
    for (const line of format === "claude-code" ? SAMPLES[format].trim().split("\n") : [SAMPLES[format]]) {
      for (const path of pathsOf(JSON.parse(line))) {
        for (const value of wrong) {
          const text = SAMPLES[format].replace(
            line,
            () => JSON.stringify(replaced(JSON.parse(line), path, value)) ?? "",
          );
          tryImport(utf8(text));
          tryImport(utf8(text), format);
        }
      }
    }
  });

  it("survives random bytes put anywhere", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc
        .constantFrom('"a":1,"a":2,', "\\ud800", "-0", "1e999", "\n", '"', "{", "]", "null", "\u2028")
        .map(utf8),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...IMPORT_FORMATS),
        fc.nat(),
        fc.nat(20),
        piece,
        fc.boolean(),
        (format, place, drop, bytes, told) => {
          const whole = utf8(SAMPLES[format]);
          const at = place % (whole.length + 1);
          const mutated = Uint8Array.of(...whole.subarray(0, at), ...bytes, ...whole.subarray(at + drop));
          tryImport(mutated, told ? format : undefined);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  const below = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [
    path,
    ...below.flatMap(([key, one]) => pathsOf(one, [...path, Array.isArray(value) ? Number(key) : key])),
  ];
}

function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  if (Array.isArray(value))
    return value.map((one, index) => (index === first ? replaced(one, rest, by) : one));
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([key, one]) => [key, key === first ? replaced(one, rest, by) : one]),
  );
}
