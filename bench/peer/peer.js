/** The peers alone, as a table in the terminal: `npm run bench:peer`, which installs them first. */
import { runScript } from "../lib/child.js";
import { machine } from "../lib/machine.js";
import { machineLine, peerText } from "../lib/table.js";

const ROUNDS = 11;
const result = { machine: machine(), rounds: ROUNDS, peers: runScript("peer/measure.js", [String(ROUNDS)]) };
console.log([machineLine(result), ...peerText(result)].join("\n"));
