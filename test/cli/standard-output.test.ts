/** Output is written whole and in order, with a stream of Node.js or without one. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { StandardOutput } from "../../src/cli/standard-output.js";

const system = vi.hoisted(() => ({
  isDevice: false,
  write: (_: number, bytes: Uint8Array): number => bytes.length,
}));
vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  fstatSync: () => ({ isCharacterDevice: () => system.isDevice }),
  writeSync: (descriptor: number, bytes: Uint8Array) => system.write(descriptor, bytes),
}));

/** A system that takes at most `most` bytes a call and fails as told once it has taken `room`; and what was written. */
function outputOf(most: number, room = Number.POSITIVE_INFINITY, code = "EAGAIN") {
  let [direct, streamed, streams] = ["", "", 0];
  system.write = (_, bytes) => {
    if (direct.length >= room) throw Object.assign(new Error(code), { code });
    const taken = bytes.subarray(0, Math.min(most, room - direct.length));
    direct += Buffer.from(taken).toString("latin1");
    return taken.length;
  };
  const stream = new PassThrough().on("data", (chunk: Buffer) => {
    streamed += chunk.toString("latin1");
  });
  const output = new StandardOutput(1, () => {
    streams += 1;
    // Of a terminal's stream only what every stream has is used, and whether it is one.
    return stream as unknown as WriteStream;
  });
  return { output, stream, written: () => ({ direct, streamed, streams }) };
}

afterEach(() => {
  system.isDevice = false;
});

describe("standard output", () => {
  it("writes to a file or pipe until all is taken, and makes no stream", () => {
    const { output, written } = outputOf(3);
    output.write("0123456789");
    output.write("");
    output.write("ab");
    expect(written()).toEqual({ direct: "0123456789ab", streamed: "", streams: 0 });
    expect(output.isLost).toBe(false);
  });

  it("hands over to the stream what a full pipe does not take, and all after it", () => {
    const { output, written } = outputOf(3, 4);
    output.write("0123456789");
    output.write("ab");
    expect(written()).toEqual({ direct: "0123", streamed: "456789ab", streams: 1 });
    expect(output.isLost).toBe(false);
  });

  it("goes through the stream once it was asked for", () => {
    const { output, stream, written } = outputOf(3);
    expect(output.stream()).toBe(stream);
    output.write("0123");
    expect(written()).toEqual({ direct: "", streamed: "0123", streams: 1 });
  });

  it("uses the stream of a terminal from the beginning", () => {
    system.isDevice = true;
    const { output, stream, written } = outputOf(3);
    expect(output.isTerminal).toBe(false);
    Object.assign(stream, { isTTY: true });
    expect(output.isTerminal).toBe(true);
    output.write("0123");
    expect(written()).toEqual({ direct: "", streamed: "0123", streams: 1 });
  });

  it.each([
    ["EPIPE", false],
    ["ENOSPC", true],
  ])("after %s says that something was lost: %s", (code, lost) => {
    const direct = outputOf(3, 4, code);
    direct.output.write("0123456789");
    expect(direct.output.isLost).toBe(lost);
    expect(direct.written().streams).toBe(0);
    const streamed = outputOf(3);
    streamed.output.stream().emit("error", Object.assign(new Error(code), { code }));
    expect(streamed.output.isLost).toBe(lost);
  });
});

describe("the command", () => {
  const bin = fileURLToPath(new URL("../../bin/osa-proof.js", import.meta.url));

  it.skipIf(!existsSync("/dev/full"))("exits 2 when what it says cannot be written", () => {
    const full = openSync("/dev/full", "w");
    const { status } = spawnSync(process.execPath, [bin, "codes"], { stdio: ["ignore", full, "ignore"] });
    closeSync(full);
    expect(status).toBe(2);
    expect(spawnSync(process.execPath, [bin, "codes"], { stdio: "ignore" }).status).toBe(0);
  });

  it("exits as it would have when its reader has seen enough", () => {
    const line = `"${process.execPath}" "${bin}" schema proof-bundle; echo "$?" >&2`;
    const { stdout, stderr } = spawnSync("sh", ["-c", `{ ${line}; } | head -c 1`], { encoding: "utf8" });
    expect([stdout, stderr.trim()]).toEqual(["{", "0"]);
  });
});
