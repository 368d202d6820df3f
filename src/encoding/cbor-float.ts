/**
 * Layer 1: the three float widths of CBOR and the rule that picks one.
 *
 * Preferred serialization (RFC 8949 section 4.2.2): the shortest of binary16, binary32 and binary64 that
 * gives back exactly the same value.
 */

/** Width of a float in bytes, as CBOR additional information 25, 26 and 27 has it. */
export type FloatWidth = 2 | 4 | 8;

/** The shortest width that keeps a finite, non-zero `value` exactly. */
export function floatWidth(value: number): FloatWidth {
  if (halfBits(value) !== null) return 2;
  return Math.fround(value) === value ? 4 : 8;
}

const view = new DataView(new ArrayBuffer(4));

/**
 * The binary16 pattern of a finite, non-zero `value`, or null where binary16 cannot hold it exactly.
 * Layout of binary16: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits.
 */
export function halfBits(value: number): number | null {
  if (Math.fround(value) !== value) return null;
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 127;
  const fraction = bits & 0x7fffff;
  if (exponent >= -14 && exponent <= 15) {
    return (fraction & 0x1fff) === 0 ? sign | ((exponent + 15) << 10) | (fraction >>> 13) : null;
  }
  if (exponent < -24 || exponent > 15) return null;
  // Subnormal: the leading 1 that binary32 leaves out becomes a fraction bit, and all bits move right.
  const significand = fraction | 0x800000;
  const shift = -1 - exponent;
  return significand % 2 ** shift === 0 ? sign | (significand >>> shift) : null;
}

/** The value of a binary16 pattern; may be negative zero, an infinity or NaN. */
export function halfValue(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
