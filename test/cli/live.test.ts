/** Sessions that run beside a workspace: who may sign meanwhile, and what is taken in when they end. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { CommandContext } from "../../src/cli/command.js";
import { type LiveOptions, type LiveSession, openLiveSession } from "../../src/cli/live-session.js";
import { Passphrase } from "../../src/cli/passphrase.js";
import { atDesk, type Desk } from "./workspace-support.js";

const ORDER = { input: { json: { id: 7 } }, output: { json: "done" } } as const;

async function live(desk: Desk, options: Partial<LiveOptions>): Promise<LiveSession> {
  const context = {
    env: {},
    cwd: desk.folder,
    now: () => {
      desk.now += desk.tick;
      return desk.now;
    },
    err: (text: string) => {
      desk.written += text;
    },
    keyCost: 10,
  } as unknown as CommandContext;
  return openLiveSession(context, { dir: ".", ...options }, new Passphrase({ env: {} }, undefined));
}

async function start(desk: Desk): Promise<void> {
  await desk.all("init --no-passphrase --namespace acme --agent @ai:acme.example/clerk");
}

describe("a live session", () => {
  it("ends in the workspace, sealed and accepted like any other", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const { session, finish } = await live(desk, { tool: ["refund"], maxActions: 2 });
      await session.record({ ...ORDER, tool: "refund" });
      expect(await desk.all("status")).toMatch(/runtime runtime-\w+ is at work/);
      expect((await desk.run("seal")).err).toContain("1 session still running and not sealed: runtime-");
      await session.record({ ...ORDER, tool: "refund" });
      await expect(session.record({ ...ORDER, tool: "refund" })).rejects.toMatchObject({
        code: "ACTION_REFUSED",
      });
      expect(await finish()).toBe(2);
      expect(await readdir(desk.path("journals"))).toEqual([]);
      await desk.all("seal", "bundle -o b.json --disclose all");
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
      expect((await desk.bundle("b.json")).disclosures).toHaveLength(4);
    });
  });

  it("keeps its key to itself", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const before = await readdir(desk.path("keys"));
      const { session, finish } = await live(desk, { tool: ["refund"] });
      await session.record({ ...ORDER, tool: "refund" });
      expect(await readdir(desk.path("keys"))).toEqual(before);
      await finish();
    });
  });

  it("has its runtime to itself: exec and record sign nothing for it, and a second session is refused", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const { name, session, finish } = await live(desk, { tool: ["node"] });
      await session.record({ ...ORDER, tool: "node" });
      const exec = await desk.run(["exec", "--tool", "node", "--", process.execPath, "-e", "0"]);
      expect([exec.code, exec.err]).toEqual([2, expect.stringContaining("has a session of its own")]);
      await expect(live(desk, { runtime: name.runtimeId })).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
      await finish();
      // Taken in, it is closed.
      expect((await desk.run(["exec", "--tool", "node", "--", process.execPath, "-e", "0"])).code).toBe(2);
    });
  });

  it("does not begin for a runtime that signed elsewhere", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      await desk.all("delegate --tool node", "runtime issue", [
        "exec",
        "--tool",
        "node",
        "--",
        process.execPath,
        "-e",
        "0",
      ]);
      await expect(live(desk, {})).rejects.toMatchObject({ code: "WORKSPACE_INVALID" });
    });
  });

  it("that ended without its last word goes on, or is closed by its agent", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const first = await live(desk, { tool: ["refund"] });
      await first.session.record({ ...ORDER, tool: "refund" });
      await first.session.suspend();
      expect(await desk.all("status")).toContain("has ended, not taken in");
      const again = await live(desk, { runtime: first.name.runtimeId });
      expect(again.session.recovered.receipts).toBe(1);
      await again.session.record({ ...ORDER, tool: "refund" });
      await again.session.suspend();
      const close = await desk.run("close");
      expect([close.code, close.err]).toEqual([2, expect.stringContaining("osa-proof close --by-agent")]);
      await desk.all("close --by-agent", "seal", "bundle -o b.json");
      const { receipts, session_closes: closes } = await desk.bundle("b.json");
      expect([receipts.length, closes[0]?.closed_by]).toEqual([2, "agent"]);
      expect(existsSync(desk.path("journals", first.name.runtimeId))).toBe(false);
    });
  });

  it("has a journal that is taken in once, however often that is begun", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const { session, name } = await live(desk, { tool: ["refund"] });
      await session.record({ ...ORDER, tool: "refund" });
      await session.close();
      const journal = desk.path("journals", name.runtimeId);
      await desk.all(["seal", "--journal", journal]);
      await desk.all("seal", "bundle -o b.json");
      expect((await desk.bundle("b.json")).receipts).toHaveLength(1);
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
    });
  });

  it("takes options that fit together", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const digest = `0x${"00".repeat(32)}`;
      for (const options of [{ tool: ["x"], delegation: [digest] }, { mission: "m" }, { maxActions: 3 }]) {
        await expect(live(desk, options)).rejects.toMatchObject({ code: "USAGE" });
      }
      await expect(live(desk, {})).rejects.toMatchObject({ code: "WORKSPACE_INVALID" });
    });
  });
});
