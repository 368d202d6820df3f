/** Measures all peers in interleaved rounds of one process and prints rows as JSON. Needs `npm run bench:peer` before. */
import { interleave, ratios } from "../lib/rounds.js";
import { summary } from "../lib/stats.js";
import { agentPassport, osaProof, sigstore } from "./cases.js";

const RECEIPTS = 1_000;

const rounds = Number(process.argv[2]);
const peers = await Promise.all([osaProof, sigstore, agentPassport].map((make) => make(RECEIPTS)));
const seconds = await interleave(
  Object.fromEntries(
    peers.flatMap(({ name, verifyAll, raw }) => [
      [name, { run: verifyAll, items: RECEIPTS }],
      [`raw ${name}`, { run: raw, items: RECEIPTS }],
    ]),
  ),
  { rounds, warm: 2 },
);
const rows = peers.map(({ name, version, checks, leaves, bytes }) => ({
  name,
  version,
  bytes: Math.round(bytes / RECEIPTS),
  microseconds: summary(seconds[name].map((taken) => taken * 1e6)),
  overRaw: summary(ratios(seconds[name], seconds[`raw ${name}`])),
  checks,
  leaves,
}));
console.log(JSON.stringify(rows));
