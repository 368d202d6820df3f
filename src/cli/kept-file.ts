/** A file that one verification keeps for the next. */
import { realpath, stat } from "node:fs/promises";
import type { CommandContext } from "./command.js";
import { pathOf, readInputIfThere } from "./input.js";
import { sayWaiting } from "./print.js";

/** How long a run waits for another one that holds the same file. */
const WAIT_MILLISECONDS = 60_000;
const OWNER_ONLY = 0o600;

/**
 * Runs `body` with the bytes of a file, undefined where it is not there yet, and writes what is to be kept: nothing for
 * null. The lock keeps two runs from undoing each other. Without a file there is nothing to read or keep.
 */
export async function withKept<T>(
  context: CommandContext,
  what: string,
  file: string | undefined,
  body: (before: Uint8Array | undefined) => Promise<{ readonly keep: Uint8Array | null; readonly result: T }>,
): Promise<T> {
  if (file === undefined) return (await body(undefined)).result;
  const { writeFileDurably } = await import("../collect/files.js");
  const { withLock } = await import("../collect/lock.js");
  const named = pathOf(context, file);
  // Of a link the file behind it is kept, with the mode that it has.
  const path = await realpath(named).catch(() => named);
  const lock = `${path}.lock`;
  const locked = async (): Promise<T> => {
    const before = (await readInputIfThere(context, what, file)) ?? undefined;
    const { keep, result } = await body(before);
    const mode = await stat(path).then(
      ({ mode: kept }) => kept & 0o777,
      () => OWNER_ONLY,
    );
    if (keep !== null) await writeFileDurably(path, keep, mode);
    return result;
  };
  return withLock(lock, WAIT_MILLISECONDS, locked, sayWaiting(context, lock));
}
