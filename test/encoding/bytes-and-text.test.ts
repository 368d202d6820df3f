import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "../../src/encoding/base64.js";
import { compareBytes, concatBytes, equalBytes, Gatherer } from "../../src/encoding/bytes.js";
import { decodeHex, decodeHexInto, encodeHex, isHex } from "../../src/encoding/hex.js";
import { decodeUtf8, encodeUtf8, hasNoncharacter, isWellFormed, withUtf8 } from "../../src/encoding/utf8.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe("bytes", () => {
  it("joins parts in order, none included", () => {
    expect(concatBytes(bytes(1, 2), bytes(), bytes(3))).toEqual(bytes(1, 2, 3));
    expect(concatBytes()).toEqual(bytes());
  });

  it("gathers what comes in pieces, in memory that is used again unless it is large", () => {
    const gatherer = new Gatherer();
    const gather = (...parts: Uint8Array[]): Uint8Array => {
      for (const part of parts) gatherer.add(part);
      expect(gatherer.length).toBe(concatBytes(...parts).length);
      return gatherer.take();
    };
    const lists = [[bytes(1, 2), bytes(3)], [bytes(9)], [], [new Uint8Array(5_000).fill(4), bytes(5)]];
    for (const parts of lists) expect(gather(...parts)).toEqual(concatBytes(...parts));
    const [first, second] = [gather(bytes(1)), gather(bytes(2))];
    expect(first.buffer).toBe(second.buffer);
    expect([first[0], second[0]]).toEqual([2, 2]);
    const many = gather(...Array.from({ length: 10_000 }, (_, i) => bytes(i & 255)));
    expect([many.length, many[0], many[9_999]]).toEqual([10_000, 0, 9_999 & 255]);
    const large = gather(new Uint8Array(3_000_000).fill(6), bytes(7));
    expect([large.length, large[2_999_999], large[3_000_000]]).toEqual([3_000_001, 6, 7]);
    expect(gather(bytes(8)).buffer).not.toBe(large.buffer);
  });

  it("compares content, not identity", () => {
    expect(equalBytes(bytes(1, 2), bytes(1, 2))).toBe(true);
    expect(equalBytes(bytes(1, 2), bytes(1, 3))).toBe(false);
    expect(equalBytes(bytes(1, 2), bytes(1, 2, 0))).toBe(false);
    expect(equalBytes(bytes(), bytes())).toBe(true);
  });

  it("orders by unsigned bytes, a prefix first", () => {
    expect(compareBytes(bytes(0x7f), bytes(0x80))).toBeLessThan(0);
    expect(compareBytes(bytes(2), bytes(1, 255))).toBeGreaterThan(0);
    expect(compareBytes(bytes(1), bytes(1, 0))).toBeLessThan(0);
    expect(compareBytes(bytes(1, 0), bytes(1, 0))).toBe(0);
  });
});

describe("hex", () => {
  it("writes and reads one spelling", () => {
    expect(encodeHex(bytes(0, 0x0a, 0xff))).toBe("0x000aff");
    expect(decodeHex("0x000aff")).toEqual(bytes(0, 0x0a, 0xff));
    expect(encodeHex(bytes())).toBe("0x");
    expect(decodeHex("0x")).toEqual(bytes());
  });

  it.each([
    "",
    "0",
    "00",
    "0x0",
    "0X00",
    "0xAB",
    "0xaB",
    "0x0g",
    "0xg0",
    "0x/0",
    "0x0:",
    "0x`0",
    " 0x00",
    "0x00 ",
    "0x00\n",
    "0x\uff10\uff10",
    "x00a",
  ])("does not read %j", (text) => {
    expect(decodeHex(text)).toBeNull();
    expect(isHex(text)).toBe(false);
  });

  it("checks a byte length where one is asked for", () => {
    expect(isHex("0xabcd")).toBe(true);
    expect(isHex("0xabcd", 2)).toBe(true);
    expect(isHex("0xabcd", 1)).toBe(false);
    expect(isHex("0xabcd", 3)).toBe(false);
    expect(isHex("0x", 0)).toBe(true);
  });

  it("gives back any bytes, also across the pieces it works in", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (value) =>
        equalBytes(decodeHex(encodeHex(value)) ?? bytes(1), value),
      ),
    );
    for (const length of [127, 128, 129, 4095, 4096, 4097, 8192, 8193]) {
      const value = Uint8Array.from({ length }, (_, i) => (i * 31) & 255);
      expect(encodeHex(value)).toBe(`0x${Buffer.from(value).toString("hex")}`);
      expect(decodeHex(encodeHex(value))).toEqual(value);
    }
  });
});

describe("base64", () => {
  // RFC 4648 section 10
  it.each([
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
  ])("writes %j as %j and reads it back", (text, encoded) => {
    expect(encodeBase64(encodeUtf8(text))).toBe(encoded);
    expect(decodeBase64(encoded)).toEqual(encodeUtf8(text));
  });

  it.each([
    ["padding missing", "Zg"],
    ["padding short", "Zg="],
    ["padding too long", "Z==="],
    ["only padding", "===="],
    ["padding inside", "Zg==Zg=="],
    ["padding before the end", "Z=g="],
    ["unused bits set, two left over", "Zm9="],
    ["unused bits set, four left over", "Zh=="],
    ["line break", "Zm9v\nZm9v"],
    ["white space", "Zm9 "],
    ["the URL alphabet", "__-_"],
    ["a character beyond ASCII", "Zm9\u0176"],
  ])("does not read %s", (_, text) => {
    expect(decodeBase64(text)).toBeNull();
  });

  it("gives back any bytes and agrees with the platform's writer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (value) => {
        const text = encodeBase64(value);
        return (
          text === Buffer.from(value).toString("base64") && equalBytes(decodeBase64(text) ?? bytes(1), value)
        );
      }),
    );
    for (const length of [3071, 3072, 3073, 9000]) {
      const value = Uint8Array.from({ length }, (_, i) => (i * 31) & 255);
      expect(encodeBase64(value)).toBe(Buffer.from(value).toString("base64"));
    }
  });

  it("reads exactly the texts that it would write", () => {
    const characters = fc.constantFrom("A", "B", "Q", "g", "w", "/", "+", "=", "9");
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        const value = decodeBase64(text);
        return value === null
          ? Buffer.from(text, "base64").toString("base64") !== text
          : encodeBase64(value) === text;
      }),
    );
  });
});

describe("utf8", () => {
  it("reads what it writes", () => {
    const text = "a\u0000é€😀\u2028";
    expect(decodeUtf8(encodeUtf8(text))).toBe(text);
    expect(decodeUtf8(bytes())).toBe("");
  });

  it.each([
    ["a continuation byte alone", [0x80]],
    ["a cut sequence", [0xe2, 0x82]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an overlong NUL", [0xc0, 0x80]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a code point above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["Latin-1", [0x63, 0x61, 0x66, 0xe9]],
    ["0xff", [0xff]],
  ])("does not read %s, and reads on afterwards", (_, values) => {
    expect(decodeUtf8(Uint8Array.from(values))).toBeNull();
    expect(decodeUtf8(bytes(0xe2, 0x82, 0xac))).toBe("€");
  });

  it("leaves a byte order mark in place", () => {
    expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
  });

  it("knows lone surrogates from pairs", () => {
    expect(isWellFormed("😀\ud83d\ude00")).toBe(true);
    for (const text of ["\ud800", "\udc00", "a\ud800b", "\udc00\ud800", "\ud83d\ud83d\ude00"]) {
      expect(isWellFormed(text)).toBe(false);
    }
  });

  it("knows all 66 noncharacters and no other code point", () => {
    const found: number[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      if (hasNoncharacter(String.fromCodePoint(point))) found.push(point);
    }
    const expected: number[] = [];
    for (let point = 0xfdd0; point <= 0xfdef; point++) expected.push(point);
    for (let plane = 0; plane <= 16; plane++)
      expected.push(plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff);
    expect(found).toEqual(expected.sort((a, b) => a - b));
  });
});

describe("withUtf8", () => {
  it("lends the prefix and the bytes of the text, and wipes them", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 }).filter(isWellFormed);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), text, (prefix, some) => {
        let lent = bytes();
        const copy = withUtf8(prefix, some, (view) => {
          lent = view;
          return view.slice();
        });
        expect(copy).toEqual(concatBytes(prefix, encodeUtf8(some)));
        expect(lent.every((byte) => byte === 0)).toBe(true);
      }),
    );
  });

  it("takes texts of any length, and is right inside itself and after a throw", () => {
    for (const length of [0, 5461, 5462, 16_384, 100_000]) {
      const text = "\u20ac".repeat(length);
      expect(withUtf8(bytes(7), text, (view) => view.length)).toBe(1 + 3 * length);
    }
    const outer = withUtf8(bytes(), "outer", (view) => {
      const inner = withUtf8(bytes(1), "inner", (other) => decodeUtf8(other));
      return [decodeUtf8(view), inner];
    });
    expect(outer).toEqual(["outer", "\u0001inner"]);
    let lent = bytes();
    const fail = (view: Uint8Array): never => {
      lent = view;
      throw new Error("refused");
    };
    expect(() => withUtf8(bytes(), "secret", fail)).toThrow("refused");
    expect(lent).toEqual(new Uint8Array(6));
    expect(withUtf8(bytes(), "a", (view) => view.slice())).toEqual(bytes(0x61));
  });
});

describe("decodeHexInto", () => {
  it("reads what decodeHex reads, into place, and refuses what it refuses", () => {
    const texts = [
      "0x",
      "0x00",
      "0xff10",
      "0xFF",
      "0xg0",
      "0x0",
      "00",
      "",
      "0x\u00e9\u00e9",
      "0x\u0130\u0130",
      `0x${"ab".repeat(32)}`,
    ];
    for (const text of texts) {
      const target = new Uint8Array(40).fill(7);
      const want = decodeHex(text);
      const count = decodeHexInto(text, target, 3);
      expect(count, text).toBe(want === null ? -1 : want.length);
      if (want === null) continue;
      expect([...target.subarray(3, 3 + count)]).toEqual([...want]);
      expect([...target.subarray(0, 3), ...target.subarray(3 + count)].every((byte) => byte === 7)).toBe(
        true,
      );
    }
  });

  it("refuses what has no room", () => {
    expect(decodeHexInto("0x0102", new Uint8Array(4), 2)).toBe(2);
    expect(decodeHexInto("0x0102", new Uint8Array(4), 3)).toBe(-1);
  });
});
