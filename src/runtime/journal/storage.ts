/** What a journal asks of a disk, apart from the disk, so that tests can let it fail at every step. */
import { promises } from "node:fs";
import { dirname } from "node:path";
import { ensureDirectory, readFileIfThere, syncDirectory, writeFileDurably } from "../../collect/files.js";
import { type Release, tryLock } from "../../collect/lock.js";

/** A file that is written behind its end. Every method rejects with what the system says. */
export interface AppendFile {
  /** Writes all of the bytes behind the end; on a failure some of them may be there. */
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when what was appended outlives a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface Storage {
  /** Makes the directory and its parents where missing, durably. */
  makeDirectory(path: string): Promise<void>;
  /** All bytes of a file; null when there is none. */
  read(path: string): Promise<Uint8Array | null>;
  /** Opens a file for appending, made where missing with mode 0600, its name durable. */
  openAppend(path: string): Promise<AppendFile>;
  /** Cuts a file to so many bytes, durably. */
  cut(path: string, bytes: number): Promise<void>;
  /** Writes a file as a whole with mode 0600: all or nothing, durably. */
  writeWhole(path: string, bytes: Uint8Array): Promise<void>;
  /** Takes the lock, or gives null when another process or session has it. */
  lock(path: string): Promise<Release | null>;
}

const PRIVATE = 0o600;

export const diskStorage: Storage = {
  makeDirectory: ensureDirectory,
  read: readFileIfThere,
  async openAppend(path) {
    const handle = await promises.open(path, "a", PRIVATE);
    try {
      await syncDirectory(dirname(path));
    } catch (cause) {
      await handle.close();
      throw cause;
    }
    return {
      append: (bytes) => handle.appendFile(bytes),
      // Data and size are what a reader needs; times of the file are not.
      sync: () => handle.datasync(),
      close: () => handle.close(),
    };
  },
  async cut(path, bytes) {
    const handle = await promises.open(path, "r+");
    try {
      await handle.truncate(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  writeWhole: (path, bytes) => writeFileDurably(path, bytes, PRIVATE),
  lock: tryLock,
};
