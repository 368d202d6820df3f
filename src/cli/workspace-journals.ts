/** Journals of sessions that run beside a workspace, and taking them in when they have ended. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, ioFailed, isThere } from "../collect/files.js";
import { tryLock } from "../collect/lock.js";
import { sha256Hex } from "../crypto/digest.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import { LOCK_FILE } from "../runtime/journal/journal-format.js";
import { type JournalContents, readJournal } from "../runtime/journal/read-journal.js";
import { statementDigest } from "../statements/canonical.js";
import type { Workspace } from "./workspace.js";
import type { Stored } from "./workspace-state.js";

const JOURNALS_DIRECTORY = "journals";

/** Where a session of this workspace keeps its journal until it is taken in. */
export function journalDirectory(workspace: Workspace, runtimeId: string): string {
  const safe = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(runtimeId);
  const name = safe ? runtimeId : `runtime-${sha256Hex(encodeUtf8(runtimeId)).slice(2)}`;
  return join(workspace.directory, JOURNALS_DIRECTORY, name);
}

/** A runtime with a journal signs in its session and nowhere else: its numbers would be used twice. */
export async function requireNoJournal(workspace: Workspace, runtimeId: string): Promise<void> {
  if (!(await isThere(journalDirectory(workspace, runtimeId)))) return;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `runtime ${runtimeId} has a session of its own, which may still run; when it has ended, osa-proof seal takes it in`,
  );
}

/** Journals of the workspace by the name of their directory. */
export async function journalsOf(workspace: Workspace): Promise<readonly string[]> {
  const directory = join(workspace.directory, JOURNALS_DIRECTORY);
  try {
    return (await readdir(directory)).sort();
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return [];
    throw ioFailed(`cannot read ${directory}`, cause);
  }
}

/** A session that is not in the workspace yet. */
export interface Untaken {
  /** The runtime's id, as its directory has it. */
  readonly name: string;
  readonly running: boolean;
}

/** Sessions with a journal of their own, changing nothing. */
export async function untakenSessions(workspace: Workspace): Promise<readonly Untaken[]> {
  const found: Untaken[] = [];
  for (const name of await journalsOf(workspace)) {
    const release = await tryLock(join(workspace.directory, JOURNALS_DIRECTORY, name, LOCK_FILE));
    found.push({ name, running: release === null });
    await release?.();
  }
  return found;
}

/** What came of the journals of a workspace. */
export interface TakenJournals {
  /** Receipts that are in the workspace now. */
  readonly receipts: number;
  /** Journals of sessions that still run. */
  readonly running: readonly string[];
}

/** Takes in the journals of all sessions that have ended, by their close or by a crash. @throws OsaProofError */
export async function takeJournals(workspace: Workspace): Promise<TakenJournals> {
  const running: string[] = [];
  let receipts = 0;
  for (const name of await journalsOf(workspace)) {
    const directory = join(workspace.directory, JOURNALS_DIRECTORY, name);
    const release = await tryLock(join(directory, LOCK_FILE));
    if (release === null) {
      running.push(name);
      continue;
    }
    try {
      receipts += await takeJournal(workspace, directory);
      await rm(directory, { recursive: true, force: true });
    } finally {
      await release();
    }
  }
  return { receipts, running };
}

/** Stores what is in a journal and not in the workspace yet; gives the number of new receipts. @throws OsaProofError */
export async function takeJournal(workspace: Workspace, directory: string): Promise<number> {
  const journal = await readOrEmpty(directory);
  if (journal === null) return 0;
  const { config, state } = workspace;
  if (journal.header.namespace_id !== config.namespace_id) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `${directory} is a journal of namespace ${journal.header.namespace_id}, and this workspace of ${config.namespace_id}`,
    );
  }
  const receipts = unknown(state.receipts, journal.receipts);
  requireNoFork(state.receipts, receipts);
  const ids = new Set(receipts.map((receipt) => receipt.receipt_id));
  await workspace.commit({
    runtimeCertificates: unknown(state.runtimeCertificates, journal.certificates),
    delegations: unknown(state.delegations, journal.delegations),
    receipts,
    openings: journal.openings.filter((item) => ids.has(item.receipt_id)),
    closes: unknown(state.closes, journal.close === null ? [] : [journal.close]),
  });
  return receipts.length;
}

/** Null for a directory that a crash left before anything was in it. */
async function readOrEmpty(directory: string): Promise<JournalContents | null> {
  const entries = await readdir(directory);
  return entries.every((name) => name === LOCK_FILE) ? null : readJournal(directory);
}

function unknown<T extends object>(stored: readonly Stored<T>[], given: readonly T[]): readonly T[] {
  const known = new Set(stored.map(({ digest }) => digest));
  return given.filter((statement) => !known.has(statementDigest(statement)));
}

/** Two receipts of one runtime with one number would make every bundle of the session be rejected. */
function requireNoFork(
  stored: readonly Stored<{ readonly runtime_id: string; readonly sequence: number }>[],
  given: readonly { readonly runtime_id: string; readonly sequence: number }[],
): void {
  const runtimes = new Set(given.map((receipt) => receipt.runtime_id));
  const taken = new Set(
    stored.flatMap(({ statement }) => (runtimes.has(statement.runtime_id) ? [placeOf(statement)] : [])),
  );
  const again = given.find((receipt) => taken.has(placeOf(receipt)));
  if (again === undefined) return;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `the journal of runtime ${again.runtime_id} has another receipt number ${again.sequence} than this workspace; keep both, one of them is not what that runtime signed`,
  );
}

function placeOf(receipt: { readonly runtime_id: string; readonly sequence: number }): string {
  return `${receipt.sequence} ${receipt.runtime_id}`;
}
