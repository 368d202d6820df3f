import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import { decodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { DigestList, NamedDigests } from "../../src/tree/digest-list.js";

const digest = (name: string | number): string => sha256Hex(encodeUtf8(String(name)));

describe("DigestList", () => {
  it("finds what was added by its first position, as a map of texts does", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 400 }), (names) => {
        const list = new DigestList();
        const known = new Map<string, number>();
        for (const [position, name] of names.entries()) {
          expect(list.addHex(digest(name))).toBe(!known.has(digest(name)));
          if (!known.has(digest(name))) known.set(digest(name), position);
          expect(list.hexAt(position)).toBe(digest(name));
        }
        expect(list.count).toBe(names.length);
        for (let name = 0; name <= 301; name += 1)
          expect(list.find(digest(name))).toBe(known.get(digest(name)) ?? -1);
      }),
      { numRuns: 40 },
    );
  });

  it("keeps digests apart that crowd one slot", () => {
    const list = new DigestList();
    const crowded = Array.from(
      { length: 200 },
      (_, i) => `0x${"00".repeat(30)}${i.toString(16).padStart(4, "0")}`,
    );
    for (const text of crowded) expect(list.addHex(text)).toBe(true);
    for (const [position, text] of crowded.entries()) expect(list.find(text)).toBe(position);
    expect(list.find(`0x${"00".repeat(30)}ffff`)).toBe(-1);
  });

  it("orders by bytes, and finds what another list holds", () => {
    const [list, other] = [new DigestList(), new DigestList()];
    for (let i = 0; i < 50; i += 1) list.addHex(digest(i));
    for (let a = 0; a < 50; a += 1) {
      for (let b = 0; b < 50; b += 1) {
        const texts = digest(a) < digest(b) ? -1 : digest(a) > digest(b) ? 1 : 0;
        expect(Math.sign(list.compare(a, b))).toBe(texts);
      }
    }
    other.addHex(digest(60));
    other.addHex(digest(7));
    expect([list.findIn(other, 0), list.findIn(other, 1)]).toEqual([-1, 7]);
    expect(list.bytesAt(7)).toEqual(decodeHex(digest(7)));
  });

  it.each([
    "",
    "0x",
    `0x${"0".repeat(63)}`,
    `0x${"0".repeat(63)}A`,
    `0X${"0".repeat(64)}`,
    `0x${"0".repeat(66)}`,
  ])("never finds %j", (text) => {
    const list = new DigestList();
    expect(list.addHex(text)).toBe(false);
    expect([list.count, list.find(text)]).toEqual([1, -1]);
    expect(list.addHex(digest(1))).toBe(true);
    expect(list.find(digest(1))).toBe(1);
  });
});

describe("NamedDigests", () => {
  it("answers as a list of digests does", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { maxLength: 80 }), (names) => {
        const [list, named] = [new DigestList(), new NamedDigests()];
        for (const name of names) expect(named.addHex(digest(name))).toBe(list.addHex(digest(name)));
        expect(named.count).toBe(list.count);
        for (let name = 0; name <= 61; name += 1) {
          const bytes = decodeHex(digest(name)) ?? new Uint8Array(0);
          expect(named.findBytes(bytes, 0)).toBe(list.findBytes(bytes, 0));
        }
      }),
      { numRuns: 40 },
    );
    const named = new NamedDigests();
    for (const text of ["", "0x", "0x00", digest(1).slice(0, -2)]) expect(named.addHex(text)).toBe(false);
  });

  it("takes a hundred thousand that were made to share a slot", () => {
    const named = new NamedDigests();
    const made = (number: number): string => `0x${"aa".repeat(8)}${number.toString(16).padStart(48, "0")}`;
    for (let number = 0; number < 100_000; number += 1) expect(named.addHex(made(number))).toBe(true);
    expect(named.addHex(made(77_777))).toBe(false);
    expect(named.findBytes(decodeHex(made(77_777)) ?? new Uint8Array(0), 0)).toBe(77_777);
  });
});
