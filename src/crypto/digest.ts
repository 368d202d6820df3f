/** Layer 2: SHA-256 (FIPS 180-4), the one digest of the protocol. */
import { backend } from "#backend";
import { withUtf8 } from "../encoding/utf8.js";

/** 32 new bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return backend.sha256(bytes);
}

/**
 * Writes the 32 bytes of the digest into `target` from `offset` on; `target` must have room for them, which is
 * not checked. For trees, where one array per node would cost more than the hashing.
 */
export function sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  backend.sha256Into(bytes, target, offset);
}

/** Like `sha256Hex`, of the UTF-8 bytes of a well-formed text. */
export function sha256HexOfText(text: string): string {
  return `0x${backend.sha256HexOfText(text)}`;
}

/** A digest of bytes that come in pieces; `digest` ends it. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** Like `sha256Hex`, of all that came. */
  digest(): string;
}

export function runningDigest(): RunningDigest {
  const stream = backend.sha256Stream();
  return { update: (bytes) => stream.update(bytes), digest: () => `0x${stream.hex()}` };
}

/** "0x" and 64 lowercase hex digits: the text form of a digest everywhere in the protocol. */
export function sha256Hex(bytes: Uint8Array): string {
  return `0x${backend.sha256Hex(bytes)}`;
}

/** {@link sha256Hex} of `prefix` and the UTF-8 bytes of a well-formed text behind it, of which no copy stays in memory. */
export function sha256HexOfBoth(prefix: Uint8Array, text: string): string {
  return withUtf8(prefix, text, sha256Hex);
}
