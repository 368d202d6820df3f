/** Signatures checked in threads: the report of one thread, whatever their number, and nothing left behind. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { decodeBundle } from "../../src/bundle/decode.js";
import { verifyBundleParallel } from "../../src/parallel/verify-parallel.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { verifyStream } from "../../src/verifier/verify-stream.js";
import { verifyStreamBytes } from "../support/streams.js";

type Parallel = typeof verifyBundleParallel;

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
/** More receipts than are checked before threads are started. */
const RECEIPTS = 4_000;

let folder = "";
let stream: Uint8Array = new Uint8Array();
let trust: Uint8Array = new Uint8Array();
let at = "";
/** As packed: only there do the files of threads exist. */
let packed: Parallel;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "osa-proof-"));
  const made = (await import(path("bench/session/stream-file.js"))) as {
    writeStream(file: string, count: number): Promise<{ trust: string; at: string }>;
  };
  const file = join(folder, "session.jsonl");
  const written = await made.writeStream(file, RECEIPTS);
  [trust, at] = [Buffer.from(written.trust), written.at];
  stream = readFileSync(file);
  ({ verifyBundleParallel: packed } = (await import(path("dist/parallel/index.js"))) as {
    verifyBundleParallel: Parallel;
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The stream with another digit in the signatures of these receipts, and the trailer that fits it. */
function forged(positions: readonly number[]): Uint8Array {
  const lines = Buffer.from(stream).toString().split("\n");
  const first = lines.findIndex((line) => line.startsWith('{"receipts":'));
  for (const position of positions) {
    const line = lines[first + position] ?? "";
    const digit = line.indexOf('"signature":"0x') + 40;
    const other = line.charAt(digit) === "7" ? "8" : "7";
    lines[first + position] = line.slice(0, digit) + other + line.slice(digit + 1);
  }
  const body = `${lines.slice(0, -2).join("\n")}\n`;
  const digest = createHash("sha256").update(body).digest("hex");
  return Buffer.from(`${body}${lines.at(-2)?.replace(/0x[0-9a-f]{64}/, `0x${digest}`)}\n`);
}

describe("verifyBundleParallel", () => {
  it.each([1, 2, 3])("gives the report of one thread with %i", async (threads) => {
    const json = encodeBundle(decodeBundle(stream));
    expect(await packed(json, trust, { at }, { threads })).toEqual(verifyBundle(json, trust, { at }));
    for (const given of [stream, forged([7, RECEIPTS - 1])]) {
      const one = verifyStreamBytes(given, trust, { at });
      expect(await packed(given, trust, { at }, { threads })).toEqual(one);
      const pieces = [given.subarray(0, 5), given.subarray(5)];
      expect(await packed(pieces, trust, { at }, { threads })).toEqual(one);
    }
  });

  it("finds a forged signature wherever it stands", async () => {
    expect((await packed(stream, trust, { at }, { threads: 2 })).verdict).toBe("ACCEPTED");
    for (const position of [0, 255, 256, 2_000, RECEIPTS - 2]) {
      const { checks } = await packed(forged([position]), trust, { at }, { threads: 2 });
      const failures = checks.flatMap((check) => check.failures);
      expect(failures.map(({ code, pointer }) => `${code} ${pointer}`)).toContain(
        `RECEIPT_SIGNATURE_INVALID /receipts/${position}`,
      );
    }
  });

  it("checks in one thread, and says so, where the files of threads are not there", async () => {
    const notes: string[] = [];
    const onNote = (note: string): void => void notes.push(note);
    const bundle = forged([3, 3_000]);
    const report = await verifyBundleParallel(bundle, trust, { at }, { threads: 2, onNote });
    expect(report).toEqual(verifyStreamBytes(bundle, trust, { at }));
    expect(notes).toEqual(["worker threads cannot be used here: all signatures are checked in one thread"]);
  });

  it("starts no thread for a small bundle", async () => {
    const bundle = readFileSync(path("fixtures/valid/agent-close/bundle.json"));
    const pins = readFileSync(path("fixtures/valid/agent-close/trust.json"));
    const notes: string[] = [];
    const given = { at: "2026-11-02T12:00:00Z" };
    const onNote = (note: string): void => void notes.push(note);
    const report = await verifyBundleParallel(bundle, pins, given, { threads: 2, onNote });
    expect(report).toEqual(verifyBundle(bundle, pins, given));
    expect(notes).toEqual([]);
  });

  it.each([1, 2])("ends when its signal does, with its reason, with %i threads", async (threads) => {
    const control = new AbortController();
    function* pieces(): Generator<Uint8Array> {
      for (let from = 0; from < stream.length; from += 65_536) {
        if (from > stream.length / 2) control.abort(new Error("enough"));
        yield stream.subarray(from, from + 65_536);
      }
    }
    const ended = packed(pieces(), trust, { at }, { threads, signal: control.signal });
    await expect(ended).rejects.toThrow("enough");
    const late = packed(stream, trust, { at }, { threads, signal: control.signal });
    await expect(late).rejects.toThrow("enough");
  });

  it.each([1, 2])(
    "ends when its signal does though the source gives nothing more, with %i threads",
    async (threads) => {
      const control = new AbortController();
      let isTold = false;
      const stalled: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => {
          let given = false;
          return {
            next: () => {
              if (given) return new Promise(() => undefined);
              given = true;
              setTimeout(() => control.abort(new Error("enough")), 50);
              return Promise.resolve({ done: false, value: stream.subarray(0, 1_000_000) });
            },
            return: () => {
              isTold = true;
              return new Promise(() => undefined);
            },
          };
        },
      };
      const ended = packed(stalled, trust, { at }, { threads, signal: control.signal });
      await expect(ended).rejects.toThrow("enough");
      expect(isTold).toBe(true);
      function* nothing(): Generator<Uint8Array> {
        for (;;) yield new Uint8Array(0);
      }
      const late = AbortSignal.timeout(50);
      await expect(packed(nothing(), trust, { at }, { threads, signal: late })).rejects.toThrow();
    },
  );

  it.each([null, 7, "stream", new ArrayBuffer(8), {}])(
    "rejects %o like a bundle of no bytes",
    async (bundle) => {
      const given = bundle as unknown as Uint8Array;
      expect(await packed(given, trust, { at }, { threads: 1 })).toEqual(verifyBundle(given, trust, { at }));
    },
  );

  it.each([null, 7, "text", new ArrayBuffer(8)])("refuses pieces like %o", async (piece) => {
    const pieces = [piece as unknown as Uint8Array, stream];
    const refused = { code: "ARGUMENT_INVALID" };
    await expect(packed(pieces, trust, { at }, { threads: 1 })).rejects.toMatchObject(refused);
    await expect(verifyStream(pieces, trust, { at })).rejects.toMatchObject(refused);
  });

  it("says nothing where nobody could hear what a note throws", async () => {
    const thrown = verifyBundleParallel(
      stream,
      trust,
      { at },
      {
        threads: 2,
        onNote: () => {
          throw new Error("not now");
        },
      },
    );
    await expect(thrown).rejects.toThrow("not now");
  });

  it("leaves nothing running, whether it ends or is ended", () => {
    const program = `
      import { readFileSync } from "node:fs";
      import { verifyBundleParallel } from ${JSON.stringify(path("dist/parallel/index.js"))};
      const stream = readFileSync(${JSON.stringify(join(folder, "session.jsonl"))});
      const trust = Buffer.from(${JSON.stringify(Buffer.from(trust).toString("base64"))}, "base64");
      const options = { at: ${JSON.stringify(at)} };
      const { verdict } = await verifyBundleParallel(stream, trust, options, { threads: 2 });
      const fail = function* () { yield stream.subarray(0, stream.length - 100_000); throw new Error("lost"); };
      const reason = await verifyBundleParallel(fail(), trust, options, { threads: 2 }).catch(({ message }) => message);
      const left = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name));
      console.log(JSON.stringify([verdict, reason, left]));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    expect(JSON.parse(printed)).toEqual(["ACCEPTED", "lost", []]);
  });

  it.each([{ thread: 2 }, { sginal: AbortSignal.abort() }, { signal: "x" }])(
    "refuses %o",
    async (options) => {
      const given = options as { threads?: number };
      await expect(packed(stream, trust, { at }, given)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    },
  );

  it.each([0, -1, 1.5, Number.NaN])("refuses %d threads", async (threads) => {
    await expect(packed(stream, trust, { at }, { threads })).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
    });
  });
});
