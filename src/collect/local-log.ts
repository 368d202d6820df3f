/**
 * Layer 8: a log and its witnesses in local directories, for development and small teams.
 *
 * Any C2SP tool can read the directory and check its proofs. It gives what its operator can give: an order, a time by
 * the operator's clock, and witnesses that notice a rewritten tree for as long as their memory is kept apart from it.
 * It remains the operator's word, and an auditor pins it as such.
 */
import { join } from "node:path";
import { type Checkpoint, formatCheckpoint } from "../anchors/checkpoint.js";
import { LAST_COSIGNATURE_SECOND } from "../anchors/cosignature.js";
import { formatNote, type NoteSignature, parseSignatureLine } from "../anchors/note.js";
import { formatTlogProof } from "../anchors/tlog-proof.js";
import { NO_QUORUM, policyFault } from "../anchors/tlog-trust.js";
import type { Signer } from "../crypto/signer.js";
import { encodeBase64 } from "../encoding/base64.js";
import { encodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { leafHash } from "../tree/merkle.js";
import type { LogConsistency } from "../verifier/inputs.js";
import { ensureDirectory } from "./files.js";
import { HashTree } from "./hash-tree.js";
import { LocalWitness } from "./local-witness.js";
import { withLock } from "./lock.js";
import {
  dropOldPartials,
  holdsLog,
  isCurrent,
  type LoadedLog,
  loadLog,
  lockPath,
  storeCheckpoint,
  storeGrowth,
} from "./log-store.js";
import { logNoteSigner, type NoteSigner, signCheckpoint, witnessNoteSigner } from "./note-signer.js";
import { MAX_ENTRY_BYTES, TILE_WIDTH } from "./tiles.js";

export interface LocalWitnessConfig {
  /** Key name in the cosignature lines: no white space, no `+`. */
  readonly name: string;
  /** Of algorithm ED25519, with a key that nothing else of this log uses. */
  readonly signer: Signer;
  /**
   * Where this witness remembers the largest tree it cosigned; `witness/<key id>.json` in the log's directory when
   * absent. On another disk or account it notices more.
   */
  readonly stateFile?: string;
}

export interface LocalLogOptions {
  readonly dir: string;
  /** First line of every checkpoint and the name of the log's key: no white space, no `+`. */
  readonly origin: string;
  /** Of algorithm ED25519. */
  readonly logSigner: Signer;
  readonly witnesses: readonly LocalWitnessConfig[];
  /** How long an operation waits for another process to finish its own; 5000 when absent. */
  readonly lockWaitMilliseconds?: number;
}

/**
 * Every operation takes the log's lock, so several handles and processes may use one directory. They throw
 * `LEDGER_REFUSED` when the lock is not to be had, `LEDGER_CORRUPT` when stored state contradicts itself,
 * `SIGNER_FAILED` and `IO_FAILED`; the operation then counts as a whole or not at all.
 */
export interface LocalLog {
  readonly origin: string;
  /** The log's key as an auditor pins it. */
  readonly vkey: string;
  readonly witnesses: readonly { readonly name: string; readonly vkey: string }[];
  /**
   * Adds entries of at most 65,535 bytes each and gives their places in order. Durable when the promise resolves; in a
   * signed tree only after `publish`. An entry that is there already is added again.
   */
  append(entries: readonly Uint8Array[]): Promise<{ readonly index: number }[]>;
  /**
   * Signs the tree as it stands, has every witness cosign it at this time (seconds since 1970, from 1), publishes and
   * returns the checkpoint. Without new entries the same tree is cosigned again. Throws `LEDGER_REFUSED` when a
   * witness refuses: then nothing is published.
   */
  publish(nowSeconds: number): Promise<string>;
  /** The C2SP tlog-proof of an entry in the published checkpoint. Throws `LEDGER_REFUSED` when it is not in it yet. */
  proof(index: number): Promise<string>;
  /**
   * The proof that the tree of the first `newSize` entries begins with the one of the first `oldSize` (RFC 6962 section
   * 2.1.2), as a supplement holds it. Throws `ARGUMENT_INVALID` unless 1 <= oldSize <= newSize <= the published size.
   */
  consistency(oldSize: number, newSize: number): Promise<LogConsistency>;
  /** Entries so far, and how many of them the published checkpoint covers. */
  size(): Promise<{ readonly entries: number; readonly published: number }>;
}

/**
 * Makes an empty log and the memory of its witnesses; a state file that a witness has already is kept, so a log
 * started over under the same names is refused by them. Throws `LEDGER_REFUSED` when the directory holds a log, and
 * `ARGUMENT_INVALID` when a name or key cannot be used or one key is used twice.
 */
export async function createLocalLog(options: LocalLogOptions): Promise<LocalLog> {
  const log = new DirectoryLog(options);
  await ensureDirectory(options.dir);
  await withLock(lockPath(options.dir), log.lockWait, () => log.initialize());
  return log;
}

/**
 * Opens a log after reading all of it: entries, hashes, checkpoint and the memory of every witness must agree and be
 * signed by these keys. Throws `LEDGER_CORRUPT` when they do not or when there is no log, and `ARGUMENT_INVALID` as
 * `createLocalLog` does.
 */
export async function openLocalLog(options: LocalLogOptions): Promise<LocalLog> {
  const log = new DirectoryLog(options);
  if (!(await holdsLog(options.dir))) {
    throw new OsaProofError("LEDGER_CORRUPT", `there is no log in ${options.dir}; create one first`);
  }
  await log.check();
  return log;
}

class DirectoryLog implements LocalLog {
  readonly origin: string;
  readonly lockWait: number;
  readonly #dir: string;
  readonly #signer: NoteSigner;
  readonly #witnesses: readonly LocalWitness[];
  /** What the directory held after the last operation; null when that is not known. */
  #loaded: LoadedLog | null = null;
  /** Operations of this handle, one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ dir, origin, logSigner, witnesses, lockWaitMilliseconds = 5000 }: LocalLogOptions) {
    this.origin = origin;
    this.lockWait = lockWaitMilliseconds;
    this.#dir = dir;
    this.#signer = logNoteSigner(origin, logSigner);
    const log = { origin, key: this.#signer.key };
    this.#witnesses = witnesses.map(({ name, signer, stateFile }) => {
      const noteSigner = witnessNoteSigner(name, signer);
      const file = stateFile ?? join(dir, "witness", `${noteSigner.key.keyId}.json`);
      return new LocalWitness({ signer: noteSigner, stateFile: file, log, lockWaitMilliseconds });
    });
    checkKeys(log, this.#witnesses);
  }

  get vkey(): string {
    return this.#signer.key.vkey;
  }

  get witnesses(): { readonly name: string; readonly vkey: string }[] {
    return this.#witnesses.map(({ key }) => ({ name: key.name, vkey: key.vkey }));
  }

  /** Writes the start of the log; the caller holds the lock. */
  async initialize(): Promise<void> {
    if (await holdsLog(this.#dir)) {
      throw new OsaProofError("LEDGER_REFUSED", `${this.#dir} holds a log already; open it instead`);
    }
    for (const witness of this.#witnesses) await witness.initialize();
    const tree = new HashTree();
    await storeGrowth(this.#dir, this.origin, tree, 0, []);
    // Signed but not cosigned: it dates nothing and holds no entry, and makes a missing checkpoint a fault.
    const { text, line } = await this.#signTree(tree);
    await storeCheckpoint(this.#dir, formatNote(text, [line]));
  }

  /** Reads the whole log and the witnesses' memory. */
  async check(): Promise<void> {
    await this.#exclusive(async () => {
      for (const witness of this.#witnesses) await witness.size();
    });
  }

  async append(entries: readonly Uint8Array[]): Promise<{ readonly index: number }[]> {
    if (entries.some((entry) => entry.length > MAX_ENTRY_BYTES)) {
      throw new OsaProofError("ARGUMENT_INVALID", `an entry of a log is at most ${MAX_ENTRY_BYTES} bytes`);
    }
    const added = entries.map((entry) => new Uint8Array(entry));
    return this.#exclusive(async ({ tree, tail, published }) => {
      const oldSize = tree.size;
      if (added.length === 0) return [];
      // Memory runs ahead of the directory from here on; if a write fails, the directory is read again.
      this.#loaded = null;
      for (const entry of added) tree.append(leafHash(entry));
      const open = [...tail, ...added];
      await storeGrowth(this.#dir, this.origin, tree, oldSize, open);
      await dropOldPartials(this.#dir, oldSize, tree.size, published.checkpoint.size);
      const full = Math.floor(open.length / TILE_WIDTH) * TILE_WIDTH;
      this.#loaded = { tree, tail: open.slice(full), published };
      return added.map((_, i) => ({ index: oldSize + i }));
    });
  }

  async publish(nowSeconds: number): Promise<string> {
    if (!Number.isSafeInteger(nowSeconds) || nowSeconds < 1 || nowSeconds > LAST_COSIGNATURE_SECOND) {
      throw new OsaProofError("ARGUMENT_INVALID", `${nowSeconds} is not a time in whole seconds since 1970`);
    }
    return this.#exclusive(async (log) => {
      const { text, line, checkpoint } = await this.#signTree(log.tree);
      const lines = [line];
      for (const witness of this.#witnesses) {
        lines.push(await cosignBy(witness, log.tree, formatNote(text, [line]), nowSeconds));
      }
      const note = formatNote(text, lines);
      await storeCheckpoint(this.#dir, note);
      this.#loaded = { ...log, published: { note, checkpoint } };
      return note;
    });
  }

  async proof(index: number): Promise<string> {
    if (!Number.isSafeInteger(index) || index < 0) {
      throw new OsaProofError("ARGUMENT_INVALID", `${index} is not the place of an entry`);
    }
    return this.#exclusive(async ({ tree, published }) => {
      const { size } = published.checkpoint;
      if (index >= size) {
        throw new OsaProofError(
          "LEDGER_REFUSED",
          `entry ${index} is not among the ${size} of the published checkpoint; publish first`,
        );
      }
      const path = tree.inclusionProof(index, size);
      return formatTlogProof({ index, path, checkpoint: published.note, extra: null });
    });
  }

  async consistency(oldSize: number, newSize: number): Promise<LogConsistency> {
    return this.#exclusive(async ({ tree, published }) => {
      const sizes = [1, oldSize, newSize, published.checkpoint.size];
      const isInOrder = sizes.every((size, i) => Number.isSafeInteger(size) && size >= (sizes[i - 1] ?? 1));
      if (!isInOrder) {
        const most = `the published log has ${published.checkpoint.size} entries`;
        throw new OsaProofError(
          "ARGUMENT_INVALID",
          `no log of ${oldSize} entries grew to ${newSize}: ${most}`,
        );
      }
      const hashes = tree.consistencyProof(oldSize, newSize).map(encodeHex);
      return { origin: this.origin, old_size: oldSize, new_size: newSize, hashes };
    });
  }

  async size(): Promise<{ readonly entries: number; readonly published: number }> {
    return this.#exclusive(async ({ tree, published }) => ({
      entries: tree.size,
      published: published.checkpoint.size,
    }));
  }

  /** Runs one operation at a time, under the lock, on what the directory holds now. */
  #exclusive<T>(operation: (log: LoadedLog) => Promise<T>): Promise<T> {
    const run = async (): Promise<T> =>
      withLock(lockPath(this.#dir), this.lockWait, async () => {
        const known = this.#loaded;
        const current = known !== null && (await isCurrent(this.#dir, this.origin, known));
        const log = current ? known : await this.#load();
        this.#loaded = log;
        return operation(log);
      });
    const result = this.#queue.then(run, run);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #load(): Promise<LoadedLog> {
    const witnesses = this.#witnesses.map(({ key }) => key);
    return loadLog(this.#dir, this.origin, this.#signer.key, witnesses);
  }

  async #signTree(tree: HashTree): Promise<{ text: string; line: NoteSignature; checkpoint: Checkpoint }> {
    const checkpoint = { origin: this.origin, size: tree.size, root: tree.root(), extensions: [] };
    const text = formatCheckpoint(checkpoint);
    return { text, line: await signCheckpoint(this.#signer, text), checkpoint };
  }
}

/** The keys must be usable as an auditor's pins, or their proofs would be of no use. */
function checkKeys(
  log: { readonly origin: string; readonly key: NoteSigner["key"] },
  witnesses: readonly LocalWitness[],
): void {
  const pins = witnesses.map(({ key }) => ({ name: key.name, key }));
  const fault = policyFault({ logs: [log], witnesses: pins, groups: [], quorum: NO_QUORUM });
  if (fault !== null) throw new OsaProofError("ARGUMENT_INVALID", fault);
  if (witnesses.length >= LIMITS.maxNoteSignatures) {
    throw new OsaProofError("ARGUMENT_INVALID", `a log has fewer than ${LIMITS.maxNoteSignatures} witnesses`);
  }
}

/** The witness's line over the signed tree, by way of a C2SP add-checkpoint request. Throws `LEDGER_REFUSED`. */
async function cosignBy(
  witness: LocalWitness,
  tree: HashTree,
  signed: string,
  nowSeconds: number,
): Promise<NoteSignature> {
  const oldSize = await witness.size();
  // A witness that has seen more than there is will refuse; no proof could change that.
  const path = oldSize <= tree.size ? tree.consistencyProof(oldSize, tree.size) : [];
  const hashes = path.map((hash) => `${encodeBase64(hash)}\n`).join("");
  const { status, body } = await witness.addCheckpoint(`old ${oldSize}\n${hashes}\n${signed}`, nowSeconds);
  const line = status === 200 ? parseSignatureLine(body.slice(0, -1)) : null;
  if (line !== null) return line;
  throw new OsaProofError(
    "LEDGER_REFUSED",
    `witness "${witness.key.name}" does not cosign the tree of ${tree.size} entries: ${body.trimEnd()}`,
  );
}
