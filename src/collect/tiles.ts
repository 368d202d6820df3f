/**
 * Layer 8: the C2SP tlog-tiles layout: where the hashes and entries of a log stand, and in which bytes.
 *
 * ```
 * tile/<level>/<N>[.p/<width>]     width hashes of 32 bytes; hash i covers 256^level leaves
 * tile/entries/<N>[.p/<width>]     width entries, each behind its length in 2 bytes, big-endian
 * ```
 *
 * A tile of 256 is full; one with fewer is partial and says its width in its name, so it is never rewritten.
 */
import { concatBytes } from "../encoding/bytes.js";

export const TILE_WIDTH = 256;
export const MAX_ENTRY_BYTES = 65_535;

/** A tile of hashes at some level, or of entries. */
export interface Tile {
  readonly level: number | "entries";
  readonly index: number;
  /** 1 to 256. */
  readonly width: number;
}

/** Path of a tile under the log's directory, with `/` between its parts. */
export function tilePath(tile: Tile): string {
  const path = fullTilePath(tile);
  return tile.width === TILE_WIDTH ? path : `${partialDirectory(tile)}/${tile.width}`;
}

/** Path of the full tile at the same place. */
export function fullTilePath(tile: Tile): string {
  return `tile/${tile.level}/${groups(tile.index)}`;
}

/** Directory of the partial tiles at the same place. */
export function partialDirectory(tile: Tile): string {
  return `${fullTilePath(tile)}.p`;
}

/** Three digits a group, all but the last behind an x: 1234067 is x001/x234/067. */
function groups(index: number): string {
  const parts = [String(index % 1000).padStart(3, "0")];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    parts.unshift(`x${String(rest % 1000).padStart(3, "0")}`);
  }
  return parts.join("/");
}

/** How many hashes a level holds for a tree of this size; entries count like level 0. */
export function levelWidth(level: number | "entries", size: number): number {
  return level === "entries" ? size : Math.floor(size / TILE_WIDTH ** level);
}

/** The levels that hold anything for a tree of this size, entries first. */
export function levelsOf(size: number): (number | "entries")[] {
  const levels: (number | "entries")[] = [];
  for (let level = 0; levelWidth(level, size) > 0; level++) levels.push(level);
  return levels.length === 0 ? [] : ["entries", ...levels];
}

/** The tiles of a tree of `newSize` that a tree of `oldSize` does not have; all of them from 0. Entries first. */
export function newTiles(oldSize: number, newSize: number): Tile[] {
  const tiles: Tile[] = [];
  for (const level of levelsOf(newSize)) {
    const [from, to] = [levelWidth(level, oldSize), levelWidth(level, newSize)];
    if (from === to) continue;
    for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < to; index++) {
      tiles.push({ level, index, width: Math.min(TILE_WIDTH, to - index * TILE_WIDTH) });
    }
  }
  return tiles;
}

/** The bytes of an entry tile. Each entry is at most `MAX_ENTRY_BYTES`. */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    ...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]),
  );
}

/** The first `width` entries of an entry tile; null when it does not hold exactly `held` of them. */
export function decodeEntries(bytes: Uint8Array, width: number, held: number): Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at + 2;
    at = start + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (at > bytes.length || entries.length === held) return null;
    entries.push(bytes.slice(start, at));
  }
  return entries.length === held ? entries.slice(0, width) : null;
}
