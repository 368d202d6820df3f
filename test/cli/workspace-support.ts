/** Runs the whole program in this process, in a folder of its own, with a clock that the test moves. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { decodeBundle } from "../../src/bundle/decode.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import type { CommandContext } from "../../src/cli/command.js";
import { runCli } from "../../src/cli/main.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";

export const START: number = Date.UTC(2026, 4, 6, 7, 8, 9, 250);

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

class Sink extends Writable {
  readonly chunks: Uint8Array[] = [];
  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}

/** A terminal with a folder. `now` moves on by `tick` milliseconds at each reading. */
export class Desk {
  readonly folder: string;
  now: number = START;
  tick = 10;
  env: Record<string, string> = {};
  readonly stdin: PassThrough = new PassThrough();
  readonly stdout: Sink = new Sink();
  readonly stderr: Sink = new Sink();
  /** All that commands wrote for people. */
  written = "";

  constructor(folder: string) {
    this.folder = folder;
  }

  async run(line: string | readonly string[], more: Partial<CommandContext> = {}): Promise<Outcome> {
    const args = typeof line === "string" ? line.split(" ") : line;
    let out = "";
    let err = "";
    const code = await runCli(args, {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      env: this.env,
      cwd: this.folder,
      colour: false,
      progress: false,
      now: () => {
        this.now += this.tick;
        return this.now;
      },
      askSecret: undefined,
      streams: { stdin: this.stdin, stdout: this.stdout, stderr: this.stderr },
      keyCost: 10,
      ...more,
    });
    this.written += out + err;
    return { code, out, err };
  }

  /** Runs commands that must all succeed; gives the last one's output. */
  async all(...lines: readonly (string | readonly string[])[]): Promise<string> {
    let out = "";
    for (const line of lines) {
      const ran = await this.run(line);
      if (ran.code !== 0) throw new Error(`${String(line)}: exit ${ran.code}: ${ran.err}${ran.out}`);
      out = ran.out;
    }
    return out;
  }

  /** As {@link all}, for one command with `--json`. */
  async json(line: string | readonly string[]): Promise<Record<string, unknown>> {
    const args = typeof line === "string" ? line.split(" ") : line;
    return JSON.parse(await this.all([...args, "--json"]));
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  async text(...names: readonly string[]): Promise<string> {
    return readFile(this.path(...names), "utf8");
  }

  async bundle(name: string): Promise<ProofBundleV3> {
    return decodeBundle(new Uint8Array(await readFile(this.path(name))));
  }

  async verify(name: string, ...more: readonly string[]): Promise<VerificationReportV1> {
    const ran = await this.run(["verify", name, "--trust", "trust.json", "--json", ...more]);
    if (ran.code === 2) throw new Error(ran.err);
    const report: VerificationReportV1 = JSON.parse(ran.out);
    if ((report.verdict === "ACCEPTED") !== (ran.code === 0)) throw new Error("exit code and verdict differ");
    return report;
  }

  /** Verdict, or the code of the first failure. */
  async verdict(name: string, ...more: readonly string[]): Promise<string> {
    const report = await this.verify(name, ...more);
    return report.first_failure?.code ?? report.verdict;
  }

  /** Every file below the folder with its bytes, by relative path. */
  async files(below = ""): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    for (const entry of await readdir(join(this.folder, below), { withFileTypes: true })) {
      const name = join(below, entry.name);
      if (entry.isDirectory()) for (const [file, bytes] of await this.files(name)) found.set(file, bytes);
      else found.set(name, await readFile(join(this.folder, name)));
    }
    return found;
  }
}

/** A desk in a new folder, removed afterwards. */
export async function atDesk<T>(body: (desk: Desk) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "osa-proof-desk-"));
  try {
    return await body(new Desk(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const CALLS = [
  { tool: "search", arguments: { q: "flights" }, result: { hits: 3 } },
  { tool: "book a seat", arguments: { id: 7 }, result: "refused", isError: true },
  { tool: "search", arguments: { q: "trains" }, result: null, parents: [0] },
  { tool: "think", arguments: {}, parents: [1, 2] },
];
