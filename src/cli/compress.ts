/** Compression by the platform's own library. */
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { OsaProofError } from "../errors.js";

type Compress = (bytes: Uint8Array) => Promise<Uint8Array>;

/** @throws OsaProofError USAGE when this Node.js does not have it */
export async function compressed(bytes: Uint8Array, how: string): Promise<Uint8Array> {
  if (how === "gzip") return (promisify(zlib.gzip) as Compress)(bytes);
  if ("zstdCompress" in zlib && typeof zlib.zstdCompress === "function")
    return (promisify(zlib.zstdCompress) as Compress)(bytes);
  throw new OsaProofError(
    "USAGE",
    "--compress zstd: this Node.js does not have it (22.15 and later do); use gzip",
  );
}
