/**
 * Layer 2: the shape of a cryptographic backend. One is chosen by the `imports` conditions of package.json:
 * `node:crypto` in Node, the portable one everywhere else. Both give the same answer to every question,
 * because everything on which libraries differ is decided before a backend is asked.
 */

/** A key that `parsePublicKey` made. A backend may cache by the identity of this object. */
export interface CheckedKey {
  readonly spki: Uint8Array;
}

/** A digest in the making. */
export interface DigestStream {
  update(bytes: Uint8Array): void;
  /** 64 lowercase hex digits, without a prefix. Ends it. */
  hex(): string;
}

export interface Backend {
  readonly name: "node:crypto" | "portable";

  /** SHA-256 (FIPS 180-4), 32 new bytes. */
  sha256(bytes: Uint8Array): Uint8Array;

  /** SHA-256 written to `target` from `offset` on, which must leave room for 32 bytes. Allocates no array. */
  sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void;

  /** SHA-256 as 64 lowercase hex digits, without a prefix. */
  sha256Hex(bytes: Uint8Array): string;

  /** A SHA-256 of bytes that come in pieces. */
  sha256Stream(): DigestStream;

  /** SHA-256 of the UTF-8 bytes of a well-formed text, as 64 lowercase hex digits. */
  sha256HexOfText(text: string): string;

  /** ECDSA over P-256 with SHA-256. `der` has passed `isStrictEcdsa`, the key `parsePublicKey`. */
  verifyP256(key: CheckedKey, message: Uint8Array, der: Uint8Array): boolean;

  /**
   * Pure Ed25519 without cofactor: [S]B - [k]A encodes to exactly the bytes R, where k is
   * SHA-512(R, A, message) reduced modulo L. `signature` has passed `isStrictEd25519`, the key `parsePublicKey`.
   */
  verifyEd25519(key: CheckedKey, message: Uint8Array, signature: Uint8Array): boolean;
}
