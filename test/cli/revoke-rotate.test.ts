import { copyFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { statementDigest } from "../../src/statements/canonical.js";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

const DAY = 86_400_000;

async function begin(desk: Desk): Promise<void> {
  await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
  await desk.all("init --no-passphrase", "record --from calls.json --delegate", "seal", "bundle -o b.json");
}

async function lines(desk: Desk, file: string): Promise<Record<string, string>[]> {
  return (await desk.text("statements", file))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("seal", () => {
  it("does nothing twice, and only when asked makes a new list", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      const before = await desk.text("statements/evidence-trees.jsonl");
      expect(await desk.all("seal")).toMatch(/nothing to seal/);
      expect(await desk.text("statements/evidence-trees.jsonl")).toBe(before);
      expect((await lines(desk, "revocation-lists.jsonl")).length).toBe(1);
      await desk.all("seal --new-list");
      expect((await lines(desk, "revocation-lists.jsonl")).length).toBe(2);
    });
  });

  it("issues a new list when the newest has half its age behind it, unless told not to", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      desk.now += DAY / 2 - 60_000;
      await desk.all("seal");
      expect((await lines(desk, "revocation-lists.jsonl")).length).toBe(1);
      desk.now += 120_000;
      await desk.all("seal --no-new-list");
      expect((await lines(desk, "revocation-lists.jsonl")).length).toBe(1);
      await desk.all("seal");
      expect((await lines(desk, "revocation-lists.jsonl")).length).toBe(2);
      desk.now += 0.75 * DAY;
      expect(await desk.verdict("b.json")).toBe("REVOCATION_LIST_STALE");
      expect(await desk.verdict("b.json", "--revocations", "revocations.json")).toBe("ACCEPTED");
      await desk.all("bundle -o later.json");
      expect(await desk.verdict("later.json")).toBe("ACCEPTED");
    });
  });

  it("keeps a policy that asks for session seals", async () => {
    await atDesk(async (desk) => {
      await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
      await desk.all(
        "init --no-passphrase --require-session-seal",
        "record --from calls.json --delegate --session s --keep-open",
      );
      const open = await desk.run("seal");
      expect([open.code, open.err]).toEqual([2, expect.stringMatching(/cannot get its seal while runtime/)]);
      await desk.all("close", "seal", "bundle -o b.json");
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
      const more = await desk.run("delegate --tool x --session s");
      expect([more.code, more.err]).toEqual([2, expect.stringMatching(/has its seal/)]);
    });
  });
});

describe("bundle", () => {
  it("refuses to overwrite, an open session, unsealed receipts, and what it does not know", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      await desk.all("record --from calls.json --delegate --keep-open");
      const refusals = [
        ["bundle -o b.json", /is there already.*--force/],
        ["bundle -o n.json", /is still open.*osa-proof close/],
        [`bundle -o n.json --target 0x${"a".repeat(64)}`, /is not in this workspace/],
        ["bundle -o n.json --scope all", /--scope/],
        ["bundle -o n.json --disclose everything", /--disclose everything/],
        ["bundle -o n.json --disclose none all", /stands alone/],
      ] as const;
      const before = await desk.text("b.json");
      for (const [line, message] of refusals) {
        const ran = await desk.run(line);
        expect([ran.code, ran.err], line).toEqual([2, expect.stringMatching(message)]);
      }
      await desk.all("close");
      const unsealed = await desk.run("bundle -o n.json");
      expect([unsealed.code, unsealed.err]).toEqual([2, expect.stringMatching(/osa-proof seal first/)]);
      expect(await desk.text("b.json")).toBe(before);
      expect((await desk.files()).has("n.json")).toBe(false);
      await desk.all("seal", "bundle -o b.json --force");
      expect(await desk.text("b.json")).not.toBe(before);
    });
  });

  it("shows exactly what it is told to show", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      const target = (await desk.bundle("b.json")).claim.targets[0] ?? "";
      const shown = async (...words: readonly string[]): Promise<string> => {
        await desk.all(["bundle", "-o", "d.json", "--force", "--disclose", ...words]);
        expect(await desk.verdict("d.json")).toBe("ACCEPTED");
        const { disclosures } = await desk.bundle("d.json");
        return ["input", "output", "evidence"]
          .map((kind) => disclosures.filter(({ value }) => value.kind === kind).length)
          .join(" ");
      };
      expect((await desk.bundle("b.json")).disclosures.map(({ value }) => value.kind)).toEqual(
        CALLS.map(() => "evidence"),
      );
      expect(await shown("none")).toBe("0 0 0");
      expect(await shown("inputs")).toBe("4 0 0");
      expect(await shown("outputs", "evidence")).toBe("0 4 8");
      expect(await shown("notices")).toBe("0 0 4");
      expect(await shown(target)).toBe("1 1 2");
      expect(await shown(`${target}:output`, "inputs")).toBe("4 1 0");
      expect(await shown("all")).toBe("4 4 8");
      const text = await desk.text("b.json");
      // The digest of a short recording would give its values away to whoever guesses them.
      expect(text).not.toContain('sha256":');
      for (const salt of (await desk.text("openings.jsonl")).matchAll(/"input":\{"salt":"(0x[0-9a-f]+)"/g)) {
        expect(text.includes(salt[1] ?? "")).toBe(false);
      }
    });
  });

  it("in scope causal holds the target and what it came after", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      const second = (await desk.bundle("b.json")).receipts.find(({ sequence }) => sequence === 2);
      const ran = await desk.run([
        "bundle",
        "-o",
        "c.json",
        "--scope",
        "causal",
        "--target",
        statementDigest(second ?? {}),
      ]);
      expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/EXPECTATION_SCOPE_TOO_WEAK/)]);
      expect((await desk.bundle("c.json")).receipts.map(({ sequence }) => sequence).sort()).toEqual([1, 2]);
      const trust = JSON.parse(await desk.text("trust.json"));
      await writeFile(desk.path("trust.json"), JSON.stringify({ ...trust, require_session_close: false }));
      expect(await desk.verdict("c.json")).toBe("ACCEPTED");
    });
  });
});

describe("revoke", () => {
  it.each(["runtime_id", "runtime_key_id"])(
    "voids a session by its %s, in old bundles too",
    async (member) => {
      await atDesk(async (desk) => {
        await begin(desk);
        expect(await desk.verdict("b.json")).toBe("ACCEPTED");
        const name = (await lines(desk, "runtime-key-certificates.jsonl"))[0]?.[member] ?? "";
        await desk.all(["revoke", name, "--reason", "sandbox escaped"]);
        await desk.all("bundle -o after.json");
        expect(await desk.verdict("after.json")).toBe("REVOCATION_KEY_REVOKED");
        expect(await desk.verdict("b.json", "--revocations", "revocations.json")).toBe(
          "REVOCATION_KEY_REVOKED",
        );
        const again = await desk.run(["revoke", name, "--reason", "again"]);
        expect([again.code, again.err]).toEqual([2, expect.stringMatching(/revoked already/)]);
      });
    },
  );

  it("stops an agent until it has a new key", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      await desk.all("revoke @ai:localhost/agent --reason lost");
      const stopped = await desk.run("record --from calls.json --delegate");
      expect([stopped.code, stopped.err]).toEqual([2, expect.stringMatching(/is revoked by list 2/)]);
      await desk.all(
        "agent add @ai:localhost/agent --new-key",
        "record --from calls.json --delegate",
        "seal",
        "bundle -o n.json",
      );
      expect(await desk.verdict("n.json")).toBe("ACCEPTED");
    });
  });

  it("refuses a name that it does not know and the root that signs the list", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      const unknown = await desk.run("revoke nobody --reason x");
      expect([unknown.code, unknown.err]).toEqual([
        2,
        expect.stringMatching(/no key of this workspace is called nobody/),
      ]);
      const root = JSON.parse(await desk.text("workspace.json")).root_key_id;
      const own = await desk.run(`revoke ${root} --reason x`);
      expect([own.code, own.err]).toEqual([2, expect.stringMatching(/rotate-root first/)]);
      expect((await desk.run("revoke nobody")).code).toBe(2);
      expect((await lines(desk, "revocation-lists.jsonl")).length).toBe(1);
      await desk.all("rotate-root", `revoke ${root} --reason stolen`);
    });
  });
});

describe("rotate-root", () => {
  it.each([10, 0])(
    "keeps what was anchored before, and goes on under the new root (clock ticks of %d ms)",
    async (tick) => {
      await atDesk(async (desk) => {
        desk.tick = tick;
        await begin(desk);
        await copyFile(desk.path("trust.json"), desk.path("old-trust.json"));
        await desk.all("rotate-root");
        const trust = JSON.parse(await desk.text("trust.json"));
        expect(trust.namespaces[0].roots).toMatchObject([{ rotation_number: 1 }]);
        // The new root reaches back over the rotation, which a bundle of before does not hold.
        expect(await desk.verdict("b.json")).toBe("IDENTITY_ROOT_UNKNOWN");
        expect(await desk.verdict("b.json", "--revocations", "revocations.json")).toBe("ACCEPTED");
        await desk.all("bundle -o again.json");
        expect(await desk.verdict("again.json")).toBe("ACCEPTED");
        desk.now += 2_000;
        await desk.all("record --from calls.json --delegate", "seal", "bundle -o new.json", "rotate-root");
        expect(await desk.verdict("new.json", "--revocations", "revocations.json")).toBe("ACCEPTED");
        await copyFile(desk.path("old-trust.json"), desk.path("trust.json"));
        expect(await desk.verdict("new.json")).toBe("ACCEPTED");
      });
    },
  );

  it("waits for a seal: what is not anchored before it never can be", async () => {
    await atDesk(async (desk) => {
      await begin(desk);
      await desk.all("record --from calls.json --delegate");
      const early = await desk.run("rotate-root");
      expect([early.code, early.err]).toEqual([2, expect.stringMatching(/osa-proof seal first/)]);
      await desk.all("seal", "rotate-root");
    });
  });

  it("F034 ends delegations, and gives a runtime that stays open a key under the new root", async () => {
    await atDesk(async (desk) => {
      await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
      await desk.all(
        "init --no-passphrase",
        "delegate --tools-from calls.json --session s --runtime r",
        "runtime issue",
        "record --from calls.json --keep-open",
        "seal",
        "rotate-root",
      );
      const ended = await desk.run("record --from calls.json");
      expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(/no delegation to act under/)]);
      await desk.all(
        "delegate --tools-from calls.json --session s --runtime r",
        "record --from calls.json",
        "seal",
        "bundle -o b.json",
      );
      expect((await desk.bundle("b.json")).receipts.length).toBe(8);
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
    });
  });
});
