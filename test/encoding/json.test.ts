import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/encoding/json.js";
import type { ParseLimits } from "../../src/encoding/json-fault.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { codes, limits, parse } from "./support.js";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("parseJson: values", () => {
  it.each([
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "-0.5",
    "1e2",
    "1E+2",
    "25e-1",
    "9007199254740991",
    "-9007199254740991",
    "1e21",
    "5e-324",
    '""',
    '"a"',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00"',
    '"\u007f\u2028é€😀"',
    "[]",
    "[ ]",
    "[1,[2,[]],{}]",
    "{}",
    "{ }",
    '{"a":{"b":[true,null]},"":0}',
    ' \t\r\n{ "a" :\n1 , "b" : [ 1 , 2 ] } ',
  ])("reads %s as JSON.parse does", (text) => {
    const { value, faults } = parse(text);
    expect(faults).toEqual([]);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it("makes objects without a prototype, in which no name is special", () => {
    const { value, faults } = parse('{"__proto__":{"a":1},"constructor":2,"toString":3,"hasOwnProperty":4}');
    expect(faults).toEqual([]);
    expect(Object.getPrototypeOf(Object.getPrototypeOf(value))).toBeNull();
    expect(Reflect.ownKeys(Object.getPrototypeOf(value) as object)).toEqual([]);
    expect(Object.isFrozen(Object.getPrototypeOf(value))).toBe(true);
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor", "toString", "hasOwnProperty"]);
    expect(Object.prototype).not.toHaveProperty("a");
  });

  it("keeps names that only look alike apart", () => {
    expect(codes('{"e\u0301":1,"\u00e9":2,"E":3,"e":4}')).toEqual([]);
  });

  it("takes a byte order mark inside a string for text", () => {
    expect(parse('"\ufeff"')).toEqual({ value: "\ufeff", faults: [] });
  });
});

describe("parseJson: grammar", () => {
  it.each([
    ["two values", "1 2", 2],
    ["a second text", "{}{}", 2],
    ["a comment", "[1/*x*/]", 2],
    ["a trailing comma in an array", "[1,]", 3],
    ["a trailing comma in an object", '{"a":1,}', 7],
    ["a leading comma", "[,1]", 1],
    ["a missing comma", "[1 2]", 3],
    ["the wrong bracket", "[1}", 2],
    ["a bracket alone", "]", 0],
    ["a name without quotes", "{a:1}", 1],
    ["single quotes", "{'a':1}", 1],
    ["a missing colon", '{"a" 1}', 5],
    ["a member without value", '{"a":}', 5],
    ["a leading zero", "01", 1],
    ["a leading zero behind a sign", "-01", 2],
    ["a plus sign", "+1", 0],
    ["a sign alone", "[-]", 2],
    ["a dot first", ".5", 0],
    ["a dot last", "[1.]", 3],
    ["an empty exponent", "[1e]", 3],
    ["a signed empty exponent", "[1e+]", 4],
    ["hexadecimal", "0x1", 1],
    ["a misspelled word", "[trve]", 3],
    ["an upper-case word", "True", 0],
    ["a word that goes on", "nullx", 4],
    ["undefined", "undefined", 0],
    ["a raw line break in a string", '"a\nb"', 2],
    ["a raw NUL in a string", '"\u0000"', 1],
    ["an unknown escape", '"\\x41"', 2],
    ["an upper-case U escape", '"\\U0041"', 2],
    ["an escaped line break", '"\\\n"', 2],
    ["too few digits in an escape", '"\\u12"', 5],
    ["a bad digit in an escape", '"\\u12g4"', 5],
    ["a no-break space", "\u00a0 1", 0],
    ["a byte order mark behind white space", " \ufeff1", 1],
    ["a vertical tab", "\u000b1", 0],
    ["a NUL behind the value", "1\u0000", 1],
  ])("refuses %s", (_, text, offset) => {
    const { value, faults } = parse(text);
    expect(value).toBeUndefined();
    expect(faults).toEqual([
      { code: "FORMAT_SYNTAX_INVALID", pointer: "", offset, detail: expect.any(String) },
    ]);
  });

  it("calls every cut of a good text truncated", () => {
    const text = '{"a":[1,-2.5e+3,true,null,"x\\u00e9\\n"],"b":{"c":"é😀"}}';
    expect(codes(text)).toEqual([]);
    const bytes = encodeUtf8(text);
    for (let length = 0; length < bytes.length; length++) {
      const { value, faults } = parseJson(bytes.subarray(0, length), limits);
      expect(value).toBeUndefined();
      // A cut inside a character leaves bytes that are not UTF-8.
      const inCharacter = ((bytes[length] ?? 0) & 0xc0) === 0x80;
      expect(
        faults.map((fault) => fault.code),
        `cut at ${length}`,
      ).toEqual([inCharacter ? "FORMAT_TEXT_INVALID" : "FORMAT_TRUNCATED"]);
    }
  });

  it.each([
    "",
    " ",
    "\n\t",
    "-",
    "[1.",
    "1e",
    "tru",
    '"',
    '"\\',
    '"\\u',
    '"\\u00',
    "[",
    "{",
    '{"a"',
    '{"a":',
  ])("calls %j truncated", (text) => {
    const [fault] = parse(text).faults;
    expect(fault).toMatchObject({ code: "FORMAT_TRUNCATED", pointer: "", offset: text.length });
  });

  it("names a character that a terminal would obey by its number", () => {
    expect(parse("[\u001b[31m]").faults[0]?.detail).toContain("U+001B");
    expect(parse("[😀]").faults[0]?.detail).toContain("U+1F600");
  });

  it("counts offsets in bytes", () => {
    expect(parse('["é😀",x]').faults[0]?.offset).toBe(encodeUtf8('["é😀",').length);
  });
});

describe("parseJson: limits", () => {
  it("reads up to maxBytes and does nothing beyond", () => {
    expect(parseJson(encodeUtf8("[12]"), { ...limits, maxBytes: 4 }).faults).toEqual([]);
    for (const text of ["[123]", "[[[[[", "\ufeff\ufeff"]) {
      const { value, faults } = parseJson(encodeUtf8(text), { ...limits, maxBytes: 4 });
      expect(value).toBeUndefined();
      expect(faults.map((fault) => fault.code)).toEqual(["FORMAT_TOO_LARGE"]);
    }
  });

  it("reads up to maxDepth, the outermost counted as 1", () => {
    const shallow: ParseLimits = { ...limits, maxDepth: 2 };
    expect(parseJson(encodeUtf8('[{"a":1},[]]'), shallow).faults).toEqual([]);
    for (const text of ['[{"a":[]}]', "[[{}]]", "[[["]) {
      expect(parseJson(encodeUtf8(text), shallow).faults.map((fault) => fault.code)).toEqual([
        "FORMAT_TOO_LARGE",
      ]);
    }
    expect(parseJson(encodeUtf8("1"), { ...limits, maxDepth: 0 }).faults).toEqual([]);
    expect(parseJson(encodeUtf8("[]"), { ...limits, maxDepth: 0 }).value).toBeUndefined();
  });

  it("counts nesting, not how many arrays there are", () => {
    expect(codes(`[${Array.from({ length: 500 }, () => "[{}]").join(",")}]`)).toEqual([]);
  });

  it("never goes deeper than the project's own bound", () => {
    const wide: ParseLimits = { maxBytes: 10_000_000, maxDepth: 1_000_000 };
    expect(parseJson(encodeUtf8(nested(LIMITS.maxDepth)), wide).faults).toEqual([]);
    for (const depth of [LIMITS.maxDepth + 1, 200_000]) {
      expect(parseJson(encodeUtf8(nested(depth)), wide).faults[0]?.code).toBe("FORMAT_TOO_LARGE");
      expect(parseJson(encodeUtf8('{"a":'.repeat(depth)), wide).faults[0]?.code).toBe("FORMAT_TOO_LARGE");
    }
  });
});

describe("parseJson: number of values", () => {
  const three: ParseLimits = { ...limits, maxValues: 3 };
  const read = (text: string, bounds: ParseLimits) => parseJson(encodeUtf8(text), bounds);

  it.each(["[1,2]", '{"a":[null]}', '{"a":1,"b":"x"}', "[[],{}]", "[[[]]]", ' [ "a" , true ] '])(
    "reads %j, which has three",
    (text) => {
      expect(read(text, three)).toMatchObject({ value: expect.anything(), faults: [] });
      const { value, faults } = read(text, { ...limits, maxValues: 2 });
      expect(value).toBeUndefined();
      expect(faults).toMatchObject([{ code: "FORMAT_TOO_LARGE", pointer: "" }]);
    },
  );

  it("judges whatever stands where a fourth must begin, but not that nothing does", () => {
    const answer = (text: string) => read(text, three).faults.map(({ code, offset }) => [code, offset]);
    for (const text of ["[1,2,3", "[1,2,]", "[1,2,x", "[1,2,[[[["]) {
      expect(answer(text)).toEqual([["FORMAT_TOO_LARGE", 5]]);
    }
    expect(answer("[1,2,")).toEqual([["FORMAT_TRUNCATED", 5]]);
    expect(answer('{"a":1,"b":2,"c":')).toEqual([["FORMAT_TRUNCATED", 17]]);
    expect(answer("[1,2;")).toEqual([["FORMAT_SYNTAX_INVALID", 4]]);
  });

  it("keeps what it noted before", () => {
    expect(read("[1e400,2,3]", three).faults.map(({ code }) => code)).toEqual([
      "FORMAT_NUMBER_INVALID",
      "FORMAT_TOO_LARGE",
    ]);
  });

  it("never reads more than the project's own bound", () => {
    const text = `[${"0,".repeat(LIMITS.maxValues - 2)}0`;
    const bounds = { maxBytes: 3 * LIMITS.maxValues, maxDepth: 2, maxValues: 2 * LIMITS.maxValues };
    expect(read(`${text}]`, bounds).faults).toEqual([]);
    expect(read(`${text},0]`, bounds).faults).toMatchObject([{ code: "FORMAT_TOO_LARGE", pointer: "" }]);
  });
});

describe("parseJson: what it notes and reads past", () => {
  it("notes the first fault of each kind with its place, in the order of the text", () => {
    const { value, faults } = parse('{"n":[1,1e400,-1e400],"n":2,"t":"\\ud800","u":"\\uffff","t":3}');
    expect(value).toMatchObject({ u: "\uffff" });
    expect(faults.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["FORMAT_NUMBER_INVALID", "/n/1"],
      ["FORMAT_DUPLICATE_MEMBER", "/n"],
      ["FORMAT_TEXT_INVALID", "/t"],
    ]);
    expect(faults.map((fault) => fault.offset)).toEqual([8, 22, 32]);
  });

  it("keeps what it noted when it cannot finish", () => {
    const { value, faults } = parse('{"a":1e400,"b":');
    expect(value).toBeUndefined();
    expect(faults.map((fault) => fault.code)).toEqual(["FORMAT_NUMBER_INVALID", "FORMAT_TRUNCATED"]);
  });

  it("finds its way back out of arrays and objects", () => {
    expect(parse('[[1,{"x":[]}],{"a/b":[0,[]],"c":[[],{},1e400]}]').faults[0]?.pointer).toBe("/1/c/2");
    expect(parse('{"a~":{"b/":[1e400]}}').faults[0]?.pointer).toBe("/a~0/b~1/0");
  });

  it("ends a pointer before a name that is too long to be shown", () => {
    const name = "x".repeat(LIMITS.maxPointerTokenCharacters);
    expect(parse(`{"a":{"${name}":{"b":1e400}}}`).faults).toMatchObject([{ pointer: `/a/${name}/b` }]);
    expect(parse(`{"a":{"${name}x":{"b":1e400}}}`).faults).toMatchObject([{ pointer: "/a" }]);
    expect(parse(`{"${name}x":1,"${name}x":2}`).faults).toMatchObject([
      { code: "FORMAT_DUPLICATE_MEMBER", pointer: "" },
    ]);
  });

  it("ends a pointer before a name that could not stand in a report", () => {
    expect(parse('{"a":{"\\udead":{"b":1e400}}}').faults.map(({ code, pointer }) => [code, pointer])).toEqual(
      [
        ["FORMAT_TEXT_INVALID", "/a"],
        ["FORMAT_NUMBER_INVALID", "/a"],
      ],
    );
  });

  it("stays linear when everything is wrong under a long name", () => {
    const text = `{"${"x".repeat(100_000)}":[${Array.from({ length: 100_000 }, () => "1e400").join(",")}]}`;
    expect(codes(text)).toEqual(["FORMAT_NUMBER_INVALID"]);
  });

  it("asks where a number is free of the integer rule", () => {
    const isFreeNumber = (path: readonly (string | number)[]): boolean => path[0] === "policies";
    const at = (text: string): (string | undefined)[] => {
      const { faults } = parseJson(encodeUtf8(text), { ...limits, isFreeNumber });
      return faults.map(({ code, pointer }) => `${code} ${pointer}`);
    };
    expect(at('{"policies":[{"x":-1.5e3}],"n":[0,10,9007199254740991]}')).toEqual([]);
    for (const spelling of ["1.0", "1e0", "10E-1", "-1", "1.5"]) {
      expect(at(`{"policies":[],"n":[${spelling}]}`), spelling).toEqual(["FORMAT_NUMBER_INVALID /n/0"]);
      expect(codes(`{"n":[${spelling}]}`), spelling).toEqual([]);
    }
  });
});
