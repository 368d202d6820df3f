/** Real MCP servers from npm behind the packaged command, and the SDK's own client in front of it. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../../bin/osa-proof.js", import.meta.url));
const require = createRequire(import.meta.url);
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "osa-proof-mcp-"));
  run("init", "--dir", "work", "--agent", "@ai:shop.example/support", "--no-passphrase");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, ...args], { cwd: folder, encoding: "utf8" });
}

function serverFile(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");
}

interface Connection {
  readonly client: Client;
  /** What the command said on stderr, once it has ended. */
  readonly end: () => Promise<string>;
}

async function connect(options: readonly string[], server: readonly string[]): Promise<Connection> {
  const proxied = [PROGRAM, "mcp", "--dir", "work", ...options, "--", process.execPath, ...server];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: options.length === 0 ? [...server] : proxied,
    cwd: folder,
    stderr: "pipe",
  });
  let said = "";
  const stderr = transport.stderr;
  stderr?.on("data", (chunk: Uint8Array) => {
    said += Buffer.from(chunk).toString();
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  return {
    client,
    end: async () => {
      const closed = stderr === null ? Promise.resolve() : once(stderr, "end");
      await client.close();
      await closed;
      return said;
    },
  };
}

/** The receipts of the workspace, after an auditor has accepted them. */
function accepted(): { readonly tool: string; readonly status: string; readonly output: unknown }[] {
  run("seal", "--dir", "work");
  run("bundle", "--dir", "work", "-o", "b.json", "--disclose", "all", "--force");
  expect(run("verify", "b.json", "--trust", "work/trust.json")).toContain("ACCEPTED");
  const bundle = JSON.parse(execFileSync("cat", [join(folder, "b.json")], { encoding: "utf8" })) as {
    receipts: { receipt_id: string; tool: string; sequence: number }[];
    disclosures: { value: { kind: string; receipt_id: string; status?: string; json?: unknown } }[];
  };
  const outputs = new Map(
    bundle.disclosures.flatMap(({ value }) => (value.kind === "output" ? [[value.receipt_id, value]] : [])),
  );
  return [...bundle.receipts]
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ tool, receipt_id: id }) => {
      const output = outputs.get(id);
      return { tool, status: output?.status ?? "", output: output?.json };
    });
}

describe("server-everything", { timeout: 60_000 }, () => {
  const server = [serverFile("server-everything")];
  const tools = [
    "--tool",
    "echo",
    "get-sum",
    "trigger-long-running-operation",
    "get-tiny-image",
    "osa.denied",
  ];

  it("works as it does without the proxy, at 50 calls in flight", async () => {
    const direct = await connect([], server);
    const proxied = await connect(tools, server);
    for (const ask of [
      (client: Client) => client.listTools(),
      (client: Client) => client.listPrompts(),
      (client: Client) => client.listResources(),
      (client: Client) => client.callTool({ name: "get-tiny-image", arguments: {} }),
      (client: Client) => client.callTool({ name: "get-sum", arguments: { a: 2, b: "x" } }),
    ]) {
      expect(await ask(proxied.client)).toEqual(await ask(direct.client));
    }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        proxied.client.callTool({ name: "echo", arguments: { message: `call ${i}` } }),
      ),
    );
    expect(answers.map(({ content }) => content)).toEqual(
      Array.from({ length: 50 }, (_, i) => [{ type: "text", text: `Echo: call ${i}` }]),
    );
    await direct.end();
    expect(await proxied.end()).toContain("52 receipts in session");
    const receipts = accepted();
    expect(receipts).toHaveLength(52);
    expect(receipts.filter(({ tool, status }) => tool === "echo" && status === "completed")).toHaveLength(50);
    expect(receipts.find(({ tool }) => tool === "get-sum")?.status).toBe("failed");
  });

  it("sends progress, hears of a cancellation, and answers what is not allowed", async () => {
    const { client, end } = await connect([...tools, "--receipt-meta"], server);
    const long = (duration: number): Parameters<Client["callTool"]>[0] => ({
      name: "trigger-long-running-operation",
      arguments: { duration, steps: 2 },
    });
    const progress: number[] = [];
    const done = await client.callTool(long(0.2), undefined, {
      onprogress: (step) => void progress.push(step.progress),
    });
    expect(progress).toEqual([1, 2]);
    expect(done._meta?.["osa-proof/receipt-digest"]).toMatch(/^0x[0-9a-f]{64}$/);
    const stop = new AbortController();
    const cancelled = client.callTool(long(60), undefined, { signal: stop.signal });
    setTimeout(() => stop.abort("enough"), 100);
    await expect(cancelled).rejects.toThrow(/enough/);
    await expect(client.callTool({ name: "get-env", arguments: {} })).rejects.toThrow(/get-env is refused/);
    await end();
    run("seal", "--dir", "work");
    expect(accepted().map(({ tool, status }) => [tool, status])).toEqual([
      ["trigger-long-running-operation", "completed"],
      ["osa.denied", "denied"],
      ["trigger-long-running-operation", "interrupted"],
    ]);
  });
});

describe("server-filesystem", { timeout: 60_000 }, () => {
  it("reads, fails and writes under receipts", async () => {
    writeFileSync(join(folder, "report.csv"), "a;b\n1;2\n");
    const server = [serverFile("server-filesystem"), folder];
    const { client, end } = await connect(["--tool", "read_text_file", "write_file"], server);
    const read = (name: string): Promise<unknown> =>
      client.callTool({ name: "read_text_file", arguments: { path: join(folder, name) } });
    expect(await read("report.csv")).toMatchObject({ content: [{ text: "a;b\n1;2\n" }] });
    expect(await read("missing.csv")).toMatchObject({ isError: true });
    const path = join(folder, "new.txt");
    await client.callTool({ name: "write_file", arguments: { path, content: "new" } });
    expect(readdirSync(folder)).toContain("new.txt");
    const listing = client.callTool({ name: "list_directory", arguments: { path: folder } });
    await expect(listing).rejects.toThrow(/is refused/);
    await end();
    expect(accepted().map(({ tool, status }) => [tool, status])).toEqual([
      ["read_text_file", "completed"],
      ["read_text_file", "failed"],
      ["write_file", "completed"],
    ]);
  });
});

describe("the command", { timeout: 60_000 }, () => {
  it("says when the server cannot be started, and gives its exit code otherwise", async () => {
    const start = async (...server: readonly string[]): Promise<[number | null, string]> => {
      const child = spawn(
        process.execPath,
        [PROGRAM, "mcp", "--dir", "work", "--tool", "x", "--", ...server],
        { cwd: folder },
      );
      let said = "";
      child.stderr.on("data", (chunk: Uint8Array) => {
        said += Buffer.from(chunk).toString();
      });
      const [code] = (await once(child, "close")) as [number | null];
      return [code, said];
    };
    expect(await start("no-such-server")).toEqual([
      127,
      expect.stringMatching(/could not be started \(ENOENT\)/),
    ]);
    expect((await start(process.execPath, "-e", "process.exit(3)"))[0]).toBe(3);
  });

  it("keeps the passphrase from the server", async () => {
    const script = "console.log(JSON.stringify(process.env.OSA_PROOF_PASSPHRASE ?? null))";
    const child = spawn(
      process.execPath,
      [PROGRAM, "mcp", "--dir", "work", "--tool", "x", "--", process.execPath, "-e", script],
      {
        cwd: folder,
        env: { ...process.env, OSA_PROOF_PASSPHRASE: "a passphrase" },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    expect(line.toString()).toBe("null\n");
    await once(child, "close");
  });

  it("goes on with a session that was killed, whose calls are then sealed by its agent or by itself", async () => {
    const server = [serverFile("server-everything")];
    const proxied = [PROGRAM, "mcp", "--dir", "work", "--tool", "echo", "--", process.execPath, ...server];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: proxied,
      cwd: folder,
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    await client.callTool({ name: "echo", arguments: { message: "before" } });
    process.kill(transport.pid ?? 0, "SIGKILL");
    await new Promise((resolve) => {
      client.onclose = () => resolve(undefined);
    });
    expect(readdirSync(join(folder, "work/journals"))).toHaveLength(1);
    const again = await connect(["--session", sessionOfNewest()], server);
    await again.client.callTool({ name: "echo", arguments: { message: "after" } });
    expect(await again.end()).toContain("2 receipts in session");
    expect(accepted().map(({ tool }) => tool)).toEqual(["echo", "echo"]);
  });
});

function sessionOfNewest(): string {
  const [line = ""] = execFileSync("tail", ["-n", "1", join(folder, "work/statements/delegations.jsonl")], {
    encoding: "utf8",
  }).split("\n");
  return (JSON.parse(line) as { session_id: string }).session_id;
}
