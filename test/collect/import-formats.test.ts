import { describe, expect, it } from "vitest";
import { bytesText, fromJson, fromText, parentsOf, refusal, statusesOf } from "./import-helpers.js";

function ask(...calls: readonly [id: string, name: string, text: string][]): object {
  return {
    role: "assistant",
    content: null,
    tool_calls: calls.map(([id, name, text]) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    })),
  };
}

function tell(id: string, content: unknown): object {
  return { role: "tool", tool_call_id: id, content };
}

const chat = [
  { role: "user", content: "book it" },
  ask(["c1", "find", '{"q":"x"}'], ["c2", "price", '{"n":2}']),
  tell("c2", "20"),
  tell("c1", "found"),
  { role: "assistant", content: "now booking" },
  ask(["c3", "book", "{}"]),
  tell("c3", "Error: no seat"),
];

describe("OpenAI chat messages", () => {
  it("reads a bare list, an object with messages, and a tau-bench result", () => {
    const bare = fromJson(chat);
    expect(bare.format).toBe("openai-chat");
    expect(bare.calls.map((call) => [call.tool, call.input, call.output])).toEqual([
      ["find", { json: { q: "x" } }, { json: "found" }],
      ["price", { json: { n: 2 } }, { json: "20" }],
      ["book", { json: {} }, { json: "Error: no seat" }],
    ]);
    expect(parentsOf(bare)).toEqual([[], [], [0, 1]]);
    expect(fromJson({ messages: chat })).toEqual(bare);
    // Only tau-bench writes failures as text that begins with "Error:".
    expect(statusesOf(bare)).toEqual(["completed", "completed", "completed"]);
    expect(statusesOf(fromJson({ task_id: 1, traj: chat }))).toEqual(["completed", "completed", "failed"]);
  });

  it("starts a chain of its own for each result of a list", () => {
    const session = fromJson([{ traj: chat }, { traj: chat }]);
    expect(parentsOf(session)).toEqual([[], [], [0, 1], [], [], [3, 4]]);
    expect(session.calls[3]?.output).toEqual({ json: "found" });
    expect(session.notes[0]).toContain("2 conversations");
  });

  it("keeps arguments with any fault as the exact bytes of the string", () => {
    const texts = [
      '{"a":1,"a":2}',
      '{"n":9007199254740993}',
      '{"a":',
      "",
      "[1e400]",
      "NaN",
      '"\\ud800"',
      "0.1000000000000000055511151231257827",
      "1e20",
      "-0",
      " {} x",
    ];
    const session = fromJson(texts.map((text, index) => ask([`c${index}`, "t", text])));
    expect(session.calls.map((call) => bytesText(call.input))).toEqual(texts);
    const good = ['{"a":1,"b":2}', "9007199254740991", "[0.10, 1.5e3, -2]", ' {"é":"ü"} ', "1E-7"];
    const kept = fromJson(good.map((text, index) => ask([`c${index}`, "t", text])));
    expect(kept.calls.map((call) => call.input)).toEqual(good.map((text) => ({ json: JSON.parse(text) })));
  });

  it("keeps arguments that cannot be written as bytes the way the recording shows them", () => {
    const session = fromText(
      '[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{\\"x\\":\\"\\ud800\\"}"}}]}]',
    );
    expect(bytesText(session.calls[0]?.input)).toBe('"{\\"x\\":\\"\\ud800\\"}"');
  });

  it("keeps an output that JSON cannot hold as bytes, and the others as JSON", () => {
    const session = fromText(
      `[${JSON.stringify(ask(["a", "t", "{}"], ["b", "t", "{}"], ["c", "t", "{}"]))},{"role":"tool","tool_call_id":"a","content":"x\\udc00"},{"role":"tool","tool_call_id":"b","content":[1, {"k":"\\u0041\\"]"}]},{"role":"tool","tool_call_id":"c","content":"\\uffff"}]`,
    );
    expect(bytesText(session.calls[0]?.output)).toBe('"x\\udc00"');
    expect(session.calls[1]?.output).toEqual({ json: [1, { k: 'A"]' }] });
    expect(bytesText(session.calls[2]?.output)).toBe('"\\uffff"');
  });

  it("gives each result to the nearest call before it when an id is used again", () => {
    const session = fromJson([
      ask(["c", "t", "1"]),
      tell("c", "one"),
      ask(["c", "t", "2"]),
      tell("c", "two"),
      ask(["c", "t", "3"]),
    ]);
    expect(session.calls.map((call) => call.output)).toEqual([
      { json: "one" },
      { json: "two" },
      { json: null },
    ]);
    expect(statusesOf(session)).toEqual(["completed", "completed", "interrupted"]);
    expect(session.notes).toContain("3 calls have the id c; each result went to the nearest call before it");
  });

  it("reads function_call of older recordings, and arguments that are no text", () => {
    const session = fromJson([
      { role: "assistant", content: null, function_call: { name: "f", arguments: "[1]" } },
      { role: "function", name: "f", content: "1" },
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "g", arguments: { x: 1 } } }] },
    ]);
    expect(session.calls.map((call) => call.input)).toEqual([{ json: [1] }, { json: { x: 1 } }]);
    expect(session.calls[0]?.output).toEqual({ json: "1" });
  });

  it("refuses calls of another shape, with a pointer", () => {
    expect(refusal(() => fromJson([{ role: "assistant", tool_calls: [{ id: "a" }] }])).pointer).toBe(
      "/0/tool_calls/0/function",
    );
    expect(refusal(() => fromJson({ messages: 3 })).pointer).toBe("/messages");
    expect(refusal(() => fromJson({ other: [] }, "openai-chat")).pointer).toBe("/messages");
    expect(refusal(() => fromText('[{"role":"assistant","role":"tool"}]')).pointer).toBe("/0/role");
  });

  it("has no calls and says so", () => {
    expect(fromJson([], "openai-chat").notes).toEqual(["the recording has no tool call"]);
    expect(fromJson([{ role: "user", content: "hi" }]).calls).toEqual([]);
  });
});

describe("SWE-agent", () => {
  const history = [
    { role: "system", content: "s", agent: "main" },
    { ...ask(["d", "demo", "{}"]), is_demo: true },
    { role: "tool", content: "demo", tool_call_ids: ["d"], is_demo: true },
    { ...ask(["a", "bash", '{"command":"ls"}']), agent: "main" },
    { role: "tool", content: "src", tool_call_ids: ["a"], agent: "main" },
    { ...ask(["b", "submit", "{}"]), agent: "main" },
  ];

  it("takes calls from the history, without its demonstrations", () => {
    const session = fromJson({ environment: "e", trajectory: [{ action: "ls", observation: "x" }], history });
    expect(session.format).toBe("swe-agent");
    expect(session.calls.map((call) => [call.tool, call.output, call.agent])).toEqual([
      ["bash", { json: "src" }, "main"],
      ["submit", { json: null }, "main"],
    ]);
    expect(statusesOf(session)).toEqual(["completed", "interrupted"]);
    expect(session.notes).toContain("the trajectory has 1 steps and the recording 2 calls");
  });

  it("takes shell commands from the steps where the history has no calls", () => {
    const session = fromText(
      '{"history":[{"role":"user","content":"x"}],"trajectory":[{"action":"ls\\n","observation":""},{"action":"","observation":"bad format"},{"action":"echo \\ud800","observation":null}]}',
    );
    expect(session.calls[0]).toEqual({
      tool: "shell",
      input: { json: { command: "ls\n" } },
      output: { json: "" },
      status: "completed",
      parents: [],
    });
    expect(bytesText(session.calls[1]?.input)).toBe('"echo \\ud800"');
    expect(session.calls[1]?.parents).toEqual([0]);
    expect(session.calls[1]?.status).toBe("interrupted");
  });

  it("refuses steps of another shape", () => {
    expect(refusal(() => fromJson({ trajectory: [{ observation: "x" }] })).pointer).toBe(
      "/trajectory/0/action",
    );
    expect(refusal(() => fromJson({ trajectory: "x", history: [] })).pointer).toBe("/trajectory");
  });
});

describe("OpenHands", () => {
  function act(id: number, response: string, call: string, name: string, args: string): object {
    const tool_calls = [
      { id: "other", function: { arguments: "{}" } },
      { id: call, function: { arguments: args } },
    ];
    return {
      id,
      source: "agent",
      action: "run",
      timestamp: "2026-01-01T00:00:00.000001",
      args: { thought: "t" },
      tool_call_metadata: {
        function_name: name,
        tool_call_id: call,
        model_response: { id: response, choices: [{ message: { tool_calls } }] },
      },
    };
  }
  function observe(cause: number, content: unknown, more: object = {}): object {
    return { id: cause + 100, source: "agent", cause, observation: "run", content, ...more };
  }

  it("pairs by cause, groups by response, leaves out what is no call", () => {
    const events = [
      { id: 0, source: "environment", observation: "agent_state_changed", content: "" },
      { id: 1, source: "user", action: "message", args: {} },
      act(2, "r1", "k1", "execute_bash", '{"command":"a"}'),
      act(3, "r1", "k2", "execute_bash", '{"command":"b"}'),
      observe(3, "B"),
      observe(2, "A", { success: false }),
      act(4, "r2", "k3", "browse", '{"x":1,"x":2}'),
      observe(4, "no", { observation: "user_rejected" }),
      { id: 5, source: "agent", action: "read", args: { path: "p" } },
      observe(5, "gone", { observation: "error" }),
      act(6, "r3", "k4", "edit", "{}"),
      { id: 7, source: "agent", action: "finish", args: {} },
    ];
    const session = fromJson(events);
    expect(session.format).toBe("openhands");
    expect(session.calls.map((call) => call.tool)).toEqual([
      "execute_bash",
      "execute_bash",
      "browse",
      "read",
      "edit",
    ]);
    expect(session.calls.map((call) => call.output)).toEqual(
      ["A", "B", "no", "gone", null].map((json) => ({ json })),
    );
    expect(statusesOf(session)).toEqual(["failed", "completed", "denied", "failed", "interrupted"]);
    expect(parentsOf(session)).toEqual([[], [], [0, 1], [2], [3]]);
    expect(session.calls[1]?.input).toEqual({ json: { command: "b" } });
    expect(bytesText(session.calls[2]?.input)).toBe('{"x":1,"x":2}');
    expect(session.calls[3]?.input).toEqual({ json: { path: "p" } });
    // A time without a zone is no instant.
    expect(session.calls.every((call) => call.time === undefined)).toBe(true);
    expect(session.notes.some((note) => note.includes("no zone"))).toBe(true);
    expect(session.notes.some((note) => note.includes("finish"))).toBe(true);
    expect(fromJson({ trajectory: events })).toEqual(session);
    expect(fromJson({ history: events })).toEqual(session);
  });

  it("refuses another shape", () => {
    expect(refusal(() => fromJson([{ source: "agent", action: 3 }])).pointer).toBe("/0/action");
    refusal(() => fromJson({ a: 1 }, "openhands"));
  });
});

describe("Inspect", () => {
  const messages = [
    { role: "user", content: "go" },
    {
      role: "assistant",
      tool_calls: [
        { id: "a", function: "web", arguments: { u: 1 } },
        { id: "b", function: "sh", arguments: {} },
      ],
    },
    {
      role: "tool",
      tool_call_id: "b",
      function: "sh",
      content: "",
      error: { type: "timeout", message: "slow" },
    },
    { role: "tool", tool_call_id: "a", function: "web", content: [{ type: "text", text: "page" }] },
    { role: "assistant", tool_calls: [{ id: "c", function: "rm", arguments: {} }] },
    {
      role: "tool",
      tool_call_id: "c",
      function: "rm",
      content: "",
      error: { type: "approval", message: "no" },
    },
  ];

  it("reads the messages of a sample; a failed call keeps the whole message", () => {
    const session = fromJson({ version: 2, eval: { run_id: "run-1" }, samples: [{ id: 1, messages }] });
    expect(session.format).toBe("inspect");
    expect(session.sessionId).toBe("run-1");
    expect(statusesOf(session)).toEqual(["completed", "failed", "denied"]);
    expect(session.calls.map((call) => call.output)).toEqual([
      { json: [{ type: "text", text: "page" }] },
      { json: messages[2] },
      { json: messages[5] },
    ]);
    expect(parentsOf(session)).toEqual([[], [], [0, 1]]);
  });

  it("starts a chain of its own for each sample", () => {
    const session = fromJson({ eval: {}, samples: [{ messages }, { messages }, {}] });
    expect(parentsOf(session)).toEqual([[], [], [0, 1], [], [], [3, 4]]);
    expect(session.notes).toContain("3 samples in one file: each starts a chain of its own");
  });

  it("refuses a log without samples", () => {
    expect(refusal(() => fromJson({ eval: {} }, "inspect")).pointer).toBe("/samples");
    expect(refusal(() => fromText("PK\u0003\u0004", "inspect")).pointer).toBe("");
  });
});

describe("ADK", () => {
  const event = (author: string, parts: object[], more: object = {}): object => ({
    author,
    timestamp: 1700000000.5,
    content: { parts, role: "model" },
    ...more,
  });

  it("reads both spellings, pairs by id or by name, tells errors", () => {
    const session = fromJson({
      id: "adk-1",
      events: [
        event("user", [{ text: "hi" }]),
        event("root", [
          { function_call: { name: "a", args: { x: 1 } } },
          { functionCall: { id: "i", name: "b", args: {} } },
        ]),
        event("root", [
          { functionResponse: { id: "i", name: "b", response: { error: "down" } } },
          { function_response: { name: "a", response: { ok: true } } },
        ]),
        event("helper", [{ function_call: { name: "a", args: {} } }]),
        event("helper", [
          { function_response: { name: "a", response: { error: "This tool call is rejected." } } },
        ]),
        { author: "helper", content: null },
        event("root", [{ function_call: { name: "c" } }]),
      ],
    });
    expect(session.format).toBe("adk");
    expect(session.sessionId).toBe("adk-1");
    expect(session.calls.map((call) => [call.tool, call.agent, call.status])).toEqual([
      ["a", "root", "completed"],
      ["b", "root", "failed"],
      ["a", "helper", "denied"],
      ["c", "root", "interrupted"],
    ]);
    expect(session.calls[0]?.time).toBe(1700000000500);
    expect(session.calls[3]?.input).toEqual({ json: null });
    expect(parentsOf(session)).toEqual([[], [], [0, 1], [2]]);
  });

  it("forks branches and merges them in the branch above", () => {
    const call = (name: string, branch?: string): object =>
      event("x", [{ function_call: { id: name, name, args: {} } }], branch === undefined ? {} : { branch });
    const session = fromJson({
      events: [
        call("a"),
        call("b", "p.one"),
        call("c", "p.two"),
        call("d", "p.one"),
        call("e", "p"),
        call("f"),
      ],
    });
    expect(parentsOf(session)).toEqual([[], [0], [0], [1], [0, 2, 3], [0, 4]]);
  });

  it("refuses another shape", () => {
    expect(
      refusal(() => fromJson({ events: [{ content: { parts: [{ function_call: {} }] } }] })).pointer,
    ).toBe("/events/0/content/parts/0/function_call/name");
  });
});

describe("a plain list of calls", () => {
  it("reads names, times, statuses and parents", () => {
    const session = fromJson([
      {
        tool: "a",
        arguments: { x: 1 },
        result: "r",
        id: "1",
        timestamp: "2026-01-01T01:00:00.5+01:00",
        agent: "w",
      },
      { tool: "b", arguments: 1, result: null, isError: true, time: 5 },
      { name: "c", input: [], output: 0, status: "denied", parents: [0], timestamp: 2.5 },
      { tool: "d", arguments: null, parents: [1, 2] },
      { tool: "e", arguments: null, status: "failed" },
    ]);
    expect(session.format).toBe("calls");
    expect(statusesOf(session)).toEqual(["completed", "failed", "denied", "interrupted", "failed"]);
    expect(parentsOf(session)).toEqual([[], [0], [0], [1, 2], [3]]);
    expect(session.calls.map((call) => call.time)).toEqual([
      Date.UTC(2026, 0, 1, 0, 0, 0, 500),
      5,
      2500,
      undefined,
      undefined,
    ]);
    expect(session.calls[0]?.agent).toBe("w");
    expect(session.calls[1]?.output).toEqual({ json: null });
  });

  it("refuses parents that are not earlier, and calls without a tool", () => {
    const list = (parents: unknown): unknown => [{ tool: "a" }, { tool: "b", parents }];
    expect(parentsOf(fromJson(list([0])))).toEqual([[], [0]]);
    expect(refusal(() => fromJson(list([1]))).pointer).toBe("/1/parents/0");
    expect(refusal(() => fromJson(list([0, 0]))).pointer).toBe("/1/parents/1");
    expect(refusal(() => fromJson(list([-1]))).pointer).toBe("/1/parents/0");
    expect(refusal(() => fromJson(list("0"))).pointer).toBe("/1/parents");
    expect(refusal(() => fromJson([{ arguments: {} }], "calls")).pointer).toBe("/0/tool");
    expect(refusal(() => fromJson([{ tool: "a", status: "fine" }])).pointer).toBe("/0/status");
  });

  it("leaves out ids that could not stand in JSON", () => {
    const session = fromText('[{"tool":"a","id":"\\ud800","agent":"\\uffff","result":1}]');
    expect(session.calls[0]).toEqual({
      tool: "a",
      input: { json: null },
      output: { json: 1 },
      status: "completed",
      parents: [],
    });
    refusal(() => fromText('[{"tool":"\\ud800"}]'));
  });
});
