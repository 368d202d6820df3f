import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTime, parseTime } from "../../src/encoding/time.js";

describe("parseTime", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01T00:00:00.001Z", 1],
    ["1969-12-31T23:59:59.999Z", -1],
    ["2024-02-29T12:34:56Z", 1_709_210_096_000],
    ["2000-02-29T00:00:00Z", 951_782_400_000],
    ["0000-01-01T00:00:00Z", -62_167_219_200_000],
    ["0000-02-29T00:00:00Z", -62_162_121_600_000],
    ["0099-12-31T23:59:59Z", -59_011_459_201_000],
    ["9999-12-31T23:59:59.999Z", 253_402_300_799_999],
  ])("reads %s", (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  it("reads a whole second in both spellings as one instant", () => {
    expect(parseTime("2026-01-02T03:04:05Z")).toBe(parseTime("2026-01-02T03:04:05.000Z"));
  });

  it.each([
    ["a day that February does not have", "2023-02-29T00:00:00Z"],
    ["a leap day in 1900", "1900-02-29T00:00:00Z"],
    ["31 April", "2024-04-31T00:00:00Z"],
    ["month 0", "2024-00-10T00:00:00Z"],
    ["month 13", "2024-13-10T00:00:00Z"],
    ["day 0", "2024-01-00T00:00:00Z"],
    ["day 32", "2024-01-32T00:00:00Z"],
    ["hour 24", "2024-01-01T24:00:00Z"],
    ["minute 60", "2024-01-01T00:60:00Z"],
    ["a leap second", "2016-12-31T23:59:60Z"],
    ["one fraction digit", "2024-01-01T00:00:00.1Z"],
    ["six fraction digits", "2024-01-01T00:00:00.123456Z"],
    ["a fraction without digits", "2024-01-01T00:00:00.Z"],
    ["an offset", "2024-01-01T00:00:00+00:00"],
    ["no zone", "2024-01-01T00:00:00"],
    ["lower case", "2024-01-01t00:00:00z"],
    ["a space for the T", "2024-01-01 00:00:00Z"],
    ["no seconds", "2024-01-01T00:00Z"],
    ["a five-digit year", "12024-01-01T00:00:00Z"],
    ["a signed year", "+002024-01-01T00:00:00Z"],
    ["white space before", " 2024-01-01T00:00:00Z"],
    ["a line break behind", "2024-01-01T00:00:00Z\n"],
    ["other digits", "２０２４-01-01T00:00:00Z"],
    ["nothing", ""],
  ])("does not read %s", (_, text) => {
    expect(parseTime(text)).toBeNull();
  });
});

describe("formatTime", () => {
  it("leaves out the fraction of a whole second only", () => {
    expect(formatTime(0)).toBe("1970-01-01T00:00:00Z");
    expect(formatTime(123)).toBe("1970-01-01T00:00:00.123Z");
    expect(formatTime(-62_167_219_200_000)).toBe("0000-01-01T00:00:00Z");
    expect(formatTime(253_402_300_799_999)).toBe("9999-12-31T23:59:59.999Z");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5, -62_167_219_200_001, 253_402_300_800_000])(
    "refuses %s",
    (ms) => {
      expect(() => formatTime(ms)).toThrow(expect.objectContaining({ code: "ARGUMENT_INVALID" }));
    },
  );

  it("writes what parseTime reads back", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
        (ms) => parseTime(formatTime(ms)) === ms,
      ),
    );
  });
});
