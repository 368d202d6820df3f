/**
 * Receipts per second for signing and verifying on one thread, beside OpenSSL on the same machine in the same run,
 * both by the clock on the wall.
 *
 * Absolute figures move with the machine; the ratio of medians of interleaved rounds is what to compare.
 * `node bench/bench.js [--json] [--quick]` (after `npm run build`).
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { makeBundle, signReceipts } from "./session.js";

const TARGET = 0.4;
const WARM_RECEIPTS = 10_000;
const WARM_ROUNDS = 4;
const quick = process.argv.includes("--quick");
const sizes = quick ? [1_000] : [1_000, 10_000];
const rounds = quick ? 3 : 11;

/** OpenSSL's own P-256 figures for one core, per second. */
function opensslSpeed() {
  const text = execFileSync("openssl", ["speed", "-elapsed", "-seconds", "1", "ecdsap256"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [sign, verify] = (/ecdsa \(nistp256\)\s+\S+s\s+\S+s\s+([\d.]+)\s+([\d.]+)/.exec(text) ?? [])
    .slice(1)
    .map(Number);
  if (!(sign > 0) || !(verify > 0)) throw new Error("openssl speed printed no P-256 figures");
  return { sign, verify };
}

/** Runs one measurement in a process of its own, so that its peak memory is its own. */
function child(task, size) {
  const result = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), "--child", task, String(size)],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  if (result.status !== 0) throw new Error(result.stderr);
  return JSON.parse(result.stdout);
}

async function runChild(task, size) {
  const { verifyBundle } = await import("../dist/index.js");
  if (task === "sign") {
    const started = process.hrtime.bigint();
    await signReceipts(size);
    return report(size, started);
  }
  const { bytes, trust, at } = await makeBundle(size);
  // The same number of receipts is verified before and while timing, whatever the bundle's size.
  const repeats = Math.ceil(WARM_RECEIPTS / size);
  const verifyAll = () => {
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const { verdict } = verifyBundle(bytes, trust, { at });
      if (verdict !== "ACCEPTED") throw new Error("the benchmark's own bundle was rejected");
    }
  };
  // The compiler of the engine settles over the first tens of thousands of receipts.
  for (let round = 0; round < WARM_ROUNDS; round += 1) verifyAll();
  const started = process.hrtime.bigint();
  verifyAll();
  return report(size * repeats, started, bytes.length);
}

function report(size, started, bytes = 0) {
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  return { perSecond: size / seconds, peakMegabytes: process.resourceUsage().maxRSS / 1024, bytes };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function main() {
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const size of sizes) {
      const openssl = opensslSpeed();
      samples.push({ size, openssl, sign: child("sign", size), verify: child("verify", size) });
      process.stderr.write(`round ${round + 1} of ${rounds}, ${size} receipts\r`);
    }
  }
  const rows = sizes.flatMap((size) =>
    ["sign", "verify"].map((task) => {
      const own = samples.filter((sample) => sample.size === size);
      const ratios = own.map((sample) => sample[task].perSecond / sample.openssl[task]);
      return {
        task,
        receipts: size,
        perSecond: Math.round(median(own.map((sample) => sample[task].perSecond))),
        opensslPerSecond: Math.round(median(own.map((sample) => sample.openssl[task]))),
        ratio: Number(median(ratios).toFixed(3)),
        ratioRange: [Math.min(...ratios), Math.max(...ratios)].map((value) => Number(value.toFixed(3))),
        peakMegabytes: Math.round(median(own.map((sample) => sample[task].peakMegabytes))),
      };
    }),
  );
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    openssl: process.versions.openssl,
    rounds,
  };
  const version = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify({ version, machine, target: TARGET, rows }, null, 2));
    return;
  }
  console.log(`osa-proof ${version}, node ${machine.node}, ${machine.cpu}, medians of ${rounds} rounds`);
  console.log("task    receipts  per second  openssl/s  ratio [min-max]        peak MB");
  for (const row of rows) {
    const range = `${row.ratio.toFixed(2)} [${row.ratioRange[0].toFixed(2)}-${row.ratioRange[1].toFixed(2)}]`;
    console.log(
      `${row.task.padEnd(7)} ${String(row.receipts).padStart(8)}  ${String(row.perSecond).padStart(10)}  ${String(row.opensslPerSecond).padStart(9)}  ${range.padEnd(21)}  ${String(row.peakMegabytes).padStart(7)}`,
    );
  }
  console.log(`target: verify at least ${TARGET} of one core of OpenSSL P-256`);
}

if (process.argv[2] === "--child") {
  console.log(JSON.stringify(await runChild(process.argv[3], Number(process.argv[4]))));
} else {
  main();
}
