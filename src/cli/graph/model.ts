/** The receipt graph of a bundle as data for drawing: lanes, nodes with rows, edges. Nothing is verified. */
import { contentsOf, type Identified } from "../../bundle/contents.js";
import type { ProofBundleV3 } from "../../bundle/format.js";
import type { ActionStatus } from "../../statements/commitment.js";
import type { ActionReceiptV3 } from "../../statements/receipt.js";
import { topologicalOrder } from "../../tree/graph.js";

/** One column: a runtime, or the one lane of receipts that are named as parents but not in the bundle. */
export interface Lane {
  /** Null for the lane of missing receipts. */
  readonly runtimeId: string | null;
  readonly agentId: string | null;
  readonly sessionId: string | null;
}

export interface GraphNode {
  readonly digest: string;
  readonly lane: number;
  /** 0 at the top; every parent, and every earlier receipt of the same runtime, is further up. */
  readonly row: number;
  readonly isTarget: boolean;
  /** Null for a receipt that is not in the bundle. */
  readonly receipt: ActionReceiptV3 | null;
  /** The disclosed status; null when the output is not disclosed. */
  readonly status: ActionStatus | null;
}

/** Leads from a parent to the receipt that names it; both are places in `nodes`. */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
}

export interface ReceiptGraph {
  readonly title: string;
  readonly lanes: readonly Lane[];
  /** In drawing order: by row, then by lane. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly rows: number;
}

/** A node before its row is known. */
type Unplaced = Omit<GraphNode, "row">;

/** Builds the graph. Receipts that contradict one another in order are put below all others. */
export function receiptGraph(bundle: ProofBundleV3): ReceiptGraph {
  // Only receipts are looked at; the rest need not be hashed.
  const { receipts } = contentsOf({ ...bundle, ...NOT_DRAWN });
  const lanes = lanesOf(receipts);
  const nodes = [...presentNodes(bundle, receipts, lanes)];
  const places = new Map(nodes.map((node, index) => [node.digest, index]));
  const edges: GraphEdge[] = [];
  for (const { statement, digest } of receipts) {
    for (const parent of statement.parent_receipt_digests) {
      const from = places.get(parent) ?? nodes.push(missingNode(parent, lanes)) - 1;
      places.set(parent, from);
      edges.push({ from, to: places.get(digest) ?? 0 });
    }
  }
  const rows = rowsOf(nodes, edges);
  return arranged(`${bundle.namespace_id} ${bundle.mission_id}`, lanes, nodes, edges, rows);
}

const NOT_DRAWN = {
  identity_records: [],
  root_rotations: [],
  agent_key_certificates: [],
  runtime_key_certificates: [],
  delegations: [],
  policies: [],
  session_closes: [],
  session_seals: [],
  evidence_trees: [],
  revocation_lists: [],
  attestations: [],
  disclosures: [],
} as const;

/** Lanes in the order in which their first receipt was issued; runtimes of one agent stay side by side. */
function lanesOf(receipts: readonly Identified<ActionReceiptV3>[]): Lane[] {
  const first = new Map<string, { readonly lane: Lane; readonly at: string }>();
  const agents = new Map<string, string>();
  for (const { statement } of receipts) {
    const { runtime_id: runtimeId, agent_id: agentId, session_id: sessionId, issued_at: at } = statement;
    const known = first.get(runtimeId);
    if (known === undefined || at < known.at)
      first.set(runtimeId, { lane: { runtimeId, agentId, sessionId }, at });
    const begun = agents.get(agentId);
    if (begun === undefined || at < begun) agents.set(agentId, at);
  }
  const key = ({ lane, at }: { readonly lane: Lane; readonly at: string }): string =>
    [agents.get(lane.agentId ?? "") ?? "", lane.agentId, at, lane.runtimeId].join(" ");
  return [...first.values()]
    .map((entry) => ({ entry, key: key(entry) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry }) => entry.lane);
}

function* presentNodes(
  bundle: ProofBundleV3,
  receipts: readonly Identified<ActionReceiptV3>[],
  lanes: readonly Lane[],
): Generator<Unplaced> {
  const targets = new Set(bundle.claim.targets);
  const laneOf = new Map(lanes.map((lane, index) => [lane.runtimeId, index]));
  const shown = new Map(
    bundle.disclosures.map(({ receipt_digest: digest, value }) => [
      `${digest} ${value.kind}`,
      value.status ?? null,
    ]),
  );
  for (const { statement, digest } of receipts) {
    yield {
      digest,
      lane: laneOf.get(statement.runtime_id) ?? 0,
      isTarget: targets.has(digest),
      receipt: statement,
      status: shown.get(`${digest} output`) ?? null,
    };
  }
}

function missingNode(digest: string, lanes: Lane[]): Unplaced {
  const found = lanes.findIndex((lane) => lane.runtimeId === null);
  const lane = found >= 0 ? found : lanes.push({ runtimeId: null, agentId: null, sessionId: null }) - 1;
  return { digest, lane, isTarget: false, receipt: null, status: null };
}

/** Longest path from the top over parents and, in each lane, over the sequence: linear and without recursion. */
function rowsOf(nodes: readonly Unplaced[], edges: readonly GraphEdge[]): Uint32Array {
  const from = edges.map((edge) => edge.from);
  const to = edges.map((edge) => edge.to);
  for (const lane of inLanes(nodes)) {
    for (const [index, node] of lane.entries()) {
      const next = lane[index + 1];
      if (next === undefined) continue;
      from.push(node);
      to.push(next);
    }
  }
  const { order, cyclic } = topologicalOrder({ from, to }, nodes.length);
  const children = new Map<number, number[]>();
  for (const [index, start] of from.entries()) {
    const list = children.get(start) ?? [];
    children.set(start, list);
    list.push(to[index] ?? 0);
  }
  const rows = new Uint32Array(nodes.length);
  let last = 0;
  for (const node of order) {
    const row = rows[node] ?? 0;
    last = Math.max(last, row + 1);
    for (const child of children.get(node) ?? []) rows[child] = Math.max(rows[child] ?? 0, row + 1);
  }
  for (const [index, node] of cyclic.entries()) rows[node] = last + index;
  return rows;
}

/** Places of the nodes of each lane, by sequence; missing receipts have none, nor parents, and go by digest. */
function inLanes(nodes: readonly Unplaced[]): readonly (readonly number[])[] {
  const lanes: number[][] = [];
  for (const [index, node] of nodes.entries()) {
    lanes[node.lane] ??= [];
    lanes[node.lane]?.push(index);
  }
  const sequence = (index: number): number => nodes[index]?.receipt?.sequence ?? 0;
  const digest = (index: number): string => nodes[index]?.digest ?? "";
  return lanes.map((lane) =>
    lane.sort((a, b) => sequence(a) - sequence(b) || (digest(a) < digest(b) ? -1 : 1)),
  );
}

function arranged(
  title: string,
  lanes: readonly Lane[],
  unplaced: readonly Unplaced[],
  edges: readonly GraphEdge[],
  rows: Uint32Array,
): ReceiptGraph {
  const placed = unplaced.map((node, index) => ({ node: { ...node, row: rows[index] ?? 0 }, index }));
  placed.sort((a, b) => a.node.row - b.node.row || a.node.lane - b.node.lane);
  const moved = new Map(placed.map(({ index }, place) => [index, place]));
  return {
    title,
    lanes,
    nodes: placed.map(({ node }) => node),
    edges: edges.map(({ from, to }) => ({ from: moved.get(from) ?? 0, to: moved.get(to) ?? 0 })),
    rows: placed.reduce((most, { node }) => Math.max(most, node.row + 1), 0),
  };
}
