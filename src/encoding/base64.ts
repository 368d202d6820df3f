/**
 * Layer 1: Base64 with the standard alphabet and padding (RFC 4648 section 4), as C2SP notes use it.
 * Only the canonical text is read: no line breaks, no missing padding, unused bits zero (RFC 4648 section 3.5).
 */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Value of each ASCII character in the alphabet, or -1. */
const VALUES: Int8Array = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/** Bytes turned into text in one piece, a multiple of three; longer inputs are joined from such pieces. */
const PIECE_BYTES = 3072;

/** Always succeeds; no bytes give the empty text. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    const end = Math.min(start + PIECE_BYTES, bytes.length);
    let piece = "";
    for (let i = start; i < end; i += 3) piece += encodeGroup(bytes, i, end - i);
    pieces.push(piece);
  }
  return pieces.join("");
}

/** Four characters for the one, two or three bytes at `at`. */
function encodeGroup(bytes: Uint8Array, at: number, available: number): string {
  const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  const first = ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63);
  if (available === 1) return `${first}==`;
  const third = ALPHABET.charAt((group >> 6) & 63);
  return available === 2 ? `${first}${third}=` : first + third + ALPHABET.charAt(group & 63);
}

/** The bytes, or null when the text is not exactly what `encodeBase64` writes for some bytes. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? -1;
    if (value < 0) return null;
    bits = ((bits << 6) | value) & 0xfff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[at++] = (bits >> bitCount) & 0xff;
  }
  // What is left over behind the last byte must be zero, or two texts would mean the same bytes.
  return (bits & ((1 << bitCount) - 1)) === 0 ? bytes : null;
}
