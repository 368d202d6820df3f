/**
 * The parts that closed schemas are put together from, each by itself: what they take, and each fault with its words.
 * Schemas are made inside the tests, so that mutation testing can be seen to change them.
 */
import { describe, expect, it } from "vitest";
import { jsonSchemaOf } from "../../src/cli/json-schema.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import type { FaultCode } from "../../src/errors.js";
import * as LIMITS from "../../src/limits.js";
import {
  acceptKnown,
  array,
  boolean,
  compareFaults,
  type Fault,
  Faults,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  refine,
  type Schema,
  text,
  version,
} from "../../src/statements/schema.js";

function decode<T>(schema: Schema<T>, value: JsonValue): { value: T | undefined; faults: string[] } {
  const into = new Faults();
  const decoded = schema.decode(value, "/at", into);
  return {
    value: decoded,
    faults: into.first().map(({ code, pointer, detail }) => `${code} ${pointer}: ${detail}`),
  };
}

function good<T>(value: T): { value: T; faults: string[] } {
  return { value, faults: [] };
}

function bad(...faults: string[]): { value: undefined; faults: string[] } {
  return { value: undefined, faults };
}

describe("the type that a message names", () => {
  it.each<[JsonValue, string]>([
    [null, "null"],
    [[1], "array"],
    [{ a: 1 }, "object"],
    [1, "number"],
    ["x", "string"],
  ])("%j", (value, name) => {
    expect(decode(boolean, true)).toEqual(good(true));
    expect(decode(boolean, value)).toEqual(bad(`FORMAT_WRONG_TYPE /at: expected boolean, found ${name}`));
  });
});

describe("what a message shows of a value", () => {
  const plain = "x".repeat(40);
  it.each<[JsonValue, string]>([
    ["b", 'found "b"'],
    ["", 'found ""'],
    [plain, `found "${plain}"`],
    [`${plain}x`, "found text of 41 characters"],
    ["b\n", "found text of 2 characters"],
    ["\u001b[2J", "found text of 4 characters"],
    ["é", "found text of 1 characters"],
    ["é plain end", "found text of 11 characters"],
    [7, "found 7"],
    [true, "found true"],
    [false, "found false"],
    [null, "found null"],
    [["a"], "found array"],
    [{}, "found object"],
  ])("%j", (value, shown) => {
    expect(decode(version("a"), "a")).toEqual(good("a"));
    expect(decode(version("a"), value)).toEqual(
      bad(`FORMAT_VERSION_UNSUPPORTED /at: expected "a", ${shown}`),
    );
  });
});

describe("oneOf", () => {
  it("takes each of its texts and no other", () => {
    expect(decode(oneOf("a", "b"), "a")).toEqual(good("a"));
    expect(decode(oneOf("a", "b"), "b")).toEqual(good("b"));
    expect(decode(oneOf("a", "b"), "c")).toEqual(
      bad('FORMAT_VALUE_INVALID /at: expected one of a, b, found "c"'),
    );
    expect(decode(oneOf("a", "b"), 1)).toEqual(bad("FORMAT_WRONG_TYPE /at: expected string, found number"));
    expect(jsonSchemaOf(oneOf("a"))).toEqual({ const: "a" });
    expect(jsonSchemaOf(oneOf("a", "b"))).toEqual({ enum: ["a", "b"] });
  });
});

describe("text", () => {
  const short = () => text("a short text", (value) => value.length < 3);

  it("takes what its test takes, and shows nothing of any other", () => {
    expect(decode(short(), "ab")).toEqual(good("ab"));
    expect(decode(short(), "abc")).toEqual(
      bad("FORMAT_VALUE_INVALID /at: expected a short text, found other text of 3 characters"),
    );
    expect(decode(short(), null)).toEqual(bad("FORMAT_WRONG_TYPE /at: expected string, found null"));
    expect(jsonSchemaOf(short())).toEqual({ type: "string" });
  });
});

describe("integer", () => {
  it.each([2, 3, 9])("takes %i between 2 and 9", (value) => {
    expect(decode(integer(2, 9), value)).toEqual(good(value));
  });

  it.each<[JsonValue, string]>([
    [1, "FORMAT_VALUE_INVALID /at: expected 2 to 9, found 1"],
    [10, "FORMAT_VALUE_INVALID /at: expected 2 to 9, found 10"],
    [-3, "FORMAT_NUMBER_INVALID /at: expected an integer written as plain digits, found -3"],
    [2.5, "FORMAT_NUMBER_INVALID /at: expected an integer written as plain digits, found 2.5"],
    ["3", "FORMAT_WRONG_TYPE /at: expected number, found string"],
  ])("refuses %j", (value, fault) => {
    expect(decode(integer(2, 9), value)).toEqual(bad(fault));
  });

  it("ends at 2^53-1 where nothing is said", () => {
    expect(decode(integer(0), Number.MAX_SAFE_INTEGER)).toEqual(good(Number.MAX_SAFE_INTEGER));
    expect(decode(integer(0), 2 ** 53).faults[0]).toMatch(/^FORMAT_NUMBER_INVALID/);
    expect(jsonSchemaOf(integer(0))).toEqual({
      type: "integer",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    });
  });
});

describe("nullable", () => {
  it("takes null beside what its schema takes", () => {
    expect(decode(nullable(integer(1)), null)).toEqual(good(null));
    expect(decode(nullable(integer(1)), 1)).toEqual(good(1));
    expect(decode(nullable(integer(1)), 0).faults).toHaveLength(1);
    expect(jsonSchemaOf(nullable(boolean))).toEqual({ anyOf: [{ type: "null" }, { type: "boolean" }] });
  });
});

describe("array", () => {
  const few = () => array(oneOf("a", "b", "c"), { minimum: 1, maximum: 2, unique: true });

  it("holds its bounds at each of them", () => {
    expect(decode(few(), ["a"])).toEqual(good(["a"]));
    expect(decode(few(), ["a", "b"])).toEqual(good(["a", "b"]));
    expect(decode(few(), [])).toEqual(bad("FORMAT_VALUE_INVALID /at: expected at least 1 items, found 0"));
    expect(decode(few(), ["a", "b", "c"])).toEqual(
      bad("FORMAT_TOO_LARGE /at: expected at most 2 items, found 3"),
    );
    expect(decode(few(), { length: 1 })).toEqual(bad("FORMAT_WRONG_TYPE /at: expected array, found object"));
  });

  it("takes each item once where it says so, and as often as it likes elsewhere", () => {
    expect(decode(few(), ["a", "a"])).toEqual(bad("FORMAT_VALUE_INVALID /at/1: expected each item once"));
    expect(decode(array(boolean, { maximum: 2 }), [true, true])).toEqual(good([true, true]));
    expect(decode(array(boolean, { maximum: 2 }), [])).toEqual(good([]));
  });

  it("names every item at fault by its place", () => {
    expect(decode(few(), ["x", 1]).faults).toEqual([
      "FORMAT_WRONG_TYPE /at/1: expected string, found number",
      'FORMAT_VALUE_INVALID /at/0: expected one of a, b, c, found "x"',
    ]);
    expect(decode(few(), ["a", 1]).value).toBeUndefined();
    // A fault that was there before is not the array's.
    const into = new Faults();
    into.report({ code: "FORMAT_TRUNCATED", pointer: "", detail: "before" });
    expect(few().decode(["a"], "", into)).toEqual(["a"]);
  });

  it("prints itself as JSON Schema", () => {
    expect(jsonSchemaOf(few())).toEqual({
      type: "array",
      items: { enum: ["a", "b", "c"] },
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
    });
    expect(jsonSchemaOf(array(boolean, { maximum: 3 }))).toEqual({
      type: "array",
      items: { type: "boolean" },
      maxItems: 3,
    });
  });
});

interface Pair {
  readonly protocol: "P";
  readonly a: boolean;
  readonly b?: boolean;
}

describe("object", () => {
  const pair = () => object<Pair>({ protocol: version("P"), a: boolean, b: optional(boolean) });

  it("takes exactly its members, optional ones or not", () => {
    expect(decode(pair(), { protocol: "P", a: true })).toEqual(good({ protocol: "P", a: true }));
    expect(decode(pair(), { b: false, a: true, protocol: "P" })).toEqual(
      good({ protocol: "P", a: true, b: false }),
    );
    expect(decode(pair(), [])).toEqual(bad("FORMAT_WRONG_TYPE /at: expected object, found array"));
    expect(decode(pair(), null)).toEqual(bad("FORMAT_WRONG_TYPE /at: expected object, found null"));
  });

  it("names what is unknown, missing or wrong, all at once", () => {
    expect(decode(pair(), { protocol: "P", b: null, "c/d": 1 }).faults).toEqual([
      "FORMAT_UNKNOWN_MEMBER /at/c~1d: no such member in this closed schema",
      "FORMAT_MISSING_MEMBER /at/a: a required member is absent",
      "FORMAT_WRONG_TYPE /at/b: expected boolean, found null",
    ]);
    expect(decode(pair(), { protocol: "P", a: 1 }).value).toBeUndefined();
  });

  it("judges the version first, and alone", () => {
    expect(decode(pair(), { protocol: "Q", c: 1 })).toEqual(
      bad('FORMAT_VERSION_UNSUPPORTED /at/protocol: expected "P", found "Q"'),
    );
    expect(decode(pair(), { a: true })).toEqual(
      bad('FORMAT_VERSION_UNSUPPORTED /at/protocol: expected "P", found null'),
    );
  });

  it("goes by its own faults, not by those that were there before", () => {
    const into = new Faults();
    into.report({ code: "FORMAT_TRUNCATED", pointer: "", detail: "before" });
    expect(pair().decode({ protocol: "P", a: true }, "", into)).toEqual({ protocol: "P", a: true });
    expect(into.count).toBe(1);
  });

  it("takes nothing that is inherited for a member", () => {
    const inherited: JsonValue = Object.create({ a: true, protocol: "P" });
    expect(decode(pair(), inherited).faults).toHaveLength(1);
    const half: JsonValue = Object.assign(Object.create({ a: true }), { protocol: "P" });
    expect(decode(pair(), half)).toEqual(bad("FORMAT_MISSING_MEMBER /at/a: a required member is absent"));
  });

  it("prints itself as JSON Schema", () => {
    expect(jsonSchemaOf(pair())).toEqual({
      type: "object",
      properties: { protocol: { const: "P" }, a: { type: "boolean" }, b: { type: "boolean" } },
      required: ["protocol", "a"],
      additionalProperties: false,
    });
  });
});

describe("refine", () => {
  const odd = () =>
    refine(integer(0), (value, pointer) =>
      value % 2 === 1 ? null : { code: "FORMAT_VALUE_INVALID", pointer, detail: "expected an odd number" },
    );

  it("adds a rule that runs on good values only", () => {
    expect(decode(odd(), 3)).toEqual(good(3));
    expect(decode(odd(), 4)).toEqual(bad("FORMAT_VALUE_INVALID /at: expected an odd number"));
    expect(decode(odd(), "x")).toEqual(bad("FORMAT_WRONG_TYPE /at: expected number, found string"));
  });
});

describe("acceptKnown", () => {
  it("takes a value that its reader knows, and decodes every other", () => {
    const schema = acceptKnown(object<{ a: boolean }>({ a: boolean }));
    const known = { a: 1 };
    const into = new Faults(new Map([[known, known]]));
    expect(schema.decode(known, "", into)).toBe(known);
    expect(into.count).toBe(0);
    expect(schema.decode({ a: 1 }, "", into)).toBeUndefined();
    expect(decode(schema, { a: true })).toEqual(good({ a: true }));
    expect(decode(schema, known).value).toBeUndefined();
  });
});

describe("Faults", () => {
  const at = (code: FaultCode, pointer: string): Fault => ({ code, pointer, detail: "" });

  it("puts the table of codes before the place", () => {
    expect(compareFaults(at("FORMAT_TOO_LARGE", "/z"), at("FORMAT_TRUNCATED", "/a"))).toBeLessThan(0);
    expect(compareFaults(at("FORMAT_TRUNCATED", "/a"), at("FORMAT_TOO_LARGE", "/z"))).toBeGreaterThan(0);
    expect(compareFaults(at("FORMAT_TRUNCATED", "/2"), at("FORMAT_TRUNCATED", "/10"))).toBeLessThan(0);
    expect(compareFaults(at("FORMAT_TRUNCATED", "/10"), at("FORMAT_TRUNCATED", "/2"))).toBeGreaterThan(0);
    expect(compareFaults(at("FORMAT_TRUNCATED", "/2"), at("FORMAT_TRUNCATED", "/2"))).toBe(0);
  });

  it.each([1, 2, 17, 1000])(
    "counts all and keeps the first, whatever order they come in (step %i)",
    (step) => {
      const total = 10 * LIMITS.maxReportedFailures + 1;
      const into = new Faults();
      for (let i = 0; i < total; i += 1) {
        into.report(at("FORMAT_TRUNCATED", `/${(i * step) % total}`));
        expect(into.count).toBe(i + 1);
      }
      expect(into.first().map(({ pointer }) => pointer)).toEqual(
        Array.from({ length: LIMITS.maxReportedFailures }, (_, i) => `/${i}`),
      );
    },
  );

  it("keeps all of a few, in order", () => {
    const into = new Faults();
    for (const pointer of ["/2", "/10", "/1"]) into.report(at("FORMAT_TRUNCATED", pointer));
    into.report(at("FORMAT_TOO_LARGE", "/x"));
    expect(into.first().map(({ pointer }) => pointer)).toEqual(["/x", "/1", "/2", "/10"]);
  });
});
