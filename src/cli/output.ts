/** Files that a command writes where its user says, with the one rule of what may be replaced. */
import { lstat, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isThere, writeFileDurably } from "../collect/files.js";
import { OsaProofError } from "../errors.js";
import type { CommandContext } from "./command.js";
import { pathOf } from "./input.js";
import { CONFIG_FILE } from "./workspace.js";

/** What a workspace holds: files of its directory, and directories with all below them. */
const WORKSPACE_ENTRIES: ReadonlySet<string> = new Set([
  CONFIG_FILE,
  "trust.json",
  "revocations.json",
  "openings.jsonl",
  "journal.json",
  ".lock",
  "keys",
  "statements",
  "log",
]);
/** How far below a workspace's directory its files are. */
const WORKSPACE_DEPTH = 8;

/** A file that may be written; found before the work whose result goes there. */
export interface OutputFile {
  readonly path: string;
  /** Writes it as a whole or not at all. @throws OsaProofError IO_FAILED */
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Checks where an option points. Never a workspace's own file, nor anything but a regular file; one that is there only
 * when `replace` is asked for. A link is followed, so the file behind it is written and the link stays.
 * @throws OsaProofError USAGE, IO_FAILED
 */
export async function outputFile(
  context: Pick<CommandContext, "cwd">,
  option: string,
  name: string,
  replace: boolean,
): Promise<OutputFile> {
  const refused = (reason: string): OsaProofError =>
    new OsaProofError("USAGE", `${option} ${name}: ${reason}`);
  if (name === "") throw new OsaProofError("USAGE", `${option}: expected the name of a file, found nothing`);
  let path = pathOf(context, name);
  if (await isThere(path)) {
    path = await realpath(path);
    const found = await lstat(path);
    if (found.isDirectory()) throw refused("is there already, and is a directory; name a file");
    if (!found.isFile()) throw refused("is no regular file, and would be replaced by one; name another");
    if (await isOfWorkspace(path))
      throw refused("belongs to a workspace and is never replaced; name another");
    if (!replace) throw refused("is there already; name another file, or replace it with --force");
  } else if (await isOfWorkspace(path)) {
    throw refused("is a name that a workspace uses; name another");
  }
  return { path, write: (bytes) => writeFileDurably(path, bytes) };
}

async function isOfWorkspace(path: string): Promise<boolean> {
  let directory = dirname(path);
  for (let depth = 0; depth < WORKSPACE_DEPTH; depth += 1) {
    const [first = ""] = relative(directory, path).split(sep);
    if (WORKSPACE_ENTRIES.has(first) && (await isThere(join(directory, CONFIG_FILE)))) return true;
    if (directory === dirname(directory)) return false;
    directory = dirname(directory);
  }
  return false;
}
