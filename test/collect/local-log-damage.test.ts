import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTlogProof } from "../../src/anchors/tlog.js";
import { createLocalLog, type LocalLog, openLocalLog } from "../../src/collect/local-log.js";
import { present, seed, testSigner } from "../anchors/support.js";
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

describe("local log: witnesses that remember", () => {
  /** A log of three published entries whose witnesses remember five. */
  async function rolledBack(change: (log: LocalLog) => Promise<unknown>): Promise<string> {
    const home = await temporaryDirectory();
    const options = sampleOptions(join(home, "log"));
    const witnesses = options.witnesses.map((witness) => ({
      ...witness,
      stateFile: join(home, `${witness.name}.json`),
    }));
    const log = await createLocalLog({ ...options, witnesses });
    await log.append(entries(0, 3));
    await log.publish(NOW);
    await cp(options.dir, join(home, "copy"), { recursive: true });
    await log.append(entries(3, 5));
    await log.publish(NOW + 1);
    await rm(options.dir, { recursive: true });
    await cp(join(home, "copy"), options.dir, { recursive: true });
    const restored = await openLocalLog({ ...options, witnesses });
    await change(restored);
    const before = await readFile(join(options.dir, "checkpoint"), "utf8");
    const outcome = await thrown(restored.publish(NOW + 2));
    const published = (await readFile(join(options.dir, "checkpoint"), "utf8")) !== before;
    expect(published).toBe(outcome === "resolved");
    return outcome;
  }

  it("refuse a log that shrank", async () => {
    expect(await rolledBack(async () => undefined)).toMatch(
      /^LEDGER_REFUSED: witness "w1.example" .* shrink/,
    );
  });

  it("refuse another tree of the same size", async () => {
    const outcome = await rolledBack((log) => log.append([entry(8), entry(9)]));
    expect(outcome).toMatch(/^LEDGER_REFUSED: .* another tree of the same size/);
  });

  it("refuse a longer tree that is no extension", async () => {
    const outcome = await rolledBack((log) => log.append(entries(7, 14)));
    expect(outcome).toMatch(/^LEDGER_REFUSED: .* not an extension/);
  });

  it("go on when the restored log says again what they saw", async () => {
    expect(await rolledBack((log) => log.append(entries(3, 5)))).toBe("resolved");
    expect(await rolledBack((log) => log.append(entries(3, 9)))).toBe("resolved");
  });

  it("refuse a log that is made anew under the old names", async () => {
    const home = await temporaryDirectory();
    const options = sampleOptions(join(home, "log"));
    const witnesses = options.witnesses.map((witness) => ({
      ...witness,
      stateFile: join(home, `${witness.name}.json`),
    }));
    const log = await createLocalLog({ ...options, witnesses });
    await log.append(entries(0, 3));
    await log.publish(NOW);
    await rm(options.dir, { recursive: true });
    const fresh = await createLocalLog({ ...options, witnesses });
    await fresh.append([entry(1)]);
    expect(await thrown(fresh.publish(NOW))).toMatch(/^LEDGER_REFUSED/);
  });
});

describe("local log: damaged directories", () => {
  async function publishedLog(): Promise<string> {
    const dir = await temporaryDirectory();
    const log = await createLocalLog(sampleOptions(dir));
    await log.append(entries(0, 300));
    await log.publish(NOW);
    await log.append(entries(300, 310));
    return dir;
  }

  async function flip(path: string, at: number): Promise<void> {
    const bytes = await readFile(path);
    const index = at < 0 ? bytes.length + at : at;
    bytes[index] = present(bytes[index]) ^ 1;
    await writeFile(path, bytes);
  }

  const flipAt = (file: string, at: number) => (dir: string) => flip(join(dir, file), at);
  const remove = (file: string) => (dir: string) => rm(join(dir, file));
  const write = (file: string, text: string) => (dir: string) => writeFile(join(dir, file), text);
  const edit = (file: string, from: string | RegExp, to: string) => async (dir: string) => {
    const text = await readFile(join(dir, file), "utf8");
    expect(text).toMatch(from);
    await writeFile(join(dir, file), text.replace(from, to));
  };

  it.each([
    ["an entry changed", flipAt("tile/entries/000", 5)],
    ["the last entry changed", flipAt("tile/entries/001.p/54", -1)],
    ["an entry's length changed", flipAt("tile/entries/000", 1)],
    ["an entry tile missing", remove("tile/entries/000")],
    ["a partial entry tile missing", remove("tile/entries/001.p/54")],
    [
      "an entry tile longer",
      async (dir: string) => writeFile(join(dir, "tile/entries/001.p/54"), "\0\0", { flag: "a" }),
    ],
    ["a hash changed", flipAt("tile/0/000", 0)],
    ["a hash of the partial tile changed", flipAt("tile/0/001.p/54", -1)],
    ["a hash of the upper level changed", flipAt("tile/1/000.p/1", 0)],
    ["a hash tile missing", remove("tile/1/000.p/1")],
    ["the state missing", remove("tree.json")],
    ["the state empty", write("tree.json", "")],
    ["the size lower than published", edit("tree.json", '"size":310', '"size":299')],
    ["the size lower", edit("tree.json", '"size":310', '"size":309')],
    ["the size higher", edit("tree.json", '"size":310', '"size":311')],
    ["the root changed", edit("tree.json", /"root":"0x.{64}"/, `"root":"0x${"00".repeat(32)}"`)],
    ["another origin", edit("tree.json", "example.com/log", "example.com/lob")],
    ["a member more", edit("tree.json", '"size"', '"more":1,"size"')],
    ["the checkpoint missing", remove("checkpoint")],
    ["the checkpoint's size changed", edit("checkpoint", "\n300\n", "\n301\n")],
    ["the checkpoint unsigned", edit("checkpoint", /\u2014 example.com\/log .*\n/, "")],
    ["the checkpoint cut", edit("checkpoint", /\n$/, "")],
    ["the checkpoint no text", (dir: string) => writeFile(join(dir, "checkpoint"), Uint8Array.of(0xff))],
    ["a cosignature changed", edit("checkpoint", "nh/YGAAAAA", "nh/YGAAAAB")],
    ["a witness's memory missing", remove("witness/9e1fd818.json")],
    ["a witness's memory changed", edit("witness/9e1fd818.json", '"size":300', '"size":299')],
  ])("are refused on opening: %s", async (_, damage) => {
    const dir = await publishedLog();
    expect(await thrown(openLocalLog(sampleOptions(dir)))).toBe("resolved");
    await damage(dir);
    expect(await thrown(openLocalLog(sampleOptions(dir)))).toMatch(/^LEDGER_CORRUPT/);
  });

  it("are refused with keys that are not theirs", async () => {
    const options = sampleOptions(await publishedLog());
    expect(await thrown(openLocalLog({ ...options, logSigner: testSigner(seed(99)) }))).toMatch(
      /^LEDGER_CORRUPT/,
    );
    expect(await thrown(openLocalLog({ ...options, origin: "example.com/other" }))).toMatch(
      /^LEDGER_CORRUPT/,
    );
    expect(await thrown(openLocalLog(options))).toBe("resolved");
  });

  it("are noticed by a handle that is open already", async () => {
    const dir = await publishedLog();
    const log = await openLocalLog(sampleOptions(dir));
    await edit("tree.json", '"size":310', '"size":309')(dir);
    expect(await thrown(log.append([entry(310)]))).toMatch(/^LEDGER_CORRUPT/);
    expect(await thrown(log.publish(NOW))).toMatch(/^LEDGER_CORRUPT/);
  });

  it("what a crash left behind the counted tree is written over", async () => {
    const dir = await temporaryDirectory();
    const log = await createLocalLog(sampleOptions(dir));
    await log.append(entries(0, 4));
    await mkdir(join(dir, "tile/0/000.p"), { recursive: true });
    await writeFile(join(dir, "tile/0/000.p/6"), new Uint8Array(192).fill(9));
    await writeFile(join(dir, "tile/entries/000.p/6"), "half an ent");
    await writeFile(join(dir, "tree.json.tmp-1-0"), "{");
    const again = await openLocalLog(sampleOptions(dir));
    expect(await again.append(entries(4, 6))).toEqual([{ index: 4 }, { index: 5 }]);
    await again.publish(NOW);
    const outcome = checkTlogProof(await again.proof(5), entry(5), trustOf(again));
    expect(outcome).toMatchObject({ kind: "checked", quorumMet: true });
    expect(await thrown(openLocalLog(sampleOptions(dir)))).toBe("resolved");
  });
});
