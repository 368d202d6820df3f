/** Sessions: what is recorded, what is refused before it runs, and what an auditor then says. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession, type Recorded, readJournal, type SessionOptions } from "../../src/runtime/index.js";
import { openCommitment, statementDigest } from "../../src/statements/index.js";
import { type RuntimePlan, SessionWorld } from "./session-world.js";

let world: SessionWorld;

beforeEach(async () => {
  world = await SessionWorld.make();
});
afterEach(() => world.remove());

async function open(
  plan: RuntimePlan = {},
  more: Partial<SessionOptions> = {},
): ReturnType<typeof openSession> {
  return openSession({ ...(await world.runtime(plan)), journal: world.journal(), ...more });
}

const ORDER = { tool: "get_order", input: { json: { id: 7 } }, output: { json: { total: 120 } } } as const;

describe("a session", () => {
  it("is accepted by an auditor: each receipt after the one before, the close last", async () => {
    const session = await open();
    const first = await session.record(ORDER);
    const total = await session.run("get_order", { id: 8 }, () => 99);
    expect(total).toBe(99);
    const close = await session.close();
    expect(close).toMatchObject({ final_sequence: 2, receipt_count: 2, closed_by: "runtime" });
    const report = await world.verdict(world.journal());
    expect(report.first_failure).toBeNull();
    expect(report).toMatchObject({ verdict: "ACCEPTED", receipt_count: 2 });
    const { receipts, openings } = await readJournal(world.journal());
    expect(receipts[1]?.parent_receipt_digests).toEqual([first.digest]);
    expect(openings.map((item) => item.output.value)).toMatchObject([
      { json: { total: 120 }, status: "completed" },
      { json: 99, status: "completed" },
    ]);
    for (const [i, receipt] of receipts.entries()) {
      const { input } = openings[i] ?? { input: undefined };
      expect(input !== undefined && openCommitment(receipt.input_commitment, input.salt, input.value)).toBe(
        true,
      );
    }
  });

  it("gives 1,000 concurrent records a valid graph with contiguous numbers", {
    timeout: 60_000,
  }, async () => {
    const session = await open();
    const first = await session.record(ORDER);
    const all = await Promise.all(
      Array.from({ length: 1_000 }, (_, id) =>
        session.record({ tool: "refund", input: { json: { id } }, output: { json: null } }),
      ),
    );
    expect(new Set(all.map(({ receipt }) => receipt.sequence)).size).toBe(1_000);
    expect(all.every(({ receipt }) => receipt.parent_receipt_digests[0] === first.digest)).toBe(true);
    // What comes next joins the oldest 64 of a thousand heads.
    expect(session.heads).toHaveLength(1_000);
    const next = await session.record(ORDER);
    expect(next.receipt.parent_receipt_digests).toHaveLength(64);
    expect(session.heads).toHaveLength(937);
    await session.close();
    const { receipts } = await readJournal(world.journal());
    expect(receipts.map((receipt) => receipt.sequence)).toEqual(receipts.map((_, i) => i + 1));
    const report = await world.verdict(world.journal());
    expect(report).toMatchObject({ verdict: "ACCEPTED", receipt_count: 1_002 });
  });

  it("forks and merges by parents", async () => {
    const session = await open();
    const root = await session.record(ORDER);
    const [left, right] = [session.fork(), session.fork()];
    const a = await left.record(ORDER);
    const b = await right.record(ORDER);
    expect([a, b].map(({ receipt }) => receipt.parent_receipt_digests)).toEqual([
      [root.digest],
      [root.digest],
    ]);
    session.merge(left, right);
    const joined = await session.record(ORDER);
    // The branch's own head is an ancestor of the others; naming it as well does no harm.
    expect(joined.receipt.parent_receipt_digests).toEqual([root.digest, a.digest, b.digest].sort());
    await session.close();
    expect((await world.verdict(world.journal())).verdict).toBe("ACCEPTED");
  });

  it("records what was thrown and throws it again, and what was interrupted", async () => {
    const session = await open();
    const failure = Object.assign(new Error("no such order"), { code: "E404" });
    const failing = session.run("get_order", { id: 9 }, () => {
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    await expect(session.run("get_order", {}, () => Promise.reject("odd"))).rejects.toBe("odd");
    const aborted = new DOMException("stopped", "AbortError");
    await expect(session.run("get_order", {}, () => Promise.reject(aborted))).rejects.toBe(aborted);
    await session.run("get_order", {}, () => ({ isError: true }), { statusOf: () => "failed" });
    await session.suspend();
    const outputs = (await readJournal(world.journal())).openings.map(({ output }) => output.value);
    expect(outputs).toMatchObject([
      { status: "failed", json: { error: { name: "Error", message: "no such order", code: "E404" } } },
      { status: "failed", json: { error: "odd" } },
      { status: "interrupted", json: { error: { name: "AbortError" } } },
      { status: "failed", json: { isError: true } },
    ]);
  });

  it("keeps a result whose reading by the caller fails", async () => {
    const session = await open();
    const broken = (): never => {
      throw new Error("the caller's own");
    };
    const seen: Recorded[] = [];
    const result = await session.run("get_order", {}, () => 5, {
      outputOf: broken,
      onRecorded: (recorded) => {
        seen.push(recorded);
        broken();
      },
    });
    expect([result, seen.length]).toEqual([5, 1]);
    await session.close();
    const [only] = (await readJournal(world.journal())).openings;
    expect(only?.output.value).toMatchObject({ json: 5, status: "completed" });
  });

  it("tells an observer of each receipt once it is durable", async () => {
    const seen: string[] = [];
    const session = await open(
      {},
      {
        observer: ({ digest }) => {
          seen.push(digest);
          throw new Error("has no say");
        },
      },
    );
    const { digest } = await session.record(ORDER);
    expect(seen).toEqual([digest]);
    const { receipts } = await readJournal(world.journal());
    expect(receipts.map(statementDigest)).toEqual([digest]);
    await session.suspend();
  });

  it("closes without a word when it did nothing, and then leaves the journal free", async () => {
    const session = await open();
    expect(await session.close()).toBeNull();
    const again = await open({ keyId: "runtime-key-2" });
    await again.record(ORDER);
    expect(await again.close()).toMatchObject({ final_sequence: 1 });
    await expect(open({ keyId: "runtime-key-3" })).rejects.toMatchObject({ code: "JOURNAL_INVALID" });
  });

  it("waits at its close for calls that run, and refuses new ones", async () => {
    const session = await open();
    let finish: (value: string) => void = () => undefined;
    const running = session.run("refund", {}, () => new Promise<string>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const closing = session.close();
    await expect(session.record(ORDER)).rejects.toMatchObject({ code: "ACTION_REFUSED" });
    finish("done");
    expect(await running).toBe("done");
    expect(await closing).toMatchObject({ final_sequence: 1 });
  });
});

describe("a refusal", () => {
  it("comes before the tool runs: tool, window, number", async () => {
    const session = await open({ maxActions: 2 });
    let ran = 0;
    const run = (tool: string): Promise<number> => session.run(tool, {}, () => (ran += 1));
    await expect(run("delete_shop")).rejects.toMatchObject({ code: "ACTION_REFUSED" });
    await expect(session.record({ ...ORDER, tool: "delete_shop" })).rejects.toMatchObject({
      code: "ACTION_REFUSED",
    });
    expect(ran).toBe(0);
    await run("refund");
    await run("refund");
    await expect(run("refund")).rejects.toThrow(/all actions that the delegation allows are taken/);
    expect(ran).toBe(2);
    await session.close();
    expect((await world.verdict(world.journal())).verdict).toBe("ACCEPTED");
  });

  it.each([
    ["too early", -61_000, /begins at/],
    ["too late", 43_200_000, /ended at/],
  ])("%s", async (_, offset, reason) => {
    const session = await open({}, { clock: () => world.now + offset });
    await expect(session.run("refund", {}, () => 1)).rejects.toThrow(reason);
    await session.suspend();
  });

  it("counts calls that run: of ten at once, as many as are allowed", async () => {
    const session = await open({ maxActions: 4 });
    let ran = 0;
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        session.run("refund", {}, async () => {
          ran += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }),
      ),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    expect(ran).toBe(4);
    await session.close();
    expect((await world.verdict(world.journal())).verdict).toBe("ACCEPTED");
  });

  it("never lets another delegation's actions take the number of one that runs", async () => {
    const bounded = await world.runtime({ tools: ["refund"], maxActions: 2 });
    const free = await world.runtime({ tools: ["get_order"] });
    const session = await openSession({
      ...bounded,
      delegation: [bounded.delegation, free.delegation],
      journal: world.journal(),
    });
    let finish: () => void = () => undefined;
    const running = session.run("refund", {}, () => new Promise<void>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await session.record(ORDER);
    await expect(session.record(ORDER)).rejects.toMatchObject({ code: "ACTION_REFUSED" });
    finish();
    await running;
    await session.record(ORDER);
    const { receipts } = await readJournal(world.journal());
    expect(receipts.map(({ tool }) => tool)).toEqual(["get_order", "refund", "get_order"]);
    await session.suspend();
  });

  it("is recorded under osa.denied where a delegation lists that", async () => {
    const session = await open({ tools: ["get_order", "osa.denied"] });
    await expect(session.run("wipe", { all: true }, () => 1)).rejects.toMatchObject({
      code: "ACTION_REFUSED",
    });
    await session.close();
    const { receipts, openings } = await readJournal(world.journal());
    expect(receipts.map(({ tool }) => tool)).toEqual(["osa.denied"]);
    expect(openings[0]?.input.value).toMatchObject({ json: { tool: "wipe", input: { all: true } } });
    expect(openings[0]?.output.value).toMatchObject({ status: "denied" });
    expect((await world.verdict(world.journal())).verdict).toBe("ACCEPTED");
  });

  it("names what the caller got wrong before the tool runs", async () => {
    const session = await open();
    let ran = 0;
    const run = (options: object): Promise<number> => session.run("refund", {}, () => (ran += 1), options);
    for (const options of [
      { parents: ["0x00"] },
      { parents: Array.from({ length: 65 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`) },
      { evidence: [{ bytes: "text" }] },
      { actionId: "two words" },
      { statusof: () => "failed" },
    ]) {
      await expect(run(options)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    }
    expect(ran).toBe(0);
    await session.suspend();
  });

  it("of a receipt whose delegation ended while the tool ran is told, and the call stays unfinished", async () => {
    let now = world.now;
    const plan = { delegationEnds: 10_000 };
    const session = await open(plan, { clock: () => now });
    const late = session.run("refund", {}, () => {
      now += 20_000;
    });
    await expect(late).rejects.toThrow(/cannot be recorded: the delegation ended/);
    await session.suspend();
    const again = await openSession({ ...(await world.runtime({ keyId: "k2" })), journal: world.journal() });
    expect(again.recovered.unfinished).toMatchObject([{ tool: "refund" }]);
    await again.suspend();
  });

  it("of a clock that was set back far; a small step goes on from the last receipt's time", async () => {
    let now = world.now;
    const session = await open({}, { clock: () => now });
    const first = await session.record(ORDER);
    now -= 4_000;
    const second = await session.record(ORDER);
    expect(second.receipt.issued_at).toBe(first.receipt.issued_at);
    now -= 2_000;
    await expect(session.record(ORDER)).rejects.toThrow(/set the clock right/);
    await session.suspend();
  });
});

describe("keys", () => {
  it("are renewed before they end, and the close names each", async () => {
    let now = world.now;
    let renewed = 0;
    const session = await open(
      { keyEnds: 100_000 },
      {
        clock: () => now,
        renew: () => {
          renewed += 1;
          return world.key({ keyId: "runtime-key-2" });
        },
      },
    );
    await session.record(ORDER);
    now += 75_000;
    const [second] = await Promise.all([session.record(ORDER), session.record(ORDER)]);
    expect(renewed).toBe(1);
    expect(second.receipt.runtime_key_id).toBe("runtime-key-2");
    const close = await session.close();
    const { certificates } = await readJournal(world.journal());
    expect(close?.runtime_key_certificate_digests).toEqual(certificates.map(statementDigest));
    expect(certificates).toHaveLength(2);
  });

  it("that ended refuse calls, and a renewal that fails is tried again while the key holds", async () => {
    let now = world.now;
    let tried = 0;
    const session = await open(
      { keyEnds: 100_000 },
      {
        clock: () => now,
        renew: async () => {
          tried += 1;
          throw new Error("the agent does not answer");
        },
      },
    );
    now += 75_000;
    await session.record(ORDER);
    expect(tried).toBeGreaterThan(0);
    now += 30_000;
    await expect(session.run("refund", {}, () => 1)).rejects.toThrow(/could not be renewed/);
    await session.renewWith(await world.key({ keyId: "runtime-key-2" }));
    expect((await session.record(ORDER)).receipt.runtime_key_id).toBe("runtime-key-2");
    await session.suspend();
  });

  it("are refused when they are another runtime's, or have another certificate", async () => {
    const session = await open();
    await expect(
      session.renewWith(await world.key({ keyId: "k2", runtimeId: "other" })),
    ).rejects.toMatchObject({ code: "ARGUMENT_INVALID", pointer: "/runtime_id" });
    await expect(session.renewWith(await world.key())).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
      pointer: "/runtime_key_id",
    });
    await session.suspend();
  });
});

describe("openSession", () => {
  it("refuses what does not belong together", async () => {
    const [mine, other] = [
      await world.runtime(),
      await world.runtime({ runtimeId: "runtime-2", keyId: "runtime-key-2" }),
    ];
    const refuse = async (options: object, pointer: string): Promise<void> => {
      const all = { ...mine, journal: world.journal(), ...options } as SessionOptions;
      await expect(openSession(all)).rejects.toMatchObject({ code: "ARGUMENT_INVALID", pointer });
    };
    await refuse({ signer: other.signer }, "/runtime_key_id");
    await refuse({ delegation: other.delegation }, "/runtime_id");
    await refuse({ delegation: [] }, "/delegation");
    await refuse({ journal: "" }, "/journal");
    await refuse({ certificate: { ...mine.certificate, public_key: "0x00" } }, "/public_key");
    await refuse({ jurnal: "x" }, "/jurnal");
    const again = await openSession({ ...mine, journal: world.journal() });
    await again.suspend();
  });

  it("refuses the journal of another runtime", async () => {
    await (await open()).suspend();
    await expect(open({ runtimeId: "runtime-2" })).rejects.toMatchObject({ code: "JOURNAL_INVALID" });
  });

  it("goes on where an earlier process stopped", async () => {
    const first = await open();
    const one = await first.record(ORDER);
    await first.suspend();
    const second = await open({ keyId: "runtime-key-2" });
    expect(second.recovered).toEqual({ receipts: 1, cutBytes: 0, unfinished: [] });
    const two = await second.record(ORDER);
    expect(two.receipt).toMatchObject({ sequence: 2, parent_receipt_digests: [one.digest] });
    await second.close();
    expect((await world.verdict(world.journal())).verdict).toBe("ACCEPTED");
  });

  it("keeps openings apart and to the owner", async () => {
    const session = await open();
    await session.record({ ...ORDER, input: { json: "a secret" } });
    await session.close();
    const file = (name: string): string => join(world.journal(), name);
    expect(await readFile(file("receipts.jsonl"), "utf8")).not.toContain("a secret");
    expect(await readFile(file("openings.jsonl"), "utf8")).toContain("a secret");
    if (process.platform !== "win32") {
      expect((await stat(file("openings.jsonl"))).mode & 0o777).toBe(0o600);
    }
  });
});
