import { describe, expect, it } from "vitest";
import { isSameDecimal } from "../../src/encoding/decimal-text.js";

describe("isSameDecimal", () => {
  it.each([
    ["7", "7"],
    ["1.50", "15e-1"],
    ["1.50", "1.5"],
    ["150", "15e1"],
    ["150", "1.5E+2"],
    ["1200", "12e2"],
    ["0.001", "1e-3"],
    ["-2.5", "-25e-1"],
    ["100.00", "1e2"],
    ["1e400", "10e399"],
    ["123456789012345678901234567890", "12345678901234567890123456789e1"],
    ["0", "0.0"],
    ["0", "0e7"],
    ["0", "-0.00"],
  ])("takes %s and %s as one number, either way round", (a, b) => {
    expect(isSameDecimal(a, b)).toBe(true);
    expect(isSameDecimal(b, a)).toBe(true);
  });

  it.each([
    ["0.1", "0.10000000000000001"],
    ["7", "8"],
    ["7", "-7"],
    ["15", "150"],
    ["1.5", "15"],
    ["1e3", "1e-3"],
    ["12", "1.2"],
    ["0", "1"],
    ["0", "-1"],
    ["0", "0.1"],
    ["101", "11"],
    ["1e400", "1e401"],
    ["9007199254740993", "9007199254740992"],
  ])("takes %s and %s as two, either way round", (a, b) => {
    expect(isSameDecimal(a, b)).toBe(false);
    expect(isSameDecimal(b, a)).toBe(false);
  });

  it.each(["", "-", "x", "1.", ".5", "1e", "1e+", "--1", "1 ", " 1", "1x", "0x1", "Infinity"])(
    "takes %j, which is no number, as equal to nothing, itself included",
    (text) => {
      expect(isSameDecimal("1", "1")).toBe(true);
      expect(isSameDecimal(text, "1")).toBe(false);
      expect(isSameDecimal("1", text)).toBe(false);
      expect(isSameDecimal(text, text)).toBe(false);
      expect(isSameDecimal(text, "0")).toBe(false);
    },
  );
});
