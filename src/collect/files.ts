/** Layer 8: files that survive a crash. */
// Not from "node:fs/promises": bundled, this loads only when something of it is used, and `verify` rarely does.
import { promises } from "node:fs";
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

/** Makes new names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows opens no directory as a file; there the rename itself is all that can be asked for.
  if (process.platform === "win32") return;
  const handle = await promises.open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** An `IO_FAILED` that keeps what the system said. */
export function ioFailed(message: string, cause: unknown): OsaProofError {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return new OsaProofError("IO_FAILED", `${message}${reason}`, { cause });
}

/** True for an error of the system with this code, such as `ENOENT`. */
export function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
