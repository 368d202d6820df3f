/** The graph in the DOT language of Graphviz. */
import { printable } from "../print.js";
import { laneLines, NODE_COLOURS, nodeKind, nodeLines } from "./label.js";
import type { ReceiptGraph } from "./model.js";

/** A quoted DOT string. A doubled backslash is a backslash in labels too, so no escape such as `\N` can arise. */
export function quoteDot(text: string): string {
  return `"${escapeDot(text)}"`;
}

function escapeDot(text: string): string {
  return printable(text).replace(/[\\"]/g, "\\$&");
}

function label(lines: readonly string[]): string {
  return `"${lines
    .filter((line) => line !== "")
    .map(escapeDot)
    .join("\\n")}"`;
}

export function dotText(graph: ReceiptGraph): string {
  const lanes = graph.lanes.map((_lane): string[] => []);
  for (const [index, node] of graph.nodes.entries()) {
    const kind = nodeKind(node);
    const { fill, stroke } = NODE_COLOURS[kind];
    const style = kind === "missing" ? "rounded,filled,dashed" : "rounded,filled";
    const look = `style="${style}", fillcolor="${fill}", color="${stroke}", penwidth=${node.isTarget ? 3 : 1}`;
    lanes[node.lane]?.push(
      `    n${index} [label=${label(nodeLines(node))}, tooltip=${quoteDot(node.digest)}, ${look}];`,
    );
  }
  const lines = [
    `digraph ${quoteDot(graph.title)} {`,
    "  rankdir=TB;",
    '  node [shape=box, fontname="sans-serif", fontsize=11];',
    ...graph.lanes.flatMap((lane, index) => [
      `  subgraph cluster_${index} {`,
      `    label=${label(laneLines(lane))};`,
      '    fontname="sans-serif"; color="#c9ced6";',
      ...(lanes[index] ?? []),
      "  }",
    ]),
    ...graph.edges.map(({ from, to }) => `  n${from} -> n${to};`),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}
