import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { statementDigest } from "../../src/statements/canonical.js";
import { atDesk, type Desk } from "./workspace-support.js";

const NODE = process.execPath;

async function open(desk: Desk, ...tools: readonly string[]): Promise<void> {
  await desk.all("init --no-passphrase", ["delegate", "--tool", ...tools], "runtime issue");
}

async function finish(desk: Desk): Promise<ProofBundleV3> {
  await desk.all("close", "seal", "bundle -o b.json --disclose all --force");
  expect(await desk.verdict("b.json")).toBe("ACCEPTED");
  return desk.bundle("b.json");
}

function values(bundle: ProofBundleV3, kind: string): unknown[] {
  return bundle.disclosures.filter(({ value }) => value.kind === kind).map(({ value }) => value);
}

function digestOf(text: string | Uint8Array): { sha256: string; size: number } {
  return { sha256: `0x${createHash("sha256").update(text).digest("hex")}`, size: text.length };
}

describe("exec", () => {
  it("commits arguments, exit code and output digests, and passes output and exit code on", async () => {
    await atDesk(async (desk) => {
      await open(desk, "node");
      const script =
        "process.stdout.write(Buffer.from([0,255,10]));process.stderr.write('oh');process.exitCode=3";
      const ran = await desk.run(["exec", "--tool", "node", "--with-cwd", "--", NODE, "-e", script]);
      expect(ran).toEqual({ code: 3, out: "", err: "" });
      expect(Buffer.concat(desk.stdout.chunks)).toEqual(Buffer.from([0, 255, 10]));
      expect(Buffer.concat(desk.stderr.chunks).toString()).toBe("oh");
      expect((await desk.run(["exec", "--tool", "node", "--", NODE, "-e", "0"])).code).toBe(0);
      const bundle = await finish(desk);
      expect(values(bundle, "input")).toMatchObject([
        { json: { argv: [NODE, "-e", script], cwd: desk.folder } },
        { json: { argv: [NODE, "-e", "0"] } },
      ]);
      expect(values(bundle, "output")).toMatchObject([
        {
          status: "failed",
          json: {
            exit_code: 3,
            signal: null,
            stdout: digestOf(Buffer.from([0, 255, 10])),
            stderr: digestOf("oh"),
          },
        },
        {
          status: "completed",
          json: { exit_code: 0, signal: null, stdout: digestOf(""), stderr: digestOf("") },
        },
      ]);
    });
  });

  it("F033 does not hand the passphrase to the command", async () => {
    await atDesk(async (desk) => {
      desk.env = { OSA_PROOF_PASSPHRASE: "secret", OTHER: "kept" };
      await desk.all("init", "delegate --tool node", "runtime issue");
      const script =
        "process.stdout.write(JSON.stringify([process.env.OSA_PROOF_PASSPHRASE ?? null, process.env.OTHER]))";
      await desk.all(["exec", "--tool", "node", "--", NODE, "-e", script]);
      expect(Buffer.concat(desk.stdout.chunks).toString()).toBe('[null,"kept"]');
    });
  });

  it("F103 records a command that a signal ended, and one that could not be started", async () => {
    await atDesk(async (desk) => {
      await open(desk, "node", "nothing-of-that-name");
      const kill = "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 10000)";
      expect((await desk.run(["exec", "--tool", "node", "--", NODE, "-e", kill])).code).toBe(143);
      const missing = await desk.run("exec -- nothing-of-that-name");
      expect([missing.code, missing.err]).toEqual([127, expect.stringMatching(/could not be started/)]);
      const bundle = await finish(desk);
      expect(values(bundle, "output")).toMatchObject([
        { status: "interrupted", json: { exit_code: null, signal: "SIGTERM" } },
        { status: "failed", json: { exit_code: null, error: "ENOENT" } },
      ]);
    });
  });

  it("F063 does not run a tool that is not delegated, and records the refusal where that is delegated", async () => {
    await atDesk(async (desk) => {
      await open(desk, "node", "osa.denied");
      const write = `require("node:fs").writeFileSync(${JSON.stringify(desk.path("touched"))}, "")`;
      const ran = await desk.run(["exec", "--tool", "shell", "--", NODE, "-e", write]);
      expect([ran.code, ran.err]).toEqual([126, expect.stringMatching(/tool shell: not run.*osa\.denied/)]);
      expect((await desk.files()).has("touched")).toBe(false);
      expect((await desk.run(["exec", "--tool", "node", "--", NODE, "-e", write])).code).toBe(0);
      expect((await desk.files()).has("touched")).toBe(true);
      const bundle = await finish(desk);
      expect(bundle.receipts.map(({ tool }) => tool).sort()).toEqual(["node", "osa.denied"]);
      expect(values(bundle, "input")).toContainEqual(
        expect.objectContaining({ json: { tool: "shell", argv: [NODE, "-e", write] } }),
      );
      expect(values(bundle, "output")).toContainEqual(expect.objectContaining({ status: "denied" }));
    });
  });

  it("neither runs nor records a tool that is not delegated where refusals are not either", async () => {
    await atDesk(async (desk) => {
      await open(desk, "node");
      const ran = await desk.run(["exec", "--", NODE, "-e", "process.exitCode = 7"]);
      expect([ran.code, ran.err]).toEqual([
        2,
        expect.stringMatching(/nothing was run.*osa-proof delegate --tool/),
      ]);
      expect(await desk.text("statements/receipts.jsonl")).toBe("");
    });
  });

  it("forks and merges over two agents' runtimes by --parent", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "agent add @ai:localhost/helper");
      const top = await desk.json("delegate --tool node --session s --to @ai:localhost/helper");
      await desk.all("delegate --tool node --session s --runtime main", "runtime issue");
      await desk.all([
        "delegate",
        "--agent",
        "@ai:localhost/helper",
        "--parent",
        statementDigest(top),
        "--tool",
        "node",
        "--runtime",
        "side",
      ]);
      await desk.all("runtime issue --runtime side");
      const exec = async (runtime: string, ...parents: readonly string[]): Promise<string> => {
        const more = parents.length === 0 ? [] : ["--parent", ...parents];
        await desk.all([
          "exec",
          "--runtime",
          runtime,
          "--tool",
          "node",
          "--digest-to",
          "digest",
          ...more,
          "--",
          NODE,
          "-e",
          "0",
        ]);
        return (await desk.text("digest")).trim();
      };
      const root = await exec("main");
      const left = await exec("main", root);
      const right = await exec("side", root);
      const merged = await exec("main", left, right);
      const bundle = await finish(desk);
      const merge = bundle.receipts.find(({ sequence, runtime_id: id }) => id === "main" && sequence === 3);
      expect(merge?.parent_receipt_digests).toEqual([left, right].sort());
      expect(merged).toMatch(/^0x/);
      expect(bundle.session_closes.length).toBe(2);
      const lost = await desk.run(["exec", "--tool", "node", "--parent", `0x${"1".repeat(64)}`, "--", NODE]);
      expect([lost.code, lost.err]).toEqual([2, expect.stringMatching(/--parent/)]);
    });
  });

  it("says so when the command ran and its delegation ended meanwhile", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase", "delegate --tool node --valid-for 10m", "runtime issue");
      const now = (): number => desk.now + (existsSync(desk.path("ran")) ? 3_600_000 : 0);
      const script = 'require("node:fs").writeFileSync("ran", ""); process.exitCode = 5';
      const ran = await desk.run(["exec", "--tool", "node", "--", NODE, "-e", script], { now });
      expect([ran.code, ran.err]).toEqual([
        2,
        expect.stringMatching(/ran and ended with 5, but it has no receipt/),
      ]);
    });
  });

  it("closes by the agent what lost its key, which a policy must accept", async () => {
    await atDesk(async (desk) => {
      await open(desk, "node");
      await desk.all(["exec", "--tool", "node", "--", NODE, "-e", "0"]);
      for (const name of (await desk.files()).keys()) {
        if (name.startsWith("keys/runtime-key-")) await rm(desk.path(name));
      }
      const own = await desk.run("close");
      expect([own.code, own.err]).toEqual([2, expect.stringMatching(/key file .* cannot be read/)]);
      await desk.all("close --by-agent", "seal", "bundle -o b.json");
      expect(await desk.verdict("b.json")).toBe("DAG_CLOSE_INVALID");
      const trust = JSON.parse(await desk.text("trust.json"));
      await writeFile(desk.path("trust.json"), JSON.stringify({ ...trust, accept_agent_close: true }));
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
    });
  });
});
