import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeCbor } from "../../src/encoding/cbor.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import { canonicalSize } from "../../src/encoding/jcs-size.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { hasNoncharacter } from "../../src/encoding/utf8.js";

const text = fc.string({ unit: "binary" }).filter((value) => !hasNoncharacter(value));
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, "0x", "0xab", 5e-324, -(2 ** -24)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.maxSafeInteger(),
    text,
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(text, tie("value"), { maxKeys: 6 }),
  ),
})).value;

describe("canonicalSize", () => {
  it("is the length of the canonical bytes, for every character by itself", () => {
    for (let unit = 0; unit <= 0xffff; unit++) {
      if (unit >= 0xd800 && unit <= 0xdfff) continue;
      const character = String.fromCharCode(unit);
      if (hasNoncharacter(character)) continue;
      expect(canonicalSize(character)).toBe(canonicalBytes(character).length);
    }
    for (const value of ["", "\u{10000}", "\u{1f600}x", [], {}, [[]], { "": "" }, { '"': [null, -1.5] }]) {
      expect(canonicalSize(value)).toBe(canonicalBytes(value).length);
    }
  });

  it("is that of every value, and never more than eight times its CBOR", () => {
    fc.assert(
      fc.property(json, (value) => {
        const size = canonicalBytes(value).length;
        expect(canonicalSize(value)).toBe(size);
        expect(size).toBeLessThanOrEqual(8 * encodeCbor(value).length);
      }),
      { numRuns: 2_000 },
    );
  });
});
