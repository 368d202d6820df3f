/** What the workspace tells its owner: its sessions, what is left to do, and what auditors will reject. */
import { existsSync } from "node:fs";
import { readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

async function start(desk: Desk): Promise<void> {
  await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
  await desk.all("init --no-passphrase --namespace acme --agent @ai:acme.example/clerk");
}

describe("status", () => {
  it("lists each session with what is left to do, and needs no passphrase", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      expect(await desk.all("status")).toContain("no session yet");
      await desk.all(
        "record --from calls.json --delegate --session s1",
        "seal",
        "record --from calls.json --delegate --session s2 --keep-open",
      );
      const text = await desk.all("status");
      expect(text).toMatch(/^ {2}s1 +4 receipts +last \S+ +closed +sealed$/m);
      expect(text).toMatch(/^ {2}s2 +4 receipts +last \S+ +open: \S+ +4 not sealed$/m);
      expect(text).toContain("Next: osa-proof seal");
      const { sessions, revocation_list: list } = (await desk.json("status")) as {
        readonly sessions: readonly Record<string, unknown>[];
        readonly revocation_list: unknown;
      };
      expect(sessions).toMatchObject([
        { session_id: "s1", receipt_count: 4, unsealed_count: 0, open_runtimes: [] },
        { session_id: "s2", receipt_count: 4, unsealed_count: 4, open_runtimes: [expect.any(String)] },
      ]);
      expect(list).toMatchObject({ list_number: 1, anchored: true });
      await desk.all("seal");
      expect(await desk.all("status")).toContain("Next: osa-proof close");
      await desk.all("close", "seal");
      expect(await desk.all("status")).toContain("Next: osa-proof bundle");
    });
  });
});

describe("bundle --session", () => {
  it("packs an older session, and no other word for it", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      await desk.all(
        "record --from calls.json --delegate --session s1",
        "record --from calls.json --delegate --session s2",
        "seal",
        "bundle -o new.json",
        "bundle -o old.json --session s1",
        "verify old.json --trust trust.json --expect-session s1",
        "verify new.json --trust trust.json --expect-session s2",
      );
      const unknown = await desk.run("bundle -o x.json --session s3");
      expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("osa-proof status")]);
      const { receipts } = await desk.bundle("old.json");
      const both = await desk.run([
        ..."bundle -o x.json --session s1 --target".split(" "),
        (receipts[0]?.parent_receipt_digests[0] ?? receipts[1]?.parent_receipt_digests[0]) || "",
      ]);
      expect([both.code, both.err]).toEqual([2, expect.stringContaining("exclude each other")]);
    });
  });
});

describe("before an auditor finds it", () => {
  it("delegate says when its agent may not begin a chain, and bundle that trust.json rejects", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const own = await desk.run("delegate --tool search --session a");
      expect([own.code, own.err]).toEqual([0, ""]);
      await desk.all("agent add @ai:acme.example/solo");
      const line = "delegate --agent @ai:acme.example/solo --tools-from calls.json --session b";
      const other = await desk.run(line);
      expect([other.code, other.err]).toEqual([0, expect.stringContaining("top_delegators")]);
      await desk.all(
        "runtime issue --session b",
        "record --from calls.json --session b",
        "seal --no-new-list",
      );
      const packed = await desk.run("bundle -o b.json");
      expect([packed.code, packed.err]).toEqual([
        0,
        expect.stringContaining("rejects this bundle, DELEGATION_TOP_NOT_ALLOWED at /delegations/0"),
      ]);
      const verdict = await desk.run("verify b.json --trust trust.json");
      expect(verdict.code).toBe(1);
    });
  });

  it("bundle says nothing of one that trust.json accepts", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      await desk.all("record --from calls.json --delegate", "seal");
      expect((await desk.run("bundle -o b.json")).err).toBe("");
    });
  });

  it("seal anchors no receipt that was changed after it was signed", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      await desk.all("record --from calls.json --delegate");
      const file = desk.path("statements", "receipts.jsonl");
      const good = await readFile(file, "utf8");
      await writeFile(file, good.replace('"tool":"think"', '"tool":"thunk"'));
      const log = await readFile(desk.path("log", "checkpoint"), "utf8");
      const refused = await desk.run("seal");
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringContaining("not what that runtime signed"),
      ]);
      expect(await readFile(desk.path("log", "checkpoint"), "utf8")).toBe(log);
      await writeFile(file, good);
      await desk.all("seal", "bundle -o b.json", "verify b.json --trust trust.json");
    });
  });
});

describe("a change that fails half way", () => {
  const hasFullDevice = existsSync("/dev/full");
  if (!hasFullDevice) console.warn("there is no /dev/full here: a full disk is not tried");

  it.skipIf(!hasFullDevice)(
    "says that it is kept, and the next command finishes it and says so",
    async () => {
      await atDesk(async (desk) => {
        await start(desk);
        // A device that is always full, in place of the first file of the change.
        const file = desk.path("openings.jsonl");
        await rm(file);
        await symlink("/dev/full", file);
        const failed = await desk.run("record --from calls.json --delegate");
        expect([failed.code, failed.err]).toEqual([2, expect.stringContaining("do not repeat this command")]);
        await rm(file);
        await writeFile(file, "", { mode: 0o600 });
        const next = await desk.run("status");
        expect([next.code, next.err]).toEqual([0, expect.stringContaining("finished a change")]);
        expect(next.out).toContain("4 receipts");
        expect((await desk.run("status")).err).toBe("");
      });
    },
  );
});

describe("a lock that a crash left empty", () => {
  it("is waited for while it may be new, and taken over when it is old", async () => {
    await atDesk(async (desk) => {
      await start(desk);
      const lock = desk.path(".lock");
      await writeFile(lock, "");
      const old = new Date(Date.now() - 60_000);
      await utimes(lock, old, old);
      expect((await desk.run("status")).code).toBe(0);
    });
  });
});
