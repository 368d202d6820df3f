/** Salted commitments to what an action read, wrote and left as evidence (docs/SPEC.md, "Commitments"). */
import { sha256Hex, sha256HexOfBoth } from "../crypto/digest.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { canonicalBytes, isJsonValue, writeJcs } from "../encoding/jcs.js";
import { parseJson } from "../encoding/json.js";
import { emptyObject, type JsonValue } from "../encoding/json-value.js";
import { hasSuspectUnit } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { canonicalText } from "./canonical.js";
import * as fields from "./fields.js";
import { requireShape } from "./maker.js";
import { integer, object, oneOf, optional, refine, type Schema, text } from "./schema.js";

export type ActionStatus = "completed" | "failed" | "denied" | "interrupted";

/** A large value by its hash; disclosing it shows an unsalted hash, so guessable content never goes by blob. */
export interface BlobReference {
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
}

/** What is committed: exactly one of `json`, `bytes` and `blob`; an output has also `status`. */
export interface CommittedValue {
  readonly kind: "input" | "output" | "evidence";
  readonly receipt_id: string;
  readonly json?: JsonValue;
  readonly bytes?: string;
  readonly blob?: BlobReference;
  readonly status?: ActionStatus;
}

/** A commitment with what opens it. The salt and value are secret until disclosed. */
export interface Commitment {
  readonly commitment: string;
  readonly salt: string;
  readonly value: CommittedValue;
}

const STATUSES = ["completed", "failed", "denied", "interrupted"] as const;

export const actionStatus: Schema<ActionStatus> = oneOf(...STATUSES);

/** Free JSON: any member, and null, allowed; the parser has already refused what I-JSON forbids. */
const freeJson: Schema<JsonValue> = { shape: { kind: "any" }, decode: (value) => value };

const MEDIA_TYPE: RegExp = new RegExp(`^[!-~]{1,${LIMITS.maxMediaTypeCharacters}}$`);

const blob: Schema<BlobReference> = object<BlobReference>({
  media_type: text(`1 to ${LIMITS.maxMediaTypeCharacters} printable ASCII characters`, (value) =>
    MEDIA_TYPE.test(value),
  ),
  size: integer(0),
  sha256: fields.digest,
});

const shape: Schema<CommittedValue> = object<CommittedValue>({
  kind: oneOf("input", "output", "evidence"),
  receipt_id: fields.identifier,
  json: optional(freeJson),
  bytes: optional(fields.hexBytes),
  blob: optional(blob),
  status: optional(actionStatus),
});

/** The closed committed value, with its rule of exactly one content member. */
export const committedValue: Schema<CommittedValue> = refine(shape, (value, pointer) => {
  const contents = [value.json, value.bytes, value.blob].filter((content) => content !== undefined);
  if (contents.length === 0) {
    return {
      code: "FORMAT_MISSING_MEMBER",
      pointer: `${pointer}/json`,
      detail: "one of json, bytes and blob is required",
    };
  }
  if (contents.length > 1) {
    return { code: "FORMAT_VALUE_INVALID", pointer, detail: "only one of json, bytes and blob is allowed" };
  }
  if (value.kind === "output" && value.status === undefined) {
    return { code: "FORMAT_MISSING_MEMBER", pointer: `${pointer}/status`, detail: "required in an output" };
  }
  if (value.kind !== "output" && value.status !== undefined) {
    return {
      code: "FORMAT_UNKNOWN_MEMBER",
      pointer: `${pointer}/status`,
      detail: "allowed only in an output",
    };
  }
  return null;
});

/** SHA-256(salt ‖ JCS(value)) for a value that its closed schema has accepted. */
export function commitmentOf(salt: Uint8Array, value: CommittedValue): string {
  return sha256HexOfBoth(salt, canonicalText(value));
}

/**
 * Commits to a value.
 *
 * `salt` is 32 fresh random bytes, never used for another commitment. A `json` value that JCS would not
 * give back unchanged is refused; commit its exact bytes instead.
 * @throws OsaProofError ARGUMENT_INVALID, VALUE_NOT_JSON
 */
export function commit(value: CommittedValue, salt: Uint8Array): Commitment {
  if (!(salt instanceof Uint8Array) || salt.length !== 32) {
    throw new OsaProofError("ARGUMENT_INVALID", "salt: expected exactly 32 bytes", { pointer: "/salt" });
  }
  const shaped = requireShape(committedValue, value, "committed value");
  const own = shaped.json === undefined ? shaped : { ...shaped, json: copyUnchanged(shaped.json) };
  return { commitment: commitmentOf(salt, own), salt: encodeHex(salt), value: own };
}

/**
 * What {@link commit} gives for a small `json` value in which nothing could be refused; null for any other, which it
 * has to judge. `receiptId` is an identifier, and the salt has its 32 bytes: an agent's runtime makes both.
 */
export function commitSmall(
  kind: CommittedValue["kind"],
  receiptId: string,
  json: JsonValue,
  salt: Uint8Array,
  status?: ActionStatus,
): Commitment | null {
  const hasItsStatus = kind === "output" ? STATUSES.some((it) => it === status) : status === undefined;
  if (!hasItsStatus || !isJsonValue(json)) return null;
  const copy = plainCopy(json, LIMITS.maxFreeJsonDepth, { left: QUICK_UNITS });
  if (copy === undefined) return null;
  const end = `,"kind":"${kind}","receipt_id":${writeJcs(receiptId)}`;
  const text = `{"json":${writeJcs(copy)}${end}${status === undefined ? "" : `,"status":"${status}"`}}`;
  const place = { kind, receipt_id: receiptId, json: copy };
  const value: CommittedValue = status === undefined ? place : { ...place, status };
  // A member lent by Object.prototype is for the long way to judge.
  if ("toJSON" in value) return null;
  return { commitment: sha256HexOfBoth(salt, text), salt: encodeHex(salt), value };
}

/**
 * A copy of the value by way of its canonical bytes: what the caller changes later cannot change an opening. Refuses
 * what a strict reader would not take from those bytes: then nobody could open the commitment.
 */
function copyUnchanged(json: JsonValue): JsonValue {
  const copy = plainCopy(json, LIMITS.maxFreeJsonDepth, { left: QUICK_UNITS });
  if (copy !== undefined) return copy;
  const limits = {
    maxBytes: LIMITS.maxDisclosedValueBytes,
    maxDepth: LIMITS.maxFreeJsonDepth,
    exactNumbers: true,
  };
  const { value, faults } = parseJson(canonicalBytes(json), limits);
  const [fault] = faults;
  if (fault === undefined && value !== undefined) return value;
  throw new OsaProofError(
    "VALUE_NOT_JSON",
    `committed value: ${fault?.detail ?? "not readable"}; commit its exact bytes instead`,
    {
      pointer: `/json${fault?.pointer ?? ""}`,
    },
  );
}

/** No more characters than this in all, so that six bytes for each are within `maxDisclosedValueBytes`. */
const QUICK_UNITS = 4096;

/**
 * What reading its canonical bytes would give, for a small value in which nothing could be refused; undefined for
 * any other, which is then written and read. Reads everything once and keeps nothing of what it was given.
 */
function plainCopy(value: unknown, depth: number, budget: { left: number }): JsonValue | undefined {
  budget.left -= typeof value === "string" ? value.length + 1 : 32;
  if (budget.left < 0) return undefined;
  if (typeof value === "string") return hasSuspectUnit(value) ? undefined : value;
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? value + 0 : undefined;
  }
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || depth === 0) return undefined;
  if (Array.isArray(value)) {
    const elements: JsonValue[] = [];
    for (const element of value) {
      const copy = plainCopy(element, depth - 1, budget);
      if (copy === undefined) return undefined;
      elements.push(copy);
    }
    return elements;
  }
  const members = emptyObject();
  for (const [name, member] of Object.entries(value)) {
    budget.left -= name.length;
    const copy = plainCopy(member, depth - 1, budget);
    if (copy === undefined || hasSuspectUnit(name)) return undefined;
    members[name] = copy;
  }
  return members;
}

/** True when salt and value open the commitment. Hostile input gives false, never an exception. */
export function openCommitment(commitment: string, salt: string, value: CommittedValue): boolean {
  const saltBytes = typeof salt === "string" ? decodeHex(salt) : null;
  if (saltBytes === null || saltBytes.length !== 32) return false;
  try {
    return commitmentOf(saltBytes, requireShape(committedValue, value, "committed value")) === commitment;
  } catch {
    // A Proxy may throw anything; whatever cannot be read opens nothing.
    return false;
  }
}

/** The root of an action without evidence items: SHA-256 of nothing (RFC 6962 section 2.1). */
export const NO_EVIDENCE_ROOT: string = sha256Hex(new Uint8Array(0));
