/** Faults that people met in public in tools of this kind, each as one example of its kind, at the parser and the writer. */
import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { referenceJcs } from "./reference-jcs.js";
import { codes, limits, parse } from "./support.js";

const asJson = (value: unknown): JsonValue => value as JsonValue;

function canonicalOf(text: string): string {
  const { value, faults } = parse(text);
  expect(faults).toEqual([]);
  return canonicalJson(value ?? null);
}

/** What `json.dumps(value, sort_keys=True, separators=(",", ":"))` of Python writes: sorted JSON that is not RFC 8785. */
function sortedJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
    return `{${members.map(([name, member]) => `${sortedJson(name)}:${sortedJson(member)}`).join(",")}}`;
  }
  if (typeof value !== "string") return JSON.stringify(value);
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function byCodePoint(a: string, b: string): number {
  const left = [...a].map((character) => character.codePointAt(0) ?? 0);
  const right = [...b].map((character) => character.codePointAt(0) ?? 0);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

describe("field faults of parsing and canonicalisation", () => {
  it.each([
    ["two values", '{"a":1,"a":2}', "/a"],
    ["the same value twice", '{"a":1,"a":1}', "/a"],
    ["hidden by an escape", '{"a":1,"\\u0061":2}', "/a"],
    ["deep inside", '{"x":[{"tool":"ls","n":1,"tool":"rm"}]}', "/x/0/tool"],
    ["named __proto__", '{"__proto__":1,"__proto__":2}', "/__proto__"],
    ["that looks like an index", '{"0":1,"0":2}', "/0"],
    ["with an empty name", '{"":1,"":2}', "/"],
  ])("F001 a repeated member name is refused: %s", (_, text, pointer) => {
    expect(parse(text).faults).toMatchObject([{ code: "FORMAT_DUPLICATE_MEMBER", pointer }]);
  });

  it("F001 one name in two objects is fine", () => {
    expect(codes('{"a":{"a":1},"b":{"a":{"a":1}}}')).toEqual([]);
  });

  it.each([
    ["a value", '{"a":"\\ud800"}', "/a"],
    ["an element", '["x","\\uDC00"]', "/1"],
    ["a pair the wrong way round", '["\\ude00\\ud83d"]', "/0"],
    ["a half before a raw pair", '["\\ud83d😀"]', "/0"],
    ["a member name", '{"b":{"\\ud800":1}}', "/b"],
    ["the whole text", '"\\udfff"', ""],
  ])("F002 a lone surrogate is refused in %s", (_, text, pointer) => {
    expect(parse(text).faults).toMatchObject([{ code: "FORMAT_TEXT_INVALID", pointer }]);
  });

  it("F002 a writer neither replaces nor escapes it", () => {
    for (const value of ["\ud800", { "\ud800": 1 }, ["\udc00"]]) {
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: "VALUE_NOT_JSON" }));
    }
    expect(canonicalOf('"\\ud83d\\ude00"')).toBe('"😀"');
  });

  it.each([
    ["10^24 in digits", `1${"0".repeat(24)}`],
    ["2^53 in digits", "9007199254740992"],
    ["2^53+1 in digits", "9007199254740993"],
    ["-(2^53+1) in digits", "-9007199254740993"],
    ["1e400", "1e400"],
    ["-1e400", "-1e400"],
    ["an integer of 400 digits", "9".repeat(400)],
  ])("F003 a reader refuses %s by name", (_, number) => {
    for (const [text, pointer] of [
      [number, ""],
      [`[0,${number}]`, "/1"],
      [`{"n":${number}}`, "/n"],
    ] as const) {
      expect(parse(text).faults).toMatchObject([{ code: "FORMAT_NUMBER_INVALID", pointer }]);
    }
  });

  it.each(["-0", "-0.0", "-0e3"])(
    "F003 %s is read as zero, and refused where only plain digits may stand",
    (text) => {
      const { value, faults } = parse(text);
      expect(faults).toEqual([]);
      expect(Object.is(value, 0)).toBe(true);
      const closed = { ...limits, isFreeNumber: () => false };
      expect(parseJson(encodeUtf8(text), closed).faults).toMatchObject([{ code: "FORMAT_NUMBER_INVALID" }]);
      expect(parseJson(encodeUtf8("0"), closed).faults).toEqual([]);
    },
  );

  it.each([
    ["0.1", "0.10000000000000001"],
    ["5e-324", "1e-400"],
    ["9007199254740991e0", "1e21"],
    ["1.50", "1.5000000000000000000001"],
    ["-2.5E-3", "-0.00250000000000000000001"],
    ["0.0", "-1e-999"],
  ])("F003 where numbers must be exact, %s is read and %s is refused", (good, bad) => {
    const exact = { ...limits, exactNumbers: true };
    expect(parseJson(encodeUtf8(good), exact).faults).toEqual([]);
    expect(parseJson(encodeUtf8(bad), exact).faults).toMatchObject([{ code: "FORMAT_NUMBER_INVALID" }]);
    expect(parse(bad).faults).toEqual([]);
  });

  it.each(["NaN", "Infinity", "-Infinity", "-NaN"])("F003 %s is no JSON for a reader", (text) => {
    expect(codes(text)).toEqual(["FORMAT_SYNTAX_INVALID"]);
    expect(codes(`[${text}]`)).toEqual(["FORMAT_SYNTAX_INVALID"]);
  });

  it("F003 a writer has one answer for each", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(isJsonValue(value)).toBe(false);
      expect(() => canonicalJson([value])).toThrow(expect.objectContaining({ code: "VALUE_NOT_JSON" }));
    }
    expect(canonicalJson([-0, 1e24, 2 ** 53])).toBe("[0,1e+24,9007199254740992]");
  });

  it("F003 the numbers beside the refused ones are read", () => {
    const text = "[0,9007199254740991,-9007199254740991,1e+24,1.7976931348623157e308,1e-400,0.0]";
    expect(canonicalOf(text)).toBe(
      "[0,9007199254740991,-9007199254740991,1e+24,1.7976931348623157e+308,0,0]",
    );
  });

  it("F004 names outside the basic plane sort by UTF-16 code unit", () => {
    const text =
      '{"\\ufb33":7,"\\ud83d\\ude02":6,"\\u20ac":5,"\\u00f6":4,"\\u0080":3,"</script>":2,"1":1,"\\n":0}';
    const expected = '{"\\n":0,"1":1,"</script>":2,"\u0080":3,"ö":4,"€":5,"😂":6,"\ufb33":7}';
    expect(canonicalOf(text)).toBe(expected);
    expect(referenceJcs(parse(text).value ?? null)).toBe(expected);
    // Order by code point, or by UTF-8 bytes, is the other one.
    expect(byCodePoint("😂", "\ufb33")).toBeGreaterThan(0);
  });

  it("F005 sorted JSON is not the canonical form", () => {
    const same = parse('{"b":[true,null,1.5],"a":"plain"}').value ?? null;
    expect(sortedJson(same)).toBe(canonicalJson(same));
    for (const text of ['"€"', '"\\u007f"', '{"é":1}', '{"\\ud83d\\ude02":1,"\\ufb33":2}']) {
      const value = parse(text).value ?? null;
      expect(sortedJson(value)).not.toBe(canonicalJson(value));
      expect(canonicalJson(value)).toBe(referenceJcs(value));
    }
  });

  it("F007 order does not depend on a locale", () => {
    const names = [
      "z",
      "ä",
      "a",
      "Z",
      "A",
      "ı",
      "i",
      "I",
      "İ",
      "ß",
      "ss",
      "e\u0301",
      "é",
      "-",
      "_",
      "10",
      "9",
    ];
    const value = Object.fromEntries(names.map((name) => [name, 0]));
    const written = Object.keys(JSON.parse(canonicalJson(value))).filter((name) => !/^\d+$/.test(name));
    expect(written).toEqual([
      "-",
      "A",
      "I",
      "Z",
      "_",
      "a",
      "e\u0301",
      "i",
      "ss",
      "z",
      "ß",
      "ä",
      "é",
      "İ",
      "ı",
    ]);
    // Every collation that a person would call sorted puts "ä" before "z".
    expect("ä".localeCompare("z", "en")).toBeLessThan(0);
  });

  it("F009 null and absent are two different things", () => {
    expect(canonicalOf('{"a":null}')).toBe('{"a":null}');
    expect(canonicalOf("{}")).toBe("{}");
    expect(() => canonicalJson(asJson({ a: undefined }))).toThrow(
      expect.objectContaining({ code: "VALUE_NOT_JSON" }),
    );
    expect(() => canonicalJson(asJson([undefined]))).toThrow(
      expect.objectContaining({ code: "VALUE_NOT_JSON" }),
    );
  });

  it("F010 what was read is what is canonicalised: nothing is stripped, filled in or converted", () => {
    const text =
      '{"zero":0,"false":false,"empty":"","none":null,"list":[],"map":{},"time":"2026-01-01T00:00:00.000Z"}';
    expect(canonicalOf(text)).toBe(
      '{"empty":"","false":false,"list":[],"map":{},"none":null,"time":"2026-01-01T00:00:00.000Z","zero":0}',
    );
    const date = new Date(0);
    expect(() => canonicalJson(asJson({ time: date }))).toThrow(
      expect.objectContaining({ code: "VALUE_NOT_JSON" }),
    );
  });
});
