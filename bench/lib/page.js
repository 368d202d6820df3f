/** Results as the README shows them, between two markers, so that no figure is typed by hand. Pure. */
import { bound, machineLine, opensslLine, spread, state } from "./table.js";

const BEGIN = "<!-- figures: written by `npm run bench -- --write` -->";
const END = "<!-- end of figures -->";

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** The block for saved results; nothing while there are none. */
export function figuresBlock(result) {
  if (result === null) return `${BEGIN}\n${END}`;
  const figures = table(
    ["figure", "measured", "must reach", ""],
    result.figures.map((figure) => [
      figure.title,
      figure.waits === undefined ? spread(figure, figure.unit) : "–",
      bound(figure, figure.target),
      state(figure),
    ]),
  );
  const lines = [
    machineLine(result)
      .replace(/^osa-proof (\S+), /, "osa-proof $1, ")
      .concat("."),
    `${opensslLine(result)}.`,
    "",
    ...figures,
    "",
    "![CPU time of a whole verification against the number of receipts, beside bare signature checks by OpenSSL](docs/bench.svg)",
  ];
  return [BEGIN, ...lines, ...peerLines(result), END].join("\n");
}

function peerLines({ peers }) {
  if (peers === undefined) return [];
  const rows = peers.map(({ name, version, bytes, microseconds, overRaw, checks, leaves }) => [
    `\`${name}\` ${version}`,
    `${bytes}`,
    `${microseconds.median.toFixed(0)} µs`,
    spread(overRaw, "x"),
    checks,
    leaves,
  ]);
  return [
    "",
    "One receipt, from text to verdict, beside other verifiers on receipts of their own formats, in the same run:",
    "",
    ...table(["verifier", "bytes", "CPU", "over its bare signature check", "checks", "leaves out"], rows),
  ];
}

/** The README with its block replaced. Throws when the markers are not there, each once and in order. */
export function withBlock(readme, block) {
  const [start, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  const twice = start !== readme.lastIndexOf(BEGIN) || end !== readme.lastIndexOf(END);
  if (start < 0 || end < start || twice) throw new Error("README.md lacks the two markers of the figures");
  return readme.slice(0, start) + block + readme.slice(end + END.length);
}
