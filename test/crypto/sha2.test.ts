/** SHA-256 and SHA-512 of this package against `node:crypto`, at every length and in pieces of every size. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256, sha256Stream, sha512 } from "../../src/crypto/sha2.js";
import { toHex } from "./helpers.js";

const bytes = Uint8Array.from({ length: 1400 }, (_, index) => (index * 167 + (index >> 3)) & 0xff);

function expected(algorithm: "sha256" | "sha512", input: Uint8Array): string {
  return createHash(algorithm).update(input).digest("hex");
}

describe.each([
  ["sha256", sha256],
  ["sha512", sha512],
] as const)("%s", (algorithm, hash) => {
  it("is that of node:crypto at every length, also of a view into more", () => {
    for (let length = 0; length <= 600; length += 1) {
      const view = bytes.subarray(length % 9, (length % 9) + length);
      expect(toHex(hash(view))).toBe(expected(algorithm, view));
    }
  });

  it("is that of node:crypto for random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (input) => {
        expect(toHex(hash(input))).toBe(expected(algorithm, input));
      }),
    );
  });

  it("gives new bytes each time, and leaves its input as it was", () => {
    const before = bytes.slice();
    const first = hash(bytes);
    first.fill(0);
    expect(toHex(hash(bytes))).toBe(expected(algorithm, bytes));
    expect(bytes).toEqual(before);
  });
});

describe("sha256Stream", () => {
  it("is that of all bytes, whatever pieces they come in and whatever else is hashed meanwhile", () => {
    for (const size of [1, 3, 55, 56, 63, 64, 65, 128, 700]) {
      const stream = sha256Stream();
      for (let at = 0; at < bytes.length; at += size) {
        stream.update(bytes.subarray(at, at + size));
        sha512(bytes.subarray(0, size));
        sha256(bytes.subarray(0, size));
      }
      expect(stream.hex()).toBe(expected("sha256", bytes));
    }
  });

  it("is that of nothing when nothing came, and takes empty pieces", () => {
    expect(sha256Stream().hex()).toBe(expected("sha256", new Uint8Array(0)));
    const stream = sha256Stream();
    for (const piece of ["a", "", "bc", ""]) stream.update(new TextEncoder().encode(piece));
    expect(stream.hex()).toBe(expected("sha256", new TextEncoder().encode("abc")));
  });

  it("counts more bits than 32 of them hold", () => {
    const piece = new Uint8Array(1 << 26).fill(0x5a);
    const [stream, reference] = [sha256Stream(), createHash("sha256")];
    for (let i = 0; i < 9; i += 1) {
      stream.update(piece);
      reference.update(piece);
    }
    expect(stream.hex()).toBe(reference.digest("hex"));
  });
});
