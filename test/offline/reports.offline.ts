/**
 * The verifier needs nothing from outside: with no network, no file to write, no clock and no randomness it gives, on
 * every fixture, the very report that it gives here; in this Node.js, in the newest, and in a browser.
 * `npm run test:offline` builds what it runs. It installs nothing: CONTRIBUTING.md says how to get what is missing.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASES, reportHere } from "./cases.js";
import { chromium, newestNode, permissionFlags, sealed } from "./platforms.js";

const CHILD = fileURLToPath(new URL("./child.js", import.meta.url));
const DIST = fileURLToPath(new URL("../../dist/verifier/index.js", import.meta.url));

const seal = sealed();
const newest = newestNode();
const browser = chromium();
if (seal === null) console.warn("unshare is not allowed here: the network is denied by the guard alone");
else if (!seal.readOnly)
  console.warn("no read-only mount here: writing is denied by Node.js and the guard alone");
if (newest === null)
  console.warn("no newer Node.js is installed (CONTRIBUTING.md): its reports are not compared");
if (browser === null)
  console.warn("no Chromium is installed (CONTRIBUTING.md): its reports are not compared");

const directory = mkdtempSync(join(tmpdir(), "osa-proof-offline-"));
const casesFile = join(directory, "cases.json");
let expected: readonly string[] = [];

beforeAll(() => {
  writeFileSync(casesFile, JSON.stringify(CASES));
  expected = CASES.map(reportHere);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Ending {
  readonly touched: readonly string[];
  readonly node: string;
  readonly system?: { readonly write: string; readonly socket: string };
  readonly guard?: { readonly tried: number; readonly threw: number; readonly allowed: string };
}

function run(program: string, flags: readonly string[], more: readonly string[] = []) {
  const command = [...(seal?.prefix ?? []), program, ...flags, CHILD, casesFile, ...more];
  const [first = "", ...rest] = command;
  const result = spawnSync(first, rest, { encoding: "utf8", maxBuffer: 1 << 28, timeout: 120_000 });
  if (result.status !== 0) throw new Error(result.stderr);
  const lines = result.stdout.trimEnd().split("\n");
  return { reports: lines.slice(0, -1), ending: JSON.parse(lines.at(-1) ?? "{}") as Ending };
}

function expectSame(reports: readonly string[]): void {
  const different = CASES.filter((_, index) => reports[index] !== expected[index]).map(({ name }) => name);
  expect(different).toEqual([]);
  expect(reports.length).toBe(CASES.length);
}

describe("fixtures", () => {
  it("are many, good and bad", () => {
    expect(CASES.length).toBeGreaterThan(100);
    const verdicts = expected.map((report) => (JSON.parse(report) as { verdict: string }).verdict);
    expect(new Set(verdicts)).toEqual(new Set(["ACCEPTED", "REJECTED"]));
  });
});

describe.each([
  ["this Node.js", process.execPath, process.version] as const,
  ["the newest Node.js", newest?.program ?? "", newest?.version ?? "v0.0.0"] as const,
])("in %s", (_name, program, version) => {
  it.skipIf(program === "")("every report is the same, byte for byte, and nothing was touched", () => {
    const { reports, ending } = run(program, permissionFlags(version));
    console.info(`${CASES.length} reports, Node.js ${ending.node}`);
    expect(ending).toEqual({ touched: [], node: version });
    expectSame(reports);
  });

  it.skipIf(program === "")("the guard sees a verifier that reaches out", () => {
    const { guard, touched } = run(program, permissionFlags(version), ["--touch"]).ending;
    expect(guard).toEqual({ tried: 8, threw: 8, allowed: "1970-01-01T00:00:00.000Z" });
    expect(touched).toEqual([
      "Date.now",
      "new Date()",
      "Math.random",
      "performance.now",
      "fs.readFileSync",
      "fs.writeFileSync",
      "net.connect",
      "fetch",
    ]);
  });

  it.skipIf(program === "" || seal === null)("the system refuses sockets and, where it can, writes", () => {
    // Without the permission model of Node.js: what is refused here, the system refused.
    const { system } = run(program, [], ["--touch"]).ending;
    expect(["ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"]).toContain(system?.socket);
    if (seal?.readOnly) expect(system?.write).toBe("EROFS");
    expect(run(program, permissionFlags(version), ["--touch"]).ending.system?.write).toMatch(
      /^(?:ERR_ACCESS_DENIED|EROFS)$/,
    );
  });
});

describe("in a browser", () => {
  it.skipIf(browser === null)("every report is the same, byte for byte", async () => {
    await page();
    const flags = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
      `--user-data-dir=${join(directory, "profile")}`,
      "--dump-dom",
      pathToFileURL(join(directory, "page.html")).href,
    ];
    // No network here either; the file system has to be written, since a browser keeps a profile.
    const [first = "", ...rest] = [...(seal === null ? [] : ["unshare", "-rn"]), browser ?? "", ...flags];
    const { stdout, stderr } = spawnSync(first, rest, {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      timeout: 110_000,
    });
    const text = /<pre id="reports">([A-Za-z0-9+/=]+)<\/pre>/.exec(stdout)?.[1];
    if (text === undefined)
      throw new Error(`the page gave no reports: ${stdout.slice(-500)} ${stderr.slice(-2000)}`);
    const { agent, touched, reports } = JSON.parse(Buffer.from(text, "base64").toString()) as {
      readonly agent: string;
      readonly touched: readonly string[];
      readonly reports: readonly string[];
    };
    console.info(`${CASES.length} reports, ${agent}`);
    expect(agent).toMatch(/Chrom/);
    expect(touched).toEqual([]);
    expectSame(reports);
  });
});

/** A page that verifies the cases with the browser build of the packed verifier, and shows the reports in base64. */
async function page(): Promise<void> {
  const output = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["browser", "module", "import", "default"] },
    build: { write: false, minify: false, lib: { entry: DIST, formats: ["iife"], name: "verifier" } },
  });
  const [first] = Array.isArray(output) ? output : [output];
  const chunk = first !== undefined && "output" in first ? first.output[0] : undefined;
  if (chunk?.type !== "chunk") throw new Error("vite made no script");
  writeFileSync(join(directory, "verifier.js"), chunk.code);
  writeFileSync(join(directory, "cases.js"), `const cases = ${JSON.stringify(CASES)};`);
  writeFileSync(join(directory, "run.js"), RUN);
  writeFileSync(
    join(directory, "page.html"),
    '<!doctype html><meta charset="utf-8"><pre id="reports"></pre><script src="verifier.js"></script>' +
      '<script src="cases.js"></script><script src="run.js"></script>',
  );
}

const RUN = `
const bytes = (text) => text === undefined ? undefined : Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
const touched = [];
const trap = (holder, name) => { holder[name] = () => { touched.push(name); throw new Error(name); }; };
for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Worker", "setTimeout"]) trap(window, name);
trap(Date, "now");
trap(Math, "random");
trap(performance, "now");
trap(Crypto.prototype, "getRandomValues");
window.Date = new Proxy(Date, {
  construct(target, given) {
    if (given.length === 0) { touched.push("new Date()"); throw new Error("clock"); }
    return Reflect.construct(target, given);
  },
});
const reports = cases.map(({ name, bundle, trust, at, ...side }) => {
  const options = Object.fromEntries(Object.entries(side).map(([member, text]) => [member, bytes(text)]));
  return JSON.stringify(verifier.verifyBundle(bytes(bundle), bytes(trust), { ...options, at }));
});
const text = new TextEncoder().encode(JSON.stringify({ agent: navigator.userAgent, touched, reports }));
let binary = "";
for (const byte of text) binary += String.fromCharCode(byte);
document.getElementById("reports").textContent = btoa(binary);
`;
