/** Layer 8: a lock between processes, which outlives none of them. */
import { promises } from "node:fs";
import { hostname } from "node:os";
import { OsaProofError } from "../errors.js";
import { hasCode, ioFailed, readFileIfThere } from "./files.js";

/** Lock files that this module holds. */
const held = new Set<string>();
const LOCK_POLL_MILLISECONDS = 20;
/** After so long a wait is worth a word. A multiple of the poll. */
const LOCK_PATIENCE_MILLISECONDS = 1_000;
/** A lock is written right after it is made; one that is empty for longer was left by a crash. */
const EMPTY_LOCK_MILLISECONDS = 5_000;

/** Lets go of a lock. */
export type Release = () => Promise<void>;

/**
 * Runs `action` while holding the lock file at `path`, which holds the process id of its owner, when that process
 * started, and its host. Waits up to `waitMilliseconds` for another holder and then throws `LEDGER_REFUSED`; calls
 * `onWait` once when it has waited for a second. A lock whose owner ran on this host and is gone is taken over, as is
 * one that has stayed empty since a crash; one from another host never is, since nothing here can tell whether that
 * owner lives.
 */
export async function withLock<T>(
  path: string,
  waitMilliseconds: number,
  action: () => Promise<T>,
  onWait: () => void = () => undefined,
): Promise<T> {
  const release = await waitForLock(path, waitMilliseconds, onWait);
  try {
    return await action();
  } finally {
    await release();
  }
}

async function waitForLock(path: string, waitMilliseconds: number, onWait: () => void): Promise<Release> {
  for (let waited = 0; ; waited += LOCK_POLL_MILLISECONDS) {
    const release = await tryLock(path);
    if (release !== null) return release;
    if (waited >= waitMilliseconds) {
      throw new OsaProofError(
        "LEDGER_REFUSED",
        `${path} is held by another process; wait for it, or if none runs remove that file and the .break file beside it`,
      );
    }
    if (waited === LOCK_PATIENCE_MILLISECONDS) onWait();
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MILLISECONDS));
  }
}

/** Takes the lock, or that of a dead owner; null when somebody has it. @throws OsaProofError IO_FAILED */
export async function tryLock(path: string): Promise<Release | null> {
  while (!(await createLock(path))) if (!(await breakDeadLock(path))) return null;
  held.add(path);
  return async () => {
    held.delete(path);
    await promises.rm(path, { force: true });
  };
}

/** True when the file is new and ours. */
async function createLock(path: string): Promise<boolean> {
  try {
    const handle = await promises.open(path, "wx");
    try {
      await handle.writeFile(`${process.pid} ${(await startOf(process.pid)) ?? "?"} ${hostname()}\n`);
    } finally {
      await handle.close();
    }
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw ioFailed(`cannot create the lock ${path}`, cause);
  }
}

/** Removes a lock whose owner is gone. Only the holder of a second lock may, or two could remove each other's new one. */
async function breakDeadLock(path: string): Promise<boolean> {
  if (!(await isDead(path))) return false;
  const breaker = `${path}.break`;
  if (!(await createLock(breaker))) return false;
  try {
    if (!(await isDead(path))) return false;
    await promises.rm(path, { force: true });
    return true;
  } finally {
    await promises.rm(breaker, { force: true });
  }
}

async function isDead(path: string): Promise<boolean> {
  const bytes = await readFileIfThere(path);
  if (bytes === null) return false;
  if (bytes.length === 0) return isOlderThan(path, EMPTY_LOCK_MILLISECONDS);
  const fields = /^([1-9][0-9]*) ([0-9]+|\?) (.+)\n$/.exec(new TextDecoder().decode(bytes));
  if (fields === null || fields[3] !== hostname()) return false;
  const pid = Number(fields[1]);
  if (held.has(path)) return false;
  if (!isRunning(pid)) return true;
  const start = await startOf(pid);
  // Where the system does not tell when a process started, one that bears our number and is not us was before us.
  if (start === null || fields[2] === "?") return pid === process.pid;
  return start !== fields[2];
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return !hasCode(cause, "ESRCH");
  }
}

/**
 * When a process started, in ticks since the system did; null where that is not told. Process ids are used again (in a
 * container every first process is number 1), and this tells the processes apart that bear the same. A process that
 * has ended and waits for its parent to ask has started at "0", as none has.
 */
async function startOf(pid: number): Promise<string | null> {
  try {
    // proc_pid_stat(5): number, name in parentheses, state, and the start as the 22nd field.
    const stat = await promises.readFile(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return "0";
    return /^[0-9]+$/.test(fields[19] ?? "") ? (fields[19] ?? null) : null;
  } catch {
    return null;
  }
}

async function isOlderThan(path: string, milliseconds: number): Promise<boolean> {
  try {
    return Date.now() - (await promises.stat(path)).mtimeMs > milliseconds;
  } catch {
    // Gone meanwhile: whoever held it has let it go.
    return false;
  }
}
