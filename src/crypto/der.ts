/**
 * Layer 2: ECDSA-Sig-Value (RFC 3279 section 2.2.3) over P-256 in strict DER (X.690 section 10).
 *
 * ```text
 * 30 len   02 len r   02 len s       len: one byte; r, s: shortest two's complement, positive
 * ```
 *
 * One signature has one spelling. Long-form lengths, needless leading zeros, negative integers, bytes
 * after s or after the sequence, and r or s outside [1, n-1] are all refused.
 */
import { concatBytes } from "../encoding/bytes.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";
import { P256_HALF_ORDER, P256_ORDER } from "./p256.js";

const WORD_BYTES = 32;
const ORDER = bytesOf(P256_ORDER);
const HALF_ORDER = bytesOf(P256_HALF_ORDER);

/** How a signer hands out an ECDSA signature: DER (KMS, OpenSSL) or r and s of 32 bytes each (WebCrypto, PKCS#11, JOSE). */
export type EcdsaEncoding = "der" | "raw";

/** Byte positions of the two integers without a leading 00. */
interface Layout {
  readonly rStart: number;
  readonly rEnd: number;
  readonly sStart: number;
  readonly sEnd: number;
}

/** The two integers of a strict DER signature, or null. s may be high: see {@link isStrictEcdsa}. */
export function decodeEcdsaSignature(der: Uint8Array): { r: bigint; s: bigint } | null {
  const layout = layoutOf(der);
  if (layout === null || !inRange(der, layout)) return null;
  return {
    r: BigInt(encodeHex(der.subarray(layout.rStart, layout.rEnd))),
    s: BigInt(encodeHex(der.subarray(layout.sStart, layout.sEnd))),
  };
}

/** True for a strict DER signature with r in [1, n-1] and s in [1, n>>1]. Does no big-integer work. */
export function isStrictEcdsa(der: Uint8Array): boolean {
  const layout = layoutOf(der);
  return layout !== null && inRange(der, layout) && isAtMost(der, layout.sStart, layout.sEnd, HALF_ORDER);
}

/** Strict DER of r and s, both in [1, n-1]. Throws `SIGNER_FAILED` outside that range. Keeps a high s. */
export function encodeEcdsaSignature(r: bigint, s: bigint): Uint8Array {
  for (const value of [r, s]) {
    if (value < 1n || value >= P256_ORDER) {
      throw new OsaProofError("SIGNER_FAILED", "an ECDSA signature has r or s outside 1 to n-1");
    }
  }
  const body = concatBytes(derInteger(r), derInteger(s));
  return concatBytes(Uint8Array.of(0x30, body.length), body);
}

/**
 * The low-S strict DER form of a signature from any signer: (r, s) and (r, n-s) verify alike, and only
 * one of the two is accepted here. Without `encoding`, 64 bytes are read as r and s and everything else as
 * DER; a signer knows its own encoding and says it, since 64 bytes of DER are possible, if never seen.
 * Throws `SIGNER_FAILED` on anything that is not a well-formed signature. Does not verify it.
 */
export function normalizeLowS(signature: Uint8Array, encoding?: EcdsaEncoding): Uint8Array {
  const raw = (encoding ?? (signature.length === 2 * WORD_BYTES ? "raw" : "der")) === "raw";
  // The library that signs most gives DER: it needs no big integers.
  const lowered = raw ? null : lowSOfDer(signature);
  if (lowered !== null) return lowered;
  const parts = raw ? splitRaw(signature) : null;
  if (parts === null) {
    const expected = raw ? "64 bytes of r and s" : "strict DER";
    throw new OsaProofError(
      "SIGNER_FAILED",
      `an ECDSA signature of ${signature.length} bytes is not ${expected}`,
    );
  }
  return encodeEcdsaSignature(parts.r, parts.s > P256_HALF_ORDER ? P256_ORDER - parts.s : parts.s);
}

/** The same (r, s), or (r, n-s) where s is high, in new bytes; null for what is no strict DER in range. */
export function lowSOfDer(der: Uint8Array): Uint8Array | null {
  const layout = layoutOf(der);
  if (layout === null || !inRange(der, layout)) return null;
  const { rEnd, sStart, sEnd } = layout;
  if (isAtMost(der, sStart, sEnd, HALF_ORDER)) return new Uint8Array(der);
  const s = orderMinus(der, sStart);
  let skip = 0;
  while (s[skip] === 0) skip++;
  const sign = (s[skip] ?? 0) >= 0x80 ? 1 : 0;
  const length = sign + WORD_BYTES - skip;
  const lowered = new Uint8Array(rEnd + 2 + length);
  lowered.set(der.subarray(0, rEnd));
  lowered[1] = lowered.length - 2;
  lowered[rEnd] = 0x02;
  lowered[rEnd + 1] = length;
  lowered.set(s.subarray(skip), rEnd + 2 + sign);
  return lowered;
}

/** n minus the 32 bytes at `start`, which are less than n, as 32 bytes. A number above half of n has as many. */
function orderMinus(der: Uint8Array, start: number): Uint8Array {
  const difference = new Uint8Array(WORD_BYTES);
  let borrow = 0;
  for (let i = WORD_BYTES - 1; i >= 0; i--) {
    const digit = (ORDER[i] ?? 0) - (der[start + i] ?? 0) - borrow;
    borrow = digit < 0 ? 1 : 0;
    difference[i] = digit;
  }
  return difference;
}

function splitRaw(signature: Uint8Array): { r: bigint; s: bigint } | null {
  if (signature.length !== 2 * WORD_BYTES) return null;
  return {
    r: BigInt(encodeHex(signature.subarray(0, WORD_BYTES))),
    s: BigInt(encodeHex(signature.subarray(WORD_BYTES))),
  };
}

function layoutOf(der: Uint8Array): Layout | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null;
  const rEnd = integerEnd(der, 2);
  if (rEnd === null) return null;
  const sEnd = integerEnd(der, rEnd);
  if (sEnd !== der.length) return null;
  return {
    rStart: magnitudeStart(der, 2),
    rEnd,
    sStart: magnitudeStart(der, rEnd),
    sEnd,
  };
}

/** End of the INTEGER at `at` when it is positive, in its shortest form and not longer than n; else null. */
function integerEnd(der: Uint8Array, at: number): number | null {
  const length = der[at + 1] ?? 0;
  // 33 bytes hold any value of 256 bits. The bound also shuts out the long form, whose first byte is 0x80 up.
  if (der[at] !== 0x02 || length < 1 || length > WORD_BYTES + 1) return null;
  const end = at + 2 + length;
  if (end > der.length) return null;
  const first = der[at + 2] ?? 0;
  const second = der[at + 3] ?? 0;
  if (first >= 0x80) return null;
  if (first === 0 && (length === 1 || second < 0x80)) return null;
  return end;
}

function magnitudeStart(der: Uint8Array, at: number): number {
  return der[at + 2] === 0 ? at + 3 : at + 2;
}

/** r and s below n. Neither is 0: `integerEnd` refuses an integer that is a lone 00. */
function inRange(der: Uint8Array, { rStart, rEnd, sStart, sEnd }: Layout): boolean {
  return isAtMost(der, rStart, rEnd, ORDER, true) && isAtMost(der, sStart, sEnd, ORDER, true);
}

/** Compares a big-endian magnitude without leading zero byte with a 32-byte bound whose top byte is not 0. */
function isAtMost(der: Uint8Array, start: number, end: number, bound: Uint8Array, strictly = false): boolean {
  if (end - start !== WORD_BYTES) return end - start < WORD_BYTES;
  for (let i = 0; i < WORD_BYTES; i++) {
    const byte = der[start + i] ?? 0;
    const limit = bound[i] ?? 0;
    if (byte !== limit) return byte < limit;
  }
  return !strictly;
}

function derInteger(value: bigint): Uint8Array {
  const word = bytesOf(value);
  const skip = word.findIndex((byte) => byte !== 0);
  const magnitude = word.subarray(skip);
  const sign = (magnitude[0] ?? 0) >= 0x80 ? [0] : [];
  return concatBytes(Uint8Array.of(0x02, sign.length + magnitude.length, ...sign), magnitude);
}

/** 32 bytes, big-endian. The value is below 2^256. */
function bytesOf(value: bigint): Uint8Array {
  return decodeHex(`0x${value.toString(16).padStart(2 * WORD_BYTES, "0")}`) ?? new Uint8Array(WORD_BYTES);
}
