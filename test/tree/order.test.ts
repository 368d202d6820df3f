import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalOrder, type OrderItem } from "../../src/tree/index.js";
import { isCanonicalOrder } from "../../src/tree/order.js";

function digest(i: number): string {
  return `0x${createHash("sha256").update(`${i}`).digest("hex")}`;
}

/** The rule as it is written: look through everything each time. */
function slowOrder(items: readonly OrderItem[]): string[] | null {
  const inside = new Set(items.map((item) => item.digest));
  const placed: string[] = [];
  while (placed.length < items.length) {
    const free = items.filter(
      (item) =>
        !placed.includes(item.digest) &&
        item.parents.every((parent) => !inside.has(parent) || placed.includes(parent)),
    );
    const [smallest] = free.map((item) => item.digest).sort();
    if (smallest === undefined) return null;
    placed.push(smallest);
  }
  return placed;
}

/** Shuffles with fixed numbers, so that a failure repeats. */
function shuffled<T>(list: readonly T[]): T[] {
  const copy = [...list];
  let state = 12345;
  for (let i = copy.length - 1; i > 0; i -= 1) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const j = state % (i + 1);
    const [a, b] = [copy[i], copy[j]];
    if (a === undefined || b === undefined) continue;
    copy[i] = b;
    copy[j] = a;
  }
  return copy;
}

describe("canonicalOrder", () => {
  it("places the smallest free digest each time, parents first", () => {
    const items = [
      { digest: "0x03", parents: [] },
      { digest: "0x01", parents: ["0x03"] },
      { digest: "0x02", parents: [] },
      { digest: "0x00", parents: ["0x01", "0x02"] },
      { digest: "0x04", parents: ["0x03"] },
    ];
    expect(canonicalOrder(items)).toEqual(["0x02", "0x03", "0x01", "0x00", "0x04"]);
    expect(canonicalOrder([])).toEqual([]);
  });

  it("does not count parents outside the set, and takes one named twice as one", () => {
    expect(canonicalOrder([{ digest: "0x01", parents: ["0xff"] }])).toEqual(["0x01"]);
    const twice = [
      { digest: "0x01", parents: ["0x02", "0x02"] },
      { digest: "0x02", parents: [] },
    ];
    expect(canonicalOrder(twice)).toEqual(["0x02", "0x01"]);
  });

  it("is null when there is no order", () => {
    const line = [
      { digest: "0x01", parents: [] },
      { digest: "0x02", parents: ["0x01"] },
      { digest: "0x03", parents: ["0x02"] },
    ];
    expect(canonicalOrder(line)).toEqual(["0x01", "0x02", "0x03"]);
    expect(canonicalOrder([{ digest: "0x01", parents: ["0x03"] }, ...line.slice(1)])).toBeNull();
    expect(canonicalOrder([{ digest: "0x01", parents: ["0x01"] }, ...line.slice(1)])).toBeNull();
    expect(canonicalOrder([...line, { digest: "0x01", parents: [] }])).toBeNull();
  });

  it("equals the slow rule on random sets, with and without cycles, in any input order", () => {
    let cycles = 0;
    const set = fc
      .record({ n: fc.integer({ min: 0, max: 14 }), forwardOnly: fc.boolean() })
      .chain(({ n, forwardOnly }) =>
        fc.record({
          names: fc.uniqueArray(fc.nat(999), { minLength: n, maxLength: n }),
          links: fc.array(fc.tuple(fc.nat(13), fc.nat(17)), { maxLength: 30 }),
          forwardOnly: fc.constant(forwardOnly),
          keys: fc.array(fc.double(), { minLength: n, maxLength: n }),
        }),
      );
    fc.assert(
      fc.property(set, ({ names, links, forwardOnly, keys }) => {
        const items = names.map((name, child) => ({
          digest: digest(name),
          // Places past the end give parents outside the set.
          parents: links
            .filter(([to, from]) => to === child && (!forwardOnly || from < child || from >= names.length))
            .map(([, from]) => digest(names[from] ?? 5000 + from)),
        }));
        const want = slowOrder(items);
        if (forwardOnly) expect(want).not.toBeNull();
        if (want === null) cycles += 1;
        expect(canonicalOrder(items)).toEqual(want);
        const mixed = items
          .map((item, i) => ({ item, key: keys[i] ?? 0 }))
          .sort((a, b) => a.key - b.key || 0)
          .map(({ item }) => ({ digest: item.digest, parents: [...item.parents].reverse() }));
        expect(canonicalOrder(mixed)).toEqual(want);
        expect(canonicalOrder([...items].reverse())).toEqual(want);
      }),
      { numRuns: 1000 },
    );
    expect(cycles).toBeGreaterThan(0);
  });

  const n = 200_000;
  const digests = Array.from({ length: n }, (_, i) => digest(i));

  it("orders a chain of 200,000", () => {
    const items = digests.map((own, i) => ({ digest: own, parents: digests.slice(Math.max(0, i - 1), i) }));
    expect(canonicalOrder(shuffled(items))?.join() === digests.join()).toBe(true);
    const [first, ...rest] = items;
    const ring = [{ digest: first?.digest ?? "", parents: digests.slice(-1) }, ...rest];
    expect(canonicalOrder(shuffled(ring))).toBeNull();
  });

  it("orders a fan of 200,000 out of one receipt and back into one", () => {
    const [root = "", last = "", ...middle] = digests;
    const items = [
      { digest: root, parents: [] },
      ...middle.map((own) => ({ digest: own, parents: [root] })),
      { digest: last, parents: middle },
    ];
    const want = [root, ...[...middle].sort(), last];
    expect(canonicalOrder(shuffled(items))?.join() === want.join()).toBe(true);
  });
});

describe("isCanonicalOrder", () => {
  /** Asks about a row of items by their places in it. */
  function isOrdered(row: readonly OrderItem[]): boolean {
    const places = new Map(row.map((item, place) => [item.digest, place]));
    const latest = (place: number): number =>
      Math.max(-1, ...(row[place]?.parents ?? []).map((parent) => places.get(parent) ?? -1));
    const digestAt = (place: number): string => row[place]?.digest ?? "";
    return isCanonicalOrder(row.length, latest, (a, b) => (digestAt(a) < digestAt(b) ? -1 : 1));
  }

  it("says yes to the canonical order and to no other row of the same items", () => {
    const graphs = fc.array(fc.array(fc.nat(6), { maxLength: 3 }), { minLength: 1, maxLength: 6 });
    let others = 0;
    fc.assert(
      fc.property(graphs, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), (parents, keys) => {
        // Item i has parents among the items before it, and some that are no items.
        const items = parents.map((list, i) => ({
          digest: digest(i),
          parents: list.map((parent) => (parent < i ? digest(parent) : digest(100 + parent))),
        }));
        const want = canonicalOrder(items);
        const row = items
          .map((item, i) => ({ item, key: keys[i] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
        for (const candidate of [items, row, [...row].reverse(), shuffled(row)]) {
          const same = candidate.every((item, place) => item.digest === want?.[place]);
          if (!same) others += 1;
          expect(isOrdered(candidate)).toBe(same);
        }
        const byDigest = new Map(items.map((item) => [item.digest, item]));
        expect(isOrdered((want ?? []).flatMap((own) => byDigest.get(own) ?? []))).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(others).toBeGreaterThan(100);
  });

  it("refuses an item before its parent, and one that is its own parent", () => {
    const compare = (a: number, b: number): number => a - b;
    expect(isCanonicalOrder(2, (place) => (place === 0 ? 1 : -1), compare)).toBe(false);
    expect(isCanonicalOrder(1, () => 0, compare)).toBe(false);
    expect(isCanonicalOrder(0, () => -1, compare)).toBe(true);
  });
});
