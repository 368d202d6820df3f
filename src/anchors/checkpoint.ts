/**
 * Layer 5: the checkpoint, the text of a log's signed note (C2SP tlog-checkpoint, "Note text").
 *
 * ```
 * <origin>\n
 * <tree size, decimal>\n
 * <base64 of the 32-byte root hash>\n
 * <extension line>\n                   any number, none of them empty
 * ```
 */
import { decodeBase64, encodeBase64 } from "../encoding/base64.js";
import { encodeHex } from "../encoding/hex.js";
import { isWellFormed } from "../encoding/utf8.js";
import { emptyRoot } from "../tree/merkle.js";
import { parseDecimal } from "./decimal.js";

export interface Checkpoint {
  readonly origin: string;
  /** Number of leaves, at most 2^53-1 here (the format itself allows more). */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** Opaque here; every signature and cosignature covers them. */
  readonly extensions: readonly string[];
}

/**
 * Reads a checkpoint text. Null when it is not exactly what `formatCheckpoint` writes, or when a tree of no leaves has
 * another root than the hash of nothing. Checks no signature.
 */
export function parseCheckpoint(text: string): Checkpoint | null {
  if (!text.endsWith("\n") || !isWellFormed(text)) return null;
  const [origin, sizeText, rootText, ...extensions] = text.slice(0, -1).split("\n");
  if (origin === undefined || origin === "" || sizeText === undefined || rootText === undefined) return null;
  if (extensions.includes("")) return null;
  const size = parseDecimal(sizeText);
  const root = decodeBase64(rootText);
  if (size === null || root === null || root.length !== 32) return null;
  if (size === 0 && encodeHex(root) !== emptyRoot) return null;
  return { origin, size, root, extensions };
}

/** The text of a checkpoint, its last line ended. The members must fit the descriptions above. */
export function formatCheckpoint(checkpoint: Checkpoint): string {
  const { origin, size, root, extensions } = checkpoint;
  return [origin, String(size), encodeBase64(root), ...extensions].map((line) => `${line}\n`).join("");
}
