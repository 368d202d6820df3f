/** The benchmark's pure parts. Nothing is timed here: that is what `npm run bench` is for. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}
interface Figure {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly better?: "lower" | "higher";
  readonly target: number;
  readonly limit?: number;
  readonly waits?: string;
  readonly measure?: unknown;
}
type Judged = Figure & Spread & { readonly met: boolean; readonly holds: boolean };
interface Point {
  readonly receipts: number;
  readonly seconds: number;
  readonly opensslSeconds: number;
}
interface Result {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly rounds: number;
  readonly openssl: unknown;
  readonly figures: readonly (Judged | Figure)[];
  readonly points: readonly Point[];
  readonly peers?: readonly unknown[];
}

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
/** Scripts of bench/ are plain JavaScript, so each use states the types it relies on. */
const load = async (name: string): Promise<unknown> => import(path(name));

const { median, judge, TOLERANCE } = (await load("bench/lib/stats.js")) as {
  median(values: readonly number[]): number;
  judge(figure: Figure, taken: { readonly samples: readonly number[] }): Judged;
  readonly TOLERANCE: number;
};
const { interleave, ratios } = (await load("bench/lib/rounds.js")) as {
  interleave(
    cases: Readonly<Record<string, () => void>>,
    options: { readonly rounds: number; readonly warm: number },
  ): Promise<Readonly<Record<string, readonly number[]>>>;
  ratios(over: readonly number[], under: readonly number[]): readonly number[];
};
const { figuresText, spread } = (await load("bench/lib/table.js")) as {
  figuresText(result: Pick<Result, "figures">): readonly string[];
  spread(values: Spread, unit: string): string;
};
const { isOf, withNewer } = (await load("bench/lib/write.js")) as {
  isOf(result: Pick<Result, "machine">, machine: Result["machine"]): boolean;
  withNewer(result: Result, newer: Partial<Result> & Pick<Result, "figures">): Result;
};
const { figuresBlock, withBlock } = (await load("bench/lib/page.js")) as {
  figuresBlock(result: Result | null): string;
  withBlock(readme: string, block: string): string;
};
const { plot } = (await load("bench/plot.js")) as {
  plot(result: Pick<Result, "points" | "machine">): string;
};

const figure: Figure = { name: "f", title: "ours over `theirs`", unit: "x", target: 1.5, limit: 2 };
const samples = (value: number): { readonly samples: readonly number[] } => ({
  samples: [value - 0.1, value, value + 0.1],
});
const result: Result = {
  machine: {
    version: "1.2.3",
    date: "2026-01-02",
    cpu: "Processor",
    cores: 2,
    node: "v20.0.0",
    nodeOpenssl: "3.0.1",
    openssl: "3.0.2",
  },
  rounds: 3,
  openssl: { ecdsap256: { sign: 40_000, verify: 18_000 }, ed25519: { sign: 30_000, verify: 12_000 } },
  figures: [
    judge(figure, samples(1.7)),
    { name: "w", title: "later", unit: "MB", target: 100, waits: "waits for more" },
  ],
  points: [1, 10, 100, 1_000, 10_000].map((receipts) => ({
    receipts,
    seconds: 0.001 + receipts * 9e-5,
    opensslSeconds: receipts * 5.5e-5,
  })),
};

describe("medians and judgement", () => {
  it("takes the middle value whatever the order, and refuses none at all", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 9, 1, 2])).toBe(9);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow(/no median/);
  });

  it.each([
    [1.5, true, true],
    [1.51, false, true],
    [2 * TOLERANCE, false, true],
    [2 * TOLERANCE + 0.01, false, false],
  ])("holds a ratio of %d to its target and to its limit with the tolerance", (value, met, holds) => {
    expect(judge(figure, samples(value))).toMatchObject({ median: value, met, holds, rounds: 3 });
  });

  it("holds a figure without a limit to its target", () => {
    const { limit: _, ...reached } = figure;
    expect(judge(reached, samples(1.5 * TOLERANCE))).toMatchObject({ limit: 1.5, met: false, holds: true });
    expect(judge(reached, samples(1.5 * TOLERANCE + 0.01)).holds).toBe(false);
  });

  it("turns everything round where more is better", () => {
    const faster: Figure = { ...figure, better: "higher", target: 3.5, limit: 2.6 };
    expect(judge(faster, samples(3.5))).toMatchObject({ met: true, holds: true });
    expect(judge(faster, samples(3.4))).toMatchObject({ met: false, holds: true });
    expect(judge(faster, samples(1.99))).toMatchObject({ met: false, holds: false });
  });
});

describe("interleaved rounds", () => {
  it("gives every case its turn in alternating order, and does not count the rounds that warm up", async () => {
    const calls: string[] = [];
    const seconds = await interleave(
      { a: () => calls.push("a"), b: () => calls.push("b") },
      { rounds: 3, warm: 1 },
    );
    expect(calls.join("")).toBe("baabbaab");
    expect(seconds["a"]).toHaveLength(3);
    expect(seconds["b"]).toHaveLength(3);
  });

  it("compares round by round", () => {
    expect(ratios([2, 6, 12], [1, 2, 3])).toEqual([2, 3, 4]);
  });
});

describe("the table", () => {
  it("shows the median with its spread, and one sample without", () => {
    expect(spread({ median: 1.5, min: 1.25, max: 2, rounds: 3 }, "x")).toBe("1.50 [1.25-2.00]");
    expect(spread({ median: 120.4, min: 99, max: 130, rounds: 3 }, "MB")).toBe("120 MB [99.0-130]");
    expect(spread({ median: 6, min: 6, max: 6, rounds: 1 }, "")).toBe("6");
  });

  it("says of each figure whether it is met, what it is held to, or what it waits for", () => {
    const [head, row, waiting] = figuresText(result);
    expect(head).toMatch(/^figure +measured +must reach$/);
    expect(row).toMatch(/^ours over theirs +1\.70 \[1\.60-1\.80\] +≤ 1\.50 +not yet; held to ≤ 2\.00$/);
    expect(waiting).toMatch(/^later +- +≤ 100 MB +waits for more$/);
  });
});

describe("the figures of the project", async () => {
  const { FIGURES } = (await load("bench/figures/index.js")) as { readonly FIGURES: readonly Figure[] };

  it("have names of their own, and a limit only on the far side of the target", () => {
    expect(new Set(FIGURES.map(({ name }) => name)).size).toBe(FIGURES.length);
    for (const { name, better, target, limit = target } of FIGURES) {
      expect(better === "higher" ? limit <= target : limit >= target, name).toBe(true);
    }
  });

  it("are measured, or say what they wait for", () => {
    for (const { name, measure, waits } of FIGURES) {
      expect(typeof measure === "function", name).toBe(waits === undefined);
    }
  });
});

describe("figures of a later run", () => {
  const newer = judge(figure, samples(1.4));

  it("stand in place of those saved, and everything else stays", () => {
    const whole = withNewer(result, { figures: [newer, { ...newer, name: "unknown" }] });
    expect(whole).toEqual({ ...result, figures: [newer, result.figures[1]] });
  });

  it("bring the points of the plot where they have some", () => {
    const points = result.points.slice(0, 2);
    expect(withNewer(result, { figures: [newer], points })).toMatchObject({ figures: [newer, {}], points });
  });

  it.each(["version", "cpu", "cores", "node", "nodeOpenssl"])(
    "are of another place with another %s",
    (member) => {
      expect(isOf(result, { ...result.machine, date: "2026-02-03" })).toBe(true);
      expect(isOf(result, { ...result.machine, [member]: "other" })).toBe(false);
    },
  );
});

describe("the plot", () => {
  const svg = plot(result);

  it("is well-formed: every element is closed in its turn", () => {
    const open: string[] = [];
    for (const [, slash, name = "", own] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gi)) {
      if (slash === "/") expect(open.pop()).toBe(name);
      else if (own !== "/") open.push(name);
    }
    expect(open).toEqual([]);
    expect(svg.replaceAll(/<[^<>]*>/g, "")).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    for (const [, quotes = ""] of svg.matchAll(/<([^<>]*)>/g)) expect(quotes.split('"').length % 2).toBe(1);
  });

  it("keeps every point inside the picture, from left to right and upward", () => {
    const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
    for (const name of ["own", "bare"]) {
      const drawn = new RegExp(`class="${name}" points="([^"]*)"`).exec(svg)?.[1] ?? "";
      const points = drawn.split(" ").map((pair) => pair.split(",").map(Number));
      expect(points).toHaveLength(result.points.length);
      for (const [index, [x = -1, y = -1]] of points.entries()) {
        expect(x > 0 && x < width && y > 0 && y < height).toBe(true);
        const [beforeX = -1, beforeY = height] = points[index - 1] ?? [];
        expect(x > beforeX && y < beforeY).toBe(true);
      }
    }
  });

  it("needs nothing from outside, and has colours for dark pages too", () => {
    expect(svg).not.toMatch(/<script|href|url\(|@import/);
    expect(svg).toContain("prefers-color-scheme: dark");
  });
});

describe("the README's figures", () => {
  const saved = path("docs/bench.json");
  const shown = existsSync(saved) ? (JSON.parse(readFileSync(saved, "utf8")) as Result) : null;
  const readme = readFileSync(path("README.md"), "utf8");

  it("are those of docs/bench.json, and so is the picture (`npm run bench -- --render`)", () => {
    expect(withBlock(readme, figuresBlock(shown))).toBe(readme);
    if (shown !== null) expect(readFileSync(path("docs/bench.svg"), "utf8")).toBe(plot(shown));
  });

  it("change with the results, between the markers alone", () => {
    const changed = withBlock(readme, figuresBlock(result));
    expect(changed).toContain("| ours over `theirs` | 1.70 [1.60-1.80] | ≤ 1.50 | not yet |");
    expect(changed).toContain("| later | – | ≤ 100 MB | waits for more |");
    expect(changed).toContain("osa-proof 1.2.3, 2026-01-02: Processor, 2 cores, Node.js 20.0.0");
    expect(withBlock(changed, figuresBlock(shown))).toBe(readme);
    expect(() => withBlock(readme.replace("<!-- end of figures -->", ""), "")).toThrow(/markers/);
  });

  it("name no machine and no path of one", () => {
    const text = `${figuresBlock(shown)}${shown === null ? "" : JSON.stringify(shown)}`;
    expect(text).not.toMatch(/\/(?:home|root|tmp|work|Users)\//);
  });
});
