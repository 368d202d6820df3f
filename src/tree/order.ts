import { adjacency, at } from "./graph.js";

/** What the order needs to know of one statement: its digest, and the digests of what it came after. */
export interface OrderItem {
  /** `0x` and lowercase hex, so that comparing texts compares digests. */
  readonly digest: string;
  /** A receipt's parents, the last receipt of a close, the closes of a seal. Those outside the set do not count. */
  readonly parents: readonly string[];
}

/**
 * Layer 4: the one order of leaves in an evidence tree (docs/SPEC.md, "Evidence tree").
 *
 * Again and again the smallest digest is placed whose parents inside the set are all placed. The order
 * of the items, and of the parents in each, does not matter, so any two assemblers get one root.
 * Returns the digests, or null when there is no such order: parents form a cycle (an item that is its
 * own parent included), or one digest appears twice. Takes n log n steps and does not recurse. Does
 * not check how digests are spelled.
 */
export function canonicalOrder(items: readonly OrderItem[]): string[] | null {
  // A digest's place among the sorted ones stands for it from here on, so comparing is comparing numbers.
  const digests = items.map((item) => item.digest).sort();
  const places = new Map<string, number>();
  digests.forEach((digest, place) => {
    places.set(digest, place);
  });
  if (places.size !== items.length) return null;

  const from: number[] = [];
  const to: number[] = [];
  // Parents not placed yet. A parent named twice counts twice here and is let go twice below.
  const missing = new Uint32Array(items.length);
  for (const item of items) {
    const place = places.get(item.digest) ?? 0;
    for (const parent of item.parents) {
      const parentPlace = places.get(parent);
      if (parentPlace === undefined) continue;
      from.push(parentPlace);
      to.push(place);
      missing[place] = at(missing, place) + 1;
    }
  }
  const children = adjacency({ from, to }, items.length);

  const ready = new SmallestFirst(items.length);
  missing.forEach((count, place) => {
    if (count === 0) ready.add(place);
  });
  const order: string[] = [];
  for (let place = ready.take(); place !== null; place = ready.take()) {
    order.push(digests[place] ?? "");
    const end = at(children.starts, place + 1);
    for (let edge = at(children.starts, place); edge < end; edge += 1) {
      const child = at(children.targets, edge);
      missing[child] = at(missing, child) - 1;
      if (missing[child] === 0) ready.add(child);
    }
  }
  return order.length === items.length ? order : null;
}

/**
 * Whether items that stand in a row stand in canonical order, without making that order.
 *
 * An item could have been placed as soon as the last of its parents was. So everything placed between that moment and
 * the item itself must be smaller than it, and nothing else is asked: in that row, the smallest of those that could be
 * placed was placed every time. `latestParent(i)` is the greatest place of a parent of item i among the items, -1 when
 * none of its parents is one of them. `compare(i, j)` orders the digests at two places. No digest stands in it twice.
 */
export function isCanonicalOrder(
  count: number,
  latestParent: (place: number) => number,
  compare: (a: number, b: number) => number,
): boolean {
  // Places whose item is greater than all that stand behind them so far: the greatest of the last k stands among them.
  let peaks = new Uint32Array(Math.min(count, FIRST_PEAKS));
  let peakCount = 0;
  for (let place = 0; place < count; place += 1) {
    const after = latestParent(place);
    if (after >= place) return false;
    if (after < place - 1) {
      const greatest = firstAbove(peaks, peakCount, after);
      if (compare(at(peaks, greatest), place) > 0) return false;
    }
    while (peakCount > 0 && compare(at(peaks, peakCount - 1), place) < 0) peakCount -= 1;
    if (peakCount === peaks.length) {
      const grown = new Uint32Array(Math.min(count, 2 * peakCount));
      grown.set(peaks);
      peaks = grown;
    }
    peaks[peakCount] = place;
    peakCount += 1;
  }
  return true;
}

/** A chain has one at a time; the most there can be is one for each item. */
const FIRST_PEAKS = 1_024;

/** The index of the first of some ascending numbers that is greater than `bound`; the last one always is. */
function firstAbove(numbers: Uint32Array, count: number, bound: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (at(numbers, middle) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A binary heap of numbers; the smallest comes out first. */
class SmallestFirst {
  readonly #heap: Uint32Array;
  #count = 0;

  /** Never holds more than `capacity` numbers at once. */
  constructor(capacity: number) {
    this.#heap = new Uint32Array(capacity);
  }

  add(value: number): void {
    let slot = this.#count;
    this.#count += 1;
    while (slot > 0) {
      const above = Math.floor((slot - 1) / 2);
      if (value > at(this.#heap, above)) break;
      this.#heap[slot] = at(this.#heap, above);
      slot = above;
    }
    this.#heap[slot] = value;
  }

  /** Removes the smallest number; null when there is none. */
  take(): number | null {
    if (this.#count === 0) return null;
    const smallest = at(this.#heap, 0);
    this.#count -= 1;
    const moved = at(this.#heap, this.#count);
    let slot = 0;
    for (let below = 1; below < this.#count; below = 2 * slot + 1) {
      const right = below + 1;
      if (right < this.#count && at(this.#heap, right) < at(this.#heap, below)) below = right;
      if (moved < at(this.#heap, below)) break;
      this.#heap[slot] = at(this.#heap, below);
      slot = below;
    }
    this.#heap[slot] = moved;
    return smallest;
  }
}
