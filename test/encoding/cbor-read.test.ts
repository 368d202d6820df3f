import { describe, expect, it, vi } from "vitest";
import { encodeCbor, parseCbor } from "../../src/encoding/cbor.js";
import { CborReader } from "../../src/encoding/cbor-read.js";
import type { ParsedJson } from "../../src/encoding/json-fault.js";

/** What is read is replaced, so that each case is a way in which reading might go wrong. */
describe("a reader that gives something else than was written", () => {
  const bytes = encodeCbor({ a: [1, "text", "0x01"] });
  const parsedWhenGiven = (give: () => unknown): ParsedJson => {
    // A wrong reader need not keep to the type.
    const item = vi.spyOn(CborReader.prototype, "item").mockImplementation(give as () => null);
    try {
      return parseCbor(bytes, { maxBytes: 1000, maxDepth: 64 });
    } finally {
      expect(item).toHaveBeenCalledOnce();
      item.mockRestore();
    }
  };
  const right = { a: [1, "text", "0x01"] };

  it("passes what is right", () => {
    const { value, faults } = parsedWhenGiven(() => right);
    expect(faults).toEqual([]);
    expect(JSON.stringify(value)).toBe('{"a":[1,"text","0x01"]}');
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["another number", () => ({ a: [2, "text", "0x01"] })],
    ["NaN", () => ({ a: [Number.NaN, "text", "0x01"] })],
    ["a BigInt", () => ({ a: [1n, "text", "0x01"] })],
    ["another text", () => ({ a: [1, "te\ufffdt", "0x01"] })],
    ["other bytes", () => ({ a: [1, "text", "0x02"] })],
    ["bytes that are no text", () => ({ a: [1, "text", Uint8Array.of(1)] })],
    ["a renamed member", () => ({ a_: right.a })],
    ["a member less", () => ({})],
    ["a member more", () => ({ ...right, b: null })],
    ["a map", () => new Map(Object.entries(right))],
    ["a date", () => ({ a: [new Date(0), "text", "0x01"] })],
    ["a hole", () => ({ a: new Array(3) })],
    [
      "an error",
      () => {
        throw new RangeError("stack");
      },
    ],
  ])("refuses %s", (_, give) => {
    expect(parsedWhenGiven(give)).toMatchObject({
      value: undefined,
      faults: [{ code: "FORMAT_SYNTAX_INVALID", pointer: "" }],
    });
  });
});

describe("texts that begin with U+FEFF", () => {
  it.each([1, 64, 65, 1000])("keep it, with %d characters behind it, as values and as names", (length) => {
    const text = `\ufeff${"a".repeat(length)}`;
    const { value, faults } = parseCbor(encodeCbor({ [text]: text }), { maxBytes: 10_000, maxDepth: 64 });
    expect(faults).toEqual([]);
    expect(JSON.stringify(value)).toBe(JSON.stringify({ [text]: text }));
  });
});
