/** Bytes to bundle and back, in both encodings (docs/SPEC.md, "Encodings"). */

import { recogniserOf } from "#receipts";
import { asciiJson } from "../encoding/ascii-json.js";
import { encodeCbor, parseCbor } from "../encoding/cbor.js";
import { type ParsedJson, parseJson } from "../encoding/json.js";
import type { JsonObject, JsonValue } from "../encoding/json-value.js";
import { appendPointer, comparePointers, pointerOf } from "../encoding/pointer.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import * as LIMITS from "../limits.js";
import type { Readings, ReadReceipt } from "../statements/receipt-reader.js";
import {
  compareFaults,
  type Fault,
  Faults,
  isObject,
  type KnownValues,
  type Schema,
} from "../statements/schema.js";
import type { ProofBundleV3 } from "./format.js";

export type BundleEncoding = "json" | "cbor";

/** Media types and file extensions of the two encodings and of the streaming form. */
export const BUNDLE_MEDIA_TYPES = {
  stream: { mediaType: "application/vnd.osa-proof.bundle+jsonl", extension: ".osaproof.jsonl" },
  json: { mediaType: "application/vnd.osa-proof.bundle+json", extension: ".osaproof.json" },
  cbor: { mediaType: "application/vnd.osa-proof.bundle+cbor", extension: ".osaproof.cbor" },
} as const;

/** A bundle in CBOR starts with a map head (0xa0 to 0xbf), which no JSON text can. */
export function encodingOf(bytes: Uint8Array): BundleEncoding {
  const first = bytes[0] ?? 0;
  return first >= 0xa0 && first <= 0xbf ? "cbor" : "json";
}

/** The two places of a bundle where numbers need not be integers written as plain digits. */
function isFreeNumber(path: readonly (string | number)[]): boolean {
  if (path[0] === "policies") return path.length > 1;
  return path[0] === "disclosures" && path[2] === "value" && path[3] === "json";
}

/** A parsed bundle, and what is known of parts of it. */
export interface ParsedBundle extends ParsedJson {
  readonly readings: Readings;
  /** The receipts and proofs that were read the short way. */
  readonly known: KnownValues;
}

/** Parses bytes of a bundle in either encoding; faults as in docs/SPEC.md, "Reading bytes". */
export function parseEither(bytes: Uint8Array, maxBytes: number): ParsedBundle {
  const limits = { maxBytes, maxDepth: LIMITS.maxDepth, isFreeNumber, exactNumbers: true };
  const readings = new Map<object, ReadReceipt>();
  const proofs = new Set<object>();
  const known: KnownValues = { has: (value) => readings.has(value) || proofs.has(value) };
  // Memory that another thread may change between reading and hashing is read once only, the long way.
  const isShared = !(bytes.buffer instanceof ArrayBuffer);
  if (encodingOf(bytes) === "cbor")
    return { ...requirePlainIntegers(parseCbor(bytes, limits)), readings, known };
  const recogniser = isShared ? undefined : recogniserOf(readings, proofs);
  return { ...parseJson(bytes, { ...limits, recogniser }), readings, known };
}

/** The integer rule for CBOR, which has no spellings: what JSON text could only write with a sign, fraction or exponent. */
function requirePlainIntegers(parsed: ParsedJson): ParsedJson {
  if (parsed.value === undefined || parsed.faults.length > 0) return parsed;
  // A pointer for each number would cost the square of the input, and a walk in order several times one that is not.
  if (firstUnfit(parsed.value, Object.entries) === null) return parsed;
  const pointer = firstUnfit(parsed.value, inPointerOrder) ?? "";
  const detail =
    "outside free JSON a number is an integer from 0 to 2^53-1, and in it no integer is beyond 2^53-1";
  return { ...parsed, faults: [{ code: "FORMAT_NUMBER_INVALID", pointer, offset: 0, detail }] };
}

type Members = readonly (readonly [string, JsonValue])[];

/** The pointer to the first number that breaks the integer rule when members are met in this order; null for none. */
function firstUnfit(root: JsonValue, inOrder: (object: JsonObject) => Members): string | null {
  const path: (string | number)[] = [];
  const find = (value: JsonValue): string | null => {
    if (typeof value === "number") {
      const fits = isFreeNumber(path)
        ? !Number.isInteger(value) || Number.isSafeInteger(value)
        : Number.isSafeInteger(value) && value >= 0;
      return fits ? null : pointerOf(path);
    }
    if (typeof value !== "object" || value === null) return null;
    // Depth is bounded by the parser.
    for (const [name, member] of isObject(value) ? inOrder(value) : value.entries()) {
      path.push(name);
      const found = find(member);
      if (found !== null) return found;
      path.pop();
    }
    return null;
  };
  return find(root);
}

/** Names that end a pointer come first, as the pointer to what holds them does. */
function inPointerOrder(object: JsonObject): Members {
  const pointer = ([name]: readonly [string, JsonValue]): string => appendPointer("", name);
  return Object.entries(object).sort((a, b) => comparePointers(pointer(a), pointer(b)));
}

/** A decoded value, or the first faults in order, with the number of all. */
export interface Decoded<T> {
  readonly value?: T;
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

/** Decodes a parsed value by a closed schema; `known` holds the values of it that were checked while they were read. */
export function decodeParsed<T>(schema: Schema<T>, parsed: ParsedJson, known?: KnownValues): Decoded<T> {
  if (parsed.value === undefined || parsed.faults.length > 0) {
    return { faults: [...parsed.faults].sort(compareFaults), faultCount: parsed.faults.length };
  }
  const into = new Faults(known);
  const value = schema.decode(parsed.value, "", into);
  if (value === undefined || into.count > 0) return { faults: into.first(), faultCount: into.count };
  return { value, faults: [], faultCount: 0 };
}

/**
 * Bytes of a bundle. JSON is written as RFC 8785 says, but for what is not ASCII, which is escaped: so no tool on the
 * way can change it by reading the file in another encoding. CBOR is written deterministically.
 */
export function encodeBundle(bundle: ProofBundleV3, encoding: BundleEncoding = "json"): Uint8Array {
  // A bundle is JSON by construction; its interface type has no index signature to say so.
  const value = bundle as unknown as JsonValue;
  return encoding === "cbor" ? encodeCbor(value) : encodeUtf8(asciiJson(value));
}
