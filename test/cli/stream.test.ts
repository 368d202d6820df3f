/** The streaming form at the command line: written, compressed, read from files and standard input, looked at. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBundle } from "../../src/bundle/decode.js";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

const hasZstd = "zstdCompressSync" in zlib;
if (!hasZstd) console.warn("zstd is not tested: this Node.js does not have it; its refusal is");

/** A desk with a sealed session of four calls. */
async function recorded(desk: Desk): Promise<void> {
  await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
  await desk.all("init --no-passphrase", "record --from calls.json --format calls --delegate", "seal");
}

describe("the streaming form", () => {
  it("is written, compressed, verified and looked at like any other", () =>
    atDesk(async (desk) => {
      await recorded(desk);
      await desk.all(
        "bundle -o b.json",
        "bundle --stream -o b.jsonl",
        "bundle --stream --compress gzip -o b.jsonl.gz",
      );
      const read = (name: string): Promise<Buffer> => readFile(join(desk.folder, name));
      const [json, plain, gzip] = [await read("b.json"), await read("b.jsonl"), await read("b.jsonl.gz")];
      expect(plain.subarray(0, 11).toString()).toBe('{"header":{');
      expect(zlib.gunzipSync(gzip)).toEqual(plain);
      expect(decodeBundle(plain)).toEqual(decodeBundle(json));
      for (const name of ["b.jsonl", "b.jsonl.gz"]) expect(await desk.verdict(name)).toBe("ACCEPTED");
      for (const threads of ["1", "2"]) {
        const run = await desk.run(`verify b.jsonl --trust trust.json --threads ${threads}`);
        expect([run.code, run.err]).toEqual([0, ""]);
      }
      expect((await desk.run("verify b.jsonl --trust trust.json --threads 0")).code).toBe(2);
      if (hasZstd) {
        await desk.all("bundle --stream --compress zstd -o b.jsonl.zst");
        expect(await desk.verdict("b.jsonl.zst")).toBe("ACCEPTED");
      } else {
        await writeFile(join(desk.folder, "b.zst"), Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0));
        const refused = await desk.run("verify b.zst --trust trust.json");
        expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/this Node.js does not have/)]);
        const unmade = await desk.run("bundle --stream --compress zstd -o z");
        expect([unmade.code, unmade.err]).toEqual([
          2,
          expect.stringMatching(/--compress zstd: this Node.js/),
        ]);
      }
      expect(await desk.all("inspect b.jsonl.gz --json")).toContain('"receipts"');
      expect(await desk.all("graph b.jsonl")).toContain("-->");
    }));

  it("is refused when it was cut off, compressed or not", () =>
    atDesk(async (desk) => {
      await recorded(desk);
      await desk.all("bundle --stream -o b.jsonl");
      const bytes = await readFile(join(desk.folder, "b.jsonl"));
      await writeFile(join(desk.folder, "cut.jsonl"), bytes.subarray(0, bytes.lastIndexOf(0x0a, -2) + 1));
      await writeFile(join(desk.folder, "cut.gz"), zlib.gzipSync(bytes).subarray(0, -20));
      expect(await desk.verdict("b.jsonl")).toBe("ACCEPTED");
      expect(await desk.verdict("cut.jsonl")).toBe("FORMAT_TRUNCATED");
      const broken = await desk.run("verify cut.gz --trust trust.json");
      expect([broken.code, broken.err]).toEqual([
        2,
        expect.stringMatching(/^osa-proof: bundle cut.gz cannot be read/),
      ]);
    }));

  it("goes with no other form", () =>
    atDesk(async (desk) => {
      await recorded(desk);
      for (const line of ["bundle --stream --cbor -o x", "bundle --compress gzip -o x"])
        expect((await desk.run(line)).code).toBe(2);
    }));
});
