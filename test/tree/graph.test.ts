import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OsaProofError } from "../../src/errors.js";
import { type Edges, reachable, topologicalOrder } from "../../src/tree/graph.js";

const graphs = fc.integer({ min: 0, max: 10 }).chain((n) =>
  fc.record({
    n: fc.constant(n),
    pairs: n === 0 ? fc.constant([]) : fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 16 }),
  }),
);

function edgesOf(pairs: readonly (readonly [number, number])[]): Edges {
  return { from: pairs.map(([from]) => from), to: pairs.map(([, to]) => to) };
}

/** Floyd and Warshall: leads[a][b] when a path of one edge or more leads from a to b. */
function closure(n: number, pairs: readonly (readonly [number, number])[]): boolean[][] {
  const nodes = Array.from({ length: n }, (_, i) => i);
  let leads = nodes.map((a) => nodes.map((b) => pairs.some(([from, to]) => from === a && to === b)));
  for (const k of nodes) {
    leads = nodes.map((a) =>
      nodes.map((b) => leads[a]?.[b] === true || (leads[a]?.[k] === true && leads[k]?.[b] === true)),
    );
  }
  return leads;
}

const million = 1_000_000;
const chain: Edges = {
  from: Uint32Array.from({ length: million - 1 }, (_, i) => i),
  to: Uint32Array.from({ length: million - 1 }, (_, i) => i + 1),
};

describe("topologicalOrder", () => {
  it("finds exactly the nodes on cycles and orders the rest, on random graphs", () => {
    let withCycle = 0;
    fc.assert(
      fc.property(graphs, ({ n, pairs }) => {
        const leads = closure(n, pairs);
        const { order, cyclic } = topologicalOrder(edgesOf(pairs), n);
        const onCycle = leads.flatMap((row, node) => (row[node] === true ? [node] : []));
        if (onCycle.length > 0) withCycle += 1;
        expect([...cyclic]).toEqual(onCycle);
        expect([...order, ...cyclic].sort((a, b) => a - b)).toEqual(leads.map((_, node) => node));
        order.forEach((later, place) => {
          for (const earlier of order.subarray(0, place)) expect(leads[later]?.[earlier]).toBe(false);
        });
      }),
      { numRuns: 1000 },
    );
    expect(withCycle).toBeGreaterThan(0);
  });

  it("counts a self loop as a cycle, and neither what leads to a cycle nor what comes after it", () => {
    expect(topologicalOrder(edgesOf([]), 1).cyclic).toHaveLength(0);
    expect([...topologicalOrder(edgesOf([[0, 0]]), 1).cyclic]).toEqual([0]);
    const around = edgesOf([
      [0, 1],
      [1, 2],
      [2, 1],
      [2, 3],
    ]);
    const { order, cyclic } = topologicalOrder(around, 4);
    expect([...cyclic]).toEqual([1, 2]);
    expect([...order]).toEqual([0, 3]);
  });

  it("walks a chain of a million nodes, either way, and a ring of as many", () => {
    const forward = topologicalOrder(chain, million);
    expect(forward.cyclic).toHaveLength(0);
    expect(forward.order.every((node, place) => node === place)).toBe(true);
    const backward = topologicalOrder({ from: chain.to, to: chain.from }, million);
    expect(backward.order.every((node, place) => node === million - 1 - place)).toBe(true);

    const next = Uint32Array.from({ length: million }, (_, i) => (i + 1) % million);
    const ring = { from: Uint32Array.from(next.keys()), to: next };
    const round = topologicalOrder(ring, million);
    expect(round.cyclic).toHaveLength(million);
    expect(round.order).toHaveLength(0);
  });
});

describe("reachable", () => {
  it("equals the closure on random graphs", () => {
    fc.assert(
      fc.property(graphs, fc.array(fc.nat(9), { maxLength: 3 }), ({ n, pairs }, picks) => {
        const starts = picks.filter((pick) => pick < n);
        const leads = closure(n, pairs);
        const want = leads.map((_, node) =>
          starts.some((s) => s === node || leads[s]?.[node] === true) ? 1 : 0,
        );
        expect([...reachable(n, starts, edgesOf(pairs))]).toEqual(want);
      }),
      { numRuns: 500 },
    );
  });

  it("walks a chain of a million nodes", () => {
    expect(reachable(million, [0], chain).every((flag) => flag === 1)).toBe(true);
    expect(reachable(million, [million - 1], chain).reduce((sum, flag) => sum + flag, 0)).toBe(1);
    expect(reachable(million, [], chain).every((flag) => flag === 0)).toBe(true);
  });
});

describe("edges that do not fit", () => {
  it.each([
    ["a node past the last", { from: [0], to: [2] }, 2],
    ["a negative node", { from: [-1], to: [0] }, 2],
    ["half a node", { from: [0.5], to: [0] }, 2],
    ["an edge without end", { from: [0, 1], to: [1] }, 2],
    ["an edge without beginning", { from: [0], to: [1, 1] }, 2],
    ["more nodes than can be counted", { from: [], to: [] }, 0xffff_ffff],
    ["a count of nodes that is none", { from: [], to: [] }, -1],
  ])("throws on %s", (_, edges, n) => {
    expect(topologicalOrder({ from: [0], to: [1] }, 2).order).toHaveLength(2);
    for (const walk of [() => topologicalOrder(edges, n), () => reachable(n, [], edges)]) {
      expect(walk).toThrow(OsaProofError);
      expect(walk).toThrow(expect.objectContaining({ code: "ARGUMENT_INVALID" }));
    }
  });

  it("keeps the edges of one node from running into those of the next, whichever is walked first", () => {
    const { order, cyclic } = topologicalOrder({ from: [0, 2], to: [2, 1] }, 3);
    expect([...order]).toEqual([0, 2, 1]);
    expect([...cyclic]).toEqual([]);
  });

  it("throws on a start that is no node", () => {
    expect(reachable(2, [1], { from: [], to: [] })).toEqual(Uint8Array.of(0, 1));
    expect(() => reachable(2, [2], { from: [], to: [] })).toThrow(OsaProofError);
  });
});
