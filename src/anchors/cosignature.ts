/**
 * Layer 5: the timestamped cosignature of a witness, type 0x04 (C2SP tlog-cosignature, "Ed25519 signed message").
 *
 * ```
 * blob     time, 8 bytes, big-endian seconds since 1970 | Ed25519 signature, 64 bytes
 * message  "cosignature/v1\ntime <decimal>\n" and the whole checkpoint text, extension lines included
 * ```
 *
 * It says that this was the largest consistent tree the witness had seen of this origin at that time. The name of the
 * witness is not in the message: one key under two names would count twice, so a trust description refuses that.
 */
import { concatBytes } from "../encoding/bytes.js";
import { encodeUtf8 } from "../encoding/utf8.js";

/** The last second of the year 9999: a later time cannot be written as RFC 3339, and no clock shows it. */
export const LAST_COSIGNATURE_SECOND = 253_402_300_799;

export interface Cosignature {
  /** Seconds since 1970; 0 means that the witness dates nothing. */
  readonly time: number;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** Takes a blob apart; null when its length or its time cannot be. Verifies nothing. */
export function parseCosignature(blob: Uint8Array): Cosignature | null {
  if (blob.length !== 72) return null;
  const time = new DataView(blob.buffer, blob.byteOffset, 8).getBigUint64(0);
  if (time > BigInt(LAST_COSIGNATURE_SECOND)) return null;
  return { time: Number(time), signature: blob.slice(8) };
}

/** The blob of a cosignature; the time must be a whole number from 0 to `LAST_COSIGNATURE_SECOND`. */
export function formatCosignature(cosignature: Cosignature): Uint8Array {
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(cosignature.time));
  return concatBytes(time, cosignature.signature);
}

/** The bytes a witness signs for this checkpoint text at this time. */
export function cosignatureMessage(checkpointText: string, time: number): Uint8Array {
  return encodeUtf8(`cosignature/v1\ntime ${time}\n${checkpointText}`);
}
