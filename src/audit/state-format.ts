/** Lines of an audit state, to text and back (docs/SPEC.md, "Audit state"). */
import { decodeParsed } from "../bundle/codec.js";
import { runningDigest } from "../crypto/digest.js";
import { asciiJson, asciiLine } from "../encoding/ascii-json.js";
import { joinBytes } from "../encoding/bytes.js";
import { decodeHexInto } from "../encoding/hex.js";
import { parseJson } from "../encoding/json.js";
import type { JsonValue } from "../encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import * as fields from "../statements/fields.js";
import { array, integer, object, optional, type Schema, version } from "../statements/schema.js";
import { headsFault, type KnownHeadsV1, knownHeads } from "../verifier/inputs.js";
import { DIGEST_BYTES } from "../verifier/receipt-columns.js";

const NEWLINE = 0x0a;

interface StateHeader {
  readonly protocol: typeof fields.PROTOCOL;
  readonly type: "AuditStateV1";
  readonly heads?: KnownHeadsV1;
}

/** Digests of receipts, and the thumbprint of the key under which the signature of each has verified. */
export interface AcceptedReceipts {
  readonly key_thumbprint: string;
  readonly receipts: readonly string[];
}

interface StateTrailer {
  readonly count: number;
  readonly digest: string;
}

const header: Schema<{ readonly header: StateHeader }> = object<{ readonly header: StateHeader }>({
  header: object<StateHeader>({
    protocol: fields.protocol,
    type: version("AuditStateV1"),
    heads: optional(knownHeads),
  }),
});

const accepted: Schema<{ readonly accepted: AcceptedReceipts }> = object<{
  readonly accepted: AcceptedReceipts;
}>({
  accepted: object<AcceptedReceipts>({
    key_thumbprint: fields.digest,
    receipts: array(fields.digest, { minimum: 1, maximum: LIMITS.maxDigestsPerLine }),
  }),
});

const trailer: Schema<{ readonly trailer: StateTrailer }> = object<{ readonly trailer: StateTrailer }>({
  trailer: object<StateTrailer>({ count: integer(0), digest: fields.digest }),
});

/** What a reader of a state does with it. */
export interface StateParts {
  heads(heads: KnownHeadsV1 | null): void;
  /** `digests`: those of a line, 32 bytes for each. */
  accepted(keyThumbprint: string, digests: Uint8Array): void;
}

/** Reads the bytes of a state, part by part. @throws OsaProofError STATE_INVALID on anything that was not written so. */
export function readState(bytes: Uint8Array, into: StateParts): void {
  if (bytes.length > LIMITS.maxBundleBytes) throw invalid("it is longer than any state may be");
  let start = 0;
  let number = 0;
  const next = <T>(schema: Schema<T>): T => {
    number += 1;
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0) throw invalid("it ends early");
    const value = decodeLine(schema, bytes.subarray(start, end), number);
    start = end + 1;
    return value;
  };
  const { heads } = next(header).header;
  const fault = heads === undefined ? null : headsFault(heads);
  if (fault !== null) throw invalid(`line 1: ${fault}`);
  into.heads(heads ?? null);
  let count = 0;
  const digests = new Uint8Array(LIMITS.maxDigestsPerLine * DIGEST_BYTES);
  while (startsWith(bytes, start, ACCEPTED)) {
    const { key_thumbprint: key, receipts } = next(accepted).accepted;
    for (const [index, digest] of receipts.entries()) decodeHexInto(digest, digests, index * DIGEST_BYTES);
    into.accepted(key, digests.subarray(0, receipts.length * DIGEST_BYTES));
    count += receipts.length;
  }
  const running = runningDigest();
  running.update(bytes.subarray(0, start));
  const { trailer: end } = next(trailer);
  if (end.count !== count || end.digest !== running.digest()) throw invalid("its trailer does not fit it");
  if (start !== bytes.length) throw invalid("something follows its trailer");
}

const ACCEPTED = encodeUtf8('{"accepted":');

function startsWith(bytes: Uint8Array, at: number, beginning: Uint8Array): boolean {
  return beginning.every((byte, index) => bytes[at + index] === byte);
}

function decodeLine<T>(schema: Schema<T>, bytes: Uint8Array, number: number): T {
  const limits = { maxBytes: LIMITS.maxLineBytes, maxDepth: LIMITS.maxDepth, isFreeNumber: () => false };
  const parsed = parseJson(bytes, limits);
  const { value, faults } = decodeParsed(schema, parsed);
  if (value === undefined) {
    const [fault] = faults;
    throw invalid(`line ${number}${fault?.pointer ?? ""}: ${fault?.detail ?? "it is no JSON"}`);
  }
  // What a schema accepts is JSON; its type has no index signature to say so.
  if (asciiJson(value as unknown as JsonValue) !== decodeUtf8(bytes))
    throw invalid(`line ${number}: it is not in its canonical form`);
  return value;
}

function invalid(detail: string): OsaProofError {
  return new OsaProofError(
    "STATE_INVALID",
    `audit state: ${detail}. Without it every signature is checked again, and its known heads are lost: restore a copy if there is one`,
  );
}

/** Writes a state. */
export function writeState(heads: KnownHeadsV1 | null, all: Iterable<AcceptedReceipts>): Uint8Array {
  const lines: Uint8Array[] = [];
  const running = runningDigest();
  const put = (bytes: Uint8Array): void => {
    running.update(bytes);
    lines.push(bytes);
  };
  const begin = { protocol: fields.PROTOCOL, type: "AuditStateV1", ...(heads === null ? {} : { heads }) };
  put(stateLine("header", begin));
  let count = 0;
  for (const some of all) {
    put(stateLine("accepted", some));
    count += some.receipts.length;
  }
  lines.push(stateLine("trailer", { count, digest: running.digest() }));
  const state = joinBytes(lines);
  if (state.length <= LIMITS.maxBundleBytes) return state;
  const detail = "it would be longer than any state may be; begin one for each session";
  throw new OsaProofError("STATE_INVALID", `audit state: ${detail}`);
}

function stateLine(name: string, value: object): Uint8Array {
  // Parts of a state are JSON by construction; their interface types have no index signature to say so.
  return asciiLine(name, value as unknown as JsonValue);
}
