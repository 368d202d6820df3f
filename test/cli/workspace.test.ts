import { openSync, writeFileSync } from "node:fs";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

const SECRET = "a passphrase that nobody guesses";

async function keyFile(desk: Desk, role: string): Promise<string> {
  const name = (await readdir(desk.path("keys"))).find((file) => file.startsWith(role));
  return desk.path("keys", name ?? "");
}

describe("init", () => {
  it("F032 makes a workspace that only its owner can sign with", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      expect((await stat(desk.path("keys"))).mode & 0o777).toBe(0o700);
      const keys = (await readdir(desk.path("keys"))).filter((name) => name.endsWith(".json"));
      expect(keys.map((name) => name.replace(/-key-.*/, "")).sort()).toEqual([
        "agent",
        "log",
        "root",
        "witness",
        "witness",
        "witness",
      ]);
      for (const name of keys) expect((await stat(desk.path("keys", name))).mode & 0o777).toBe(0o600);
      expect((await stat(desk.path("openings.jsonl"))).mode & 0o777).toBe(0o600);
      const trust = JSON.parse(await desk.text("trust.json"));
      expect(trust.tlog.logs[0].operator).toBe("own");
      expect(trust.tlog.groups[0]).toMatchObject({ threshold: 2, members: { length: 3 } });
      expect(trust).toMatchObject({ require_session_close: true, require_session_seal: false });
      expect(trust.namespaces[0].minimum_revocation_list_number).toBe(1);
      const lists = (await desk.text("statements", "revocation-lists.jsonl")).trim().split("\n");
      expect(lists.map((line) => JSON.parse(line).list_number)).toEqual([1]);
    });
  });

  it("never overwrites a workspace, and leaves it as it is", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      const before = await desk.files();
      const again = await desk.run("init --no-passphrase");
      expect(again.code).toBe(2);
      expect(again.err).toMatch(/is a workspace already/);
      expect(await desk.files()).toEqual(before);
      expect((await desk.run("init --no-passphrase --dir other")).code).toBe(0);
    });
  });

  it("does not touch what is left of an init that was interrupted", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      await rm(desk.path("workspace.json"));
      const again = await desk.run("init --no-passphrase");
      expect([again.code, again.err]).toEqual([2, expect.stringContaining("which init would overwrite")]);
    });
  });

  it("needs a passphrase, or to be told that there is none", async () => {
    await atDesk(async (desk) => {
      const silent = await desk.run("init");
      expect(silent.code).toBe(2);
      expect(silent.err).toMatch(/--passphrase-fd|OSA_PROOF_PASSPHRASE/);
      expect(await desk.files()).toEqual(new Map());
    });
  });

  it("asks twice at a terminal", async () => {
    await atDesk(async (desk) => {
      const answers = [SECRET, "another", SECRET, SECRET];
      const ask = async (): Promise<string> => answers.shift() ?? "";
      const differing = await desk.run("init", { askSecret: ask });
      expect([differing.code, differing.err]).toEqual([
        2,
        expect.stringContaining("the two passphrases differ"),
      ]);
      expect((await desk.run("init", { askSecret: ask })).code).toBe(0);
      expect((await desk.run("delegate --tool x", { askSecret: async () => SECRET })).code).toBe(0);
      expect((await desk.run("delegate --tool x", { askSecret: async () => "wrong" })).code).toBe(2);
    });
  });

  it("reads the passphrase from a file descriptor", async () => {
    await atDesk(async (desk) => {
      writeFileSync(desk.path("secret"), `${SECRET}\n`);
      const given = (): string => String(openSync(desk.path("secret"), "r"));
      await desk.all(`init --passphrase-fd ${given()}`, `delegate --tool x --passphrase-fd ${given()}`);
      expect((await desk.run("delegate --tool x --passphrase-fd 999999")).code).toBe(2);
      expect((await desk.run("delegate --tool x --passphrase-fd one")).code).toBe(2);
    });
  });

  it.each([
    ["init --no-passphrase --agent someone", /--agent/],
    ["init --no-passphrase --algorithm RSA", /--algorithm/],
    ["init --no-passphrase --passphrase-fd 3", /exclude each other/],
  ])("refuses %s", async (line, message) => {
    await atDesk(async (desk) => {
      const ran = await desk.run(line);
      expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(message)]);
    });
  });
});

describe("private keys", () => {
  it("open with the right passphrase only, and no message tells which part was wrong", async () => {
    await atDesk(async (desk) => {
      desk.env = { OSA_PROOF_PASSPHRASE: SECRET };
      await desk.all("init --algorithm ED25519", "delegate --tool x");
      desk.env = { OSA_PROOF_PASSPHRASE: `${SECRET}!` };
      const wrong = await desk.run("delegate --tool x");
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/passphrase is wrong/)]);
      desk.env = {};
      const none = await desk.run("delegate --tool x");
      expect([none.code, none.err]).toEqual([2, expect.stringMatching(/none was given/)]);
    });
  });

  it("F032 are refused when others may read them, with the mode printed", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool x");
      const file = await keyFile(desk, "agent");
      await chmod(file, 0o644);
      const refused = await desk.run("delegate --tool x");
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringMatching(/expected mode 0600, found 0644/),
      ]);
      await chmod(file, 0o600);
      expect((await desk.run("delegate --tool x")).code).toBe(0);
    });
  });

  it("F032 fail closed when they are missing, damaged or another key's", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      const [agent, root] = [await keyFile(desk, "agent"), await keyFile(desk, "root")];
      const good = await readFile(agent);
      for (const bad of [null, Buffer.from("{}"), good.subarray(0, 40), await readFile(root)]) {
        if (bad === null) await rm(agent);
        else await writeFile(agent, bad, { mode: 0o600 });
        const ran = await desk.run("delegate --tool x");
        expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("key file")]);
      }
      await writeFile(agent, good);
      expect((await desk.run("delegate --tool x")).code).toBe(0);
    });
  });

  it("cannot be passed off as one another: the file's other members are authenticated", async () => {
    await atDesk(async (desk) => {
      desk.env = { OSA_PROOF_PASSPHRASE: SECRET };
      await desk.all("init");
      const file = await keyFile(desk, "agent");
      const parsed = JSON.parse(await readFile(file, "utf8"));
      const other = JSON.parse(await readFile(await keyFile(desk, "root"), "utf8"));
      await writeFile(file, JSON.stringify({ ...parsed, public_key: other.public_key }), { mode: 0o600 });
      expect((await desk.run("delegate --tool x")).code).toBe(2);
      await writeFile(file, JSON.stringify(parsed), { mode: 0o600 });
      expect((await desk.run("delegate --tool x")).code).toBe(0);
    });
  });

  it.each(["ECDSA_P256", "ED25519"])(
    "and passphrases stand in no output and no other file (%s)",
    async (algorithm) => {
      await atDesk(async (desk) => {
        const secrets: Uint8Array[] = [Buffer.from(SECRET)];
        const spy = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
        globalThis.crypto.getRandomValues = ((array: Uint8Array) => {
          const filled = spy(array);
          // Private keys and salts are both 32 bytes; salts may stand in the openings and, disclosed, in bundles.
          if (/private-key/.test(new Error().stack ?? "")) secrets.push(new Uint8Array(filled));
          return filled;
        }) as typeof globalThis.crypto.getRandomValues;
        try {
          desk.env = { OSA_PROOF_PASSPHRASE: SECRET };
          await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
          await desk.all(
            `init --algorithm ${algorithm}`,
            "record --from calls.json --delegate --json",
            "seal --json",
            "bundle -o b.json --disclose all",
            "rotate-root",
          );
          desk.env = { OSA_PROOF_PASSPHRASE: "wrong" };
          await desk.run("seal --new-list");
        } finally {
          globalThis.crypto.getRandomValues = spy as typeof globalThis.crypto.getRandomValues;
        }
        expect(secrets.length).toBeGreaterThan(7);
        const files = await desk.files();
        for (const secret of secrets) {
          const forms = [
            Buffer.from(secret),
            Buffer.from(secret).toString("hex"),
            Buffer.from(secret).toString("base64"),
          ];
          for (const form of forms) {
            // Encrypted key files included: in them stands ciphertext only.
            for (const [name, bytes] of files) expect(bytes.includes(form), name).toBe(false);
            expect(desk.written.includes(form.toString())).toBe(false);
          }
        }
      });
    },
  );
});

describe("files of a workspace", () => {
  it("finish a change that was interrupted, once", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool a");
      const file = "statements/delegations.jsonl";
      const before = await desk.text(file);
      await desk.all("delegate --tool b");
      const after = await desk.text(file);
      const added = after.slice(before.length).trimEnd();
      const journal = JSON.stringify({ appends: [{ file, lines: [added] }], files: [] });
      // Killed before the append, in the middle of a line, and after it.
      for (const state of [before, `${before}${added.slice(0, 100)}`, after]) {
        await writeFile(desk.path(file), state);
        await writeFile(desk.path("journal.json"), journal);
        await desk.all("seal --new-list");
        expect(await desk.text(file)).toBe(after);
        expect((await desk.files()).has("journal.json")).toBe(false);
      }
    });
  });

  it("drop a line that was cut off while it was written, since nobody has seen it", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool a");
      const file = desk.path("statements/delegations.jsonl");
      const whole = await readFile(file, "utf8");
      await writeFile(file, `${whole}{"agent_id":"@ai:lo`);
      await desk.all("delegate --tool b");
      const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line).tools)).toEqual([["a"], ["b"]]);
    });
  });

  it("are refused by name when they are damaged", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool a");
      const file = desk.path("statements/delegations.jsonl");
      const whole = await readFile(file, "utf8");
      await writeFile(file, whole.replace('"tools"', '"tolls"'));
      const ran = await desk.run("delegate --tool b");
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/delegations\.jsonl line 1 at \/tolls/);
      await writeFile(file, whole);
      await desk.all("delegate --tool b");
    });
  });

  it("are changed by one command at a time", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      await Promise.all([1, 2, 3, 4].map((n) => desk.all(`delegate --tool t${n}`)));
      const lines = (await desk.text("statements/delegations.jsonl")).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line).tools[0]).sort()).toEqual(["t1", "t2", "t3", "t4"]);
    });
  });
});
