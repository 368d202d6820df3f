/**
 * The graph as SVG, by a layout of our own: one column a runtime, one line a row, parents above children.
 * Edges run only in the gaps between rows and the gutters between columns, so none crosses a node.
 */
import { printable } from "../print.js";
import { laneLines, NODE_COLOURS, nodeKind, nodeLines } from "./label.js";
import type { GraphNode, ReceiptGraph } from "./model.js";

/** Lengths in px. */
const NODE = { width: 236, height: 50 };
const GUTTER = 44;
const GAP = 38;
const MARGIN = 16;
const HEADER = 64;
const LANE = NODE.width + GUTTER;
const ROW = NODE.height + GAP;
/** Edges that share a gutter or gap are set apart by this much. */
const SPREAD = 5;
const TRACKS = 5;

/** Text for SVG content and attribute values. */
export function escapeXml(text: string): string {
  return printable(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&#39;");
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function left(lane: number): number {
  return MARGIN + GUTTER / 4 + lane * LANE;
}

function top(row: number): number {
  return MARGIN + HEADER + row * ROW;
}

function centre(lane: number): number {
  return left(lane) + NODE.width / 2;
}

/** Distance from the middle of a gutter or gap for the n-th edge in it. */
function track(index: number): number {
  return ((index % TRACKS) - (TRACKS - 1) / 2) * SPREAD;
}

/** Corners of an edge: down out of the parent, along the gap, down a gutter if far, into the child. */
function corners(from: GraphNode, to: GraphNode, index: number): readonly Point[] {
  const start = { x: centre(from.lane), y: top(from.row) + NODE.height };
  const end = { x: centre(to.lane), y: top(to.row) };
  const below = start.y + GAP / 2 + track(index);
  if (to.row === from.row + 1) {
    return from.lane === to.lane
      ? [start, end]
      : [start, { x: start.x, y: below }, { x: end.x, y: below }, end];
  }
  // The gutter at the child's side that faces the parent; its own right one within a lane.
  const gutter = from.lane < to.lane ? left(to.lane) - GUTTER / 2 : left(to.lane) + NODE.width + GUTTER / 2;
  const x = gutter + track(index);
  const above = end.y - GAP / 2 + track(index);
  return [start, { x: start.x, y: below }, { x, y: below }, { x, y: above }, { x: end.x, y: above }, end];
}

/** A path along corners, each rounded. */
function rounded(points: readonly Point[]): string {
  const [first] = points;
  if (first === undefined) return "";
  const parts = [`M${first.x} ${first.y}`];
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    const after = points[index + 1];
    if (before === undefined) continue;
    if (after === undefined) parts.push(`L${point.x} ${point.y}`);
    else {
      const [a, b] = [towards(point, before), towards(point, after)];
      parts.push(`L${a.x} ${a.y}`, `Q${point.x} ${point.y} ${b.x} ${b.y}`);
    }
  }
  return parts.join(" ");
}

const RADIUS = 6;

/** A point a corner's radius away, never more than half way; edges are horizontal or vertical. */
function towards(from: Point, to: Point): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.abs(dx) + Math.abs(dy);
  const step = Math.min(RADIUS, length / 2);
  return { x: from.x + Math.sign(dx) * step, y: from.y + Math.sign(dy) * step };
}

function laneSvg(graph: ReceiptGraph, lane: number, height: number): readonly string[] {
  const shown = graph.lanes[lane];
  if (shown === undefined) return [];
  const [title, subtitle] = laneLines(shown);
  const whole = [shown.runtimeId, shown.agentId, shown.sessionId].filter((part) => part !== null).join(" ");
  return [
    `<rect class="lane" x="${left(lane) - GUTTER / 4}" y="${MARGIN}" width="${NODE.width + GUTTER / 2}" height="${height - 2 * MARGIN}" rx="8"/>`,
    `<text class="head" x="${centre(lane)}" y="${MARGIN + 24}">${escapeXml(title)}<title>${escapeXml(whole)}</title></text>`,
    `<text class="small" x="${centre(lane)}" y="${MARGIN + 42}">${escapeXml(subtitle)}</text>`,
  ];
}

function nodeSvg(node: GraphNode): readonly string[] {
  const kind = nodeKind(node);
  const [tool, story] = nodeLines(node);
  const { fill, stroke } = NODE_COLOURS[kind];
  const dashed = kind === "missing" ? ' stroke-dasharray="5 4"' : "";
  const whole =
    node.receipt === null ? node.digest : `${node.receipt.tool} ${node.digest} ${node.receipt.issued_at}`;
  const [x, y] = [left(node.lane), top(node.row)];
  return [
    `<g><title>${escapeXml(whole)}</title>`,
    `<rect x="${x}" y="${y}" width="${NODE.width}" height="${NODE.height}" rx="7" fill="${fill}" stroke="${stroke}" stroke-width="${node.isTarget ? 3 : 1.2}"${dashed}/>`,
    `<text class="tool" x="${centre(node.lane)}" y="${y + 21}">${escapeXml(tool)}</text>`,
    `<text class="small" x="${centre(node.lane)}" y="${y + 39}">${escapeXml(story)}</text></g>`,
  ];
}

const STYLE = [
  'text{font-family:"DejaVu Sans",Helvetica,Arial,sans-serif;text-anchor:middle;fill:#1a1a1a}',
  ".head{font-size:14px;font-weight:600}",
  ".tool{font-size:13px;font-weight:600}",
  ".small{font-size:11px;fill:#3d4652}",
  ".lane{fill:#f6f8fa;stroke:#d5dae1}",
  ".edge{fill:none;stroke:#5f6b7a;stroke-width:1.4}",
].join("");

export function svgText(graph: ReceiptGraph): string {
  // The last gutter too, for edges that leave the last lane on its right.
  const width = left(Math.max(1, graph.lanes.length));
  const height = 2 * MARGIN + HEADER + Math.max(1, graph.rows) * ROW;
  const edges = graph.edges.flatMap(({ from, to }, index) => {
    const [parent, child] = [graph.nodes[from], graph.nodes[to]];
    if (parent === undefined || child === undefined) return [];
    return [`<path class="edge" marker-end="url(#arrow)" d="${rounded(corners(parent, child, index))}"/>`];
  });
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(`receipts of ${graph.title}`)}</title>`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#5f6b7a"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...graph.lanes.flatMap((_lane, index) => laneSvg(graph, index, height)),
    ...edges,
    ...graph.nodes.flatMap(nodeSvg),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}
