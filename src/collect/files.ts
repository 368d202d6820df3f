/** Layer 8: files that survive a crash, and a lock between processes. */
// Not from "node:fs/promises": bundled, this loads only when something of it is used, and `verify` rarely does.
import { promises } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { OsaProofError } from "../errors.js";

/** The bytes of a file, or null when there is none. Throws `IO_FAILED` for any other failure. */
export async function readFileIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await promises.readFile(path));
  } catch (cause) {
    if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR")) return null;
    throw ioFailed(`cannot read ${path}`, cause);
  }
}

/** True when there is something of this name, a directory included. Throws `IO_FAILED` when that cannot be told. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await promises.stat(path);
    return true;
  } catch (cause) {
    if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR")) return false;
    throw ioFailed(`cannot look at ${path}`, cause);
  }
}

let temporaryNames = 0;

/**
 * Writes a file as a whole: a reader, or a start after a crash, sees the old content or the new one, never a part.
 * Makes the directories it needs. Durable when the promise resolves. `mode` is the file's from its first byte on, less
 * the process's umask. Throws `IO_FAILED`.
 */
export async function writeFileDurably(path: string, bytes: Uint8Array, mode = 0o666): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}-${temporaryNames++}`;
  try {
    await makeDirectory(dirname(path));
    const handle = await promises.open(temporary, "wx", mode);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await promises.rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    await promises.rm(temporary, { force: true }).catch(() => undefined);
    throw ioFailed(`cannot write ${path}`, cause);
  }
}

/** Makes a directory and its parents where they are missing, durably. Throws `IO_FAILED`. */
export async function ensureDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (cause) {
    throw ioFailed(`cannot make the directory ${path}`, cause);
  }
}

/** Syncs the directories that hold the new names as well. */
async function makeDirectory(path: string): Promise<void> {
  const first = await promises.mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await syncDirectory(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Windows opens no directory as a file; there the rename itself is all that can be asked for.
  if (process.platform === "win32") return;
  const handle = await promises.open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Lock files that this process holds: one with our process id that is not among them was left by an earlier process. */
const held = new Set<string>();
const LOCK_POLL_MILLISECONDS = 20;
/** After so long a wait is worth a word. A multiple of the poll. */
const LOCK_PATIENCE_MILLISECONDS = 1_000;
/** A lock is written right after it is made; one that is empty for longer was left by a crash. */
const EMPTY_LOCK_MILLISECONDS = 5_000;

/**
 * Runs `action` while holding the lock file at `path`, which holds the process id and host name of its owner. Waits up
 * to `waitMilliseconds` for another holder and then throws `LEDGER_REFUSED`; calls `onWait` once when it has waited for
 * a second. A lock whose owner ran on this host and is gone is taken over, as is one that has stayed empty since a
 * crash; one from another host never is, since nothing here can tell whether that owner lives.
 */
export async function withLock<T>(
  path: string,
  waitMilliseconds: number,
  action: () => Promise<T>,
  onWait: () => void = () => undefined,
): Promise<T> {
  await takeLock(path, waitMilliseconds, onWait);
  held.add(path);
  try {
    return await action();
  } finally {
    held.delete(path);
    await promises.rm(path, { force: true });
  }
}

async function takeLock(path: string, waitMilliseconds: number, onWait: () => void): Promise<void> {
  for (let waited = 0; ; waited += LOCK_POLL_MILLISECONDS) {
    if (await createLock(path)) return;
    if (await breakDeadLock(path)) continue;
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

/** True when the file is new and ours. */
async function createLock(path: string): Promise<boolean> {
  try {
    const handle = await promises.open(path, "wx");
    try {
      await handle.writeFile(`${process.pid} ${hostname()}\n`);
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
  const fields = /^([1-9][0-9]*) (.+)\n$/.exec(new TextDecoder().decode(bytes));
  if (fields === null || fields[2] !== hostname()) return false;
  const pid = Number(fields[1]);
  if (pid === process.pid) return !held.has(path);
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return hasCode(cause, "ESRCH");
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

/** An `IO_FAILED` that keeps what the system said. */
function ioFailed(message: string, cause: unknown): OsaProofError {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return new OsaProofError("IO_FAILED", `${message}${reason}`, { cause });
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
