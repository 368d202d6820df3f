/**
 * Layer 8: a local log's directory: C2SP tlog-tiles, and one file more that says how much of them counts.
 *
 * ```
 * checkpoint     the published, signed tree
 * tile/...       see tiles.ts
 * tree.json      {"origin", "root", "size"} of the tree so far, published or not; written after its tiles
 * lock           held during every operation
 * ```
 *
 * A crash while tiles are written leaves tiles that tree.json does not count; the next append writes over them.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Checkpoint, parseCheckpoint } from "../anchors/checkpoint.js";
import { openNote } from "../anchors/note-signature.js";
import type { VerifierKey } from "../anchors/verifier-key.js";
import { concatBytes, equalBytes } from "../encoding/bytes.js";
import { encodeHex, isHex } from "../encoding/hex.js";
import { canonicalBytes } from "../encoding/jcs.js";
import { parseJson } from "../encoding/json.js";
import type { JsonObject, JsonValue } from "../encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { leafHash } from "../tree/merkle.js";
import { readFileIfThere, writeFileDurably } from "./files.js";
import { HashTree } from "./hash-tree.js";
import {
  decodeEntries,
  encodeEntries,
  fullTilePath,
  levelsOf,
  levelWidth,
  newTiles,
  partialDirectory,
  TILE_WIDTH,
  type Tile,
  tilePath,
} from "./tiles.js";

/** A published checkpoint: the note as it stands in the file, and what it says. */
export interface Published {
  readonly note: string;
  readonly checkpoint: Checkpoint;
}

/** A log as read from its directory, with everything checked against everything. */
export interface LoadedLog {
  readonly tree: HashTree;
  /** The entries of the last, not yet full, entry tile. */
  readonly tail: Uint8Array[];
  readonly published: Published;
}

/** The bytes of tree.json. */
function treeBytes(origin: string, tree: HashTree): Uint8Array {
  return canonicalBytes({ origin, root: encodeHex(tree.root()), size: tree.size });
}

export function lockPath(dir: string): string {
  return join(dir, "lock");
}

/** True when the directory holds a log already, or the start of one. */
export async function holdsLog(dir: string): Promise<boolean> {
  const files = [join(dir, "tree.json"), join(dir, "checkpoint")];
  return (await Promise.all(files.map(readFileIfThere))).some((bytes) => bytes !== null);
}

/** True when the directory still says what is in memory, so that nothing has to be read again. */
export async function isCurrent(dir: string, origin: string, log: LoadedLog): Promise<boolean> {
  const state = await readFileIfThere(join(dir, "tree.json"));
  const note = await readFileIfThere(join(dir, "checkpoint"));
  if (state === null || note === null) return false;
  return equalBytes(state, treeBytes(origin, log.tree)) && equalBytes(note, encodeUtf8(log.published.note));
}

/**
 * Reads every tile and entry. Throws `LEDGER_CORRUPT` unless the entries hash to the tiles, the tiles to the root of
 * tree.json, and the checkpoint is of this origin, signed by the log's key, with no wrong line of these witnesses, and
 * has the root of its first leaves.
 */
export async function loadLog(
  dir: string,
  origin: string,
  key: VerifierKey,
  witnesses: readonly VerifierKey[],
): Promise<LoadedLog> {
  const { size, root } = await readTreeFile(dir, origin);
  const tree = new HashTree();
  let tail: Uint8Array[] = [];
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    tail = await readEntryTile(dir, { level: "entries", index, width });
    for (const entry of tail) tree.append(leafHash(entry));
  }
  if (tail.length === TILE_WIDTH) tail = [];
  for (const tile of newTiles(0, size)) {
    if (tile.level === "entries") continue;
    const { bytes } = await readTile(dir, tile);
    if (!equalBytes(bytes.subarray(0, tile.width * 32), hashTileBytes(tree, tile))) {
      throw corrupt(dir, `${tilePath(tile)} does not hold the hashes of its entries`);
    }
  }
  if (encodeHex(tree.root()) !== root) throw corrupt(dir, "tree.json does not hold the root of the entries");
  return { tree, tail, published: await readPublished(dir, origin, [key, ...witnesses], tree) };
}

async function readTreeFile(dir: string, origin: string): Promise<{ size: number; root: string }> {
  const bytes = await readFileIfThere(join(dir, "tree.json"));
  if (bytes === null) throw corrupt(dir, "there is no tree.json");
  const { value } = parseJson(bytes, { maxBytes: LIMITS.maxSideInputBytes, maxDepth: LIMITS.maxDepth });
  const { size, root } = isRecord(value) ? { size: value["size"], root: value["root"] } : {};
  if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0 && typeof root === "string") {
    // What these two values would be written as is the only spelling, so the comparison checks all the rest.
    if (isHex(root, 32) && equalBytes(bytes, canonicalBytes({ origin, root, size }))) return { size, root };
  }
  throw corrupt(dir, `tree.json is not the state of a log "${origin}"`);
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The partial tile, or else the full one that has taken its place; `width` is what the file should hold. */
async function readTile(dir: string, tile: Tile): Promise<{ bytes: Uint8Array; width: number }> {
  const bytes = await readFileIfThere(join(dir, tilePath(tile)));
  if (bytes !== null) return { bytes, width: tile.width };
  const full = await readFileIfThere(join(dir, fullTilePath(tile)));
  if (full === null) throw corrupt(dir, `${tilePath(tile)} is missing`);
  return { bytes: full, width: TILE_WIDTH };
}

async function readEntryTile(dir: string, tile: Tile): Promise<Uint8Array[]> {
  const { bytes, width } = await readTile(dir, tile);
  const entries = decodeEntries(bytes, tile.width, width);
  if (entries === null) throw corrupt(dir, `${tilePath(tile)} does not hold ${width} entries`);
  return entries;
}

/** Reads the checkpoint; the first of the keys is the log's and must have signed it. */
async function readPublished(
  dir: string,
  origin: string,
  keys: readonly VerifierKey[],
  tree: HashTree,
): Promise<Published> {
  const bytes = await readFileIfThere(join(dir, "checkpoint"));
  if (bytes === null) throw corrupt(dir, "there is no checkpoint");
  const note = decodeUtf8(bytes);
  const opened = note === null ? null : openNote(note, keys);
  const checkpoint = opened?.verified[0]?.key === keys[0] ? parseCheckpoint(opened?.text ?? "") : null;
  if (note === null || checkpoint === null || checkpoint.origin !== origin) {
    throw corrupt(dir, `the checkpoint is not one of "${origin}" whose known signature lines all verify`);
  }
  if (checkpoint.size > tree.size || !equalBytes(tree.root(checkpoint.size), checkpoint.root)) {
    throw corrupt(
      dir,
      `the signed checkpoint of size ${checkpoint.size} is not of the ${tree.size} entries here`,
    );
  }
  return { note, checkpoint };
}

function hashTileBytes(tree: HashTree, tile: Tile): Uint8Array {
  const level = tile.level === "entries" ? 0 : tile.level;
  const hashes = Array.from({ length: tile.width }, (_, i) =>
    tree.node(8 * level, tile.index * TILE_WIDTH + i),
  );
  return concatBytes(...hashes);
}

/**
 * Writes the tiles that grew from `oldSize` to the size of the tree, then tree.json. `entries` are those from the
 * start of the first entry tile that changes.
 */
export async function storeGrowth(
  dir: string,
  origin: string,
  tree: HashTree,
  oldSize: number,
  entries: readonly Uint8Array[],
): Promise<void> {
  const firstTile = Math.floor(oldSize / TILE_WIDTH);
  for (const tile of newTiles(oldSize, tree.size)) {
    const start = (tile.index - firstTile) * TILE_WIDTH;
    const bytes =
      tile.level === "entries"
        ? encodeEntries(entries.slice(start, start + tile.width))
        : hashTileBytes(tree, tile);
    await writeFileDurably(join(dir, tilePath(tile)), bytes);
  }
  await writeFileDurably(join(dir, "tree.json"), treeBytes(origin, tree));
}

export async function storeCheckpoint(dir: string, note: string): Promise<void> {
  await writeFileDurably(join(dir, "checkpoint"), encodeUtf8(note));
}

/**
 * Removes partial tiles that the growth from `oldSize` to `newSize` made useless: all that a full tile now replaces,
 * and the one of `oldSize` if no checkpoint of that width was published. A published width stays until its tile is full.
 */
export async function dropOldPartials(
  dir: string,
  oldSize: number,
  newSize: number,
  publishedSize: number,
): Promise<void> {
  for (const level of levelsOf(oldSize)) {
    const [from, to] = [levelWidth(level, oldSize), levelWidth(level, newSize)];
    const tile: Tile = { level, index: Math.floor(from / TILE_WIDTH), width: from % TILE_WIDTH };
    if (from === to || tile.width === 0) continue;
    const full = Math.floor(to / TILE_WIDTH) > tile.index;
    if (!full && levelWidth(level, publishedSize) === from) continue;
    const path = join(dir, full ? partialDirectory(tile) : tilePath(tile));
    // What stays behind is useless and harmless, so it is no reason to call a finished append failed.
    await rm(path, { force: true, recursive: true }).catch(() => undefined);
  }
}

function corrupt(dir: string, detail: string): OsaProofError {
  return new OsaProofError("LEDGER_CORRUPT", `the log in ${dir} is damaged: ${detail}`);
}
