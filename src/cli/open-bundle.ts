/** A bundle for commands that look into it. */
import { decodeBundle } from "../bundle/decode.js";
import type { ProofBundleV3 } from "../bundle/format.js";
import { OsaProofError } from "../errors.js";
import { STANDARD_INPUT } from "./input.js";

/** Opens a bundle of either encoding, nothing verified. @throws OsaProofError with the first FORMAT code, naming the file */
export function openBundle(file: string, bytes: Uint8Array): ProofBundleV3 {
  try {
    return decodeBundle(bytes);
  } catch (error) {
    if (!(error instanceof OsaProofError)) throw error;
    const name = file === STANDARD_INPUT ? "standard input" : file;
    throw new OsaProofError(error.code, `${name} is no bundle that can be read: ${error.message}`, {
      cause: error,
      pointer: error.pointer ?? "",
    });
  }
}
