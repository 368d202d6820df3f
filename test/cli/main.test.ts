import { describe, expect, it } from "vitest";
import { atDesk } from "./workspace-support.js";

describe("the program", () => {
  it.each([
    ["an unknown command", "sing", /unknown command/],
    ["an unknown option", "seal --loudly", /unknown option '--loudly'/],
    ["an extra argument", "seal now", /too many arguments/],
    ["an option without its value", "record --from", /argument missing/],
    ["a missing option", "record", /--from/],
    ["a duration without a unit", "delegate --tool x --valid-for 8", /30m or 8h/],
    ["a time that is none", "delegate --tool x --not-after tomorrow", /RFC 3339/],
    ["a count below one", "delegate --tool x --max-actions 0", /whole number/],
    ["a digest that is none", "bundle -o b --target 0xabc", /expected a digest/],
    ["a delegation without a tool", "delegate", /at least one tool/],
    [
      "options that exclude each other",
      "delegate --tool x --valid-for 1h --not-after 2030-01-01T00:00:00Z",
      /exclude each other/,
    ],
    ["an agent that is none", "agent add somebody", /@ai:.*found somebody/],
    ["an algorithm that is none", "init --dir new --no-passphrase --algorithm RSA", /found RSA/],
    ["a format that is none", "record --from x --format foo", /found foo/],
    ["a time beyond all years", "delegate --tool x --valid-for 9999999d", /at most 36525d/],
    ["a directory as the output", "bundle -o .", /is there already/],
    ["a file as the workspace", "seal --dir trust.json", /is not a workspace/],
    ["an option of exec behind its command, where -- is missing", "exec ls -l", /unknown option/],
    ["a control character in a name", "delegate --tool x --agent @ai:\u001b[31m", /not in this workspace/],
  ])("answers %s with one sentence and exit 2", async (_, line, message) => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      const before = await desk.files();
      const ran = await desk.run(line);
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(message);
      expect(ran.err).toMatch(/^osa-proof: [^\n]*\n$/);
      expect(ran.err).not.toMatch(/\u001b|\bat .*:\d+:\d+/);
      expect(ran.out).toBe("");
      expect(await desk.files()).toEqual(before);
    });
  });

  it("F033 does not repeat the value of an option that it does not know", async () => {
    await atDesk(async (desk) => {
      const ran = await desk.run("init --passphrase=hunter2");
      expect([ran.code, ran.out]).toEqual([2, ""]);
      expect(ran.err).toMatch(/^osa-proof: unknown option '--passphrase'/);
      expect(ran.err).not.toMatch(/hunter2/);
      expect((await desk.run("init --no-passphrase")).code).toBe(0);
    });
  });

  it("turns an error that is not its own into a sentence", async () => {
    await atDesk(async (desk) => {
      const now = (): number => {
        throw new TypeError("a clock\nthat broke");
      };
      const ran = await desk.run("init --no-passphrase", { now });
      expect(ran).toEqual({ code: 2, out: "", err: "osa-proof: unexpected: a clock that broke\n" });
    });
  });

  it("prints help and version with exit 0, and help on stderr with exit 2 when nothing is asked", async () => {
    await atDesk(async (desk) => {
      const version = await desk.run("--version");
      expect([version.code, version.out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
      const help = await desk.run("--help");
      expect([help.code, help.err]).toEqual([0, ""]);
      for (const name of [
        "init",
        "agent",
        "delegate",
        "runtime",
        "record",
        "exec",
        "close",
        "seal",
        "bundle",
        "verify",
        "selftest",
        "inspect",
        "graph",
        "revoke",
        "rotate-root",
        "schema",
        "codes",
        "demo",
      ]) {
        expect(help.out).toMatch(new RegExp(`^  ${name} `, "m"));
        expect((await desk.run([name, "--help"])).code).toBe(0);
      }
      const nothing = await desk.run([]);
      expect([nothing.code, nothing.out]).toEqual([2, ""]);
    });
  });

  it("refuses to sign when the clock was set back", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool x");
      desk.now -= 3_600_000;
      const ran = await desk.run("delegate --tool x");
      expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/set the clock right/)]);
    });
  });
});
