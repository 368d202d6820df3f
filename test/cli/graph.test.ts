import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { dotText, quoteDot } from "../../src/cli/graph/dot.js";
import { escapeMermaid, mermaidText } from "../../src/cli/graph/mermaid.js";
import { type ReceiptGraph, receiptGraph } from "../../src/cli/graph/model.js";
import { escapeXml, svgText } from "../../src/cli/graph/svg.js";
import { MINUTE } from "../support/keys.js";
import { World } from "../support/world.js";
import { inFolder, richSession, run } from "./support.js";

const HOSTILE = "\"]-->x<script>&'`\\N\n%%{init}\u001b[31m\u202e#quot;";

let bundle: ProofBundleV3;
let graph: ReceiptGraph;
beforeAll(async () => {
  bundle = await richSession();
  graph = receiptGraph(bundle);
});

/** A chain of two runtimes that take turns, with no more than two parents each. */
async function chain(length: number): Promise<ProofBundleV3> {
  const world = new World();
  await world.agent("planner");
  for (const runtime of ["rt-1", "rt-2"]) {
    await world.runtime(runtime, "planner");
    await world.delegation(runtime, "planner", runtime);
  }
  for (let n = 1; n <= length; n += 1) {
    const parents = [n - 1, n - 3].filter((parent) => parent > 0).map(String);
    const place = { runtime: n % 2 === 1 ? "rt-1" : "rt-2", sequence: Math.ceil(n / 2) };
    await world.receipt(String(n), { ...place, time: n * MINUTE, parents });
  }
  return world.bundle("causal", [String(length)]);
}

function expectRowsInOrder({ nodes, edges }: ReceiptGraph): void {
  for (const { from, to } of edges) expect(nodes[from]?.row).toBeLessThan(nodes[to]?.row ?? -1);
  const places = nodes.map(({ lane, row }) => `${lane} ${row}`);
  expect(new Set(places).size).toBe(places.length);
}

describe("the graph", () => {
  it("has a lane for each runtime, parents above children and one place for each receipt", () => {
    expect(graph.lanes.map((lane) => lane.runtimeId)).toEqual(["rt-1", "rt-2"]);
    expect(graph.nodes.map((node) => [node.lane, node.row, node.receipt?.sequence, node.status])).toEqual([
      [0, 0, 1, null],
      [0, 1, 2, null],
      [1, 1, 1, "completed"],
      [0, 2, 3, "completed"],
    ]);
    expect(graph.nodes.map((node) => node.isTarget)).toEqual([false, false, false, true]);
    expect(graph.edges).toHaveLength(4);
    expectRowsInOrder(graph);
  });

  it("orders a longer history", async () => {
    const long = receiptGraph(await chain(24));
    expect(long.rows).toBe(24);
    expectRowsInOrder(long);
  });

  it("shows a parent that is missing, in a lane of its own", () => {
    const [first, ...receipts] = bundle.receipts;
    const cut = receiptGraph({ ...bundle, receipts });
    expect(first).toBeDefined();
    expect(cut.lanes.at(-1)?.runtimeId).toBeNull();
    expect(cut.nodes.filter((node) => node.receipt === null)).toHaveLength(1);
    expectRowsInOrder(cut);
    for (const text of [mermaidText(cut), dotText(cut), svgText(cut)])
      expect(text).toContain("not in this bundle");
  });

  it("places receipts whose sequence contradicts their parents, and two under one sequence", async () => {
    for (const sequences of [
      [3, 2, 1],
      [1, 1, 1],
    ]) {
      const world = new World();
      await world.agent("planner");
      await world.runtime("rt-1", "planner");
      await world.delegation("rt-1", "planner", "rt-1");
      for (const [index, sequence] of sequences.entries()) {
        const parents = index === 0 ? [] : [String(index)];
        await world.receipt(String(index + 1), { runtime: "rt-1", sequence, time: MINUTE, parents });
      }
      const { nodes, edges } = receiptGraph(world.bundle("causal", ["3"]));
      expect([nodes.length, edges.length]).toEqual([3, 2]);
      expect(new Set(nodes.map(({ row }) => row)).size).toBe(3);
    }
  });
});

/** The graph with hostile text wherever a bundle has text. Bundles cannot hold all of it; the writers must not rely on that. */
function hostile(): ReceiptGraph {
  return {
    ...graph,
    title: HOSTILE,
    lanes: graph.lanes.map((lane) => ({ ...lane, runtimeId: HOSTILE, agentId: HOSTILE })),
    nodes: graph.nodes.map((node) => ({
      ...node,
      digest: HOSTILE,
      receipt: node.receipt === null ? null : { ...node.receipt, tool: HOSTILE },
    })),
  };
}

describe("mermaid", () => {
  it("draws nodes, lanes and edges", () => {
    const text = mermaidText(graph);
    expect(text).toMatch(/^%% org\.example mission-7\nflowchart TB\n/);
    expect(text).toContain('  subgraph lane1["runtime rt-2<br/>');
    expect(text).toContain("shell.run (target)<br/>#35;3 0x");
    expect(text.match(/-->/g)).toHaveLength(4);
  });

  it("keeps hostile text inside its label", () => {
    expect(escapeMermaid("plan.run-1 (a)")).toBe("plan.run-1 (a)");
    expect(escapeMermaid('"<&\n#')).toBe("#34;#60;#38;#65533;#35;");
    const text = mermaidText(hostile());
    expect(text.split("\n")).toHaveLength(mermaidText(graph).split("\n").length);
    expect(text.match(/-->/g)).toHaveLength(4);
    expect(text).not.toMatch(/script>|%%\{|\u001b|\u202e|`/);
    for (const line of text.split("\n").filter((each) => each.includes("["))) {
      expect(line).toMatch(/^ +(?:subgraph )?\w+\["(?:[A-Za-z0-9 ._/()-]|#[0-9]+;|<br\/>)*"\]$/);
    }
  });
});

describe("dot", () => {
  it("draws nodes, lanes and edges", () => {
    const text = dotText(graph);
    expect(text).toMatch(/^digraph "org\.example mission-7" \{/);
    expect(text).toContain('label="runtime rt-2\\n@ai:agents.example.org/coder"');
    expect(text.match(/->/g)).toHaveLength(4);
  });

  it("keeps hostile text inside its quotes", () => {
    expect(quoteDot("plain")).toBe('"plain"');
    expect(quoteDot('a"b\\N\nc')).toBe('"a\\"b\\\\N\ufffdc"');
    const text = dotText(hostile());
    expect(text.split("\n")).toHaveLength(dotText(graph).split("\n").length);
    expect(text).not.toMatch(/\u001b|\u202e/);
    // Without its quoted strings, only our own words and four edges are left.
    const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, "Q");
    expect(bare).not.toMatch(/script|init|["<&'`\\]/);
    expect(bare.match(/->/g)).toHaveLength(4);
  });
});

describe("svg", () => {
  it("draws nodes, lanes and edges", () => {
    const text = svgText(graph);
    expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d/);
    expect(text.match(/<path class="edge"/g)).toHaveLength(4);
    expect(text.match(/<g><title>/g)).toHaveLength(4);
    expect(text).toContain("runtime rt-2");
    expect(text).not.toMatch(/NaN|undefined|null/);
  });

  it("keeps hostile text inside its element", () => {
    expect(escapeXml("plain")).toBe("plain");
    expect(escapeXml(`<a b="c" d='e'>&\n`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\ufffd");
    const text = svgText(hostile());
    const elements = (drawn: string): readonly string[] => drawn.match(/<[^>]*>/g) ?? [];
    // Digests and tools stand in text only, so every element is what it was.
    expect(elements(text)).toEqual(elements(svgText(graph)));
    expect(text).not.toMatch(/\u001b|\u202e|<script/);
  });

  it("keeps every edge clear of every node it does not join", async () => {
    const drawn = receiptGraph(await chain(9));
    const text = svgText(drawn);
    const boxes = [
      ...text.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="(\d+)" rx="7"/g),
    ].map((found) => found.slice(1).map(Number));
    const paths = [...text.matchAll(/class="edge"[^>]* d="([^"]*)"/g)].map(([, path = ""]) => path);
    expect([boxes.length, paths.length]).toEqual([drawn.nodes.length, drawn.edges.length]);
    for (const path of paths) {
      const numbers = (path.match(/-?[\d.]+/g) ?? []).map(Number);
      for (let i = 0; i + 3 < numbers.length; i += 2) {
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers.slice(i, i + 4);
        for (const [x = 0, y = 0, width = 0, height = 0] of boxes) {
          const inside =
            Math.max(x1, x2) > x &&
            Math.min(x1, x2) < x + width &&
            Math.max(y1, y2) > y &&
            Math.min(y1, y2) < y + height;
          expect(inside, `${path} through ${x} ${y}`).toBe(false);
        }
      }
    }
  });
});

describe("osa-proof graph", () => {
  it("prints each format, or writes it to a file", async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, "bundle"), encodeBundle(bundle, "cbor"));
      const writers = { mermaid: mermaidText, dot: dotText, svg: svgText };
      for (const [format, write] of Object.entries(writers)) {
        const printed = await run(["graph", "bundle", "--format", format], { cwd });
        expect(printed).toEqual({ code: 0, out: write(graph), err: "" });
        const written = await run(["graph", "bundle", "--format", format, "-o", `drawn.${format}`], {
          cwd,
        });
        expect(written).toEqual({ code: 0, out: "", err: `drawn.${format}: 4 receipts, nothing verified\n` });
        expect(await readFile(join(cwd, `drawn.${format}`), "utf8")).toBe(write(graph));
      }
      const again = await run(["graph", "bundle", "-o", "bundle"], { cwd });
      expect(again).toMatchObject({ code: 2, err: expect.stringContaining("--force") });
      expect(await readFile(join(cwd, "bundle"))).toEqual(Buffer.from(encodeBundle(bundle, "cbor")));
      expect((await run(["graph", "bundle", "-o", "bundle", "--force"], { cwd })).code).toBe(0);
    });
  });

  it("refuses an unknown format, a second bundle and what is no bundle", async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, "bundle"), encodeBundle(bundle));
      await writeFile(join(cwd, "broken"), "{");
      expect((await run(["graph", "bundle", "--format", "png"], { cwd })).code).toBe(2);
      expect((await run(["graph", "bundle", "bundle"], { cwd })).code).toBe(2);
      expect((await run(["graph", "broken"], { cwd })).code).toBe(2);
      expect((await run(["graph", "missing"], { cwd })).code).toBe(2);
    });
  });
});
