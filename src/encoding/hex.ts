/**
 * Layer 1: bytes as text, `0x` and two lowercase digits for each byte (docs/SPEC.md, "Conventions").
 * There is exactly one spelling: upper case, a missing prefix or an odd digit count are not read.
 */

/** The longest input whose digits are handed over as arguments of one call. */
const SHORT_BYTES = 128;

const ascii = new TextDecoder();

/** Always succeeds, up to the longest text that JavaScript has; no bytes give `0x`. */
export function encodeHex(bytes: Uint8Array): string {
  if (bytes.length > SHORT_BYTES) return ascii.decode(hexCodes(bytes, new Uint8Array(2 + 2 * bytes.length)));
  // One flat text: added up digit by digit it would stay a chain of pieces in memory, as long as a receipt is kept.
  return String.fromCharCode.apply(null, hexCodes(bytes, new Array<number>(2 + 2 * bytes.length)));
}

/** Character codes of the text, written into a list of their count. */
function hexCodes<T extends Uint8Array | number[]>(bytes: Uint8Array, codes: T): T {
  codes[0] = 0x30;
  codes[1] = 0x78;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    codes[2 * i + 2] = digitCode(byte >> 4);
    codes[2 * i + 3] = digitCode(byte & 0xf);
  }
  return codes;
}

function digitCode(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

/** The bytes, or null when the text is not in the one spelling. */
export function decodeHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0 || !text.startsWith("0x")) return null;
  const bytes = new Uint8Array(text.length / 2 - 1);
  for (let i = 0; i < bytes.length; i++) {
    const high = digit(text.charCodeAt(2 * i + 2));
    const low = digit(text.charCodeAt(2 * i + 3));
    if (high < 0 || low < 0) return null;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

/**
 * {@link decodeHex} into bytes that are there already, from `offset` on: how many were written, or -1 when the text is
 * not in the one spelling or they have no room. What stands there after -1 means nothing.
 */
export function decodeHexInto(text: string, target: Uint8Array, offset: number): number {
  const count = text.length / 2 - 1;
  if (text.length % 2 !== 0 || !text.startsWith("0x") || offset + count > target.length) return -1;
  let faults = 0;
  for (let i = 0; i < count; i++) {
    const high = NIBBLES[text.charCodeAt(2 * i + 2)] ?? NO_DIGIT;
    const low = NIBBLES[text.charCodeAt(2 * i + 3)] ?? NO_DIGIT;
    faults |= high | low;
    target[offset + i] = (high << 4) | low;
  }
  return (faults & NO_DIGIT) === 0 ? count : -1;
}

/** True when `decodeHex` would read the text, and into exactly `byteLength` bytes where that is given. */
export function isHex(text: string, byteLength?: number): boolean {
  if (text.length % 2 !== 0 || !text.startsWith("0x")) return false;
  if (byteLength !== undefined && text.length !== 2 + 2 * byteLength) return false;
  for (let i = 2; i < text.length; i++) {
    if (digit(text.charCodeAt(i)) < 0) return false;
  }
  return true;
}

const NO_DIGIT = 0xf0;

/** Value of each lowercase hexadecimal digit by its code; `NO_DIGIT` for the others. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) => (digit(code) < 0 ? NO_DIGIT : digit(code)));

/** Value of one lowercase hexadecimal digit, or -1. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}
