/** Where commands write: never over what is not theirs to replace; and options that say one thing once. */
import { lstat, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

async function sealed(desk: Desk): Promise<void> {
  await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
  await desk.all(
    "init --dir w --no-passphrase",
    "record --dir w --from calls.json --delegate --keep-open",
    "close --dir w",
    "seal --dir w",
    "bundle --dir w -o b.json",
  );
}

describe("an output file", () => {
  it.each([
    "w/trust.json",
    "w/workspace.json",
    "w/keys/new.json",
    "w/statements/receipts.jsonl",
    "w/log/checkpoint",
    "w/journal.json",
  ])("is never one of a workspace: %s", async (name) => {
    await atDesk(async (desk) => {
      await sealed(desk);
      const before = await desk.files();
      for (const line of [
        `bundle --dir w -o ${name} --force`,
        `graph b.json -o ${name} --force`,
        `exec --dir w --digest-to ${name} -- true`,
      ]) {
        const ran = await desk.run(line);
        expect([ran.code, ran.out, ran.err]).toEqual([
          2,
          "",
          expect.stringMatching(/workspace|no delegation/),
        ]);
      }
      expect(await desk.files()).toEqual(before);
    });
  });

  it("is a regular file, or the one behind a link, which stays a link", async () => {
    await atDesk(async (desk) => {
      await sealed(desk);
      await writeFile(desk.path("target.json"), "old");
      await symlink(desk.path("target.json"), desk.path("link.json"));
      expect((await desk.run("bundle --dir w -o link.json")).code).toBe(2);
      await desk.all("bundle --dir w -o link.json --force");
      expect(await readlink(desk.path("link.json"))).toBe(desk.path("target.json"));
      expect(await readFile(desk.path("target.json"), "utf8")).toMatch(/^\{/);
      for (const name of ["/dev/null", ".", "w"]) {
        for (const line of [`bundle --dir w -o ${name} --force`, `graph b.json -o ${name} --force`]) {
          const ran = await desk.run(line);
          expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/no regular file|is a directory/)]);
        }
      }
      expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
      for (const line of [
        ["bundle", "--dir", "w", "-o", ""],
        ["graph", "b.json", "-o", ""],
      ]) {
        const ran = await desk.run(line);
        expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/found nothing/)]);
      }
    });
  });

  it("of exec holds a digest or nothing before it is replaced, and that is found before anything runs", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool touch", "runtime issue");
      await writeFile(desk.path("mine"), "my own text");
      const made = desk.path("made");
      const refused = await desk.run(["exec", "--digest-to", "mine", "--", "touch", made]);
      expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/something else than a digest/)]);
      expect(await readFile(desk.path("mine"), "utf8")).toBe("my own text");
      await expect(lstat(made)).rejects.toMatchObject({ code: "ENOENT" });
      for (let round = 0; round < 2; round += 1) {
        expect((await desk.run(["exec", "--digest-to", "digest", "--", "touch", made])).code).toBe(0);
        expect(await readFile(desk.path("digest"), "utf8")).toMatch(/^0x[0-9a-f]{64}\n$/);
      }
    });
  });
});

describe("the command line", () => {
  it.each([
    ["record --from a --from b", /--from was given twice/],
    ["init --dir a --dir b --no-passphrase", /--dir was given twice/],
    ["bundle -o b --scope causal --scope session", /--scope was given twice/],
    ["seal --new-list --no-new-list", /--no-new-list and --new-list exclude each other/],
    ["seal --no-new-list --new-list", /--new-list and --no-new-list exclude each other/],
    ["runtime issue --valid-for 1h --valid-for 2h", /--valid-for was given twice/],
    ["verify - --trust -", /only one input can be -/],
  ])("refuses %s", async (line, message) => {
    await atDesk(async (desk) => {
      const ran = await desk.run(line);
      expect([ran.code, ran.out, ran.err]).toEqual([2, "", expect.stringMatching(message)]);
      expect(await desk.files()).toEqual(new Map());
    });
  });

  it("refuses a directory without a name, and takes lists given in parts", async () => {
    await atDesk(async (desk) => {
      expect((await desk.run(["init", "--dir", "", "--no-passphrase"])).err).toMatch(/found nothing/);
      await desk.all("init --no-passphrase");
      const { tools } = await desk.json("delegate --tool a --tool b --json --json");
      expect(tools).toEqual(["a", "b"]);
    });
  });

  it("names the file that is no bundle", async () => {
    await atDesk(async (desk) => {
      await writeFile(desk.path("text.txt"), "hello");
      for (const command of ["inspect", "graph"]) {
        const ran = await desk.run(`${command} text.txt`);
        expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/text\.txt is no bundle/)]);
      }
    });
  });
});
