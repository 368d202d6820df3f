/** What a line is to the recorder: a call is never missed, and nothing else is held up. */

import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../../src/cli/mcp/lines.js";
import { readClientLine, readServerLine } from "../../../src/cli/mcp/message.js";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const client = (text: string): ReturnType<typeof readClientLine> => readClientLine(utf8(text));
const server = (text: string): ReturnType<typeof readServerLine> => readServerLine(utf8(text));

describe("a line from the client", () => {
  it("is a call with its id, typed", () => {
    const call =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"a":1}}}';
    expect(client(call)).toEqual({
      kind: "call",
      call: { id: 7, name: "read", params: { name: "read", arguments: { a: 1 } }, exact: true },
    });
    expect(client(call.replace("7", '"7"'))).toMatchObject({ call: { id: "7" } });
    expect(client(call.replace("/", "\\/"))).toMatchObject({ kind: "call" });
    expect(client(call.replace("tools", "\\u0074ools"))).toMatchObject({ kind: "call" });
    expect(client(`${call}\r`)).toMatchObject({ kind: "call" });
    expect(client(call.replace(":1}", ":12345678901234567890}"))).toMatchObject({ call: { exact: false } });
    expect(client(call.replace(":1}", ':"\\ud800"}'))).toMatchObject({ call: { exact: false } });
  });

  it.each([
    "",
    "  \r",
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized","params":{"x":NaN}}',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"result":{"text":"tools/list"}}]',
    '{"jsonrpc":"2.0","id":1,"result":{"content":"how to use tools/call"}}',
    `${'{"a":'.repeat(100)}1${"}".repeat(100)}`,
    "7",
  ])("passes when it is no call: %j", (line) => {
    expect(client(line)).toEqual({ kind: "other" });
  });

  it.each([
    // Readers differ in which of two equal members counts.
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"y"}}',
    // Some take a name for another that differs in case.
    '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":1,"METHOD":"tools\\/call","method":"ping","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","Name":"y"}}',
    // Some read what is no JSON.
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"n":NaN}}}',
    "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'x'}}",
    '\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${"[".repeat(99)}${"]".repeat(99)}}}`,
    // A call that nobody could answer or pair.
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"x"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
    '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}]',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}]',
  ])("is refused when a call in it could be read in two ways: %j", (line) => {
    expect(client(line)).toMatchObject({ kind: "refuse" });
  });

  it("is refused when it is not UTF-8", () => {
    expect(readClientLine(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ kind: "refuse" });
  });

  it("of a batch is refused with an answer for each request in it", () => {
    const batch =
      '[{"id":1,"method":"ping"},{"id":"2","method":"tools/call","params":{"name":"x"}},{"method":"n"}]';
    expect(client(batch)).toMatchObject({ kind: "refuse", ids: [1, "2"] });
  });

  it("is never a call to a lenient reader and nothing to this one", () => {
    // Changes one call in up to three places, and asks JSON.parse, which takes the last of two equal members.
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}';
    const edit = fc.record({
      at: fc.nat(call.length),
      text: fc.constantFrom("", "\\u0074", " ", '"', "x", ",", "}", "{"),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let text = call;
        for (const { at, text: put } of edits)
          text = text.slice(0, at) + put + text.slice(at + (put === "" ? 1 : 0));
        let read: unknown;
        try {
          read = JSON.parse(text);
        } catch {
          return;
        }
        const isCall =
          typeof read === "object" && read !== null && "method" in read && read.method === "tools/call";
        if (isCall) expect(client(text).kind).not.toBe("other");
      }),
      { numRuns: 20_000 },
    );
  });

  it("that cancels names the call and the reason", () => {
    const cancel =
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"late"}}';
    expect(client(cancel)).toEqual({ kind: "cancel", id: "a", reason: "late" });
    expect(client('{"method":"notifications/cancelled","params":{}}')).toEqual({ kind: "other" });
  });
});

describe("a line from the server", () => {
  it("tells how a call ended", () => {
    expect(server('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}')).toEqual([
      { id: 1, body: { result: { content: [] } }, outcome: "completed" },
    ]);
    expect(server('{"id":1,"result":{"isError":true}}')).toMatchObject([{ outcome: "failed" }]);
    expect(server('{"id":1,"error":{"code":-32602,"message":"no"}}')).toMatchObject([
      { outcome: "failed", body: { error: { code: -32602 } } },
    ]);
    expect(server('{"id":1,"result":{"resultType":"input_required"}}')).toMatchObject([
      { outcome: "interrupted" },
    ]);
  });

  it("that canonical JSON would change is known by its bytes only", () => {
    expect(server('{"id":1,"result":{"n":1e400}}')).toEqual([
      { id: 1, body: undefined, outcome: "completed" },
    ]);
    expect(server('{"id":1,"id":2,"result":{}}')).toMatchObject([{ id: 2, body: undefined }]);
  });

  it("that is no answer is none", () => {
    for (const line of ["", "log output", '{"id":1,"method":"roots/list"}', '{"method":"n"}', "[]", "null"]) {
      expect(server(line)).toEqual([]);
    }
    expect(server('[{"id":1,"result":{}},{"id":"1","result":{}}]')).toHaveLength(2);
  });
});

describe("linesOf", () => {
  it("gives lines whole, however the bytes come", async () => {
    const text = 'a\n{"é":"\\n"}\n\nlast';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const lines: string[] = [];
      for await (const line of linesOf(Readable.from(chunks))) lines.push(Buffer.from(line).toString());
      expect(lines).toEqual(text.split("\n"));
    }
  });
});
