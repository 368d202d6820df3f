import { describe, expect, it } from "vitest";
import { appendPointer, comparePointers, pointerOf } from "../../src/encoding/pointer.js";
import * as LIMITS from "../../src/limits.js";

describe("appendPointer", () => {
  it("escapes as RFC 6901 section 3 says", () => {
    expect(appendPointer("", "a")).toBe("/a");
    expect(appendPointer("/a", 0)).toBe("/a/0");
    expect(appendPointer("", "")).toBe("/");
    expect(appendPointer("", "a/b")).toBe("/a~1b");
    expect(appendPointer("", "m~n")).toBe("/m~0n");
    expect(appendPointer("", "~1")).toBe("/~01");
  });
});

describe("names that cannot stand in a pointer", () => {
  const longest = "x".repeat(LIMITS.maxPointerTokenCharacters);
  const widest = "\u{1f600}".repeat(LIMITS.maxPointerTokenCharacters / 2);

  it.each([longest, widest, "~".repeat(LIMITS.maxPointerTokenCharacters)])(
    "shows a name at the bound",
    (name) => {
      const token = name.replaceAll("~", "~0");
      expect(appendPointer("/a", name)).toBe(`/a/${token}`);
      expect(pointerOf(["a", 0, name, "b"])).toBe(`/a/0/${token}/b`);
    },
  );

  it.each([`${longest}x`, `${widest}x`, "\ud800", "\udead!", "\uffff", "x\ufdd0"])(
    "ends before a longer name, and before one that is not good text",
    (name) => {
      expect(appendPointer("/a", name)).toBe("/a");
      expect(pointerOf(["a", 0, name, "b"])).toBe("/a/0");
      expect(pointerOf([name, "b", name])).toBe("");
    },
  );
});

describe("comparePointers", () => {
  const sorted = [
    "",
    "/",
    "/A",
    "/a",
    "/a/0",
    "/a/2",
    "/a/2/x",
    "/a/10",
    "/a/9007199254740993",
    "/a/9007199254740994",
    "/a/9a",
    "/a/x",
    "/a~1b",
    "/a~0b",
    "/b",
    "/\ud83d\ude00",
    "/\ufb33",
  ];

  it("puts pointers in one order, whatever order they come in", () => {
    for (const [i, a] of sorted.entries()) {
      for (const [j, b] of sorted.entries()) {
        expect(Math.sign(comparePointers(a, b)), `${a} against ${b}`).toBe(Math.sign(i - j));
      }
    }
  });

  it("takes two digit tokens for numbers, and still tells 1 from 01", () => {
    expect(comparePointers("/9", "/10")).toBeLessThan(0);
    expect(comparePointers("/9x", "/10x")).toBeGreaterThan(0);
    expect(comparePointers("/01", "/1")).toBeLessThan(0);
    expect(comparePointers("/00", "/1")).toBeLessThan(0);
    expect(comparePointers("/007", "/7")).toBeLessThan(0);
    expect(comparePointers("/7", "/007")).toBeGreaterThan(0);
    expect(comparePointers("/008", "/7")).toBeGreaterThan(0);
    expect(comparePointers("/7", "/008")).toBeLessThan(0);
    expect(comparePointers("/013", "/12")).toBeGreaterThan(0);
    expect(comparePointers("/12", "/013")).toBeLessThan(0);
    expect(comparePointers("/00", "/0")).toBeGreaterThan(0);
  });

  it("takes a token for a number only when it is digits from end to end", () => {
    expect(comparePointers("/b1", "/a")).toBeGreaterThan(0);
    expect(comparePointers("/1b", "/1a")).toBeGreaterThan(0);
    expect(comparePointers("/1b", "/10")).toBeGreaterThan(0);
  });

  it("compares tokens as they were before escaping", () => {
    expect(comparePointers("/~1", "/.")).toBeGreaterThan(0);
    expect(comparePointers("/~0", "/}")).toBeGreaterThan(0);
    expect(comparePointers("/~01", "/~1")).toBeGreaterThan(0);
  });

  it("F007 does not ask a locale", () => {
    expect(comparePointers("/Z", "/a")).toBeLessThan(0);
    expect(comparePointers("/z", "/ä")).toBeLessThan(0);
  });
});
