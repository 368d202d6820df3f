/** Signatures that some library would take and the protocol does not. */
import { decodeEcdsaSignature, encodeEcdsaSignature } from "../../../src/crypto/der.js";
import { P256_ORDER } from "../../../src/crypto/p256.js";
import { concatBytes } from "../../../src/encoding/bytes.js";
import { decodeHex, encodeHex } from "../../../src/encoding/hex.js";

function bytesOf(hex: string): Uint8Array {
  const bytes = decodeHex(hex);
  if (bytes === null) throw new Error("expected hex");
  return bytes;
}

/** The other valid S of the same ECDSA signature. */
export function highS(signature: string): string {
  const decoded = decodeEcdsaSignature(bytesOf(signature));
  if (decoded === null) throw new Error("expected a DER signature");
  return encodeHex(encodeEcdsaSignature(decoded.r, P256_ORDER - decoded.s));
}

/** The same r and s, with one zero byte too many before r: BER, not DER. */
export function paddedR(signature: string): string {
  const der = bytesOf(signature);
  const [length = 0, rLength = 0] = [der[1], der[3]];
  return encodeHex(concatBytes(Uint8Array.of(0x30, length + 1, 0x02, rLength + 1, 0x00), der.subarray(4)));
}

/** Order of the Ed25519 base point (RFC 8032 section 5.1). */
const ED25519_ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

/** The same signature with the group order added to S, which a reader without a range check takes. */
export function sPlusOrder(signature: string): string {
  const bytes = bytesOf(signature);
  let s = bytes.subarray(32).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n) + ED25519_ORDER;
  const changed = bytes.slice();
  for (let place = 32; place < 64; place += 1) {
    changed[place] = Number(s & 0xffn);
    s >>= 8n;
  }
  return encodeHex(changed);
}

/** The same text with its last hex digit changed. */
export function oneBitOff(hex: string): string {
  const bytes = bytesOf(hex).slice();
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  return encodeHex(bytes);
}
