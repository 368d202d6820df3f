import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NarrowNumbers } from "../../src/tree/numbers.js";

describe("narrow numbers", () => {
  it("are what was put, whatever their size and order, and 0 elsewhere", () => {
    const number = fc.oneof(
      fc.nat(300),
      fc.nat(70_000),
      fc.integer(),
      fc.constantFrom(2 ** 16 - 1, 2 ** 16, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -1, 0),
    );
    const puts = fc.array(fc.tuple(fc.nat(200), number), { maxLength: 60 });
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 300 }), puts, (room, most, all) => {
        const numbers = new NarrowNumbers(room, most);
        const wanted = new Map<number, number>();
        for (const [index, put] of all) {
          numbers.put(index, put);
          wanted.set(index, put);
        }
        for (let index = 0; index < 205; index += 1) expect(numbers.at(index)).toBe(wanted.get(index) ?? 0);
      }),
    );
  });

  it("keep the numbers before when one that needs more comes, and what is no number", () => {
    const numbers = new NarrowNumbers(0, 100);
    const all = [255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, Number.NaN, 1];
    for (const [index, number] of all.entries()) {
      numbers.put(index, number);
      for (let before = 0; before <= index; before += 1) expect(numbers.at(before)).toBe(all[before]);
    }
  });
});
