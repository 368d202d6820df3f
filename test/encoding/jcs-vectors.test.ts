import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalBytes, canonicalJson } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { referenceJcs } from "./reference-jcs.js";
import { limits, vectorFolder } from "./support.js";

const folder = vectorFolder("jcs");

function read(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, folder ?? "")));
}

function parsed(bytes: Uint8Array): JsonValue {
  const { value, faults } = parseJson(bytes, limits);
  expect(faults).toEqual([]);
  return value ?? null;
}

/** The double with these 64 bits, written as up to 16 hexadecimal digits. */
function double(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

describe.skipIf(folder === null)("public RFC 8785 vectors (../shared/vectors/jcs)", () => {
  it.each(["arrays", "structures", "values", "weird"])("document %s", (name) => {
    const value = parsed(read(`input/${name}.json`));
    const bytes = canonicalBytes(value);
    expect(Buffer.from(bytes)).toEqual(Buffer.from(read(`output/${name}.json`)));
    const hex = new TextDecoder().decode(read(`outhex/${name}.txt`)).replace(/\s/g, "");
    expect(Buffer.from(bytes).toString("hex")).toBe(hex);
    expect(referenceJcs(value)).toBe(canonicalJson(value));
  });

  it.each([
    ["scalars/input/null.json", "scalars/output/null.json"],
    ["scalars/input/simpleString.json", "scalars/output/simpleString.json"],
    ["rfc8785-key-sorting/input.json", "rfc8785-key-sorting/output.json"],
  ])("%s", (input, output) => {
    expect(Buffer.from(canonicalBytes(parsed(read(input))))).toEqual(Buffer.from(read(output)));
  });

  it("the numbers of RFC 8785 appendix B", () => {
    const rows = new TextDecoder().decode(read("rfc8785-appendix-b.csv")).trim().split(/\r?\n/).slice(1);
    expect(rows.length).toBe(24);
    for (const row of rows) {
      const [hex = "", text = ""] = row.split(",");
      const value = double(hex);
      expect(canonicalJson(value), row).toBe(text);
      expect(referenceJcs(value), row).toBe(text);
    }
  });

  it("ten thousand ES6 numbers, there and back", () => {
    const bytes = read("es6-numbers-10k.txt");
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(
      "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
    );
    const rows = new TextDecoder().decode(bytes).trim().split("\n");
    expect(rows.length).toBe(10_000);
    for (const row of rows) {
      const [hex = "", text = ""] = row.split(",");
      const value = double(hex);
      if (canonicalJson(value) !== text) expect.fail(row);
      const { value: again, faults } = parseJson(encodeUtf8(text), limits);
      const refused = /^-?\d+$/.test(text) && !Number.isSafeInteger(value);
      if (faults.length !== (refused ? 1 : 0) || !(again === value)) expect.fail(`reading ${row}`);
    }
  });
});

describe("the project's own RFC 8785 documents", () => {
  const cases: [string, string, string][] = [
    ["French names", '{"p\\u00eache":1,"peach":2,"p\\u00e9ch\\u00e9":3}', '{"peach":2,"péché":3,"pêche":1}'],
    [
      "white space and layout",
      ' [ 56 , { "d" : true , "10" : null , "1" : [ ] } ] ',
      '[56,{"1":[],"10":null,"d":true}]',
    ],
    ["spellings of one number", "[1,1.0,1e0,10E-1,100e-2]", "[1,1,1,1,1]"],
    ["spellings of one text", '["\\u0041","A","\\/","/","\\u000A","\\n"]', '["A","A","/","/","\\n","\\n"]'],
    [
      "case and control characters in names",
      '{"\\r":1,"\\n":2,"b":3,"B":4," ":5}',
      '{"\\n":2,"\\r":1," ":5,"B":4,"b":3}',
    ],
  ];
  it.each(cases)("%s", (_, input, output) => {
    expect(canonicalJson(parsed(encodeUtf8(input)))).toBe(output);
  });
});
