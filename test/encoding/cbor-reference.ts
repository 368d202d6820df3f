/**
 * A slow second writer of the compact binary form, from the table in docs/SPEC.md alone: number arrays, no
 * shared code with `src/encoding`. Tests hold the shipped writer and reader against it.
 */
import type { JsonValue } from "../../src/encoding/json-value.js";

export function referenceCbor(value: JsonValue): number[] {
  if (value === null) return [0xf6];
  if (value === true) return [0xf5];
  if (value === false) return [0xf4];
  if (typeof value === "number") return numberBytes(value);
  if (typeof value === "string") {
    const hex = /^0x((?:[0-9a-f]{2})*)$/.exec(value)?.[1];
    return hex === undefined
      ? textBytes(value)
      : [...head(2, BigInt(hex.length / 2)), ...Buffer.from(hex, "hex")];
  }
  if (isArray(value)) return [...head(4, BigInt(value.length)), ...value.flatMap(referenceCbor)];
  const members = Object.entries(value).map(([name, member]) => ({
    name: textBytes(name),
    member: referenceCbor(member),
  }));
  members.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  return [...head(5, BigInt(members.length)), ...members.flatMap(({ name, member }) => [...name, ...member])];
}

/** `Array.isArray` alone does not narrow a readonly array. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function textBytes(text: string): number[] {
  const bytes = Buffer.from(text, "utf8");
  return [...head(3, BigInt(bytes.length)), ...bytes];
}

function numberBytes(value: number): number[] {
  if (Number.isInteger(value) && Math.abs(value) <= 2 ** 53 - 1) {
    return value < 0 ? head(1, -1n - BigInt(value)) : head(0, BigInt(value));
  }
  const half = HALVES.get(value);
  if (half !== undefined) return [0xf9, half >> 8, half & 0xff];
  const single = Buffer.alloc(4);
  single.writeFloatBE(value);
  if (single.readFloatBE() === value) return [0xfa, ...single];
  const double = Buffer.alloc(8);
  double.writeDoubleBE(value);
  return [0xfb, ...double];
}

/** Shortest head with `argument`, by trying the sizes in turn. */
function head(major: number, argument: bigint): number[] {
  const initial = major * 32;
  if (argument < 24n) return [initial + Number(argument)];
  for (const [info, size] of [
    [24, 1],
    [25, 2],
    [26, 4],
  ] as const) {
    if (argument < 256n ** BigInt(size)) return [initial + info, ...bigEndian(argument, size)];
  }
  return [initial + 27, ...bigEndian(argument, 8)];
}

function bigEndian(value: bigint, size: number): number[] {
  return [...Buffer.from(value.toString(16).padStart(size * 2, "0"), "hex")];
}

/** Every finite binary16 number and its pattern, by the definition in IEEE 754 rather than by conversion. */
export const HALVES: ReadonlyMap<number, number> = new Map(
  Array.from({ length: 0x10000 }, (_, bits): [number, number] => [halfByDefinition(bits), bits]).filter(
    ([value]) => Number.isFinite(value),
  ),
);

function halfByDefinition(bits: number): number {
  const digits = bits.toString(2).padStart(16, "0");
  const sign = digits[0] === "1" ? -1 : 1;
  const exponent = Number.parseInt(digits.slice(1, 6), 2);
  const fraction = Number.parseInt(digits.slice(6), 2) / 1024;
  if (exponent === 31) return Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}
