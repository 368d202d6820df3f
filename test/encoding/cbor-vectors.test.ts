import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCbor } from "../../src/encoding/cbor.js";
import { canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { referenceCbor } from "./cbor-reference.js";

const file = new URL("../../../shared/vectors/cbor-cose/appendix_a.json", import.meta.url);
const present = existsSync(file);
if (!present) console.warn("skipped: RFC 8949 appendix A vectors are not at ../shared/vectors/cbor-cose");

interface Vector {
  readonly hex: string;
  readonly decoded?: unknown;
  readonly diagnostic?: string;
}

const vectors: Vector[] = present ? JSON.parse(readFileSync(file, "utf8")) : [];

/** The JSON value a vector stands for in our table, or undefined for what JSON does not have. */
function jsonOf(vector: Vector): JsonValue | undefined {
  const bytes = /^h'([0-9a-f]*)'$/.exec(vector.diagnostic ?? "")?.[1];
  if (bytes !== undefined) return `0x${bytes}`;
  return isJsonValue(vector.decoded) && !Object.is(vector.decoded, -0) ? vector.decoded : undefined;
}

/** Ours is deterministic: a vector is read if and only if it is the one encoding of its value. */
function isOurs(vector: Vector): boolean {
  const value = jsonOf(vector);
  return value !== undefined && Buffer.from(referenceCbor(value)).toString("hex") === vector.hex;
}

describe.skipIf(!present)("RFC 8949 appendix A (skipped when ../shared/vectors is not there)", () => {
  it.each(vectors.map((vector) => [vector.hex, vector] as const))("%s", (hex, vector) => {
    const { value, faults } = parseCbor(Uint8Array.from(Buffer.from(hex, "hex")), {
      maxBytes: 1000,
      maxDepth: 64,
    });
    if (isOurs(vector)) {
      expect(faults).toEqual([]);
      expect(canonicalJson(value ?? null)).toBe(canonicalJson(jsonOf(vector) ?? null));
    } else {
      expect(value).toBeUndefined();
      expect(faults).toHaveLength(1);
      expect(faults[0]?.code).toMatch(/^FORMAT_(SYNTAX|NUMBER)_INVALID$/);
    }
  });

  it.each([
    ["fb3ff199999999999a", "read", "1.1"],
    ["3bffffffffffffffff", "FORMAT_NUMBER_INVALID", "an integer beyond 2^53-1"],
    ["f93c00", "FORMAT_SYNTAX_INVALID", "1.0, which is the integer 1"],
    ["c349010000000000000000", "FORMAT_SYNTAX_INVALID", "a tag"],
  ])("%s is %s: %s", (hex, expected) => {
    expect(vectors.some((vector) => vector.hex === hex)).toBe(true);
    const bytes = Uint8Array.from(Buffer.from(hex, "hex"));
    const { faults } = parseCbor(bytes, { maxBytes: 1000, maxDepth: 64 });
    expect(faults[0]?.code ?? "read").toBe(expected);
  });

  it("has vectors that are read and vectors that are not", () => {
    expect(vectors.filter(isOurs).length).toBeGreaterThan(20);
    expect(vectors.filter((vector) => !isOurs(vector)).length).toBeGreaterThan(10);
  });
});
