/**
 * Layer 2: the portable backend: hashes, and the two signature equations by arithmetic of this package, which
 * verifies only and may take a time that tells the numbers.
 */
import { concatBytes, equalBytes } from "../encoding/bytes.js";
import { encodeHex } from "../encoding/hex.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import type { Backend, CheckedKey } from "./backend.js";
import { decodeEcdsaSignature } from "./der.js";
import { ED25519_BYTES, ED25519_ORDER } from "./ed25519.js";
import { ED25519_BASE, ED25519_IDENTITY, ed25519PointOf, littleEndian } from "./ed25519-point.js";
import { inverse } from "./modular.js";
import { P256_ORDER, P256_POINT_BYTES } from "./p256.js";
import { P256_BASE, P256_INFINITY, p256PointOf } from "./p256-point.js";
import { sha256, sha256Stream, sha512 } from "./sha2.js";
import { SumOfMultiples } from "./sum-of-multiples.js";

const p256Sum = new SumOfMultiples(P256_BASE, P256_INFINITY, (key) =>
  p256PointOf(key.spki.subarray(-P256_POINT_BYTES)),
);

/** Of -A, since the equation subtracts [k]A. */
const ed25519Sum = new SumOfMultiples(ED25519_BASE, ED25519_IDENTITY, (key) =>
  ed25519PointOf(key.spki.subarray(-ED25519_BYTES)).negate(),
);

/** FIPS 186-5 section 6.4.2: x of [e/s]G + [r/s]Q, reduced modulo n, equals r. */
function verifyP256(key: CheckedKey, message: Uint8Array, der: Uint8Array): boolean {
  const parts = decodeEcdsaSignature(der);
  if (parts === null) return false;
  const ofS = inverse(parts.s, P256_ORDER);
  const e = BigInt(encodeHex(sha256(message)));
  const sum = p256Sum.of((e * ofS) % P256_ORDER, (parts.r * ofS) % P256_ORDER, key);
  // Two numbers below the field's prime may be r modulo n.
  return !sum.isInfinity() && (sum.hasX(parts.r) || sum.hasX(parts.r + P256_ORDER));
}

/** RFC 8032 section 5.1.7 with the equation that is sufficient there: no cofactor, R compared as bytes. */
function verifyEd25519(key: CheckedKey, message: Uint8Array, signature: Uint8Array): boolean {
  const r = signature.subarray(0, ED25519_BYTES);
  const s = littleEndian(signature.subarray(ED25519_BYTES));
  const hashed = sha512(concatBytes(r, key.spki.subarray(-ED25519_BYTES), message));
  const k = littleEndian(hashed) % ED25519_ORDER;
  return equalBytes(ed25519Sum.of(s, k, key).toBytes(), r);
}

export const backend: Backend = {
  name: "portable",
  sha256,
  sha256Into: (bytes, target, offset) => target.set(sha256(bytes), offset),
  sha256Hex: (bytes) => encodeHex(sha256(bytes)).slice(2),
  sha256Stream,
  sha256HexOfText: (text) => encodeHex(sha256(encodeUtf8(text))).slice(2),
  verifyP256,
  verifyEd25519,
};
