import { OsaProofError } from "../errors.js";

/**
 * Layer 4: walks over directed graphs whose nodes are the numbers 0 to n - 1. Nothing recurses, so a
 * chain of a million nodes is as good as a short one; time and memory grow with nodes plus edges.
 */

/** Edge i leads from node `from[i]` to node `to[i]`. Repeated edges and self loops are allowed. */
export interface Edges {
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

/** Edges grouped by where they start: those of node v lead to `targets[starts[v]]` .. `targets[starts[v + 1] - 1]`. */
export interface Adjacency {
  readonly starts: Uint32Array;
  readonly targets: Uint32Array;
}

export interface TopologicalOrder {
  /**
   * Every node that is on no cycle. If a path leads from one of them to another, over whatever nodes,
   * the first comes earlier. Among nodes without such a path the order depends only on the input.
   */
  readonly order: Uint32Array;
  /** Exactly the nodes that lie on some cycle, ascending. A self loop is a cycle. */
  readonly cyclic: Uint32Array;
}

/** Groups edges by their start. Throws `ARGUMENT_INVALID` when an edge names no node or has one end only. */
export function adjacency(edges: Edges, n: number): Adjacency {
  const { from, to } = edges;
  requireNodeCount(n);
  if (from.length !== to.length) throw invalid("every edge needs both ends");
  const starts = new Uint32Array(n + 1);
  for (let i = 0; i < from.length; i += 1) {
    const node = requireNode(from[i], n);
    requireNode(to[i], n);
    starts[node + 1] = at(starts, node + 1) + 1;
  }
  for (let v = 0; v < n; v += 1) starts[v + 1] = at(starts, v + 1) + at(starts, v);

  const targets = new Uint32Array(from.length);
  const next = starts.slice();
  for (let i = 0; i < from.length; i += 1) {
    const node = from[i] ?? 0;
    targets[at(next, node)] = to[i] ?? 0;
    next[node] = at(next, node) + 1;
  }
  return { starts, targets };
}

/**
 * Orders the nodes along the edges and finds all nodes on cycles (Tarjan's strongly connected
 * components, SIAM J. Comput. 1(2), 1972: a component of more than one node, or a self loop, is cyclic).
 * Throws `ARGUMENT_INVALID` on edges that do not fit n.
 */
export function topologicalOrder(edges: Edges, n: number): TopologicalOrder {
  const search = new ComponentSearch(adjacency(edges, n), n);
  for (let node = 0; node < n; node += 1) search.walkFrom(node);
  return { order: search.order.slice(search.free), cyclic: marked(search.onCycle) };
}

/** One depth-first search, with its path kept in an array. Components finish sinks first. */
class ComponentSearch {
  /** Filled from its end: the finished nodes on no cycle are at `free` and after. */
  readonly order: Uint32Array;
  free: number;
  /** 1 for each finished node that is on a cycle. */
  readonly onCycle: Uint8Array;
  readonly #graph: Adjacency;
  /** When each node was first seen, counted from 1; 0 = not yet. */
  readonly #seen: Uint32Array;
  #seenCount = 0;
  /** Smallest `seen` among the open nodes known to be reachable from each node. */
  readonly #low: Uint32Array;
  /** Nodes whose component is not finished, oldest first. */
  readonly #open: Uint32Array;
  readonly #isOpen: Uint8Array;
  #openCount = 0;
  /** The path from where the walk began to where it is. */
  readonly #path: Uint32Array;
  #depth = 0;
  /** The next edge to follow out of each node. */
  readonly #next: Uint32Array;

  constructor(graph: Adjacency, n: number) {
    this.order = new Uint32Array(n);
    this.free = n;
    this.onCycle = new Uint8Array(n);
    this.#graph = graph;
    this.#seen = new Uint32Array(n);
    this.#low = new Uint32Array(n);
    this.#open = new Uint32Array(n);
    this.#isOpen = new Uint8Array(n);
    this.#path = new Uint32Array(n);
    this.#next = graph.starts.slice();
  }

  walkFrom(root: number): void {
    if (this.#seen[root] !== 0) return;
    this.#enter(root);
    while (this.#depth > 0) {
      const node = at(this.#path, this.#depth - 1);
      const edge = at(this.#next, node);
      if (edge < at(this.#graph.starts, node + 1)) {
        this.#next[node] = edge + 1;
        this.#follow(node, at(this.#graph.targets, edge));
      } else {
        this.#leave(node);
      }
    }
  }

  #enter(node: number): void {
    this.#seenCount += 1;
    this.#seen[node] = this.#seenCount;
    this.#low[node] = this.#seenCount;
    this.#open[this.#openCount++] = node;
    this.#isOpen[node] = 1;
    this.#path[this.#depth++] = node;
  }

  #follow(node: number, target: number): void {
    if (target === node) this.onCycle[node] = 1;
    if (this.#seen[target] === 0) this.#enter(target);
    else if (this.#isOpen[target] === 1) this.#lower(node, at(this.#seen, target));
  }

  #leave(node: number): void {
    this.#depth -= 1;
    if (this.#depth > 0) this.#lower(at(this.#path, this.#depth - 1), at(this.#low, node));
    if (this.#low[node] === this.#seen[node]) this.#finishComponent(node);
  }

  #lower(node: number, bound: number): void {
    if (bound < at(this.#low, node)) this.#low[node] = bound;
  }

  /** The component of `first`, its first node seen, is `first` and every node opened after it. */
  #finishComponent(first: number): void {
    const isSingle = at(this.#open, this.#openCount - 1) === first;
    let member: number;
    do {
      this.#openCount -= 1;
      member = at(this.#open, this.#openCount);
      this.#isOpen[member] = 0;
      if (!isSingle) this.onCycle[member] = 1;
    } while (member !== first);
    if (this.onCycle[first] === 0) {
      this.free -= 1;
      this.order[this.free] = first;
    }
  }
}

/**
 * One byte per node: 1 where the node is a start or can be reached from one along the edges, else 0.
 * Throws `ARGUMENT_INVALID` on starts or edges that do not fit n.
 */
export function reachable(n: number, starts: ArrayLike<number>, edges: Edges): Uint8Array {
  const graph = adjacency(edges, n);
  const found = new Uint8Array(n);
  const waiting = new Uint32Array(n); // each node enters once
  let count = 0;
  const visit = (node: number): void => {
    if (found[node] === 1) return;
    found[node] = 1;
    waiting[count++] = node;
  };
  for (let i = 0; i < starts.length; i += 1) visit(requireNode(starts[i], n));
  while (count > 0) {
    count -= 1;
    const node = at(waiting, count);
    const end = at(graph.starts, node + 1);
    for (let edge = at(graph.starts, node); edge < end; edge += 1) visit(at(graph.targets, edge));
  }
  return found;
}

/** Reads an entry that the caller knows to be inside the array. */
export function at(array: Uint32Array, index: number): number {
  return array[index] ?? 0;
}

function marked(flags: Uint8Array): Uint32Array {
  const nodes = new Uint32Array(flags.reduce((sum, flag) => sum + flag, 0));
  let count = 0;
  for (let node = 0; node < flags.length; node += 1) if (flags[node] === 1) nodes[count++] = node;
  return nodes;
}

function requireNodeCount(n: number): void {
  if (!Number.isInteger(n) || n < 0 || n > 0xffff_fffe) throw invalid(`${n} is no count of nodes`);
}

function requireNode(node: number | undefined, n: number): number {
  if (node === undefined || !Number.isInteger(node) || node < 0 || node >= n) {
    throw invalid(`${node} is no node of a graph of ${n}`);
  }
  return node;
}

function invalid(message: string): OsaProofError {
  return new OsaProofError("ARGUMENT_INVALID", message);
}
