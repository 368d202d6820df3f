/** The lock between processes: who holds it, and when it is taken over. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tryLock, withLock } from "../../src/collect/lock.js";

let folder = "";
let lock = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "osa-proof-lock-"));
  lock = join(folder, "lock");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("tryLock", () => {
  it("gives the lock to one at a time, and leaves no file behind", async () => {
    const release = await tryLock(lock);
    expect(release).not.toBeNull();
    expect(await tryLock(lock)).toBeNull();
    await release?.();
    expect(await readdir(folder)).toEqual([]);
    const again = await tryLock(lock);
    expect(again).not.toBeNull();
    await again?.();
  });

  it("names its owner: process, start of the process, host", async () => {
    const release = await tryLock(lock);
    const text = await readFile(lock, "utf8");
    expect(text).toMatch(/^[0-9]+ ([0-9]+|\?) .+\n$/);
    expect(text.startsWith(`${process.pid} `)).toBe(true);
    expect(text.endsWith(` ${hostname()}\n`)).toBe(true);
    await release?.();
  });

  it.runIf(process.platform === "linux")(
    "tells a lock of this process, held by another thread, from one of an earlier process with its number",
    async () => {
      const [, start] = (await ownLine()).split(" ");
      await writeFile(lock, `${process.pid} ${start} ${hostname()}\n`);
      expect(await tryLock(lock)).toBeNull();
      await writeFile(lock, `${process.pid} ${Number(start) - 1} ${hostname()}\n`);
      const release = await tryLock(lock);
      expect(release).not.toBeNull();
      await release?.();
    },
  );

  it.runIf(process.platform === "linux")(
    "takes over the lock of a process that has ended and was not asked for",
    async () => {
      // A shell whose child ends while it sleeps itself: the child stays as a zombie until then.
      const shell = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 5"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [line] = (await once(shell.stdout, "data")) as [Buffer];
      const zombie = line.toString().trim();
      while (!/^\S+ \(sleep\) Z/.test(await readFile(`/proc/${zombie}/stat`, "utf8"))) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await writeFile(lock, `${zombie} 12345 ${hostname()}\n`);
      const release = await tryLock(lock);
      expect(release).not.toBeNull();
      await release?.();
      shell.kill();
      await once(shell, "exit");
    },
  );

  it("leaves alone what it cannot judge: another host, an empty new file, a text of another form", async () => {
    for (const text of ["1 7 another-host\n", "", "nobody\n", `${2 ** 30} ${hostname()}\n`]) {
      await writeFile(lock, text);
      expect(await tryLock(lock)).toBeNull();
      await rm(lock);
    }
  });

  it("takes over from a process that was killed", async () => {
    const pid = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    await writeFile(lock, `${pid} 1 ${hostname()}\n`);
    const release = await tryLock(lock);
    expect(release).not.toBeNull();
    await release?.();
  });
});

describe("withLock", () => {
  it("waits for its turn, and lets go after a failure", async () => {
    const order: string[] = [];
    const work = (name: string): Promise<void> =>
      withLock(lock, 5_000, async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 30));
        order.push(`${name} ends`);
        if (name === "a") throw new Error("a failed");
      });
    const [a, b] = await Promise.allSettled([work("a"), work("b")]);
    expect([a.status, b.status]).toEqual(["rejected", "fulfilled"]);
    expect(order).toHaveLength(4);
    expect(order[0]?.[0]).toBe(order[1]?.[0]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("is kept from a thread of the same process", async () => {
    const release = await tryLock(lock);
    const worker = new Worker(
      `const { readFileSync } = require("node:fs");
       const { parentPort, workerData } = require("node:worker_threads");
       const [pid] = readFileSync(workerData, "utf8").split(" ");
       parentPort.postMessage(Number(pid) === process.pid);`,
      { eval: true, workerData: lock },
    );
    // A thread has this process's number: only the start of the process says that the lock is not an old one.
    expect(await once(worker, "message")).toEqual([true]);
    await worker.terminate();
    await release?.();
  });
});

async function ownLine(): Promise<string> {
  const other = join(folder, "other");
  const release = await tryLock(other);
  const line = await readFile(other, "utf8");
  await release?.();
  return line;
}
