/** From any value of a program to what a receipt can commit to. */
import { sha256Hex } from "../../crypto/digest.js";
import { parseJson } from "../../encoding/json.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import * as LIMITS from "../../limits.js";
import type { ActionContent } from "../action.js";

/** Larger content is committed to by its hash, and is not kept in the journal. */
const LARGEST_KEPT_BYTES = 16_000_000;

/**
 * What is committed for a value. Never throws, so that a result is never lost for its form:
 * - bytes (`Uint8Array`, other views, `ArrayBuffer`) as `bytes`;
 * - what JSON gives back unchanged as `json`; `undefined` as `null`, and what has `toJSON` as that says;
 * - other JSON (a lone surrogate, a number that no double holds exactly) as `bytes`: the UTF-8 of `JSON.stringify`;
 * - what has no JSON (a function, a cycle, a BigInt) as `{"osa_not_recorded": …}`;
 * - more than 16,000,000 bytes of any of them as `blob`: media type, size and SHA-256.
 */
export function contentOf(value: unknown): ActionContent {
  if (value === undefined) return { json: null };
  if (value instanceof Uint8Array) return bytesContent(value, "application/octet-stream");
  if (value instanceof ArrayBuffer) return bytesContent(new Uint8Array(value), "application/octet-stream");
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return bytesContent(new Uint8Array(buffer, byteOffset, byteLength), "application/octet-stream");
  }
  const text = jsonTextOf(value);
  if (text === null) return { json: { osa_not_recorded: `a ${typeof value} that JSON cannot express` } };
  return jsonTextContent(encodeUtf8(text));
}

/** The same for JSON text that is at hand, as it came from elsewhere. */
export function jsonTextContent(bytes: Uint8Array): ActionContent {
  if (bytes.length > LARGEST_KEPT_BYTES) return bytesContent(bytes, "application/json");
  const { value, faults } = parseJson(bytes, {
    maxBytes: LARGEST_KEPT_BYTES,
    maxDepth: LIMITS.maxFreeJsonDepth,
    exactNumbers: true,
  });
  return value === undefined || faults.length > 0 ? { bytes } : { json: value };
}

function bytesContent(bytes: Uint8Array, mediaType: string): ActionContent {
  if (bytes.length <= LARGEST_KEPT_BYTES) return { bytes };
  return { blob: { media_type: mediaType, size: bytes.length, sha256: sha256Hex(bytes) } };
}

function jsonTextOf(value: unknown): string | null {
  try {
    // Of a function or symbol there is none, whatever the declaration says.
    const text: string | undefined = JSON.stringify(value);
    return text ?? null;
  } catch {
    return null;
  }
}
