/**
 * Layer 2: the backend over `node:crypto` (OpenSSL). The only file below the runtime layer that imports a
 * Node module. OpenSSL checks Ed25519 without cofactor by comparing the encoding of a computed point with R,
 * which is the rule of this package; the tests hold it to the cases where the two equations differ.
 */
import {
  type BinaryToTextEncoding,
  createHash,
  createPublicKey,
  hash,
  type JsonWebKey,
  type KeyObject,
  verify,
} from "node:crypto";
import type { Backend, CheckedKey } from "./backend.js";
import { ED25519_BYTES } from "./ed25519.js";

const P256_COORDINATE_BYTES = 32;

/** Importing a key costs twice what a signature check does, so it is done once per key. */
const keyObjects = new WeakMap<CheckedKey, KeyObject>();

function keyObjectOf(key: CheckedKey, jwkOf: (spki: Buffer) => JsonWebKey): KeyObject {
  const known = keyObjects.get(key);
  if (known !== undefined) return known;
  // OpenSSL takes a JSON Web Key in half the time that it needs to decode DER.
  const made = createPublicKey({ key: jwkOf(Buffer.from(key.spki)), format: "jwk" });
  keyObjects.set(key, made);
  return made;
}

/** RFC 7518 section 6.2: the two coordinates, which end the SPKI. */
function p256Jwk(spki: Buffer): JsonWebKey {
  const [x, y] = [
    spki.subarray(-2 * P256_COORDINATE_BYTES, -P256_COORDINATE_BYTES),
    spki.subarray(-P256_COORDINATE_BYTES),
  ];
  return { kty: "EC", crv: "P-256", x: x.toString("base64url"), y: y.toString("base64url") };
}

/** RFC 8037 section 2. */
function ed25519Jwk(spki: Buffer): JsonWebKey {
  return { kty: "OKP", crv: "Ed25519", x: spki.subarray(-ED25519_BYTES).toString("base64url") };
}

/** Not among the declared encodings, though Node has always taken it: two bytes a character, the first the low one. */
const PAIRS = "utf16le" as string as BinaryToTextEncoding;

/** Its digest begins with the bytes of a byte order mark, and pairs of it are surrogates without a partner. */
const ODD_TEXT = "2610408";
const ITS_DIGEST_IN_PAIRS =
  "\ufeff\u6ca8\u7da9\ub22f\uab60\uc27d\u4d35\u715a\u340c\uda6f\u97de\u508e\udda5\ubf58\u93c3\u3766";

/** Whether this runtime, which may be another than Node, gives every digest in pairs and changes none of them. */
function hasPairs(): boolean {
  try {
    return hash("sha256", ODD_TEXT, PAIRS) === ITS_DIGEST_IN_PAIRS;
  } catch {
    return false;
  }
}

/**
 * A one-shot hash that returns text is several times faster than one that returns a Buffer, and sixteen characters of
 * two bytes are read faster than 32 of one.
 */
const sha256Into: Backend["sha256Into"] = hasPairs()
  ? (bytes, target, offset) => {
      const digest = hash("sha256", bytes, PAIRS);
      for (let i = 0; i < 16; i++) {
        const pair = digest.charCodeAt(i);
        target[offset + 2 * i] = pair & 0xff;
        target[offset + 2 * i + 1] = pair >> 8;
      }
    }
  : (bytes, target, offset) => {
      const digest = hash("sha256", bytes, "binary");
      for (let i = 0; i < 32; i++) target[offset + i] = digest.charCodeAt(i);
    };

export const backend: Backend = {
  name: "node:crypto",
  sha256(bytes) {
    const digest = new Uint8Array(32);
    sha256Into(bytes, digest, 0);
    return digest;
  },
  sha256Into,
  sha256Hex: (bytes) => hash("sha256", bytes, "hex"),
  sha256Stream() {
    const made = createHash("sha256");
    return { update: (bytes) => void made.update(bytes), hex: () => made.digest("hex") };
  },
  sha256HexOfText: (text) => hash("sha256", text, "hex"),
  verifyP256: (key, message, der) => verify("sha256", message, keyObjectOf(key, p256Jwk), der),
  verifyEd25519: (key, message, signature) => verify(null, message, keyObjectOf(key, ed25519Jwk), signature),
};
