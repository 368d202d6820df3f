import { Decoder } from "cbor-x/decode-no-eval";
import { describe, expect, it, vi } from "vitest";
import { encodeCbor, parseCbor } from "../../src/encoding/cbor.js";
import type { ParsedJson } from "../../src/encoding/json-fault.js";

/** The decoder is replaced, so that each case is a way in which it might go wrong. */
describe("a decoder that gives something else than was written", () => {
  const bytes = encodeCbor({ a: [1, "text", "0x01"] });
  const parsedWhenGiven = (give: () => unknown): ParsedJson => {
    const decode = vi.spyOn(Decoder.prototype, "decode").mockImplementation(give);
    try {
      return parseCbor(bytes, { maxBytes: 1000, maxDepth: 64 });
    } finally {
      expect(decode).toHaveBeenCalledOnce();
      decode.mockRestore();
    }
  };
  const right = () => new Map<unknown, unknown>([["a", [1, "text", Uint8Array.of(1)]]]);

  it("passes what is right", () => {
    const { value, faults } = parsedWhenGiven(right);
    expect(faults).toEqual([]);
    expect(JSON.stringify(value)).toBe('{"a":[1,"text","0x01"]}');
  });

  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["another number", () => new Map([["a", [2, "text", Uint8Array.of(1)]]])],
    ["NaN", () => new Map([["a", [Number.NaN, "text", Uint8Array.of(1)]]])],
    ["a BigInt", () => new Map([["a", [1n, "text", Uint8Array.of(1)]]])],
    ["another text", () => new Map([["a", [1, "te\ufffdt", Uint8Array.of(1)]]])],
    ["other bytes", () => new Map([["a", [1, "text", Uint8Array.of(2)]]])],
    ["a renamed member", () => new Map([["a_", [1, "text", Uint8Array.of(1)]]])],
    ["a member less", () => new Map()],
    ["a member more", () => right().set("b", null)],
    ["an object in place of a map", () => ({ a: [1, "text", Uint8Array.of(1)] })],
    ["a date", () => new Map([["a", [new Date(0), "text", Uint8Array.of(1)]]])],
    ["a member whose name is a number", () => new Map([[1, [1, "text", Uint8Array.of(1)]]])],
    ["a hole", () => new Map([["a", new Array(3)]])],
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
