/**
 * Layer 2: the backend over `node:crypto` (OpenSSL). The only file below the runtime layer that imports a
 * Node module. OpenSSL checks Ed25519 without cofactor by comparing the encoding of a computed point with R,
 * which is the rule of this package; the tests hold it to the cases where the two equations differ.
 */
import { createHash, createPublicKey, hash, type KeyObject, type PublicKeyInput, verify } from "node:crypto";
import type { Backend, CheckedKey } from "./backend.js";

/** Importing a key costs twice what a signature check does, so it is done once per key. */
const keyObjects = new WeakMap<CheckedKey, KeyObject>();

function keyObjectOf(key: CheckedKey): KeyObject {
  const known = keyObjects.get(key);
  if (known !== undefined) return known;
  // The declared type of `key` is Buffer; the function takes any byte view.
  const input: unknown = { key: key.spki, format: "der", type: "spki" };
  const made = createPublicKey(input as PublicKeyInput);
  keyObjects.set(key, made);
  return made;
}

/** A one-shot hash that returns text is several times faster than one that returns a Buffer. */
function sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  const digest = hash("sha256", bytes, "binary");
  for (let i = 0; i < 32; i++) target[offset + i] = digest.charCodeAt(i);
}

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
  verifyP256: (key, message, der) => verify("sha256", message, keyObjectOf(key), der),
  verifyEd25519: (key, message, signature) => verify(null, message, keyObjectOf(key), signature),
};
