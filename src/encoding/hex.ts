/**
 * Layer 1: bytes as text, `0x` and two lowercase digits for each byte (docs/SPEC.md, "Conventions").
 * There is exactly one spelling: upper case, a missing prefix or an odd digit count are not read.
 */

const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes turned into text in one piece; longer inputs are joined from pieces of this many bytes. */
const PIECE_BYTES = 4096;

/** Always succeeds; no bytes give `0x`. */
export function encodeHex(bytes: Uint8Array): string {
  const pieces = ["0x"];
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    const end = Math.min(start + PIECE_BYTES, bytes.length);
    let piece = "";
    for (let i = start; i < end; i++) piece += PAIRS[bytes[i] ?? 0];
    pieces.push(piece);
  }
  return pieces.join("");
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

/** True when `decodeHex` would read the text, and into exactly `byteLength` bytes where that is given. */
export function isHex(text: string, byteLength?: number): boolean {
  if (text.length % 2 !== 0 || !text.startsWith("0x")) return false;
  if (byteLength !== undefined && text.length !== 2 + 2 * byteLength) return false;
  for (let i = 2; i < text.length; i++) {
    if (digit(text.charCodeAt(i)) < 0) return false;
  }
  return true;
}

/** Value of one lowercase hexadecimal digit, or -1. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}
