/** Quick cases at the edges of what the sweeps of this folder go through in full. */
import { describe, expect, it } from "vitest";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import { canonicalSize } from "../../src/encoding/jcs-size.js";
import { parseJson, type Recogniser } from "../../src/encoding/json.js";
import { parseTime } from "../../src/encoding/time.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";

describe("parseTime", () => {
  const whole = "2026-10-12T11:14:15Z";
  const fine = "2026-10-12T11:14:15.167Z";

  it("has exactly one character at each place that holds no digit", () => {
    for (const good of [whole, fine]) {
      expect(parseTime(good)).toBe(Date.parse(good));
      for (const [place, character] of [...good].entries()) {
        if (/[0-9]/.test(character)) continue;
        for (const other of ["-", ":", "T", "Z", ".", "/", "0", " ", "t", "z", "\uff0d"]) {
          if (other === character) continue;
          const text = good.slice(0, place) + other + good.slice(place + 1);
          expect(parseTime(text), text).toBeNull();
        }
      }
    }
  });

  it("has a digit at each other place, from 0 to 9 and none beside them", () => {
    for (const good of [whole, fine]) {
      for (const [place, character] of [...good].entries()) {
        if (!/[0-9]/.test(character)) continue;
        for (const other of ["/", ":", "-", "+", " ", "a", "\uff11", "\u0000"]) {
          const text = good.slice(0, place) + other + good.slice(place + 1);
          expect(parseTime(text), text).toBeNull();
        }
      }
    }
  });

  it("is neither longer nor shorter", () => {
    for (const text of [
      `${whole}Z`,
      whole.slice(0, -1),
      `${fine}Z`,
      fine.slice(0, -1),
      fine.replace("7Z", "Z"),
    ]) {
      expect(parseTime(text), text).toBeNull();
    }
  });
});

describe("canonicalSize", () => {
  it.each([
    "",
    '"',
    "\\",
    '"\\',
    "\u0000",
    "\u001f",
    " ",
    "\b\t\n\f\r",
    "\u000b",
    "\u007f",
    "\u0080",
    "\u07ff",
    "\u0800",
    "\ud7ff",
    "\ue000",
    "\ud83d\ude00",
  ])("is that of the text %j, alone, in an array and as a name", (text) => {
    for (const value of [text, [text], [text, text], { [text]: text }, { [text]: 1, x: [] }]) {
      expect(canonicalSize(value)).toBe(canonicalBytes(value).length);
    }
  });
});

describe("a member that is there twice", () => {
  it("is at fault, and the first of the two is what is kept to be looked at", () => {
    const { value, faults } = parseJson(encodeUtf8('{"a":1,"b":2,"a":3}'), { maxBytes: 100, maxDepth: 2 });
    expect(faults.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(["FORMAT_DUPLICATE_MEMBER /a"]);
    expect(JSON.stringify(value)).toBe('{"a":1,"b":2}');
  });
});

describe("a recogniser", () => {
  const text = '{"a":[{"x":1},{"x":2}],"b":{"c":[{"x":3}]},"d":{"x":4}}';
  const limits = { maxBytes: 1000, maxDepth: 64 };
  const asked: string[] = [];
  const recogniser: Recogniser = (whole) => (path, at) => {
    asked.push(`${path.join("/")} ${at}`);
    return whole.startsWith('{"x":2}', at) ? { value: { y: 9 }, end: at + 7, values: 2 } : null;
  };

  it("is asked at each object, with what leads to it", () => {
    asked.length = 0;
    const { value, faults } = parseJson(encodeUtf8(text), { ...limits, recogniser });
    expect(faults).toEqual([]);
    expect(JSON.parse(JSON.stringify(value))).toEqual({
      a: [{ x: 1 }, { y: 9 }],
      b: { c: [{ x: 3 }] },
      d: { x: 4 },
    });
    expect(asked).toEqual([" 0", "a/0 6", "a/1 14", "b 27", "b/c/0 33", "d 47"]);
  });

  it("counts the values that it read", () => {
    // The object, two arrays, two objects in a with a number each, and so on: thirteen.
    const most = (maxValues: number): number =>
      parseJson(encodeUtf8(text), { ...limits, maxValues, recogniser }).faults.length;
    const plain = (maxValues: number): number =>
      parseJson(encodeUtf8(text), { ...limits, maxValues }).faults.length;
    for (let bound = 1; bound <= 20; bound++) expect(most(bound), `${bound}`).toBe(plain(bound));
    expect(plain(20)).toBe(0);
    expect(plain(1)).toBe(1);
  });

  it("is not asked about a text that is not ASCII", () => {
    asked.length = 0;
    const { value } = parseJson(encodeUtf8(text.replace('"d"', '"é"')), { ...limits, recogniser });
    expect(asked).toEqual([]);
    expect(JSON.parse(JSON.stringify(value))["a"]).toEqual([{ x: 1 }, { x: 2 }]);
  });
});
