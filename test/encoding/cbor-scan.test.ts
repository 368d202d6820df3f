/** The pass over CBOR by itself. Behind it stands a second bar, encoding again, that would hide what it misses. */
import { describe, expect, it } from "vitest";
import { scanCbor } from "../../src/encoding/cbor-scan.js";
import { looksLikeHex } from "../../src/encoding/cbor-text.js";

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

function faults(hex: string, maxDepth = 64, maxValues = 100): string[] {
  return scanCbor(bytes(hex), { maxDepth, maxValues }).faults.map(
    ({ code, pointer, offset }) => `${code} at ${offset}${pointer === "" ? "" : ` ${pointer}`}`,
  );
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("scanCbor", () => {
  it.each([
    ["an array", "82 01 02"],
    ["a map", "a2 61 61 01 61 62 02"],
    ["names in the order of their lengths, then of their bytes", "a3 61 7a 01 62 61 61 02 62 61 62 03"],
    ["empty containers", "82 80 a0"],
    ["the least argument of one byte", "18 18"],
    ["the least argument of two bytes", "19 0100"],
    ["the least argument of four bytes", "1a 00010000"],
    ["the least argument of eight bytes", "1b 0000000100000000"],
    ["2^53-1", "1b 001fffffffffffff"],
    ["-(2^53-1)", "3b 001ffffffffffffe"],
    ["false, true, null", "83 f4 f5 f6"],
    ["half a float", "f9 3e00"],
    ["a float of four bytes", "fa 3fa66667"],
    ["a float of eight bytes", "fb 3ff199999999999a"],
    ["bytes", "43 010203"],
    ["a text that only begins like hex", "64 30783067"],
    ["an odd count of hex digits", "63 307830"],
    ["hex digits in upper case", "64 30784141"],
    ["0y and hex digits", "64 30796161"],
    ["1x and hex digits", "64 31786161"],
  ])("passes %s", (_, hex) => {
    expect(faults(hex)).toEqual([]);
  });

  it.each([
    ["a byte behind the value", "01 02", "FORMAT_SYNTAX_INVALID at 1"],
    ["bytes behind an array", "81 01 02 03", "FORMAT_SYNTAX_INVALID at 2"],
    ["no bytes", "", "FORMAT_TRUNCATED at 0"],
    ["an element less than announced", "82 01", "FORMAT_TRUNCATED at 0"],
    ["a last value that is cut off", "a1 61 61 18", "FORMAT_TRUNCATED at 3"],
    ["a map with room for its names only", "a2 61 61", "FORMAT_TRUNCATED at 0"],
    ["more bytes than there are", "43 0102", "FORMAT_TRUNCATED at 0"],
    ["23 in one byte", "18 17", "FORMAT_SYNTAX_INVALID at 0"],
    ["255 in two bytes", "19 00ff", "FORMAT_SYNTAX_INVALID at 0"],
    ["65535 in four bytes", "1a 0000ffff", "FORMAT_SYNTAX_INVALID at 0"],
    ["2^32-1 in eight bytes", "1b 00000000ffffffff", "FORMAT_SYNTAX_INVALID at 0"],
    ["a length of 1 in one byte", "58 01 00", "FORMAT_SYNTAX_INVALID at 0"],
    ["an indefinite length", "9f ff", "FORMAT_SYNTAX_INVALID at 0"],
    ["reserved additional information", "1c", "FORMAT_SYNTAX_INVALID at 0"],
    ["a tag", "c0 00", "FORMAT_SYNTAX_INVALID at 0"],
    ["undefined", "f7", "FORMAT_SYNTAX_INVALID at 0"],
    ["the simple value 19", "f3", "FORMAT_SYNTAX_INVALID at 0"],
    ["the simple value 0", "e0", "FORMAT_SYNTAX_INVALID at 0"],
    ["a simple value of two bytes", "f8 20", "FORMAT_SYNTAX_INVALID at 0"],
    ["a break", "ff", "FORMAT_SYNTAX_INVALID at 0"],
    ["an integer as a float", "f9 3c00", "FORMAT_SYNTAX_INVALID at 0"],
    ["a half float in four bytes", "fa 3fc00000", "FORMAT_SYNTAX_INVALID at 0"],
    ["a half float in eight bytes", "fb 3ff8000000000000", "FORMAT_SYNTAX_INVALID at 0"],
    ["a float of four bytes in eight", "fb 3ff4cccce0000000", "FORMAT_SYNTAX_INVALID at 0"],
    ["hex as a text", "64 30786166", "FORMAT_SYNTAX_INVALID at 0"],
    ["the prefix of hex as a text", "62 3078", "FORMAT_SYNTAX_INVALID at 0"],
    ["hex as a text, second in an array", "82 01 64 30783039", "FORMAT_SYNTAX_INVALID at 2"],
    ["a name that is no text", "a1 01 02", "FORMAT_SYNTAX_INVALID at 1"],
    ["names out of order", "a2 61 62 01 61 61 02", "FORMAT_SYNTAX_INVALID at 4"],
    ["names out of order in their last byte", "a2 62 6162 01 62 6161 02", "FORMAT_SYNTAX_INVALID at 5"],
    ["a longer name before a shorter one", "a2 62 6161 01 61 62 02", "FORMAT_SYNTAX_INVALID at 5"],
    ["a name twice", "a2 61 61 01 61 61 02", "FORMAT_DUPLICATE_MEMBER at 4 /a"],
    ["an empty name twice", "a2 60 01 60 02", "FORMAT_DUPLICATE_MEMBER at 3 /"],
    ["2^53", "81 1b 0020000000000000", "FORMAT_NUMBER_INVALID at 1 /0"],
    ["-2^53", "81 3b 001fffffffffffff", "FORMAT_NUMBER_INVALID at 1 /0"],
    ["negative zero", "a1 61 61 f9 8000", "FORMAT_NUMBER_INVALID at 3 /a"],
    ["infinity", "f9 7c00", "FORMAT_NUMBER_INVALID at 0"],
    ["not a number", "f9 7e00", "FORMAT_NUMBER_INVALID at 0"],
    ["bad UTF-8", "82 01 61 ff", "FORMAT_TEXT_INVALID at 2 /1"],
    ["UTF-8 that goes on behind its text", "82 61 c3 61 a9", "FORMAT_TEXT_INVALID at 1 /0"],
    ["UTF-8 that goes on in the next value", "82 61 c3 80", "FORMAT_TEXT_INVALID at 1 /0"],
    ["a noncharacter", "63 efbfbf", "FORMAT_TEXT_INVALID at 0"],
  ])("refuses %s", (_, hex, fault) => {
    expect(faults(hex)).toEqual([fault]);
  });

  it("holds the bound on depth at the bound", () => {
    expect(faults("81 81 00", 2)).toEqual([]);
    expect(faults("81 81 00", 1)).toEqual(["FORMAT_TOO_LARGE at 1"]);
    expect(faults("81 a1 61 61 80", 2)).toEqual(["FORMAT_TOO_LARGE at 4"]);
  });

  it("holds the bound on the number of values at the bound, names not counted", () => {
    expect(faults("a1 61 61 82 01 02", 64, 4)).toEqual([]);
    expect(faults("a1 61 61 82 01 02", 64, 3)).toEqual(["FORMAT_TOO_LARGE at 5"]);
    expect(faults("00", 64, 1)).toEqual([]);
    expect(faults("00", 64, 0)).toEqual(["FORMAT_TOO_LARGE at 0"]);
  });

  it("says what it found before the fault that ends it, each kind once", () => {
    expect(faults("84 61 ff f9 8000 61 ff c0 00")).toEqual([
      "FORMAT_TEXT_INVALID at 1 /0",
      "FORMAT_NUMBER_INVALID at 3 /1",
      "FORMAT_SYNTAX_INVALID at 8",
    ]);
  });

  it("names no member by a name that could not stand in a report", () => {
    expect(faults("a1 61 61 f9 8000")).toEqual(["FORMAT_NUMBER_INVALID at 3 /a"]);
    expect(faults("a1 61 ff f9 8000")).toEqual(["FORMAT_TEXT_INVALID at 1", "FORMAT_NUMBER_INVALID at 3"]);
  });
});

describe("looksLikeHex", () => {
  it.each(["0x", "0x00", "0x09", "0x99", "0xaf", "0xff", "0x0123456789abcdef"])("takes %s", (text) => {
    expect(looksLikeHex(ascii(text), 0, text.length)).toBe(true);
    expect(looksLikeHex(ascii(`#${text}#`), 1, 1 + text.length)).toBe(true);
  });

  it.each(["", "0", "x", "0x0", "0X00", "1x00", "0x0/", "0x0:", "0x0`", "0x0g", "0xg0", "0xAF", "0x00 0"])(
    "does not take %j",
    (text) => {
      expect(looksLikeHex(ascii(text), 0, text.length)).toBe(false);
      expect(looksLikeHex(ascii(`#${text}#`), 1, 1 + text.length)).toBe(false);
    },
  );
});
