/** A journal as others read it: everything in it that may go into a bundle, while it is written or after. */
import { join } from "node:path";
import { type DelegationV1, delegation } from "../../statements/delegation.js";
import { type RuntimeKeyCertificateV1, runtimeKeyCertificate } from "../../statements/identity.js";
import { type ActionReceiptV3, actionReceipt } from "../../statements/receipt.js";
import type { Schema } from "../../statements/schema.js";
import { type SessionCloseV1, sessionClose } from "../../statements/session.js";
import type { Openings } from "../action.js";
import { openings } from "../openings.js";
import {
  CERTIFICATES_FILE,
  CLOSE_FILE,
  DELEGATIONS_FILE,
  decodeBytes,
  HEADER_FILE,
  type JournalHeader,
  journalHeader,
  OPENINGS_FILE,
  RECEIPTS_FILE,
  readLines,
} from "./journal-format.js";
import { invalid } from "./recover.js";
import { diskStorage } from "./storage.js";

/** What is in a journal. Statements are in the order of storing. */
export interface JournalContents {
  readonly header: JournalHeader;
  readonly receipts: readonly ActionReceiptV3[];
  /** Of the receipts that still have them. Secret until disclosed. */
  readonly openings: readonly Openings[];
  readonly certificates: readonly RuntimeKeyCertificateV1[];
  readonly delegations: readonly DelegationV1[];
  /** Null while the session is open, and when it ended by a crash. */
  readonly close: SessionCloseV1 | null;
}

/**
 * Reads a journal and changes nothing. An end that is cut off is left out: no receipt in it was acknowledged.
 * Signatures are not checked here; the verifier does that.
 * @throws OsaProofError JOURNAL_INVALID, IO_FAILED
 */
export async function readJournal(directory: string): Promise<JournalContents> {
  // Receipts first: the openings of each were stored before it.
  const receipts = await lines(directory, RECEIPTS_FILE, actionReceipt);
  const ids = new Set(receipts.map((receipt) => receipt.receipt_id));
  const opened = await lines(directory, OPENINGS_FILE, openings);
  const close = await whole(directory, CLOSE_FILE, sessionClose);
  const header = await whole(directory, HEADER_FILE, journalHeader);
  if (header === null) throw invalid(`${directory} is not a journal: there is no ${HEADER_FILE} in it`);
  return {
    header,
    receipts,
    openings: opened.filter((item) => ids.has(item.receipt_id)),
    certificates: await lines(directory, CERTIFICATES_FILE, runtimeKeyCertificate),
    delegations: await lines(directory, DELEGATIONS_FILE, delegation),
    close,
  };
}

async function lines<T>(directory: string, file: string, schema: Schema<T>): Promise<readonly T[]> {
  const path = join(directory, file);
  const read = readLines((await diskStorage.read(path)) ?? new Uint8Array(0), schema);
  if (!read.damaged) return read.values;
  throw invalid(`${path} line ${read.badLine} is damaged; restore this file from a copy`);
}

async function whole<T>(directory: string, file: string, schema: Schema<T>): Promise<T | null> {
  const path = join(directory, file);
  const bytes = await diskStorage.read(path);
  if (bytes === null) return null;
  const value = decodeBytes(schema, bytes);
  if (value === undefined) throw invalid(`${path} cannot be read; restore this file from a copy`);
  return value;
}
