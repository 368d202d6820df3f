/** The words on a node and over a lane, before any format escapes them. */
import { short, shortDigest } from "../print.js";
import type { GraphNode, Lane } from "./model.js";

const TOOL_CHARACTERS = 26;

/** Two short lines: what was done, and where in the runtime's story. */
export function nodeLines(node: GraphNode): readonly [string, string] {
  const digest = shortDigest(node.digest);
  if (node.receipt === null) return ["not in this bundle", digest];
  const { tool, sequence } = node.receipt;
  const status = node.status === null ? "" : ` ${node.status}`;
  const mark = node.isTarget ? " (target)" : "";
  return [`${short(tool, TOOL_CHARACTERS - mark.length)}${mark}`, `#${sequence} ${digest}${status}`];
}

export function laneLines(lane: Lane): readonly [string, string] {
  if (lane.runtimeId === null) return ["parents that are missing", ""];
  return [`runtime ${short(lane.runtimeId, 24)}`, short(lane.agentId ?? "", 32)];
}

/** What a node is coloured by. */
export type NodeKind = "completed" | "failed" | "denied" | "interrupted" | "undisclosed" | "missing";

export function nodeKind(node: GraphNode): NodeKind {
  return node.receipt === null ? "missing" : (node.status ?? "undisclosed");
}

/** Fill and border of each kind; text on them is near black. */
export const NODE_COLOURS: Readonly<Record<NodeKind, { readonly fill: string; readonly stroke: string }>> = {
  completed: { fill: "#e3f4e6", stroke: "#2e7d3b" },
  failed: { fill: "#fbe3e1", stroke: "#b3261e" },
  denied: { fill: "#fdeed3", stroke: "#a05a00" },
  interrupted: { fill: "#ececf4", stroke: "#555577" },
  undisclosed: { fill: "#ffffff", stroke: "#5f6b7a" },
  missing: { fill: "#f5f5f5", stroke: "#9a9a9a" },
};
