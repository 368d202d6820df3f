/** A bundle of any form out of its bytes, for those who want to look at it (docs/SPEC.md, "Encodings"). */
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { decodeParsed, parseEither } from "./codec.js";
import { type ProofBundleV3, proofBundle } from "./format.js";
import { isStream } from "./stream-beginning.js";
import { decodeStream } from "./stream-decode.js";

/**
 * Opens a bundle of either encoding, or in its streaming form. Checks the format only: nothing in it is verified.
 * @throws OsaProofError with the first FORMAT code and its pointer.
 */
export function decodeBundle(bytes: Uint8Array): ProofBundleV3 {
  if (!ArrayBuffer.isView(bytes)) {
    throw new OsaProofError("ARGUMENT_INVALID", "bundle: expected the bytes of one");
  }
  if (isStream(bytes)) return decodeStream(bytes);
  const parsed = parseEither(bytes, LIMITS.maxBundleBytes);
  const decoded = decodeParsed(proofBundle, parsed, parsed.known);
  if (decoded.value !== undefined) return decoded.value;
  const first = decoded.faults[0];
  if (first === undefined) throw new OsaProofError("BUNDLE_INVALID", "not a bundle");
  throw new OsaProofError(
    first.code,
    `bundle${first.pointer === "" ? "" : ` at ${first.pointer}`}: ${first.detail}`,
    {
      pointer: first.pointer,
    },
  );
}
