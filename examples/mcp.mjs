/**
 * An MCP server behind `osa-proof mcp`: two calls, one of them refused, then sealed, bundled and verified. The server and
 * the client are a few lines each, so that nothing else has to be installed. Run it with `node examples/mcp.mjs`.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const packaged = dirname(createRequire(import.meta.url).resolve("osa-proof/package.json"));
const program = join(packaged, "bin/osa-proof.js");
const folder = mkdtempSync(join(tmpdir(), "osa-proof-mcp-"));
const osaProof = (...args) =>
  execFileSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });

// A server with two tools, as any MCP server over stdio: a line of JSON-RPC for each message.
writeFileSync(
  join(folder, "server.mjs"),
  `import { createInterface } from "node:readline";
   for await (const line of createInterface({ input: process.stdin })) {
     const { id, params } = JSON.parse(line);
     const text = params.name === "get_order" ? "total: 120" : "everything is gone";
     console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } }));
   }`,
);

osaProof("init", "--dir", "work", "--agent", "@ai:shop.example/support", "--no-passphrase");

// What an MCP client has in its configuration: the proxy in place of the server.
const allowed = ["--tool", "get_order", "osa.denied"];
const args = ["mcp", "--dir", "work", "--receipt-meta", ...allowed, "--", process.execPath, "server.mjs"];
const proxy = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
const answers = createInterface({ input: proxy.stdout })[Symbol.asyncIterator]();
async function call(id, name) {
  const request = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { id: 7 } } };
  proxy.stdin.write(`${JSON.stringify(request)}\n`);
  return JSON.parse((await answers.next()).value);
}
const { result } = await call(1, "get_order");
console.log(result.content[0].text, result._meta["osa-proof/receipt-digest"].length);
const { error } = await call(2, "delete_everything");
console.log(error.message);
proxy.stdin.end();
await new Promise((resolve) => proxy.once("close", resolve));

osaProof("seal", "--dir", "work");
osaProof("bundle", "--dir", "work", "-o", "session.json");
console.log(osaProof("verify", "session.json", "--trust", "work/trust.json").split("\n")[0]);
rmSync(folder, { recursive: true });
