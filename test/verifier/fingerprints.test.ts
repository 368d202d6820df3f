import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprints } from "../../src/verifier/fingerprints.js";

/** Places of values that an earlier one equals, by comparing each with all before it. */
function repeatsOf(values: readonly Uint8Array[]): number[] {
  return values.flatMap((value, place) =>
    values.slice(0, place).some((before) => Buffer.compare(before, value) === 0) ? [place] : [],
  );
}

function added(values: readonly Uint8Array[]): Fingerprints {
  const fingerprints = new Fingerprints();
  for (const value of values) fingerprints.add(value, 1);
  return fingerprints;
}

describe("Fingerprints", () => {
  it("finds each repeat once, in order, also among values with one beginning", () => {
    const byte = fc.constantFrom(0, 1, 255);
    const value = fc
      .tuple(byte, byte, byte, byte)
      .map(([a, b, c, d]) => Uint8Array.of(a, 0, 0, 0, 0, 0, 0, b, c, 0, 0, 0, 0, 0, 0, d));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), (values) => {
        expect(added(values).repeats()).toEqual(repeatsOf(values));
      }),
      { numRuns: 60 },
    );
  });

  it("takes many at once, and nothing behind them", () => {
    const bytes = Uint8Array.from({ length: 40 }, (_, i) => i % 16);
    const fingerprints = new Fingerprints();
    fingerprints.add(bytes, 2);
    fingerprints.add(bytes.subarray(8), 1);
    fingerprints.add(bytes.subarray(16), 1);
    expect(fingerprints.count).toBe(4);
    expect(fingerprints.repeats()).toEqual([1, 3]);
    fingerprints.clear();
    expect([fingerprints.count, fingerprints.repeats()]).toEqual([0, []]);
  });

  it("lends its memory once, as zeros, and takes none of it back", () => {
    const fingerprints = new Fingerprints();
    expect([...fingerprints.numbers(3)]).toEqual([0, 0, 0]);
    fingerprints.add(new Uint8Array(64 * 16).fill(7), 64);
    fingerprints.lendMemory();
    expect([fingerprints.count, fingerprints.repeats()]).toEqual([0, []]);
    // Memory for 64 fingerprints is that of 256 numbers.
    const [first, second, third] = [200, 56, 10].map((count) => fingerprints.numbers(count));
    const buffers = new Set([first, second, third].map((numbers) => numbers?.buffer));
    expect(buffers.size).toBe(2);
    expect(first?.every((number) => number === 0)).toBe(true);
    first?.fill(1);
    expect([second?.length, third?.length]).toEqual([56, 10]);
    expect([...(second ?? []), ...(third ?? [])].every((number) => number === 0)).toBe(true);
    fingerprints.add(
      Uint8Array.from({ length: 16 }, () => 9),
      1,
    );
    expect(first?.every((number) => number === 1)).toBe(true);
    expect(fingerprints.count).toBe(1);
  });
});
