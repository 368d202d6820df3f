/** The short way to a proof answers only where the long way gives the same without a fault. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TreeProof, treeProof } from "../../src/bundle/format.js";
import { ProofReader } from "../../src/bundle/proof-reader.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { parseJson, type Recogniser } from "../../src/encoding/json.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { canonicalText } from "../../src/statements/canonical.js";
import { Faults } from "../../src/statements/schema.js";

const digest = (text: string): string => sha256Hex(encodeUtf8(text));
const proof: TreeProof = {
  statement_digest: digest("s"),
  leaf_index: 12,
  audit_path: [digest("a"), digest("b"), digest("c"), digest("d")],
};

/** What the long way makes of a text: the proof, or null after any fault. */
function longWay(text: string): TreeProof | null {
  const { value, faults } = parseJson(encodeUtf8(text), {
    maxBytes: 100_000,
    maxDepth: LIMITS.maxDepth,
    isFreeNumber: () => false,
    exactNumbers: true,
  });
  if (value === undefined || faults.length > 0) return null;
  return treeProof.decode(value, "", new Faults()) ?? null;
}

/** Holds both ways together on one text behind another; true when the short way read it. */
function agrees(text: string, before: string = ""): boolean {
  const reader = new ProofReader(before + text);
  if (before !== "") expect(reader.read(0)).not.toBeNull();
  const read = reader.read(before.length);
  const whole = text.slice(0, (read?.end ?? 0) - before.length);
  const statement = read === null ? null : longWay(whole);
  if (read === null) {
    // What the long way accepts in canonical form is read the short way too, or the bench would measure another.
    const long = longWay(text);
    expect(long !== null && canonicalText(long) === text, text).toBe(false);
    return false;
  }
  expect(statement, text).not.toBeNull();
  expect(read.value).toEqual(statement);
  expect(Object.getPrototypeOf(read.value)).toBe(Object.getPrototypeOf(statement));
  expect(canonicalText(read.value)).toBe(whole);
  expect(read.values).toBe(4 + (statement?.audit_path.length ?? 0));
  return true;
}

describe("the short way to a proof", () => {
  it("reads canonical text, wherever it stands, one proof after another", () => {
    const second = { ...proof, leaf_index: 13, audit_path: [digest("a"), digest("x"), digest("c")] };
    const [one, two] = [canonicalText(proof), canonicalText(second)];
    const reader = new ProofReader(`[${one},${two},${one}]`);
    expect(reader.read(1)).toEqual({ value: proof, end: 1 + one.length, values: 8 });
    expect(reader.read(2 + one.length)?.value).toEqual(second);
    expect(reader.read(3 + one.length + two.length)?.value).toEqual(proof);
    expect(reader.read(0)).toBeNull();
    expect(reader.read(2 * one.length + two.length + 4)).toBeNull();
    expect(agrees(one)).toBe(true);
  });

  it("agrees with the long way after any change of one character, in the first proof and behind another", () => {
    const text = canonicalText(proof);
    const changes = [
      ["", 1],
      ["0", 1],
      ["A", 1],
      [" ", 1],
      ['"', 1],
      ["\\", 1],
      ["0", 0],
      [",", 0],
    ] as const;
    let [read, count] = [0, 0];
    for (const before of ["", text]) {
      for (let at = 0; at < text.length; at += 1) {
        for (const [put, skip] of changes) {
          count += 1;
          if (agrees(text.slice(0, at) + put + text.slice(at + skip), before)) read += 1;
        }
      }
    }
    // Some changes only change a digit; most break the form.
    expect(read).toBeGreaterThan(500);
    expect(read).toBeLessThan(count / 4);
  });

  it("agrees with the long way on any values of the members, and on any path behind any other", () => {
    const odd = fc.oneof(
      fc.constantFrom("", '"', "\\", "é", "0x", "0x00", digest("x").toUpperCase(), digest("x")),
      fc.constantFrom(1.5, -1, 0, 7, 1e21, 2 ** 53, 2 ** 53 - 1, null, true),
      fc.array(fc.constantFrom(digest("x"), digest("y"), digest("z"), "0x00", 1), { maxLength: 66 }),
      fc.constant({}),
    );
    const names = ["audit_path", "leaf_index", "statement_digest", "more"];
    let read = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        odd,
        fc.array(fc.constantFrom(digest("x"), digest("y"), digest("z")), { maxLength: 63 }),
        (name, value, path) => {
          const text = JSON.stringify({ ...proof, [name]: value }, names);
          const before = canonicalText({ ...proof, audit_path: path });
          if (agrees(text) && agrees(text, before)) read += 1;
        },
      ),
      { numRuns: 2_000 },
    );
    expect(read).toBeGreaterThan(30);
  });

  it.each([
    ["members in another order", JSON.stringify(proof)],
    ["a space", canonicalText(proof).replace(",", ", ")],
    ["a repeated member", canonicalText(proof).replace('"leaf_index"', '"leaf_index":12,"leaf_index"')],
    ["a leading zero", canonicalText(proof).replace(":12,", ":012,")],
    ["an exponent", canonicalText(proof).replace(":12,", ":12e0,")],
    ["no digits", canonicalText(proof).replace(":12,", ":,")],
    ["a number beyond those that are exact", canonicalText(proof).replace(":12,", ":9007199254740992,")],
    ["an escape", canonicalText(proof).replace('"0x', '"\\u0030x')],
    ["its end cut off", canonicalText(proof).slice(0, -1)],
    ["nothing", ""],
  ])("leaves %s to the long way", (_, text) => {
    expect(new ProofReader(text).read(0)).toBeNull();
  });

  it("takes 63 hashes and no 64th, and none", () => {
    const hashes = Array.from({ length: 64 }, (_, index) => digest(`${index}`));
    for (const count of [0, 1, 63, 64])
      expect(agrees(canonicalText({ ...proof, audit_path: hashes.slice(0, count) }))).toBe(count < 64);
  });

  it("counts the values that it reads, up to the same limit", () => {
    const text = `{"evidence_trees":[{"proofs":[${canonicalText(proof)},${canonicalText(proof)}],"x":[1,2]}]}`;
    let asked = 0;
    const recogniser: Recogniser = (whole) => {
      const reader = new ProofReader(whole);
      return (path, at) => {
        asked += 1;
        return path.length === 4 ? reader.read(at) : null;
      };
    };
    for (let maxValues = 1; maxValues < 30; maxValues += 1) {
      const limits = { maxBytes: 100_000, maxDepth: LIMITS.maxDepth, maxValues };
      const long = parseJson(encodeUtf8(text), limits);
      expect(parseJson(encodeUtf8(text), { ...limits, recogniser }), `${maxValues}`).toEqual(long);
      expect(long.faults.length).toBe(maxValues < 23 ? 1 : 0);
    }
    expect(asked).toBeGreaterThan(30);
  });
});
