import { existsSync, readFileSync } from "node:fs";

/** `count` different leaves: the two bytes of 0, 1, 2, ... */
export function numberedLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => Uint8Array.of(Math.floor(i / 256), i % 256));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function unhex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "hex"));
}

export function unbase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** A copy with the lowest bit of the last byte turned over. */
export function flipped(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}

/** Ways to spoil a path of distinct hashes, each with a name. None of them leaves it as it was. */
export function spoiledPaths(path: readonly Uint8Array[], extra: Uint8Array): [string, Uint8Array[]][] {
  const spoiled: [string, Uint8Array[]][] = [
    ["extended at the end", [...path, extra]],
    ["extended at the start", [extra, ...path]],
  ];
  if (path.length > 0) {
    spoiled.push(["without its last hash", path.slice(0, -1)], ["without its first hash", path.slice(1)]);
  }
  path.forEach((hash, i) => {
    spoiled.push([`bit flipped in hash ${i}`, path.with(i, flipped(hash))]);
    spoiled.push([`31 bytes in hash ${i}`, path.with(i, hash.slice(0, 31))]);
    spoiled.push([`33 bytes in hash ${i}`, path.with(i, Uint8Array.of(...hash, 0))]);
    const next = path[i + 1];
    if (next !== undefined)
      spoiled.push([`hashes ${i} and ${i + 1} swapped`, path.with(i, next).with(i + 1, hash)]);
  });
  return spoiled;
}

const vectors = new URL("../../../shared/vectors/merkle/", import.meta.url);

/** Whether the public proof vectors are on this machine; says so once when they are not. */
export const haveVectors: boolean = existsSync(vectors);
if (!haveVectors) console.warn("skipped: no public Merkle vectors at ../shared/vectors/merkle");

export function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, vectors), "utf8"));
}
