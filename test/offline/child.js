/**
 * Verifies cases without the outside world: `node child.js <cases.json>` prints one report on each line, then
 * `{"touched": [...], "node": ...}`. With `--touch` it first tries what is forbidden, and says what came of it: the
 * proof that the guard guards. Everything is read before `arm()`; the verifier runs after it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { arm, touched } from "./guard.js";

const [, , file = "", flag = ""] = process.argv;
const cases = JSON.parse(readFileSync(file, "utf8"));
const { verifyBundle } = await import("../../dist/index.js");
const bytes = (text) => (text === undefined ? undefined : new Uint8Array(Buffer.from(text, "base64")));

const attempts = flag === "--touch" ? { system: await trySystem() } : {};
const writeSync = arm();
if (flag === "--touch") attempts.guard = tryGuard();

const lines = cases.map(({ name: _name, bundle, trust, at, ...side }) => {
  const options = Object.fromEntries(Object.entries(side).map(([name, text]) => [name, bytes(text)]));
  return JSON.stringify(verifyBundle(bytes(bundle), bytes(trust), { ...options, at }));
});
lines.push(JSON.stringify({ touched, node: process.version, ...attempts }));
const output = Buffer.from(`${lines.join("\n")}\n`);
for (let done = 0; done < output.length; ) done += writeSync(1, output, done);

/** What the system lets this process do, before the guard: a write beside the cases, and a socket. */
async function trySystem() {
  const result = { write: "done", socket: "done" };
  try {
    writeFileSync(`${file}.written`, "");
  } catch (error) {
    result.write = error.code;
  }
  // 192.0.2.1 is reserved for documentation (RFC 5737): nobody is there, but only a network can say so.
  await new Promise((resolve) => {
    const socket = connect({ host: "192.0.2.1", port: 9, timeout: 1000 });
    socket.on("error", (error) => {
      result.socket = error.code;
      resolve();
    });
    socket.on("timeout", () => {
      result.socket = "timeout";
      socket.destroy();
      resolve();
    });
    socket.on("connect", resolve);
  }).catch((error) => {
    result.socket = error.code;
  });
  return result;
}

/** Each forbidden thing once; gives how many threw. */
function tryGuard() {
  const forbidden = [
    () => Date.now(),
    () => new Date(),
    () => Math.random(),
    () => performance.now(),
    () => readFileSync(file),
    () => writeFileSync(file, ""),
    () => connect(9),
    () => fetch("http://192.0.2.1/"),
  ];
  const threw = forbidden.filter((use) => {
    try {
      use();
      return false;
    } catch {
      return true;
    }
  });
  return { tried: forbidden.length, threw: threw.length, allowed: new Date(0).toISOString() };
}
