import { describe, expect, it } from "vitest";
import { canonicalBytes, canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { referenceJcs } from "./reference-jcs.js";

/** For values that the type already forbids but a caller in JavaScript can pass. */
const asJson = (value: unknown): JsonValue => value as JsonValue;

function nest(depth: number): unknown[] {
  let value: unknown[] = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}

describe("canonicalJson: the form", () => {
  it("has no white space and sorts members at every level, but never arrays", () => {
    expect(canonicalJson({ b: [3, 1, 2], a: { d: null, c: true } })).toBe(
      '{"a":{"c":true,"d":null},"b":[3,1,2]}',
    );
  });

  it("sorts names that look like numbers as text", () => {
    expect(canonicalJson({ 10: 1, 9: 2, 1: 3, "": 4 })).toBe('{"":4,"1":3,"10":1,"9":2}');
  });

  it("writes each character alone, in a text and in a name, as the reference does", () => {
    for (let unit = 0; unit < 0x180; unit += 1) {
      const text = String.fromCharCode(unit);
      expect(canonicalJson([text])).toBe(referenceJcs([text]));
      expect(canonicalJson({ [text]: 1 })).toBe(referenceJcs({ [text]: 1 }));
    }
  });

  it("writes any number of names, short and long, the first time and later", () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `${"n".repeat(index % 90)}"${index}`);
    const value = Object.fromEntries(names.map((name, index) => [name, index]));
    for (const _ of [1, 2]) expect(canonicalJson(value)).toBe(referenceJcs(value));
  });

  it("escapes what RFC 8785 section 3.2.2.2 says and nothing else", () => {
    expect(canonicalJson('\b\t\n\f\r"\\/\u0000\u001f\u007f\u2028\u2029é😀')).toBe(
      '"\\b\\t\\n\\f\\r\\"\\\\/\\u0000\\u001f\u007f\u2028\u2029é😀"',
    );
  });

  it("does not normalise", () => {
    expect(canonicalJson("A\u030a")).toBe('"A\u030a"');
    expect(canonicalJson("\u00c5")).toBe('"\u00c5"');
  });

  it("writes `__proto__` like any name", () => {
    expect(canonicalJson(asJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')))).toBe(
      '{"__proto__":{"a":2},"b":1}',
    );
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [1e21, "1e+21"],
    [999999999999999900000, "999999999999999900000"],
    [1e-6, "0.000001"],
    [9.999999999999997e-7, "9.999999999999997e-7"],
    [1e-7, "1e-7"],
    [5e-324, "5e-324"],
    [-1.7976931348623157e308, "-1.7976931348623157e+308"],
    [333333333.3333333, "333333333.3333333"],
    [9007199254740992, "9007199254740992"],
    [4.5, "4.5"],
  ])("writes the double %s as %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("gives the UTF-8 bytes of the text", () => {
    expect(canonicalBytes({ "€": "😀" })).toEqual(encodeUtf8('{"€":"😀"}'));
  });
});

describe("canonicalJson: what it refuses", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle, cycle);
  const holed: unknown[] = [1, 2, 3];
  delete holed[1];
  const withExtra = Object.assign([1], { extra: 1 });
  class Point {
    x = 1;
  }
  class List extends Array<unknown> {}
  const hidden = Object.defineProperty({}, "a", { value: 1, enumerable: false });
  const accessor = {
    get a(): number {
      throw new Error("never called");
    },
  };

  const refused: [string, unknown][] = [
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a bigint", 1n],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["minus Infinity", Number.NEGATIVE_INFINITY],
    ["a lone high surrogate", "\ud800"],
    ["a lone low surrogate", "\udc00x"],
    ["a noncharacter", "\uffff"],
    ["a lone surrogate in a name", { "\ud800": 1 }],
    ["a noncharacter in a name", { "\u{1fffe}": 1 }],
    ["a hole in an array", holed],
    ["an array of holes", new Array(3)],
    ["an array of a billion holes", new Array(1e9)],
    ["an array with a further property", withExtra],
    ["an array of another class", List.from([1])],
    ["an undefined element", [undefined]],
    ["an undefined member", { a: undefined }],
    ["a function as a member", { a: () => 1 }],
    ["a member with a symbol for a name", { [Symbol("s")]: 1 }],
    ["a hidden member", hidden],
    ["an accessor", accessor],
    ["an accessor in an array", Object.defineProperty([0], 0, { get: () => 1, enumerable: true })],
    ["an own toJSON function", { toJSON: () => 1 }],
    ["a toJSON accessor", Object.defineProperty([], "toJSON", { get: () => () => 1 })],
    ["a Date", new Date(0)],
    ["a Map", new Map([["a", 1]])],
    ["bytes", Uint8Array.of(1)],
    ["an instance of a class", new Point()],
    ["an object with another prototype", Object.create({ a: 1 })],
    ["a wrapped string", new String("a")],
    ["a cycle", cycle],
    ["nesting beyond the bound", nest(LIMITS.maxDepth + 1)],
    ["nesting far beyond the bound", nest(100_000)],
  ];

  it.each(refused)("refuses %s, alone and inside", (_, value) => {
    for (const whole of [value, [value], { a: { b: [0, value] } }]) {
      expect(isJsonValue(whole)).toBe(false);
      expect(() => canonicalJson(asJson(whole))).toThrow(expect.objectContaining({ code: "VALUE_NOT_JSON" }));
      expect(() => canonicalBytes(asJson(whole))).toThrow(
        expect.objectContaining({ code: "VALUE_NOT_JSON" }),
      );
    }
  });

  const shared = { a: 1 };
  const accepted: [string, unknown, string][] = [
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["toJSON as the name of data", { toJSON: 1 }, '{"toJSON":1}'],
    ["a paired surrogate", "\ud83d\ude00", '"😀"'],
    ["one object in two places", [shared, shared], '[{"a":1},{"a":1}]'],
    [
      "nesting up to the bound",
      nest(LIMITS.maxDepth),
      "[".repeat(LIMITS.maxDepth) + "]".repeat(LIMITS.maxDepth),
    ],
    ["a frozen array", Object.freeze([1, "a", null]), '[1,"a",null]'],
    ["an empty array", [], "[]"],
  ];

  it.each(accepted)("accepts %s", (_, value, text) => {
    expect(isJsonValue(value)).toBe(true);
    expect(canonicalJson(asJson(value))).toBe(text);
  });

  it("refuses an inherited toJSON function", () => {
    Object.defineProperty(Array.prototype, "toJSON", { value: () => "changed", configurable: true });
    try {
      expect(isJsonValue([1])).toBe(false);
    } finally {
      Reflect.deleteProperty(Array.prototype, "toJSON");
    }
    expect(isJsonValue([1])).toBe(true);
  });
});
