import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cameOutRight, FILES, type Outcome, playStory } from "../../src/cli/demo/story.js";
import { inFolder, run } from "./support.js";

const clock = { now: Date.now };

describe("osa-proof demo", () => {
  it("plays the story, with every step as it must be, and leaves nothing behind", async () => {
    await inFolder(async (TMPDIR) => {
      const before = process.env["TMPDIR"];
      process.env["TMPDIR"] = TMPDIR;
      try {
        const { code, out, err } = await run(["demo"], clock);
        expect({ code, err }).toEqual({ code: 0, err: "" });
        expect(out.match(/^ {3}ACCEPTED/gm)).toHaveLength(1);
        expect(out.match(/^ {3}REJECTED/gm)).toHaveLength(5);
        for (const reason of [
          "RECEIPT_SIGNATURE_INVALID",
          "EVIDENCE_DISCLOSURE_MISMATCH",
          "DAG_PARENT_MISSING",
          "DELEGATION_TOOL_OUT_OF_SCOPE",
          "REVOCATION_KEY_REVOKED",
        ]) {
          expect(out).toContain(`REJECTED  ${reason} at /`);
        }
        expect(out).toContain("Every step came out as it must.");
        expect(out).not.toMatch(/\u001b|PRIVATE/);
        expect(await readdir(TMPDIR)).toEqual([]);
      } finally {
        if (before === undefined) delete process.env["TMPDIR"];
        else process.env["TMPDIR"] = before;
      }
    });
  });

  it("keeps a folder whose files give the same verdicts to the commands it names", async () => {
    await inFolder(async (cwd) => {
      const { code, out } = await run(["demo", "--dir", "kept"], { ...clock, cwd });
      expect(code).toBe(0);
      const inside = { ...clock, cwd: join(cwd, "kept") };
      const typed = [...out.matchAll(/^ {3}\$ osa-proof (verify .*)$/gm)].map(([, line = ""]) =>
        line.split(" "),
      );
      expect(typed).toHaveLength(6);
      const codes = [];
      for (const line of typed) codes.push((await run(line, inside)).code);
      expect(codes).toEqual([0, 1, 1, 1, 1, 1]);
      const expecting = ["verify", FILES.bundle, "--trust", FILES.trust, "--expect-output"];
      expect((await run([...expecting, FILES.report], inside)).code).toBe(0);
      expect((await run([...expecting, "work/sum.txt"], inside)).code).toBe(1);
      expect((await run(["inspect", FILES.bundle], inside)).out).toContain("invoices.check");
    });
  });

  it("works in no folder that holds something", async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, "mine"), "");
      const refused = await run(["demo", "--dir", "."], { ...clock, cwd });
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(await readdir(cwd)).toEqual(["mine"]);
    });
  });

  it("says so and ends with 1 when a step comes out otherwise", async () => {
    const outcomes: Outcome[] = [];
    await inFolder(async (folder) => {
      const teller = { step: () => undefined, outcome: (outcome: Outcome) => void outcomes.push(outcome) };
      expect(await playStory(folder, Date.now, teller)).toBe(true);
    });
    for (const outcome of outcomes) {
      expect(cameOutRight(outcome)).toBe(true);
      const other = outcome.expected === null ? "DAG_PARENT_MISSING" : null;
      expect(cameOutRight({ ...outcome, expected: other })).toBe(false);
      expect(cameOutRight({ ...outcome, expected: "INTERNAL_FAULT" })).toBe(false);
    }
    // A clock that goes back ten minutes at each look: everything is signed before its certificate.
    let time = Date.now();
    const now = (): number => {
      time -= 600_000;
      return time;
    };
    const { code, out } = await run(["demo"], { now });
    expect(code).toBe(1);
    expect(out).toContain("This had to be ACCEPTED.");
    expect(out).toContain("did not come out as it must");
  });
});
