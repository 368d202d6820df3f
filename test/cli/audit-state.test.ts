/** `verify --state`: a session that grows, verified day after day. */
import { chmod, lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

const report = async (desk: Desk, line: string): Promise<unknown> => {
  const { out } = await desk.run(`verify ${line} --trust trust.json --at 2026-05-06T09:00:00Z --json`);
  return JSON.parse(out);
};

describe("verify --state", () => {
  it("checks the signatures of what came since, and reports like a full run", () =>
    atDesk(async (desk) => {
      await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
      const record = "record --from calls.json --format calls";
      await desk.all("init --no-passphrase", `${record} --delegate --keep-open`, "seal");
      await desk.all("bundle --scope causal -o first.json");
      // A session that is still open has no close to require.
      const policy = JSON.parse(await readFile(desk.path("trust.json"), "utf8"));
      const open = { ...policy, require_session_close: false, require_session_seal: false };
      await writeFile(desk.path("trust.json"), JSON.stringify(open));
      const verify = "--trust trust.json --state audit.state";
      const first = await desk.run(`verify first.json ${verify}`);
      expect([first.code, first.err]).toEqual([
        0,
        "audit.state: no state was kept before, and it begins now\n",
      ]);
      const kept = await readFile(desk.path("audit.state"), "utf8");
      expect(kept).toMatch(
        /^\{"header":\{"heads":\{.*\n\{"accepted":\{"key_thumbprint":"0x.*\n\{"trailer":\{"count":4,/,
      );

      await desk.all(record, "seal", "bundle -o second.json", "bundle --stream -o second.jsonl");
      await writeFile(desk.path("copy.state"), kept);
      await writeFile(
        desk.path("heads.json"),
        JSON.stringify(JSON.parse(kept.split("\n")[0] ?? "").header.heads),
      );
      const full = await report(desk, "second.json --heads heads.json");
      expect(full).toMatchObject({ verdict: "ACCEPTED", receipt_count: 8 });
      expect(await report(desk, "second.json --state audit.state")).toEqual(full);
      const second = await desk.run("verify second.jsonl --trust trust.json --state copy.state");
      expect([second.code, second.err]).toEqual([0, "copy.state: the signatures of 4 receipts were known\n"]);
      expect(await readFile(desk.path("copy.state"), "utf8")).toBe(
        await readFile(desk.path("audit.state"), "utf8"),
      );

      // The log has grown since the state was kept, and is shown to go on from there.
      const heads = JSON.parse(kept.split("\n")[0] ?? "").header.heads;
      const { size } = heads.logs[0];
      const failureWith = async (supplement: string): Promise<string | undefined> => {
        // A verification moves the heads of its file.
        await writeFile(desk.path("known.json"), JSON.stringify(heads));
        const asked = "verify second.json --trust trust.json --json --heads known.json --revocations";
        return JSON.parse((await desk.run(`${asked} ${supplement}`)).out).first_failure?.code;
      };
      await desk.all(`supplement --known-size ${size} -o newer.json`);
      expect(JSON.parse(await readFile(desk.path("newer.json"), "utf8")).log_consistency).toHaveLength(1);
      expect(await failureWith("newer.json")).toBeUndefined();
      await desk.all(`supplement --known-size ${size - 1} -o other.json`);
      expect(await failureWith("other.json")).toBe("ANCHOR_LOG_NOT_CONTINUED");
      const more = await desk.run("supplement --known-size 99 -o early.json");
      expect(more.code).toBe(2);
      expect(more.err).toMatch(
        /--known-size 99: the log of this workspace has \d entries, so nobody knows more of it/,
      );

      const again = await desk.run(`verify first.json ${verify}`);
      expect([again.code, again.err]).toEqual([
        0,
        "audit.state: the signatures of 4 receipts were known\n" +
          "audit.state: 4 receipts that were accepted before are not in this bundle\n",
      ]);
    }));

  it("keeps what it had after a rejection, and refuses a damaged state", () =>
    atDesk(async (desk) => {
      await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
      await desk.all("init --no-passphrase", "record --from calls.json --format calls --delegate", "seal");
      await desk.all("bundle -o b.json", "verify b.json --trust trust.json --state a.state");
      const kept = await readFile(desk.path("a.state"), "utf8");
      const bundle = await readFile(desk.path("b.json"), "utf8");
      await writeFile(desk.path("bad.json"), bundle.replace(/"sequence":2/, '"sequence":3'));
      expect((await desk.run("verify bad.json --trust trust.json --state a.state")).code).toBe(1);
      const accepted = (text: string): readonly string[] => text.split("\n").slice(1, -2);
      expect(accepted(await readFile(desk.path("a.state"), "utf8"))).toEqual(accepted(kept));

      expect((await stat(desk.path("a.state"))).mode & 0o777).toBe(0o600);
      await chmod(desk.path("a.state"), 0o640);
      await symlink("a.state", desk.path("link.state"));
      await desk.all("verify b.json --trust trust.json --state link.state");
      expect((await lstat(desk.path("link.state"))).isSymbolicLink()).toBe(true);
      expect((await stat(desk.path("a.state"))).mode & 0o777).toBe(0o640);

      await writeFile(desk.path("a.state"), kept.replace("accepted", "accepteD"));
      const damaged = await desk.run("verify b.json --trust trust.json --state a.state");
      expect([damaged.code, damaged.out]).toEqual([2, ""]);
      expect(damaged.err).toMatch(
        /audit state: .*Without it every signature is checked again, and its known heads are lost/,
      );
      expect(await readFile(desk.path("a.state"), "utf8")).toBe(kept.replace("accepted", "accepteD"));
      const both = await desk.run("verify b.json --trust trust.json --state a.state --heads h.json");
      expect([both.code, both.out]).toEqual([2, ""]);
    }));
});
