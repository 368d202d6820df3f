/** The streaming form, up to a million receipts, and threads. */
import { mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyBundleParallel } from "../../dist/parallel/index.js";
import { peakMegabytes, runScript } from "../lib/child.js";
import { interleave, ratios, wallSeconds } from "../lib/rounds.js";
import { writeStream } from "../session/stream-file.js";

const PIECE_BYTES = 65_536;
const THREADED = 100_000;
const [SMALL, LARGE] = [10_000, 1_000_000];

function* pieces(path) {
  const file = openSync(path, "r");
  for (;;) {
    const piece = new Uint8Array(PIECE_BYTES);
    const count = readSync(file, piece);
    if (count === 0) return;
    yield piece.subarray(0, count);
  }
}

/** Sessions of some sizes and one shape in files, for as long as `use` runs. */
async function withStreams(counts, use, shape = "mixed") {
  const folder = mkdtempSync(join(tmpdir(), "osa-proof-bench-"));
  try {
    const made = [];
    for (const count of counts) {
      const path = join(folder, `${count}.jsonl`);
      made.push({ path, count, ...(await writeStream(path, count, shape)) });
    }
    return await use(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function verify({ path, trust, at }, threads) {
  const { verdict } = await verifyBundleParallel(pieces(path), Buffer.from(trust), { at }, { threads });
  if (verdict !== "ACCEPTED") throw new Error("the benchmark's own stream was rejected");
}

function measureThreads({ rounds, quick }) {
  return withStreams([quick ? THREADED / 10 : THREADED], async ([made]) => {
    const { one, two } = await interleave(
      { one: () => verify(made, 1), two: () => verify(made, 2) },
      { rounds, warm: 1, clock: wallSeconds },
    );
    return { samples: ratios(one, two) };
  });
}

/** A large one takes over a minute, so there are few rounds. */
const FEW_ROUNDS = 3;

/** CPU per receipt at 1,000,000 over 10,000 in a history of some shape, round by round, and that of the larger one. */
export function streamGrowth(shape) {
  const compare = async ([small, large]) => {
    const repeats = 10;
    const { few, many } = await interleave(
      {
        few: {
          items: repeats * SMALL,
          run: async () => {
            for (let repeat = 0; repeat < repeats; repeat += 1) await verify(small, 1);
          },
        },
        many: { items: LARGE, run: () => verify(large, 1) },
      },
      { rounds: FEW_ROUNDS, warm: 0 },
    );
    return { samples: ratios(many, few), large: { receipts: LARGE, secondsPerReceipt: many } };
  };
  return withStreams([SMALL, LARGE], compare, shape);
}

/** In a process of its own, which holds nothing but the verifier. */
function memoryOf(threads) {
  return () =>
    withStreams([LARGE], ([{ path, trust, at }]) => {
      const args = ["--memory", path, trust, at, String(threads)];
      return { samples: [runScript("figures/streaming.js", args).megabytes] };
    });
}

export const twoThreads = {
  name: "two-threads",
  title: "verify 100,000 receipts on two threads: times faster than on one, wall",
  unit: "x",
  better: "higher",
  target: 1.8,
  limit: 1.5,
  measure: measureThreads,
};

export const streamingMemory = {
  name: "streaming-memory",
  title: "streaming form: peak memory at 1,000,000 receipts, one thread",
  unit: "MB",
  target: 256,
  measure: memoryOf(1),
};

export const streamingMemoryOfTwo = {
  name: "streaming-memory-two",
  title: "streaming form: peak memory at 1,000,000 receipts, two threads",
  unit: "MB",
  target: 400,
  measure: memoryOf(2),
};

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === "--memory") {
  const [path, trust, at, threads] = process.argv.slice(3);
  await verify({ path, trust, at }, Number(threads));
  console.log(JSON.stringify({ megabytes: peakMegabytes() }));
}
