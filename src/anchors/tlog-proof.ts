/**
 * Layer 5: the text of an inclusion proof with its checkpoint (C2SP tlog-proof).
 *
 * ```
 * c2sp.org/tlog-proof@v1\n
 * extra <base64>\n                optional; nothing authenticates it
 * index <decimal>\n
 * <base64 of a 32-byte hash>\n    any number up to 63, the leaf's sibling first
 * \n
 * <signed checkpoint, to the end>
 * ```
 */
import { decodeBase64, encodeBase64 } from "../encoding/base64.js";
import { encodeUtf8, isWellFormed } from "../encoding/utf8.js";
import * as LIMITS from "../limits.js";
import { parseDecimal } from "./decimal.js";

const MAGIC = "c2sp.org/tlog-proof@v1";

export interface TlogProof {
  /** Position of the leaf in the tree, from 0, at most 2^53-1. */
  readonly index: number;
  /** Hashes of 32 bytes, the leaf's sibling first. */
  readonly path: readonly Uint8Array[];
  /** The signed checkpoint as text, not yet taken apart. */
  readonly checkpoint: string;
  /** Free bytes that no signature covers; null when the line is absent. */
  readonly extra: Uint8Array | null;
}

/** Reads a proof text; null when it is not exactly what `formatTlogProof` writes. Verifies nothing. */
export function parseTlogProof(text: string): TlogProof | null {
  if (text.length > LIMITS.maxTlogProofBytes || !isWellFormed(text)) return null;
  if (encodeUtf8(text).length > LIMITS.maxTlogProofBytes) return null;
  // The proof's own lines end at the first blank line; the checkpoint behind it may hold more of them.
  const end = text.indexOf("\n\n");
  if (end === -1) return null;
  const lines = text.slice(0, end).split("\n");
  if (lines.shift() !== MAGIC) return null;
  let extra: Uint8Array | null = null;
  if (lines[0]?.startsWith("extra ")) {
    extra = decodeBase64(lines.shift()?.slice("extra ".length) ?? "");
    if (extra === null) return null;
  }
  const indexLine = lines.shift();
  if (indexLine === undefined || !indexLine.startsWith("index ")) return null;
  const index = parseDecimal(indexLine.slice("index ".length));
  const path = parseHashLines(lines);
  return index === null || path === null ? null : { index, path, checkpoint: text.slice(end + 2), extra };
}

/** The text of a proof. The members must fit the descriptions above. */
export function formatTlogProof(proof: TlogProof): string {
  const lines = [MAGIC];
  if (proof.extra !== null) lines.push(`extra ${encodeBase64(proof.extra)}`);
  lines.push(`index ${proof.index}`, ...proof.path.map((hash) => encodeBase64(hash)));
  return `${lines.join("\n")}\n\n${proof.checkpoint}`;
}

/** Reads lines of base64 that each hold a 32-byte hash; null for any other line or for more than 63 of them. */
export function parseHashLines(lines: readonly string[]): Uint8Array[] | null {
  if (lines.length > LIMITS.maxAuditPathHashes) return null;
  const hashes: Uint8Array[] = [];
  for (const line of lines) {
    const hash = decodeBase64(line);
    if (hash === null || hash.length !== 32) return null;
    hashes.push(hash);
  }
  return hashes;
}
