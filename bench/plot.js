/**
 * The README's picture: CPU time of a whole verification against the number of receipts, both axes logarithmic,
 * beside what OpenSSL needs for the signatures alone. One SVG without script, font or colour that needs a light or
 * a dark page.
 */
import { format, thousands } from "./lib/table.js";

const WIDTH = 720;
const HEIGHT = 420;
const FRAME = { left: 76, right: 36, top: 44, bottom: 56 };

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #424a53 }
  .title { font-weight: 600 }
  .grid { stroke: #8c959f; stroke-opacity: .3 }
  .own { stroke: #0969da; fill: none; stroke-width: 2.5 }
  .dot, .ownLabel { fill: #0969da }
  .bare { stroke: #bc4c00; fill: none; stroke-width: 2; stroke-dasharray: 6 4 }
  .bareLabel { fill: #bc4c00 }
  .ownLabel, .bareLabel { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    text { fill: #c9d1d9 }
    .own { stroke: #58a6ff }
    .dot, .ownLabel { fill: #58a6ff }
    .bare { stroke: #ffa657 }
    .bareLabel { fill: #ffa657 }
  }
`;

/** "10 ms" for 0.01: powers of ten of a second. */
function duration(exponent) {
  const [unit, scale] = exponent < -3 ? ["µs", 6] : exponent < 0 ? ["ms", 3] : ["s", 0];
  return `${thousands(10 ** (exponent + scale))} ${unit}`;
}

/** Whole powers of ten that hold all values: the least and the greatest exponent. */
function decades(values) {
  const logs = values.map(Math.log10);
  return [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
}

function range([from, to]) {
  return Array.from({ length: to - from + 1 }, (_, step) => from + step);
}

/** Maps a value to its place between two ends of the picture, by its logarithm. */
function scale([from, to], start, end) {
  return (value) =>
    Math.round((start + ((Math.log10(value) - from) / (to - from)) * (end - start)) * 10) / 10;
}

const line = (className, points) =>
  `<polyline class="${className}" points="${points.map(([x, y]) => `${x},${y}`).join(" ")}"/>`;

function text(content, x, y, { anchor = "start", className } = {}) {
  const named = className === undefined ? "" : ` class="${className}"`;
  return `<text${named} x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

/** The SVG for results whose growth figure has `points` of `{receipts, seconds, opensslSeconds}`. */
export function plot({ points, machine }) {
  const [left, right] = [FRAME.left, WIDTH - FRAME.right];
  const [top, bottom] = [FRAME.top, HEIGHT - FRAME.bottom];
  const across = decades(points.map(({ receipts }) => receipts));
  const up = decades(points.flatMap(({ seconds, opensslSeconds }) => [seconds, opensslSeconds]));
  const x = scale(across, left, right);
  const y = scale(up, bottom, top);
  const grid = [
    ...range(across).map((power) => {
      const at = x(10 ** power);
      return `<path class="grid" d="M${at} ${top}V${bottom}"/>${text(thousands(10 ** power), at, bottom + 20, { anchor: "middle" })}`;
    }),
    ...range(up).map((power) => {
      const at = y(10 ** power);
      return `<path class="grid" d="M${left} ${at}H${right}"/>${text(duration(power), left - 8, at + 4, { anchor: "end" })}`;
    }),
  ];
  const own = points.map(({ receipts, seconds }) => [x(receipts), y(seconds)]);
  const bare = points.map(({ receipts, opensslSeconds }) => [x(receipts), y(opensslSeconds)]);
  const last = points[points.length - 1];
  const times = format(last.seconds / last.opensslSeconds, "x");
  // The lines rise to the right, so there is room above a point to its left and below it to its right.
  const middle = points.length >> 1;
  const [[ownX, ownY], [bareX, bareY]] = [own[middle], bare[middle]];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">CPU time of a whole verification by number of receipts, one thread, beside bare P-256 checks by OpenSSL ${machine.openssl}</title>
<style>${STYLE}</style>
${text("CPU time to verify, one thread", left, top - 18, { className: "title" })}
${grid.join("\n")}
${text("receipts in one bundle, the million in the streaming form", (left + right) / 2, HEIGHT - 12, { anchor: "middle" })}
${line("bare", bare)}
${line("own", own)}
${own.map(([cx, cy]) => `<circle class="dot" cx="${cx}" cy="${cy}" r="3.5"/>`).join("\n")}
${text("osa-proof, all checks", ownX - 12, ownY - 28, { anchor: "end", className: "ownLabel" })}
${text(`${times} × OpenSSL at ${thousands(last.receipts)}`, ownX - 12, ownY - 12, { anchor: "end" })}
${text("OpenSSL, signatures alone", bareX + 14, bareY + 22, { className: "bareLabel" })}
</svg>
`;
}
