/**
 * `npm run bench`: every figure that the package is held to, measured in one run on one machine.
 *
 *     --json        results for machines instead of the table
 *     --quick       a small part in less than a minute; exits with 1 when a figure misses its limit by more than 30 %
 *     --only NAME   one figure (may be given more than once)
 *     --write       saves docs/bench.json and renders docs/bench.svg and the README's block from it; with --only,
 *                   puts these in place of those saved for this version and machine
 *     --render      renders the two from what is saved, and measures nothing
 *
 * Absolute times move with the machine and with whoever else uses it; only ratios of what was measured side by side
 * in interleaved rounds are compared.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { FIGURES } from "./figures/index.js";
import { runScript } from "./lib/child.js";
import { machine, opensslSpeed } from "./lib/machine.js";
import { judge, TOLERANCE } from "./lib/stats.js";
import { bound, figuresText, format, machineLine, opensslLine, peerText } from "./lib/table.js";
import { isOf, render, save, saved, withNewer } from "./lib/write.js";

const ROUNDS = 11;
const QUICK_ROUNDS = 5;

const { values: asked } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
    render: { type: "boolean", default: false },
  },
});

/** What was asked for cannot be had: exit code 2, so that it is never taken for a figure that misses its limit. */
function refuse(reason) {
  console.error(reason);
  process.exit(2);
}

function measureAll(rounds) {
  const unknown = asked.only.find((name) => !FIGURES.some((figure) => figure.name === name));
  if (unknown !== undefined) refuse(`there is no figure ${unknown}`);
  const chosen = FIGURES.filter(
    ({ name, quick }) => (asked.only.length === 0 || asked.only.includes(name)) && (!asked.quick || quick),
  );
  let points;
  const figures = chosen.map((figure, index) => {
    const { measure, ...known } = figure;
    if (measure === undefined) return known;
    process.stderr.write(`${index + 1} of ${chosen.length}: ${figure.name}\n`);
    const taken = runScript("measure-one.js", [figure.name, String(rounds), asked.quick ? "quick" : "full"]);
    points = taken.points ?? points;
    return judge(figure, taken);
  });
  return { figures, points };
}

/** Peers, where they are installed: they are no dependency of anything here. */
function measurePeers(rounds) {
  if (asked.quick || asked.only.length > 0) return undefined;
  if (existsSync(new URL("./peer/node_modules", import.meta.url))) {
    return runScript("peer/measure.js", [String(rounds)]);
  }
  process.stderr.write("no peers beside it: `npm run bench:peer` installs them\n");
  return undefined;
}

function besides() {
  const [ecdsap256, ed25519] = [opensslSpeed("ecdsap256"), opensslSpeed("ed25519")];
  return ecdsap256 === null || ed25519 === null ? null : { ecdsap256, ed25519 };
}

function main() {
  if (asked.render) return render();
  if (asked.write && asked.quick) refuse("--write takes a full run");
  const rounds = asked.quick ? QUICK_ROUNDS : ROUNDS;
  const here = machine();
  const isPart = asked.write && asked.only.length > 0;
  const before = isPart ? saved() : null;
  if (isPart && (before === null || !isOf(before, here)))
    refuse("nothing is saved for this version and machine: --write takes all figures");
  const openssl = besides();
  if (asked.write && openssl === null) refuse("--write needs the openssl command beside it");
  const { figures, points } = measureAll(rounds);
  const result = { machine: here, rounds, openssl, figures, points, peers: measurePeers(rounds) };
  if (asked.json) console.log(JSON.stringify(result, null, 2));
  else {
    if (asked.quick)
      console.log("short run, with fewer receipts and rounds than the names of the figures say");
    const peers = result.peers === undefined ? [] : ["", ...peerText(result)];
    console.log([machineLine(result), opensslLine(result), "", ...figuresText(result), ...peers].join("\n"));
  }
  if (asked.write) {
    save(before === null ? result : withNewer(before, result));
    render();
  }
  if (!asked.quick) return;
  const missed = figures.filter(({ holds }) => holds === false);
  for (const figure of missed) {
    const percent = Math.round((TOLERANCE - 1) * 100);
    const { name, median, unit, limit } = figure;
    console.error(
      `${name}: ${format(median, unit)} misses ${bound(figure, limit)} by more than ${percent} %`,
    );
  }
  if (missed.length > 0) process.exitCode = 1;
}

main();
