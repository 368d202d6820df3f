/** Every report of the streaming form equals that of the same bundle in one piece. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { decodeBundle } from "../../src/bundle/decode.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { decodeStream } from "../../src/bundle/stream-decode.js";
import { encodeStream } from "../../src/bundle/stream-writer.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { verifyStream } from "../../src/verifier/verify-stream.js";

const FIXTURES = join(import.meta.dirname, "../../fixtures");

function directories(): readonly string[] {
  const below = (name: string): string[] =>
    readdirSync(join(FIXTURES, name)).map((entry) => `${name}/${entry}`);
  return [...below("valid"), ...below("invalid").flatMap(below)];
}

/** The bundle of a fixture as an object; null when it has none that a schema accepts. */
function bundleOf(directory: string): ProofBundleV3 | null {
  const file = ["bundle.json", "bundle.cbor"].map((name) => join(FIXTURES, directory, name)).find(existsSync);
  try {
    return file === undefined ? null : decodeBundle(readFileSync(file));
  } catch {
    return null;
  }
}

function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("the streaming form", () => {
  let compared = 0;
  it.each(directories())("of %s gets the report of the bundle", async (directory) => {
    const bundle = bundleOf(directory);
    // The one report that counts bytes, which the two forms do not have alike.
    if (bundle === null || directory.endsWith("/over-the-policys-bytes")) return;
    let stream: Uint8Array;
    try {
      stream = concatBytes(...encodeStream(bundle));
    } catch {
      // Cycles, and disclosures of nothing, have no streaming form.
      return;
    }
    const same = decodeStream(stream);
    expect({ ...same, receipts: 0, disclosures: 0 }).toEqual({ ...bundle, receipts: 0, disclosures: 0 });
    const read = (name: string): Uint8Array | undefined => {
      const path = join(FIXTURES, directory, name);
      return existsSync(path) ? readFileSync(path) : undefined;
    };
    const { at } = JSON.parse(readFileSync(join(FIXTURES, directory, "case.json"), "utf8"));
    const options = {
      at,
      expectations: read("expectations.json"),
      supplement: read("supplement.json"),
      heads: read("heads.json"),
    };
    const trust = read("trust.json") ?? new Uint8Array(0);
    const whole = verifyBundle(encodeBundle(same), trust, options);
    for (const size of [stream.length, 997]) {
      const report = await verifyStream(piecesOf(stream, size), trust, options);
      expect(report).toEqual(whole);
    }
    compared += 1;
  });

  it("was compared for most fixtures", () => {
    expect(compared).toBeGreaterThan(200);
  });
});
