/** The proxy between a client and a server made of functions: order, pairing, cancellation, and what fails closed. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { McpProxy } from "../../../src/cli/mcp/proxy.js";
import { openSession, readJournal, type Session } from "../../../src/runtime/index.js";
import { diskStorage, type Storage } from "../../../src/runtime/journal/storage.js";
import { openSessionOn } from "../../../src/runtime/session/session.js";
import { SessionWorld } from "../../runtime/session-world.js";

let world: SessionWorld;
let session: Session;
let proxy: McpProxy;
let toServer: string[] = [];
let toClient: string[] = [];
let warnings: string[] = [];

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (line: Uint8Array): string => new TextDecoder().decode(line);

function connect(receiptMeta = false): void {
  [toServer, toClient, warnings] = [[], [], []];
  proxy = new McpProxy({
    session,
    receiptMeta,
    toServer: async (line) => void toServer.push(text(line)),
    toClient: async (line) => void toClient.push(text(line)),
    warn: (message) => void warnings.push(message),
  });
}

beforeEach(async () => {
  world = await SessionWorld.make();
  session = await openSession({
    ...(await world.runtime({ tools: ["get_order", "refund", "osa.denied"] })),
    journal: world.journal(),
  });
  connect();
});
afterEach(async () => {
  await session.suspend();
  await world.remove();
});

function call(id: string | number, name = "get_order", more = ""): string {
  return `{"jsonrpc":"2.0", "id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${name}","arguments":{"id":7}}${more}}`;
}
const answer = (id: string | number, result = '{"content":[]}'): string =>
  `{ "jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

async function recorded(): Promise<readonly object[]> {
  const { openings } = await readJournal(world.journal());
  return openings.map(({ input, output, evidence }) => ({
    input: input.value.json ?? input.value.bytes,
    output: output.value.json ?? output.value.bytes,
    status: output.value.status,
    evidence: evidence.map(({ value }) => value.json),
  }));
}

/** Until everything that can happen without anybody's doing has happened. */
async function settled(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 5_000, interval: 2 });
}

describe("the proxy", () => {
  it("passes calls and answers byte for byte, the answer after its receipt is durable", async () => {
    await proxy.fromClient(bytes(call(1)));
    expect(toServer).toEqual([call(1)]);
    expect(toClient).toEqual([]);
    await proxy.fromServer(bytes(answer(1)));
    await settled(() => toClient.length === 1);
    expect(toClient).toEqual([answer(1)]);
    expect(await recorded()).toMatchObject([
      {
        input: { name: "get_order", arguments: { id: 7 } },
        output: { result: { content: [] } },
        status: "completed",
        evidence: [{ mcp: { request: { size: call(1).length }, response: { size: answer(1).length } } }],
      },
    ]);
  });

  it("keeps the order of the client's lines", async () => {
    const lines = [call("a"), '{"method":"notifications/x"}', call("b", "refund"), "", call("c")];
    for (const line of lines) await proxy.fromClient(bytes(line));
    expect(toServer).toEqual(lines);
    for (const id of ["c", "a", "b"]) await proxy.fromServer(bytes(answer(id)));
    await settled(() => toClient.length === 3);
    expect((await recorded()).length).toBe(3);
  });

  it('does not take 1 for "1"', async () => {
    await proxy.fromClient(bytes(call(1)));
    await proxy.fromClient(bytes(call("1", "refund")));
    await proxy.fromServer(bytes(answer("1", '{"content":["text"]}')));
    await proxy.fromServer(bytes(answer(1, '{"content":["number"]}')));
    await settled(() => toClient.length === 2);
    const { receipts, openings } = await readJournal(world.journal());
    const outputs = new Map(
      receipts.map(({ tool }, i) => [tool, JSON.stringify(openings[i]?.output.value.json)]),
    );
    expect(outputs.get("get_order")).toContain("number");
    expect(outputs.get("refund")).toContain("text");
  });

  it("passes everything else as it is, to both sides", async () => {
    const lines = [
      '{"method":"notifications/progress","params":{"progress": 1.0}}',
      "log text",
      '{"id":5,"method":"ping"}',
    ];
    await proxy.fromClient(bytes(call(1)));
    for (const line of lines) await proxy.fromServer(bytes(line));
    expect(toClient).toEqual(lines);
    await proxy.end();
  });

  it("answers a call that no delegation allows, and the server never sees it", async () => {
    await proxy.fromClient(bytes(call(1, "wipe")));
    expect(toServer).toEqual([]);
    expect(JSON.parse(toClient[0] ?? "")).toMatchObject({
      id: 1,
      error: { code: -32000, data: { code: "ACTION_REFUSED" } },
    });
    expect(await recorded()).toMatchObject([{ input: { tool: "wipe" }, status: "denied" }]);
    await proxy.fromClient(bytes(call(2, `long${"x".repeat(200)}`)));
    expect(toClient).toHaveLength(2);
    expect(toServer).toEqual([]);
  });

  it("refuses an id that is in use", async () => {
    await proxy.fromClient(bytes(call(1)));
    await proxy.fromClient(bytes(call(1, "refund")));
    expect(toServer).toHaveLength(1);
    expect(JSON.parse(toClient[0] ?? "")).toMatchObject({ id: 1, error: { code: -32600 } });
    await proxy.fromServer(bytes(answer(1)));
    await settled(() => toClient.length === 2);
    await proxy.fromClient(bytes(call(1, "refund")));
    expect(toServer).toHaveLength(2);
    await proxy.end();
  });

  it("records errors and results that say so as failed", async () => {
    await proxy.fromClient(bytes(call(1)));
    await proxy.fromServer(bytes('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}'));
    await settled(() => toClient.length === 1);
    await proxy.fromClient(bytes(call(2)));
    await proxy.fromServer(bytes(answer(2, '{"isError":true,"content":[]}')));
    await settled(() => toClient.length === 2);
    expect(await recorded()).toMatchObject([
      { status: "failed", output: { error: { code: -32602 } } },
      { status: "failed", output: { result: { isError: true } } },
    ]);
  });

  it("commits to the bytes of what canonical JSON would change", async () => {
    const odd = call(1).replace(":7", ":12345678901234567890");
    await proxy.fromClient(bytes(odd));
    const back = answer(1, '{"n":0.10000000000000001}');
    await proxy.fromServer(bytes(back));
    await settled(() => toClient.length === 1);
    expect([toServer, toClient]).toEqual([[odd], [back]]);
    const hex = (line: string): string => `0x${Buffer.from(line).toString("hex")}`;
    expect(await recorded()).toMatchObject([{ input: hex(odd), output: hex(back) }]);
  });

  it("records a cancelled call as interrupted, or what the server answers all the same", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const cancel = (id: number): string =>
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"late"}}`;
    await proxy.fromClient(bytes(call(1)));
    await proxy.fromClient(bytes(call(2)));
    await proxy.fromClient(bytes(cancel(1)));
    await proxy.fromClient(bytes(cancel(2)));
    await proxy.fromClient(bytes(cancel(3)));
    expect(toServer.slice(2)).toEqual([1, 2, 3].map(cancel));
    await proxy.fromServer(bytes(answer(2)));
    vi.advanceTimersByTime(2_000);
    vi.useRealTimers();
    await proxy.end();
    expect(toClient).toEqual([answer(2)]);
    const outcomes = await recorded();
    expect(outcomes).toHaveLength(2);
    expect(outcomes).toContainEqual(
      expect.objectContaining({ status: "interrupted", output: { cancelled: { reason: "late" } } }),
    );
    expect(outcomes).toContainEqual(expect.objectContaining({ status: "completed" }));
  });

  it("records what runs when the server ends as interrupted", async () => {
    await proxy.fromClient(bytes(call(1)));
    await proxy.end();
    expect(await recorded()).toMatchObject([{ status: "interrupted" }]);
    await proxy.fromClient(bytes(call(2)));
    await settled(() => session.sequence === 2);
  });

  it("puts the digest into _meta when asked, and changes nothing else", async () => {
    connect(true);
    await proxy.fromClient(bytes(call(1)));
    await proxy.fromServer(bytes(answer(1, '{"content":[],"_meta":{"x":1},"n":1.50}')));
    await proxy.fromClient(bytes(call(2)));
    await proxy.fromServer(bytes('{"id":2,"error":{"code":1,"message":"m"}}'));
    await proxy.fromClient(bytes(call(3)));
    const big = answer(3, '{"n":12345678901234567890}');
    await proxy.fromServer(bytes(big));
    await settled(() => toClient.length === 3);
    const { receipts } = await readJournal(world.journal());
    const [first] = toClient
      .filter((line) => line.includes("receipt-digest"))
      .map((line) => JSON.parse(line) as unknown);
    expect(first).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [], n: 1.5, _meta: { x: 1, "osa-proof/receipt-digest": session.heads[0] ?? "" } },
    });
    expect(receipts).toHaveLength(3);
    expect(toClient).toContain(big);
  });
});

describe("a journal that fails", () => {
  it("keeps the result back, and no later call reaches the server", async () => {
    await session.suspend();
    let isFull = false;
    const failing: Storage = {
      ...diskStorage,
      openAppend: async (path) => {
        const file = await diskStorage.openAppend(path);
        return {
          ...file,
          append: (data) =>
            isFull ? Promise.reject(new Error("ENOSPC: no space left on device")) : file.append(data),
        };
      },
    };
    session = await openSessionOn(failing, {
      ...(await world.runtime({ keyId: "runtime-key-2", tools: ["get_order"] })),
      journal: world.journal("full"),
    });
    connect();
    await proxy.fromClient(bytes(call(1)));
    isFull = true;
    await proxy.fromServer(bytes(answer(1, '{"content":["secret"]}')));
    await settled(() => toClient.length === 1);
    expect(toClient[0]).not.toContain("secret");
    expect(JSON.parse(toClient[0] ?? "")).toMatchObject({
      id: 1,
      error: { code: -32001, data: { code: "JOURNAL_FAILED" }, message: /ENOSPC/ },
    });
    expect(warnings[0]).toMatch(/may have run/);
    isFull = false;
    await proxy.fromClient(bytes(call(2)));
    expect(toServer).toHaveLength(1);
    expect(JSON.parse(toClient[1] ?? "")).toMatchObject({ id: 2, error: { code: -32000 } });
  });
});
