/**
 * A journal: the receipts of one runtime on disk, with what opens them (docs/JOURNAL.md).
 *
 * A receipt is durable when `append` resolves. Those that wait at the same time share their syncs: openings are written
 * and synced first, then receipts, so that no receipt is ever there without what it commits to. After any failure
 * nothing is written any more, since what stands at the end of a file is then not known; opening it again finds out.
 */
import { join } from "node:path";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import type { DelegationV1 } from "../../statements/delegation.js";
import type { RuntimeKeyCertificateV1 } from "../../statements/identity.js";
import type { ActionReceiptV3 } from "../../statements/receipt.js";
import type { SessionCloseV1 } from "../../statements/session.js";
import type { Openings } from "../action.js";
import {
  type BegunCall,
  CALLS_FILE,
  CERTIFICATES_FILE,
  CLOSE_FILE,
  DELEGATIONS_FILE,
  decodeBytes,
  encodeLines,
  HEADER_FILE,
  type JournalHeader,
  journalHeader,
  LOCK_FILE,
  lineOf,
  OPENINGS_FILE,
  RECEIPTS_FILE,
} from "./journal-format.js";
import { invalid, type JournalState, recover } from "./recover.js";
import { type AppendFile, diskStorage, type Storage } from "./storage.js";

/** Receipts that share a sync at most; with it a torn end stays small. */
const MAX_BATCH = 512;

interface Waiting {
  readonly receipt: string;
  readonly openings: string;
  readonly done: () => void;
  readonly failed: (error: OsaProofError) => void;
}

interface OpenFiles {
  readonly openings: AppendFile;
  readonly receipts: AppendFile;
  readonly certificates: AppendFile;
  readonly delegations: AppendFile;
  readonly calls: AppendFile;
}

export class Journal {
  /** What was there when it was opened. */
  readonly state: JournalState;
  readonly #storage: Storage;
  readonly #directory: string;
  readonly #files: OpenFiles;
  readonly #release: () => Promise<void>;
  #waiting: Waiting[] = [];
  /** The writer at work, or the one before; it never rejects. */
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #failure: OsaProofError | null = null;
  #isClosed = false;

  constructor(
    storage: Storage,
    directory: string,
    files: OpenFiles,
    release: () => Promise<void>,
    state: JournalState,
  ) {
    this.#storage = storage;
    this.#directory = directory;
    this.#files = files;
    this.#release = release;
    this.state = state;
  }

  /** Resolves when the receipt and its openings are durable. Call it in the order of the sequence. @throws JOURNAL_FAILED */
  append(receipt: ActionReceiptV3, openings: Openings): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) {
        reject(this.#failure);
        return;
      }
      this.#waiting.push({
        receipt: lineOf(receipt),
        openings: lineOf(openings),
        done: resolve,
        failed: reject,
      });
      if (!this.#isWriting) this.#writing = this.#writeAll();
    });
  }

  /** Notes that a call is about to run. Outlives the process, perhaps not a loss of power. @throws JOURNAL_FAILED */
  async begin(call: BegunCall): Promise<void> {
    await this.#guarded("note a call", () => this.#files.calls.append(encodeLines([lineOf(call)])));
  }

  /** Resolves when it is durable. @throws JOURNAL_FAILED */
  async addCertificate(statement: RuntimeKeyCertificateV1): Promise<void> {
    await this.#addLine(this.#files.certificates, statement);
  }

  /** Resolves when it is durable. @throws JOURNAL_FAILED */
  async addDelegation(statement: DelegationV1): Promise<void> {
    await this.#addLine(this.#files.delegations, statement);
  }

  /** The runtime's last word. The journal cannot be opened for writing again. @throws JOURNAL_FAILED */
  async end(close: SessionCloseV1): Promise<void> {
    await this.#writing;
    const path = join(this.#directory, CLOSE_FILE);
    await this.#guarded("store the session close", () =>
      this.#storage.writeWhole(path, encodeUtf8(lineOf(close))),
    );
  }

  /** Waits for what is being written, and lets go of files and lock. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    this.#failure ??= new OsaProofError("JOURNAL_FAILED", `${this.#directory} is closed`);
    await Promise.allSettled(Object.values<AppendFile>({ ...this.#files }).map((file) => file.close()));
    await this.#release();
  }

  async #addLine(file: AppendFile, statement: object): Promise<void> {
    await this.#guarded("store a statement", async () => {
      await file.append(encodeLines([lineOf(statement)]));
      await file.sync();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Whoever asks in the same turn of the event loop comes along in the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      try {
        await this.#guarded("store a receipt", () => this.#write(batch));
        for (const { done } of batch) done();
      } catch {
        const failure = this.#failure ?? new OsaProofError("JOURNAL_FAILED", "cannot store a receipt");
        for (const { failed } of [...batch, ...this.#waiting.splice(0)]) failed(failure);
      }
    }
    this.#isWriting = false;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    await this.#files.openings.append(encodeLines(batch.map((item) => item.openings)));
    await this.#files.openings.sync();
    await this.#files.receipts.append(encodeLines(batch.map((item) => item.receipt)));
    await this.#files.receipts.sync();
  }

  /** Everything that waits, and all that comes later, fails with the first failure. */
  async #guarded<T>(what: string, action: () => Promise<T>): Promise<T> {
    if (this.#failure !== null) throw this.#failure;
    try {
      return await action();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : "unknown reason";
      this.#failure ??= new OsaProofError(
        "JOURNAL_FAILED",
        `cannot ${what} in ${this.#directory}: ${reason}; make room or access, then open the session again`,
        { cause },
      );
      throw this.#failure;
    }
  }
}

/**
 * Opens a journal for its one writer, and makes it where there is none.
 * @throws OsaProofError JOURNAL_LOCKED (somebody else has it open), JOURNAL_INVALID (damaged, closed, or another
 *   runtime's), JOURNAL_FAILED (the disk refused), IO_FAILED
 */
export async function openJournal(
  directory: string,
  header: JournalHeader,
  storage: Storage = diskStorage,
): Promise<Journal> {
  await storage.makeDirectory(directory);
  const release = await storage.lock(join(directory, LOCK_FILE));
  if (release === null) {
    throw new OsaProofError(
      "JOURNAL_LOCKED",
      `${directory} is open in another session; one journal has one writer. If none runs, remove ${join(directory, LOCK_FILE)}`,
    );
  }
  try {
    await requireHeader(storage, directory, header);
    if ((await storage.read(join(directory, CLOSE_FILE))) !== null) {
      throw invalid(`${directory} is the journal of a session that was closed; begin another one`);
    }
    const state = await recover(storage, directory, header);
    return new Journal(storage, directory, await openFiles(storage, directory), release, state);
  } catch (error) {
    await release();
    if (error instanceof OsaProofError) throw error;
    const reason = error instanceof Error ? `: ${error.message}` : "";
    throw new OsaProofError("JOURNAL_FAILED", `cannot open the journal ${directory}${reason}`, {
      cause: error,
    });
  }
}

/** The journal is of this runtime, or new. */
async function requireHeader(storage: Storage, directory: string, header: JournalHeader): Promise<void> {
  const path = join(directory, HEADER_FILE);
  const bytes = await storage.read(path);
  if (bytes === null) {
    if ((await storage.read(join(directory, RECEIPTS_FILE))) !== null) {
      throw invalid(`${path} is missing, and there are receipts; restore this file from a copy`);
    }
    await storage.writeWhole(path, encodeUtf8(lineOf(header)));
    return;
  }
  const found = decodeBytes(journalHeader, bytes);
  if (found === undefined) throw invalid(`${path} cannot be read; restore this file from a copy`);
  const names = ["namespace_id", "agent_id", "runtime_id", "session_id", "mission_id"] as const;
  const other = names.find((name) => found[name] !== header[name]);
  if (other === undefined) return;
  throw invalid(
    `${directory} is the journal of another runtime: its ${other} is ${found[other]}, not ${header[other]}; name another directory`,
  );
}

async function openFiles(storage: Storage, directory: string): Promise<OpenFiles> {
  const opened: AppendFile[] = [];
  const open = async (file: string): Promise<AppendFile> => {
    const handle = await storage.openAppend(join(directory, file));
    opened.push(handle);
    return handle;
  };
  try {
    return {
      openings: await open(OPENINGS_FILE),
      receipts: await open(RECEIPTS_FILE),
      certificates: await open(CERTIFICATES_FILE),
      delegations: await open(DELEGATIONS_FILE),
      calls: await open(CALLS_FILE),
    };
  } catch (error) {
    await Promise.allSettled(opened.map((file) => file.close()));
    throw error;
  }
}
