/** Building an evidence tree over the bare hashing that it consists of, and the memory it takes. */
import { hash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { evidenceTreeOfDigests } from "../../dist/tree/index.js";
import { peakMegabytes, runScript } from "../lib/child.js";
import { interleave, ratios } from "../lib/rounds.js";
import { median } from "../lib/stats.js";

const LEAVES = 1_000_000;
const HASH_BYTES = 32;
/** A tree node is hashed from a prefix byte and two hashes. */
const NODE_BYTES = 65;

/**
 * Leaves of 32 bytes each, all different, one behind the other. With an array for each, what is measured would be for a
 * good part how the engine goes through a million objects of the caller.
 */
function digests(count) {
  const bytes = new Uint8Array(count * HASH_BYTES);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < count; index += 1) view.setUint32(index * HASH_BYTES, index);
  return bytes;
}

async function measureTime({ rounds, quick }) {
  const count = quick ? LEAVES / 10 : LEAVES;
  const leaves = digests(count);
  // One for each leaf and one for each node above: as many as the tree makes.
  const calls = 2 * count - 1;
  const input = new Uint8Array(NODE_BYTES);
  const bare = (form) => () => {
    for (let call = 0; call < calls; call += 1) hash("sha256", input, form);
  };
  const { hex, binary, tree } = await interleave(
    { hex: bare("hex"), binary: bare("binary"), tree: () => evidenceTreeOfDigests(leaves) },
    { rounds, warm: 1 },
  );
  return { samples: ratios(tree, median(hex) < median(binary) ? hex : binary) };
}

function measureMemory({ rounds, quick }) {
  const count = quick ? LEAVES / 10 : LEAVES;
  const samples = Array.from(
    { length: rounds },
    () => runScript("figures/tree.js", ["--memory", String(count)]).megabytes,
  );
  return { samples };
}

export const treeTime = {
  name: "tree",
  title: "evidence tree of 1,000,000 leaves in one array: CPU over as many bare SHA-256 calls of 65 bytes",
  unit: "x",
  target: 1.3,
  quick: true,
  measure: measureTime,
};

export const treeMemory = {
  name: "tree-memory",
  title: "evidence tree of 1,000,000 leaves in one array: peak memory of the process, the leaves included",
  unit: "MB",
  target: 140,
  measure: measureMemory,
};

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === "--memory") {
  evidenceTreeOfDigests(digests(Number(process.argv[3])));
  console.log(JSON.stringify({ megabytes: peakMegabytes() }));
}
