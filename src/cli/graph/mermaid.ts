/** The graph as a Mermaid flowchart. */
import { printable } from "../print.js";
import { laneLines, NODE_COLOURS, type NodeKind, nodeKind, nodeLines } from "./label.js";
import type { ReceiptGraph } from "./model.js";

/**
 * Text for inside `["…"]`. Everything but plain characters becomes a numeric entity code, so that no text can
 * end the label, start a directive or a link, or become markup.
 */
export function escapeMermaid(text: string): string {
  return printable(text).replace(/[^A-Za-z0-9 ._/()-]/gu, (character) => `#${character.codePointAt(0)};`);
}

function label(lines: readonly string[]): string {
  return `["${lines
    .filter((line) => line !== "")
    .map(escapeMermaid)
    .join("<br/>")}"]`;
}

export function mermaidText(graph: ReceiptGraph): string {
  const kinds = new Map<NodeKind, string[]>();
  const lanes = graph.lanes.map((_lane): string[] => []);
  for (const [index, node] of graph.nodes.entries()) {
    lanes[node.lane]?.push(`    n${index}${label(nodeLines(node))}`);
    const kind = nodeKind(node);
    kinds.set(kind, [...(kinds.get(kind) ?? []), `n${index}`]);
  }
  const lines = [
    `%% ${escapeMermaid(graph.title)}`,
    "flowchart TB",
    ...graph.lanes.flatMap((lane, index) => [
      `  subgraph lane${index}${label(laneLines(lane))}`,
      ...(lanes[index] ?? []),
      "  end",
    ]),
    ...graph.edges.map(({ from, to }) => `  n${from} --> n${to}`),
    ...[...kinds].flatMap(([kind, names]) => [
      `  classDef ${kind} fill:${NODE_COLOURS[kind].fill},stroke:${NODE_COLOURS[kind].stroke},color:#1a1a1a`,
      `  class ${names.join(",")} ${kind}`,
    ]),
  ];
  const targets = graph.nodes.flatMap((node, index) => (node.isTarget ? [`n${index}`] : []));
  if (targets.length > 0) lines.push(`  style ${targets.join(",")} stroke-width:3px`);
  return `${lines.join("\n")}\n`;
}
