import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalBytes, canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8, hasNoncharacter, isWellFormed } from "../../src/encoding/utf8.js";
import { referenceJcs } from "./reference-jcs.js";
import { limits } from "./support.js";

const text = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("", "__proto__", "constructor", "toJSON", "10", "9", "\u{1f602}", "\ufb33", "\u0080"),
  )
  .filter((value) => !hasNoncharacter(value));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -10, max: 10 }),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
);
const { value: jsonValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 6 }),
  ),
}));

/** Text near JSON: tokens in any order, so that many are nearly right. */
const nearJson = fc
  .array(
    fc.constantFrom(
      ...'[]{},:"\\-+.eE01 9nu\n',
      "true",
      "null",
      '"a"',
      '"b":',
      '"a":',
      "\\u0061",
      '"\\ud83d\\ude00"',
      "1e5",
      "0.5",
      "[]",
      "{}",
      "12",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** JSON.parse as an outcome; its lenience is what the parser under test adds faults for. */
function builtIn(source: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(source) };
  } catch {
    return null;
  }
}

/** The same content with ordinary prototypes, so that deep equality looks at content alone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("parseJson beside JSON.parse", () => {
  it("writes what the canonicalize package writes", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
    );
  });

  it("reads every value back that JSON.stringify writes, in any layout", () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(0, 1, "\t"), (value, indent) => {
        const source = JSON.stringify(value, null, indent);
        // A member order is lost in neither, so the texts compare.
        const parsed = parseJson(encodeUtf8(source), limits);
        // An integer beyond 2^53-1 is written as a literal that the parser must refuse.
        const expected = hasUnsafeLiteral(value) ? ["FORMAT_NUMBER_INVALID"] : [];
        expect(parsed.faults.map((fault) => fault.code)).toEqual(expected);
        expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(source)));
      }),
      { numRuns: 500 },
    );
  });

  it("agrees on what is JSON and what is not", () => {
    fc.assert(
      fc.property(fc.oneof(nearJson, mutated()), (source) => {
        const ours = parseJson(encodeUtf8(source), limits);
        const theirs = builtIn(source);
        expect(ours.value !== undefined, source).toBe(theirs !== null);
        // Our parser reads -0 as 0; writing both shows nothing but that.
        if (ours.faults.length === 0) expect(plain(ours.value)).toEqual(plain(theirs?.value));
      }),
      { numRuns: 3000 },
    );
  });

  it("answers any bytes and never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const { value, faults } = parseJson(bytes, limits);
        expect(value !== undefined || faults.length > 0).toBe(true);
        expect(new Set(faults.map((fault) => fault.code)).size).toBe(faults.length);
        if (faults.length === 0) expect(isJsonValue(value)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  function mutated(): fc.Arbitrary<string> {
    return fc
      .tuple(jsonValue, fc.nat(), fc.constantFrom("", ",", "]", "}", '"', "0", "-", ".", "e", "\\", " ", "x"))
      .map(([value, place, inserted]) => {
        const source = JSON.stringify(value);
        const at = place % (source.length + 1);
        return source.slice(0, at) + inserted + source.slice(inserted === "" ? at + 1 : at);
      })
      .filter((source) => isWellFormed(source));
  }

  function hasUnsafeLiteral(value: JsonValue): boolean {
    if (typeof value === "number") return /^-?\d+$/.test(String(value)) && !Number.isSafeInteger(value);
    return typeof value === "object" && value !== null && Object.values(value).some(hasUnsafeLiteral);
  }
});

describe("canonicalJson beside the slow reference", () => {
  it("writes the same text", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(value)).toBe(referenceJcs(value));
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on the order in which members were added, and is a fixed point", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(canonical);
        const { value: again } = parseJson(canonicalBytes(value), limits);
        expect(again).toBeDefined();
        expect(canonicalJson(again ?? null)).toBe(canonical);
      }),
      { numRuns: 500 },
    );
  });

  function reversed(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    const out: Record<string, JsonValue> = Object.create(null);
    for (const [name, member] of Object.entries(value).reverse()) out[name] = reversed(member);
    return out;
  }
});
