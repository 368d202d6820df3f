/** What a journal holds when it is opened, after whatever ended the process that wrote it. */
import { join } from "node:path";
import { OsaProofError } from "../../errors.js";
import { statementDigest } from "../../statements/canonical.js";
import { type DelegationV1, delegation } from "../../statements/delegation.js";
import { type RuntimeKeyCertificateV1, runtimeKeyCertificate } from "../../statements/identity.js";
import { type ActionReceiptV3, actionReceipt } from "../../statements/receipt.js";
import type { Schema } from "../../statements/schema.js";
import { openings } from "../openings.js";
import {
  type BegunCall,
  begunCall,
  CALLS_FILE,
  CERTIFICATES_FILE,
  DELEGATIONS_FILE,
  decodeBytes,
  type JournalHeader,
  OPENINGS_FILE,
  RECEIPTS_FILE,
  readLines,
} from "./journal-format.js";
import type { Storage } from "./storage.js";

/** What opening a journal found. */
export interface Recovered {
  /** Receipts that are there. */
  readonly receipts: number;
  /** Bytes cut off the ends of files: what was being written when the process ended, and nobody was told of. */
  readonly cutBytes: number;
  /** Calls that began and have no receipt: whether they took effect is not known here. */
  readonly unfinished: readonly BegunCall[];
}

/** Where the session goes on from. */
export interface JournalState {
  readonly recovered: Recovered;
  readonly last: { readonly digest: string; readonly sequence: number; readonly issuedAt: string } | null;
  /** Receipts that no other one names as a parent, in the order of their sequence. */
  readonly heads: readonly string[];
  /** Ids of the keys that signed receipts, in order of first use. */
  readonly usedKeyIds: readonly string[];
  readonly certificates: readonly RuntimeKeyCertificateV1[];
  readonly delegations: readonly DelegationV1[];
}

/**
 * Reads a journal and cuts what a crash left half written, durably. A torn end is no damage: no receipt in it was ever
 * acknowledged. Anything else that does not fit is refused, since going on could sign a sequence twice.
 * @throws OsaProofError JOURNAL_INVALID, IO_FAILED
 */
export async function recover(
  storage: Storage,
  directory: string,
  header: JournalHeader,
): Promise<JournalState> {
  const files = new Files(storage, directory);
  const certificates = await files.lines(CERTIFICATES_FILE, runtimeKeyCertificate);
  const delegations = await files.lines(DELEGATIONS_FILE, delegation);
  const receipts = await files.lines(RECEIPTS_FILE, actionReceipt);
  await files.cutOpenings();
  const calls = await files.begunCalls();

  const unfinished = new Map(calls.map((call) => [call.action_id, call]));
  const heads = new Set<string>();
  const usedKeyIds = new Set<string>();
  let last: JournalState["last"] = null;
  for (const [index, receipt] of receipts.entries()) {
    requireOwn(receipt, index, header, join(directory, RECEIPTS_FILE));
    const digest = statementDigest(receipt);
    for (const parent of receipt.parent_receipt_digests) heads.delete(parent);
    heads.add(digest);
    usedKeyIds.add(receipt.runtime_key_id);
    unfinished.delete(receipt.action_id);
    last = { digest, sequence: receipt.sequence, issuedAt: receipt.issued_at };
  }
  return {
    recovered: {
      receipts: receipts.length,
      cutBytes: files.cutBytes,
      unfinished: [...unfinished.values()],
    },
    last,
    heads: [...heads],
    usedKeyIds: [...usedKeyIds],
    certificates,
    delegations,
  };
}

/** Every receipt is this runtime's, and they are numbered from 1 without a gap. */
function requireOwn(receipt: ActionReceiptV3, index: number, header: JournalHeader, path: string): void {
  const names = ["namespace_id", "agent_id", "runtime_id", "session_id", "mission_id"] as const;
  const other = names.find((name) => receipt[name] !== header[name]);
  if (other !== undefined) {
    throw invalid(`${path} line ${index + 1}: its ${other} is not that of this journal`);
  }
  if (receipt.sequence !== index + 1) {
    throw invalid(
      `${path} line ${index + 1}: expected sequence ${index + 1}, found ${receipt.sequence}; restore this file from a copy, or let the agent close this runtime`,
    );
  }
}

/** @returns the error of a journal that cannot be gone on with */
export function invalid(message: string): OsaProofError {
  return new OsaProofError("JOURNAL_INVALID", message);
}

/** Reads files of one journal, and counts what it cuts off. */
class Files {
  readonly #storage: Storage;
  readonly #directory: string;
  cutBytes = 0;

  constructor(storage: Storage, directory: string) {
    this.#storage = storage;
    this.#directory = directory;
  }

  /** All lines of a file that only ever lacks an end. */
  async lines<T>(file: string, schema: Schema<T>): Promise<readonly T[]> {
    const path = join(this.#directory, file);
    const bytes = await this.#storage.read(path);
    if (bytes === null) return [];
    const read = readLines(bytes, schema);
    if (read.damaged) {
      throw invalid(
        `${path} line ${read.badLine} is damaged, and whole lines stand behind it; restore this file from a copy, or let the agent close this runtime`,
      );
    }
    await this.#cut(path, read.goodBytes, bytes.length);
    return read.values;
  }

  /** Drops lines from the end that cannot be read. They may be erased as a whole, so that nothing is as good as all. */
  async cutOpenings(): Promise<void> {
    const path = join(this.#directory, OPENINGS_FILE);
    const bytes = await this.#storage.read(path);
    if (bytes === null) return;
    let end = bytes.lastIndexOf(0x0a) + 1;
    while (end > 0) {
      const start = bytes.subarray(0, end - 1).lastIndexOf(0x0a) + 1;
      if (decodeBytes(openings, bytes.subarray(start, end - 1)) !== undefined) break;
      end = start;
    }
    await this.#cut(path, end, bytes.length);
  }

  /** These lines are not synced one by one, so after a loss of power any of them may be missing. */
  async begunCalls(): Promise<readonly BegunCall[]> {
    const path = join(this.#directory, CALLS_FILE);
    const bytes = await this.#storage.read(path);
    if (bytes === null) return [];
    const end = bytes.lastIndexOf(0x0a) + 1;
    const calls: BegunCall[] = [];
    for (let start = 0; start < end; ) {
      const lineEnd = bytes.indexOf(0x0a, start);
      const call = decodeBytes(begunCall, bytes.subarray(start, lineEnd));
      if (call !== undefined) calls.push(call);
      start = lineEnd + 1;
    }
    await this.#cut(path, end, bytes.length);
    return calls;
  }

  async #cut(path: string, end: number, size: number): Promise<void> {
    if (end === size) return;
    await this.#storage.cut(path, end);
    this.cutBytes += size - end;
  }
}
