import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTlogProof } from "../../src/anchors/tlog.js";
import { parseVerifierKey } from "../../src/anchors/verifier-key.js";
import { createLocalLog, openLocalLog } from "../../src/collect/local-log.js";
import { loadLog } from "../../src/collect/log-store.js";
import { decodeEntries } from "../../src/collect/tiles.js";
import { decodeHex } from "../../src/encoding/hex.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import { evidenceTree } from "../../src/tree/merkle.js";
import { verifyConsistency } from "../../src/tree/proof.js";
import {
  CT_LEAVES,
  haveVectors,
  LOG_SEED,
  present,
  SAMPLE_LOG_VKEY,
  SAMPLE_PROOF,
  SAMPLE_W1_VKEY,
  seed,
  testSigner,
  vectorBytes,
  vectorDirectory,
  W1_SEED,
} from "../anchors/support.js";
import {
  entries,
  entry,
  NOW,
  removeDirectoriesAfterEach,
  sampleOptions,
  temporaryDirectory,
  thrown,
  trustOf,
} from "./support.js";

removeDirectoriesAfterEach();

/** All files under a directory that belong to the C2SP layout. */
async function layout(dir: string): Promise<string[]> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(dir.length + 1))
    .filter((file) => file.startsWith("tile/") || file === "checkpoint")
    .sort();
}

describe("local log", () => {
  it("shows that it continues every size it had, and no size it never had", async () => {
    const log = await createLocalLog(sampleOptions(await temporaryDirectory()));
    const all = entries(0, 7);
    await log.append(all);
    await log.publish(NOW);
    await log.append([entry(7)]);
    const rootOf = (size: number): Uint8Array => evidenceTree(all.slice(0, size)).root;
    for (let newSize = 1; newSize <= 7; newSize += 1) {
      for (let oldSize = 1; oldSize <= newSize; oldSize += 1) {
        const { origin, hashes, ...sizes } = await log.consistency(oldSize, newSize);
        expect([origin, sizes]).toEqual([log.origin, { old_size: oldSize, new_size: newSize }]);
        const path = hashes.map((hash) => decodeHex(hash) ?? new Uint8Array());
        const [oldRoot, newRoot] = [rootOf(oldSize), rootOf(newSize)];
        expect(verifyConsistency({ oldSize, oldRoot, newSize, newRoot, path })).toBe(true);
      }
    }
    for (const [oldSize, newSize] of [
      [0, 3],
      [4, 3],
      [3, 8],
      [1.5, 3],
      [1, Number.NaN],
    ] as const) {
      expect(await thrown(log.consistency(oldSize, newSize))).toMatch(/^ARGUMENT_INVALID: no log of /);
    }
  });

  it("gives proofs that an auditor accepts, after reopening as well", async () => {
    const dir = await temporaryDirectory();
    const log = await createLocalLog(sampleOptions(dir));
    expect(await log.append([entry(0)])).toEqual([{ index: 0 }]);
    expect(await log.append(entries(1, 5))).toEqual([1, 2, 3, 4].map((index) => ({ index })));
    expect(await log.append([])).toEqual([]);
    expect(await log.size()).toEqual({ entries: 5, published: 0 });
    const checkpoint = await log.publish(NOW);
    expect(await readFile(join(dir, "checkpoint"), "utf8")).toBe(checkpoint);
    const again = await openLocalLog(sampleOptions(dir));
    expect(await again.size()).toEqual({ entries: 5, published: 5 });
    for (const reader of [log, again]) {
      for (let index = 0; index < 5; index++) {
        const outcome = checkTlogProof(await reader.proof(index), entry(index), trustOf(log));
        expect(outcome).toMatchObject({ kind: "checked", size: 5, index, quorumMet: true, time: NOW * 1000 });
      }
    }
    const proof = await log.proof(1);
    expect(checkTlogProof(proof, entry(2), trustOf(log))).toMatchObject({ code: "ANCHOR_ENTRY_MISMATCH" });
  });

  it("makes the sample proof byte for byte from its seeds", async () => {
    const dir = await temporaryDirectory();
    const options = sampleOptions(dir);
    const log = await createLocalLog({ ...options, witnesses: options.witnesses.slice(0, 1) });
    expect([log.vkey, log.witnesses[0]?.vkey]).toEqual([SAMPLE_LOG_VKEY, SAMPLE_W1_VKEY]);
    await log.append(CT_LEAVES);
    await log.publish(NOW);
    expect(await log.proof(5)).toBe(SAMPLE_PROOF.replace(/\u2014 w2\.example .*\n$/, ""));
  });

  it("F075 cosigns the same tree again at a later time, and an older proof stays good", async () => {
    const log = await createLocalLog(sampleOptions(await temporaryDirectory()));
    await log.append(entries(0, 3));
    await log.publish(NOW);
    const first = await log.proof(2);
    await log.publish(NOW + 60);
    const second = await log.proof(2);
    await log.append(entries(3, 9));
    await log.publish(NOW + 120);
    const times = [first, second, await log.proof(2)].map((proof) =>
      checkTlogProof(proof, entry(2), trustOf(log)),
    );
    expect(times.map((outcome) => outcome.kind === "checked" && outcome.time)).toEqual([
      NOW * 1000,
      (NOW + 60) * 1000,
      (NOW + 120) * 1000,
    ]);
  });

  it("has no proof of what is not published, and says so", async () => {
    const log = await createLocalLog(sampleOptions(await temporaryDirectory()));
    await log.append([entry(0)]);
    expect(await thrown(log.proof(0))).toMatch(
      /^LEDGER_REFUSED: entry 0 is not among the 0 .* publish first$/,
    );
    await log.publish(NOW);
    await log.append([entry(1)]);
    expect(await thrown(log.proof(0))).toBe("resolved");
    expect(await thrown(log.proof(1))).toMatch(/^LEDGER_REFUSED/);
    expect(await thrown(log.proof(-1))).toMatch(/^ARGUMENT_INVALID/);
    expect(await thrown(log.proof(0.5))).toMatch(/^ARGUMENT_INVALID/);
  });

  it.each(["Uint8Array", "Buffer"])("stores a %s as it was when the call was made", async (kind) => {
    const dir = await temporaryDirectory();
    const log = await createLocalLog(sampleOptions(dir));
    const given = kind === "Buffer" ? Buffer.from("before") : encodeUtf8("before");
    const appended = log.append([given]);
    given.fill(0x58);
    await appended;
    await log.publish(NOW);
    const tile = await readFile(join(dir, "tile/entries/000.p/1"));
    expect(decodeUtf8(decodeEntries(tile, 1, 1)?.[0] ?? tile)).toBe("before");
  });

  it("publishes an empty tree, and refuses a time that is none", async () => {
    const log = await createLocalLog(sampleOptions(await temporaryDirectory()));
    expect(await log.publish(NOW)).toContain("example.com/log\n0\n47DEQpj8HBSa");
    for (const time of [0, -5, 1.5, Number.NaN])
      expect(await thrown(log.publish(time))).toMatch(/^ARGUMENT_INVALID/);
  });

  it("takes entries of up to 65,535 bytes, none included", async () => {
    const log = await createLocalLog(sampleOptions(await temporaryDirectory()));
    const largest = new Uint8Array(65_535).fill(1);
    await log.append([largest, new Uint8Array()]);
    expect(await thrown(log.append([entry(0), new Uint8Array(65_536)]))).toMatch(/^ARGUMENT_INVALID/);
    expect(await log.size()).toEqual({ entries: 2, published: 0 });
    await log.publish(NOW);
    expect(checkTlogProof(await log.proof(0), largest, trustOf(log)).kind).toBe("checked");
    expect(checkTlogProof(await log.proof(1), new Uint8Array(), trustOf(log)).kind).toBe("checked");
  });

  it("keeps the layout of C2SP tiles over several full tiles, whatever the steps", async () => {
    const options = sampleOptions(await temporaryDirectory());
    const log = await createLocalLog({ ...options, witnesses: options.witnesses.slice(0, 1) });
    const steps = [100, 200, 255, 256, 257, 513, 600];
    let from = 0;
    for (const to of steps) {
      await log.append(entries(from, to));
      if (to === 200 || to === 257 || to === 600) await log.publish(NOW + to);
      from = to;
    }
    expect(await layout(options.dir)).toEqual([
      "checkpoint",
      "tile/0/000",
      "tile/0/001",
      "tile/0/002.p/88",
      "tile/1/000.p/1",
      "tile/1/000.p/2",
      "tile/entries/000",
      "tile/entries/001",
      "tile/entries/002.p/88",
    ]);
    const bundle = new Uint8Array(await readFile(join(options.dir, "tile/entries/002.p/88")));
    expect(decodeEntries(bundle, 88, 88)).toEqual(entries(512, 600));
    const again = await openLocalLog({ ...options, witnesses: options.witnesses.slice(0, 1) });
    for (const index of [0, 255, 256, 511, 512, 599]) {
      const outcome = checkTlogProof(await again.proof(index), entry(index), trustOf(log));
      expect(outcome).toMatchObject({ kind: "checked", size: 600, quorumMet: true });
    }
    await again.append([entry(600)]);
    expect(await again.size()).toEqual({ entries: 601, published: 600 });
  });

  it("keeps the partial tile of a published size until the tile is full, and drops unpublished ones", async () => {
    const options = sampleOptions(await temporaryDirectory());
    const log = await createLocalLog(options);
    await log.append(entries(0, 2));
    await log.append(entries(2, 3));
    await log.publish(NOW);
    await log.append(entries(3, 4));
    await log.append(entries(4, 5));
    expect((await layout(options.dir)).filter((file) => file.startsWith("tile/0"))).toEqual([
      "tile/0/000.p/3",
      "tile/0/000.p/5",
    ]);
  });
});

describe("local log: names and keys", () => {
  it.each([
    [
      "a log key that is a witness key",
      { witnesses: [{ name: "w1.example", signer: testSigner(LOG_SEED) }] },
    ],
    [
      "one key under two names",
      { witnesses: ["a", "b"].map((name) => ({ name, signer: testSigner(W1_SEED) })) },
    ],
    [
      "one name with two keys",
      { witnesses: [W1_SEED, seed(9)].map((key) => ({ name: "a", signer: testSigner(key) })) },
    ],
    ["an origin with a space", { origin: "example com" }],
    ["an origin with +", { origin: "example+com" }],
    ["a witness without a name", { witnesses: [{ name: "", signer: testSigner(W1_SEED) }] }],
    [
      "a signer of another algorithm",
      { logSigner: { ...testSigner(LOG_SEED), algorithm: "ECDSA_P256" as const } },
    ],
    [
      "too many witnesses",
      {
        witnesses: Array.from({ length: 64 }, (_, i) => ({ name: `w${i}`, signer: testSigner(seed(i + 1)) })),
      },
    ],
  ])("refuses %s", async (_, change) => {
    const options = { ...sampleOptions(await temporaryDirectory()), ...change };
    expect(await thrown(createLocalLog(options))).toMatch(/^ARGUMENT_INVALID/);
    expect(await thrown(createLocalLog(sampleOptions(options.dir)))).toBe("resolved");
  });

  it("is not created over a log, nor opened where there is none", async () => {
    const options = sampleOptions(join(await temporaryDirectory(), "deep", "er"));
    expect(await thrown(openLocalLog(options))).toMatch(/^LEDGER_CORRUPT: there is no log/);
    expect(await thrown(createLocalLog(options))).toBe("resolved");
    expect(await thrown(createLocalLog(options))).toMatch(/^LEDGER_REFUSED: .* holds a log already/);
    expect(await thrown(openLocalLog(options))).toBe("resolved");
  });

  it("publishes nothing that a signer did not really sign", async () => {
    const options = sampleOptions(await temporaryDirectory());
    const broken = { ...testSigner(W1_SEED), sign: async () => new Uint8Array(64) };
    const witnesses = [{ name: "w1.example", signer: broken }, ...options.witnesses.slice(1)];
    await (await createLocalLog(options)).append([entry(0)]);
    const log = await openLocalLog({ ...options, witnesses });
    expect(await thrown(log.publish(NOW))).toMatch(/^SIGNER_FAILED/);
    expect(await log.size()).toEqual({ entries: 1, published: 0 });
    expect(await thrown((await openLocalLog(options)).publish(NOW))).toBe("resolved");
  });
});

describe("local log: one at a time", () => {
  it("two handles that append and publish at once lose and repeat nothing", async () => {
    const dir = await temporaryDirectory();
    const first = await createLocalLog(sampleOptions(dir));
    const second = await openLocalLog(sampleOptions(dir));
    const work = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? first : second).append([entry(i)]));
    const places = (await Promise.all([...work, first.publish(NOW)])).slice(0, 12).flat();
    expect(
      places.map((place) => (typeof place === "string" ? -1 : place.index)).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 12 }, (_, i) => i));
    await second.publish(NOW + 1);
    for (const [i, place] of places.entries()) {
      if (typeof place === "string") continue;
      expect(checkTlogProof(await first.proof(place.index), entry(i), trustOf(first)).kind).toBe("checked");
    }
  });

  it("waits for a lock of a living process, and then refuses", async () => {
    const dir = await temporaryDirectory();
    const log = await createLocalLog({ ...sampleOptions(dir), lockWaitMilliseconds: 0 });
    for (const owner of [`${process.ppid} ? ${hostname()}\n`, "1 7 another-host\n", ""]) {
      await writeFile(join(dir, "lock"), owner);
      expect(await thrown(log.append([entry(0)]))).toMatch(/^LEDGER_REFUSED: .*lock is held/);
      await rm(join(dir, "lock"));
    }
    expect(await thrown(log.append([entry(0)]))).toBe("resolved");
  });

  it("takes over the lock of a process that is gone, its own number included", async () => {
    const dir = await temporaryDirectory();
    const log = await createLocalLog({ ...sampleOptions(dir), lockWaitMilliseconds: 0 });
    for (const owner of [`${2 ** 30} 7`, `${process.pid} 7`, `${process.pid} ?`]) {
      await writeFile(join(dir, "lock"), `${owner} ${hostname()}\n`);
      expect(await thrown(log.append([entry(0)]))).toBe("resolved");
    }
    expect(await readdir(dir)).not.toContain("lock");
  });
});

describe.skipIf(!haveVectors)("a public log", () => {
  const key = present(
    parseVerifierKey("example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx"),
  );

  it("is read and verified at every size", async () => {
    for (let size = 1; size <= 15; size++) {
      const dir = await temporaryDirectory();
      await cp(vectorDirectory("tessera-log"), dir, { recursive: true });
      await cp(join(dir, `checkpoint.${size}`), join(dir, "checkpoint"), { force: true });
      const note = await readFile(join(dir, "checkpoint"), "utf8");
      const root = `0x${Buffer.from(present(note.split("\n")[2]), "base64").toString("hex")}`;
      await writeFile(join(dir, "tree.json"), canonicalBytes({ origin: key.name, root, size }));
      expect((await loadLog(dir, key.name, key, [])).published.checkpoint.size).toBe(size);
    }
  });

  it("and ours of the same entries has the same files", async () => {
    const bundle = vectorBytes("tessera-log/tile/entries/000.p/15");
    const log = await createLocalLog(sampleOptions(await temporaryDirectory()));
    const dir = await temporaryDirectory();
    const ours = await createLocalLog({ ...sampleOptions(dir), witnesses: [] });
    expect(log.vkey).toBe(ours.vkey);
    for (const [i, one] of present(decodeEntries(bundle, 15, 15)).entries()) {
      await ours.append([one]);
      await ours.publish(NOW + i);
    }
    const files = (await layout(dir)).filter((file) => file !== "checkpoint");
    expect(files.length).toBe(30);
    for (const file of files)
      expect(new Uint8Array(await readFile(join(dir, file)))).toEqual(vectorBytes(`tessera-log/${file}`));
  });
});
