import { describe, expect, it } from "vitest";
import { bytesText, fromText, lines, parentsOf, refusal, statusesOf } from "./import-helpers.js";

interface Line {
  readonly uuid: string;
  readonly parent: string | null;
  readonly side?: boolean;
  readonly agentId?: string;
}

function entry(type: string, message: unknown, at: Line, more: object = {}): object {
  return {
    type,
    uuid: at.uuid,
    parentUuid: at.parent,
    isSidechain: at.side ?? false,
    ...(at.agentId === undefined ? {} : { agentId: at.agentId }),
    sessionId: "s-1",
    timestamp: "2026-03-01T10:00:00.250Z",
    message,
    ...more,
  };
}

function asks(
  at: Line,
  messageId: string,
  ...uses: readonly [id: string, name: string, input?: unknown][]
): object {
  const content = uses.map(([id, name, input]) => ({
    type: "tool_use",
    id,
    name,
    input: input ?? { of: id },
  }));
  return entry("assistant", { id: messageId, role: "assistant", content }, at);
}

function gives(at: Line, id: string, content: unknown, more: object = {}, line: object = {}): object {
  const block = { type: "tool_result", tool_use_id: id, content, ...more };
  return entry("user", { role: "user", content: [block] }, at, line);
}

function says(at: Line, text: string): object {
  return entry("user", { role: "user", content: text }, at);
}

const chain = lines(
  says({ uuid: "u0", parent: null }, "go"),
  asks({ uuid: "u1", parent: "u0" }, "m1", ["t1", "Read"]),
  gives({ uuid: "u2", parent: "u1" }, "t1", "alpha"),
  asks({ uuid: "u3", parent: "u2" }, "m2", ["t2", "Bash"]),
  gives({ uuid: "u4", parent: "u3" }, "t2", [{ type: "text", text: "beta" }]),
);

describe("Claude Code transcript", () => {
  it("reads calls with their results, in order", () => {
    const session = fromText(chain);
    expect(session).toEqual({
      format: "claude-code",
      sessionId: "s-1",
      notes: [],
      calls: [
        {
          tool: "Read",
          input: { json: { of: "t1" } },
          output: { json: "alpha" },
          status: "completed",
          parents: [],
          callId: "t1",
          time: Date.UTC(2026, 2, 1, 10, 0, 0, 250),
        },
        {
          tool: "Bash",
          input: { json: { of: "t2" } },
          output: { json: [{ type: "text", text: "beta" }] },
          status: "completed",
          parents: [0],
          callId: "t2",
          time: Date.UTC(2026, 2, 1, 10, 0, 0, 250),
        },
      ],
    });
    expect(fromText(chain, "claude-code")).toEqual(session);
    expect(fromText(chain.replaceAll("\n", "\r\n"))).toEqual(session);
  });

  it("forks the calls of one message, also over several lines, and merges behind them", () => {
    const session = fromText(
      lines(
        asks({ uuid: "a", parent: null }, "m1", ["t1", "Read"]),
        gives({ uuid: "b", parent: "a" }, "t1", "1"),
        asks({ uuid: "c", parent: "b" }, "m2", ["t2", "Read"]),
        asks({ uuid: "d", parent: "c" }, "m2", ["t3", "Grep"], ["t4", "Glob"]),
        gives({ uuid: "e", parent: "d" }, "t4", "4"),
        gives({ uuid: "f", parent: "c" }, "t2", "2"),
        gives({ uuid: "g", parent: "d" }, "t3", "3"),
        asks({ uuid: "h", parent: "g" }, "m3", ["t5", "Edit"]),
        gives({ uuid: "i", parent: "h" }, "t5", "5"),
      ),
    );
    expect(session.calls.map((call) => call.callId)).toEqual(["t1", "t2", "t3", "t4", "t5"]);
    expect(parentsOf(session)).toEqual([[], [0], [0], [0], [1, 2, 3]]);
    expect(session.calls.map((call) => call.output)).toEqual(
      ["1", "2", "3", "4", "5"].map((json) => ({ json })),
    );
  });

  it("starts another branch where a person went back", () => {
    const session = fromText(
      lines(
        asks({ uuid: "a", parent: null }, "m1", ["t1", "Read"]),
        gives({ uuid: "b", parent: "a" }, "t1", "1"),
        asks({ uuid: "c", parent: "b" }, "m2", ["t2", "Edit"]),
        gives({ uuid: "d", parent: "c" }, "t2", "2"),
        says({ uuid: "e", parent: "b" }, "no, otherwise"),
        asks({ uuid: "f", parent: "e" }, "m3", ["t3", "Edit"]),
        gives({ uuid: "g", parent: "f" }, "t3", "3"),
        asks({ uuid: "h", parent: "not in the file" }, "m4", ["t4", "Bash"]),
        gives({ uuid: "i", parent: "h" }, "t4", "4"),
      ),
    );
    expect(parentsOf(session)).toEqual([[], [0], [0], [2]]);
  });

  it("forks two subagents from their calls and joins them again", () => {
    const one: Omit<Line, "uuid" | "parent"> = { side: true };
    const two: Omit<Line, "uuid" | "parent"> = { side: true, agentId: "helper-2" };
    const session = fromText(
      lines(
        asks(
          { uuid: "a", parent: null },
          "m1",
          ["t1", "Task", { prompt: "first" }],
          ["t2", "Agent", { prompt: "second" }],
        ),
        says({ uuid: "s2", parent: null, ...two }, "second"),
        says({ uuid: "s1", parent: null, ...one }, "first"),
        asks({ uuid: "x1", parent: "s1", ...one }, "m2", ["t3", "Read"]),
        asks({ uuid: "x2", parent: "s2", ...two }, "m3", ["t4", "Grep"]),
        gives({ uuid: "y1", parent: "x1", ...one }, "t3", "3"),
        gives({ uuid: "y2", parent: "x2", ...two }, "t4", "4"),
        asks({ uuid: "z1", parent: "y1", ...one }, "m4", ["t5", "Read"]),
        gives({ uuid: "w1", parent: "z1", ...one }, "t5", "5"),
        gives({ uuid: "b", parent: "a" }, "t1", "done 1"),
        gives({ uuid: "c", parent: "b" }, "t2", "done 2"),
        asks({ uuid: "d", parent: "c" }, "m5", ["t6", "Edit"]),
        gives({ uuid: "e", parent: "d" }, "t6", "6"),
      ),
    );
    expect(session.calls.map((call) => call.tool)).toEqual(["Task", "Agent", "Read", "Grep", "Read", "Edit"]);
    expect(parentsOf(session)).toEqual([[], [], [0], [1], [2], [0, 1, 3, 4]]);
    expect(session.calls.map((call) => call.agent)).toEqual([
      undefined,
      undefined,
      undefined,
      "helper-2",
      undefined,
      undefined,
    ]);
    expect(session.notes).toEqual([]);
  });

  it("reads a subagent's own file, where every line is a sidechain", () => {
    const side = { side: true, agentId: "h" };
    const session = fromText(
      lines(
        says({ uuid: "a", parent: null, ...side }, "work"),
        asks({ uuid: "b", parent: "a", ...side }, "m1", ["t1", "Read"]),
        gives({ uuid: "c", parent: "b", ...side }, "t1", "1"),
        asks({ uuid: "d", parent: "c", ...side }, "m2", ["t2", "Read"]),
        gives({ uuid: "e", parent: "d", ...side }, "t2", "2"),
      ),
    );
    expect(parentsOf(session)).toEqual([[], [0]]);
  });

  it("tells failed, denied and interrupted from completed", () => {
    const refused = "The user doesn't want to proceed with this tool use. And so on.";
    const session = fromText(
      lines(
        asks(
          { uuid: "a", parent: null },
          "m1",
          ["t1", "A"],
          ["t2", "B"],
          ["t3", "C"],
          ["t4", "D"],
          ["t5", "E"],
          ["t6", "F"],
          ["t7", "G"],
        ),
        gives({ uuid: "b", parent: "a" }, "t1", "no such file", { is_error: true }),
        gives({ uuid: "c", parent: "a" }, "t2", refused, { is_error: true }),
        gives(
          { uuid: "d", parent: "a" },
          "t3",
          "Permission to use C has been denied.",
          { is_error: true },
          {
            toolUseResult: "Error: Permission to use C has been denied.",
          },
        ),
        gives(
          { uuid: "e", parent: "a" },
          "t4",
          "half",
          {},
          { toolUseResult: { stdout: "half", interrupted: true } },
        ),
        // The same words without the error mark are what a tool printed.
        gives({ uuid: "f", parent: "a" }, "t5", refused, { is_error: false }),
        gives({ uuid: "g", parent: "a" }, "t6", undefined),
      ),
    );
    expect(statusesOf(session)).toEqual([
      "failed",
      "denied",
      "denied",
      "interrupted",
      "completed",
      "completed",
      "interrupted",
    ]);
    expect(session.calls[5]?.output).toEqual({ json: null });
    expect(session.calls[6]?.output).toEqual({ json: null });
    expect(session.notes).toEqual(["call 7 (G) has no result: it counts as interrupted"]);
  });

  it("takes lines that are repeated once, and messages that grew", () => {
    const grown = lines(
      asks({ uuid: "a", parent: null }, "m1", ["t1", "Read"]),
      asks({ uuid: "a2", parent: "a" }, "m1", ["t1", "Read"], ["t2", "Grep"]),
      gives({ uuid: "b", parent: "a2" }, "t1", "1"),
      gives({ uuid: "c", parent: "b" }, "t2", "2"),
    );
    expect(fromText(grown + grown).calls).toEqual(fromText(grown).calls);
    expect(fromText(grown).calls.map((call) => call.callId)).toEqual(["t1", "t2"]);
    expect(fromText(grown + grown).notes).toEqual([]);
  });

  it("passes by lines of other kinds and says how many are no entries", () => {
    const odd = `${lines({ type: "file-history-snapshot", message: 3 }, [1], "x")}\n  \n`;
    const session = fromText(chain + odd);
    expect(session.calls).toEqual(fromText(chain).calls);
    expect(session.notes).toEqual(["2 lines are no transcript entries and were left out"]);
  });

  it("leaves out a last line that is cut off, also inside a character, and nothing else", () => {
    const cut = fromText(`${chain}{"type":"assistant","mess`);
    expect(cut.calls).toEqual(fromText(chain).calls);
    expect(cut.notes).toEqual(["line 6, the last one, is cut off and was left out"]);
    const bytes = new TextEncoder().encode(`${chain}{"type":"ä`);
    expect(() => fromText(new TextDecoder().decode(bytes))).not.toThrow();
    expect(refusal(() => fromText(`${chain}{"type":"assistant","mess\n${chain}`)).message).toContain(
      "line 6",
    );
    expect(refusal(() => fromText(`${chain}{"type" "x"}`)).message).toContain("line 6");
  });

  it("counts a call as interrupted when its result is behind the cut", () => {
    const whole = chain.trimEnd();
    const session = fromText(whole.slice(0, whole.lastIndexOf("\n") + 40));
    expect(statusesOf(session)).toEqual(["completed", "interrupted"]);
    expect(session.notes).toHaveLength(2);
  });

  it("keeps what JSON cannot hold as the exact bytes", () => {
    const odd = '{ "a": 1, "a": 2, "\\ud800": 12345678901234567890 }';
    const line = `{"type":"assistant","uuid":"q","parentUuid":"u4","message":{"id":"m9","content":[{"type":"tool_use","id":"t9","name":"Odd","input":${odd} },{"type":"tool_use","id":"t10","name":"Even","input":{"n":1.50}}]}}\n`;
    const session = fromText(chain + line);
    expect(bytesText(session.calls[2]?.input)).toBe(odd);
    expect(session.calls[3]?.input).toEqual({ json: { n: 1.5 } });
    expect(session.notes[0]).toMatch(
      /^the input of call 3 \(Odd\) is kept as the exact bytes of the recording: /,
    );
  });

  it("refuses a name twice where it tells what was called, and only there", () => {
    const twice = (name: string): string =>
      `{"type":"assistant","uuid":"q","message":{"content":[{"type":"tool_use","id":"t9",${name},"input":{}}]}}\n`;
    expect(fromText(chain + twice('"name":"Read"')).calls).toHaveLength(3);
    const error = refusal(() => fromText(chain + twice('"name":"Read","name":"Bash"')));
    expect(error.pointer).toBe("/message/content/0/name");
    expect(error.message).toContain("line 6");
    // Odd text elsewhere in a line does no harm.
    expect(
      fromText(`${chain}{"type":"user","uuid":"r","message":{"content":"\\ud800"}}\n`).calls,
    ).toHaveLength(2);
  });

  it("refuses entries and blocks of another shape", () => {
    const block = { type: "tool_use", id: "t", name: 5, input: {} };
    const wrong = entry("assistant", { content: [block] }, { uuid: "z", parent: null });
    expect(refusal(() => fromText(chain + lines(wrong))).pointer).toBe("/message/content/0/name");
    expect(
      refusal(() => fromText(lines({ type: "assistant", message: { content: 3 } }), "claude-code")).pointer,
    ).toBe("/message/content");
    refusal(() => fromText('[{"role":"user","content":"x"}]', "claude-code"));
    refusal(() => fromText("\n\n", "claude-code"));
  });

  it("notes results that no call asked for, and second ones", () => {
    const more = lines(
      gives({ uuid: "n1", parent: "u4" }, "t2", "again"),
      gives({ uuid: "n2", parent: "u4" }, "t77", "stray"),
    );
    const session = fromText(chain + more);
    expect(session.calls).toEqual(fromText(chain).calls);
    expect(session.notes).toEqual([
      "a further result for id t2 was left out: its call has one already",
      "a result for id t77 has no call before it and was left out",
    ]);
  });
});
