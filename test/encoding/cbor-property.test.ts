import { Decoder } from "cbor-x/decode-no-eval";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeCbor, parseCbor } from "../../src/encoding/cbor.js";
import { floatWidth, halfBits, halfValue } from "../../src/encoding/cbor-float.js";
import { textFault } from "../../src/encoding/cbor-text.js";
import { canonicalJson } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { decodeUtf8, hasNoncharacter } from "../../src/encoding/utf8.js";
import { HALVES, referenceCbor } from "./cbor-reference.js";

const limits = { maxBytes: 1_000_000, maxDepth: 64 };

/** The second opinion on what bytes mean. Its type declarations do not resolve, hence the shape written here. */
const cborX: { decode(bytes: Uint8Array): unknown } = new Decoder({
  mapsAsObjects: false,
  useRecords: false,
  int64AsNumber: true,
});

/** What cbor-x gives for a value of ours, maps as {@link pairs}. */
function asCborX(value: JsonValue): unknown {
  if (typeof value === "string") {
    return /^0x(?:[0-9a-f]{2})*$/.test(value)
      ? new Uint8Array(Buffer.from(value.slice(2), "hex"))
      : withoutMark(value);
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(asCborX);
  return sorted(Object.entries(value).map(([name, member]) => [withoutMark(name), asCborX(member)]));
}

/** cbor-x drops a U+FEFF that begins a text of more than 64 bytes. */
function withoutMark(text: string): string {
  return text.startsWith("\ufeff") && Buffer.byteLength(text) > 64 ? text.slice(1) : text;
}

/** Maps as sorted pairs: two names may be one without their marks, and an object has an order of its own. */
function pairs(value: unknown): unknown {
  if (value instanceof Map) return sorted([...value].map(([name, member]) => [name, pairs(member)]));
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return Array.isArray(value) ? value.map(pairs) : value;
}

function sorted(members: readonly (readonly unknown[])[]): unknown {
  const keyed = members.map((member) => [JSON.stringify(member), member] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, member]) => member);
}

const text = fc.oneof(
  fc.string({ unit: "binary" }).filter((value) => !hasNoncharacter(value)),
  fc.string({ unit: fc.constantFrom("0", "x", "0x", "a", "f", "A", "\ufeff", "é", "~", "/"), maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
  fc.constantFrom("__proto__", "constructor", "toString", "0", "1", "10"),
);

const number = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.constantFrom(...HALVES.keys()),
  )
  .map((value) => value + 0);

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(text, tie("value"), { maxKeys: 6, noNullPrototype: false }),
  ),
})).value;

describe("CBOR properties", () => {
  it("value to bytes to value, and the bytes are those of the reference", () => {
    fc.assert(
      fc.property(json, (value) => {
        const bytes = encodeCbor(value);
        expect([...bytes]).toEqual(referenceCbor(value));
        const parsed = parseCbor(bytes, limits);
        expect(parsed.faults).toEqual([]);
        expect(canonicalJson(parsed.value ?? null)).toBe(canonicalJson(value));
      }),
      { numRuns: 1500 },
    );
  });

  it("bytes to value as cbor-x reads them", () => {
    fc.assert(
      fc.property(json, (value) => {
        const bytes = encodeCbor(value);
        const { value: read = null } = parseCbor(bytes, limits);
        expect(pairs(cborX.decode(new Uint8Array(bytes)))).toEqual(asCborX(read));
      }),
      { numRuns: 1000 },
    );
  });

  it("random bytes never throw, and what is read encodes to what was given", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), readsOnlyItsOwn), { numRuns: 5000 });
  });

  it("changed encodings never throw, and what is read encodes to what was given", () => {
    const change = fc.tuple(
      fc.nat(),
      fc.constantFrom("flip", "cut", "insert", "repeat"),
      fc.nat({ max: 255 }),
    );
    fc.assert(
      fc.property(json, fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
        let bytes = [...encodeCbor(value)];
        for (const [place, kind, byte] of changes) {
          const at = place % (bytes.length + 1);
          if (kind === "flip") bytes[at] = (bytes[at] ?? 0) ^ (byte || 1);
          else if (kind === "cut") bytes = bytes.slice(0, at);
          else if (kind === "insert") bytes.splice(at, 0, byte);
          else bytes.splice(at, 0, ...bytes.slice(at, at + 8));
        }
        readsOnlyItsOwn(Uint8Array.from(bytes));
      }),
      { numRuns: 3000 },
    );
  });

  it("every proper beginning of an encoding is refused as truncated, and every longer one as syntax", () => {
    fc.assert(
      fc.property(json, fc.nat({ max: 255 }), (value, byte) => {
        const bytes = encodeCbor(value);
        for (let end = 0; end < Math.min(bytes.length, 200); end++) {
          expect(parseCbor(bytes.subarray(0, end), limits).faults).toMatchObject([
            { code: "FORMAT_TRUNCATED" },
          ]);
        }
        const longer = Uint8Array.from([...bytes, byte]);
        expect(parseCbor(longer, limits).faults).toMatchObject([{ code: "FORMAT_SYNTAX_INVALID" }]);
      }),
      { numRuns: 100 },
    );
  });

  it("all inputs of up to two bytes are judged as the reference writes them", () => {
    for (let first = 0; first < 256; first++) {
      readsOnlyItsOwn(Uint8Array.of(first));
      for (let second = 0; second < 256; second++) readsOnlyItsOwn(Uint8Array.of(first, second));
    }
  });
});

/** Compares by hand: `expect` on each of 100,000 inputs would take most of the time. */
function readsOnlyItsOwn(bytes: Uint8Array): void {
  const { value, faults } = parseCbor(bytes, limits);
  const own = value === undefined ? faults.length > 0 : Buffer.from(referenceCbor(value)).equals(bytes);
  if (!own || (value !== undefined && faults.length > 0)) {
    throw new Error(`${Buffer.from(bytes).toString("hex")} gave ${JSON.stringify({ value, faults })}`);
  }
}

describe("binary16", () => {
  it("gives every finite pattern its value and every value its pattern", () => {
    const wrong = [...HALVES].filter(
      ([value, bits]) => value !== 0 && (halfValue(bits) !== value || halfBits(value) !== bits),
    );
    expect(wrong).toEqual([]);
    expect(HALVES.size).toBe(2 * 31 * 1024 - 1); // two signs, 31 exponents, and the two zeros are one key
    expect([0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfc01].map(halfValue)).toEqual([
      0,
      -0,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
      Number.NaN,
    ]);
  });

  it("has nothing between two neighbours", () => {
    const positive = [...HALVES.keys()].filter((value) => value >= 0).sort((a, b) => a - b);
    const middles = positive.map((value, index) => (value + (positive[index + 1] ?? 65_536)) / 2);
    expect(middles.filter((middle) => halfBits(middle) !== null || floatWidth(middle) !== 4)).toEqual([]);
    expect(halfBits(65_504)).toBe(0x7bff);
    expect(halfBits(65_536)).toBeNull();
  });
});

describe("textFault", () => {
  it("agrees with the platform's strict decoder on every lead byte with the bytes at the edges behind it", () => {
    const seconds = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xb7, 0xbf, 0xc0, 0xff];
    const thirds = [0x7f, 0x80, 0x8f, 0x90, 0xaf, 0xb0, 0xbe, 0xbf, 0xc0];
    for (let lead = 0x80; lead < 0x100; lead++) {
      agrees(lead);
      for (const second of seconds) {
        agrees(lead, second);
        for (const third of thirds) {
          agrees(lead, second, third);
          for (const fourth of [0x41, 0x80, 0xbd, 0xbe, 0xbf, 0xc2]) agrees(lead, second, third, fourth);
        }
      }
    }
  });

  it("passes every character of the first plane and the ends of the others, and no noncharacter", () => {
    for (let point = 0; point <= 0x10ffff; point += point < 0x10000 || (point & 0xffff) > 0xfff0 ? 1 : 0x10) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      agrees(...Buffer.from(String.fromCodePoint(point)));
    }
  });

  function agrees(...values: number[]): void {
    const bytes = Uint8Array.from(values);
    const decoded = decodeUtf8(bytes);
    const expected =
      decoded === null ? "bad UTF-8" : hasNoncharacter(decoded) ? "a Unicode noncharacter" : null;
    const found = textFault(bytes, 0, bytes.length);
    // Of two faults in one text either may be named: the code is the same.
    if ((found === null) !== (expected === null) || (expected !== "bad UTF-8" && found !== expected)) {
      throw new Error(`${Buffer.from(bytes).toString("hex")}: found ${found}, expected ${expected}`);
    }
  }
});
