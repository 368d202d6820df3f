/** Bundles of any form that a command reads, compressed ones included. */
import { statSync } from "node:fs";
import type { Transform } from "node:stream";
import { isStream, STREAM_BEGINNING } from "../bundle/stream-beginning.js";
import { joinBytes } from "../encoding/bytes.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import type { CommandContext } from "./command.js";
import { gathered, type InputPieces, pathOf, piecesOf, STANDARD_INPUT, unreadable } from "./input.js";

/** The first bytes of a bundle tell its form; compressed ones are told by the magic numbers of their formats. */
const HEAD_BYTES = STREAM_BEGINNING.length;

/** A bundle as it comes: in one piece, or as a stream of pieces that are not compressed any more. */
export type BundleInput =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "stream"; readonly pieces: AsyncIterable<Uint8Array>; readonly size: number | null };

/**
 * Opens a bundle of any form. gzip (RFC 1952) and zstd (RFC 8878) are undone by the platform's own library.
 * @throws OsaProofError IO_FAILED
 */
export async function openInput(context: Pick<CommandContext, "cwd">, file: string): Promise<BundleInput> {
  try {
    const raw = await peeked(await piecesOf(context, file));
    const compression = compressionOf(raw.head);
    const plain = compression === null ? raw : await peeked(await undone(raw.pieces, compression));
    const pieces = reported(plain.pieces, file);
    if (isStream(plain.head)) {
      const hasSize = file !== STANDARD_INPUT && compression === null;
      return { kind: "stream", pieces, size: hasSize ? statSync(pathOf(context, file)).size : null };
    }
    return { kind: "whole", bytes: await gathered(pieces, LIMITS.maxBundleBytes) };
  } catch (cause) {
    throw cause instanceof OsaProofError ? cause : unreadable("bundle", file, cause);
  }
}

/** The bytes of a bundle of any form as a whole, not compressed any more. @throws OsaProofError IO_FAILED */
export async function readBundle(context: Pick<CommandContext, "cwd">, file: string): Promise<Uint8Array> {
  const input = await openInput(context, file);
  return input.kind === "whole" ? input.bytes : gathered(input.pieces, LIMITS.maxBundleBytes);
}

/** Pieces, with the first bytes of them looked at. */
interface Peeked {
  readonly head: Uint8Array;
  readonly pieces: AsyncIterable<Uint8Array>;
}

async function peeked(source: InputPieces): Promise<Peeked> {
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const first: Uint8Array[] = [];
  for (let size = 0; size < HEAD_BYTES; ) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      for (;;) {
        const { value, done } = await iterator.next();
        if (done === true) return;
        yield value;
      }
    } finally {
      // A reader that has seen enough closes the file.
      await iterator.return?.();
    }
  }
  return { head: joinBytes(first).subarray(0, HEAD_BYTES), pieces: all() };
}

type Compression = "gzip" | "zstd";

/** The compression that the first bytes tell; null when they tell none. */
function compressionOf(head: Uint8Array): Compression | null {
  const begins = (...magic: readonly number[]): boolean => magic.every((byte, index) => head[index] === byte);
  if (begins(0x1f, 0x8b)) return "gzip";
  return begins(0x28, 0xb5, 0x2f, 0xfd) ? "zstd" : null;
}

/** Most bundles are not compressed, and a command that starts often loads nothing it does not need. */
async function undone(
  pieces: AsyncIterable<Uint8Array>,
  compression: Compression,
): Promise<AsyncIterable<Uint8Array>> {
  const { pipeline, Readable } = await import("node:stream");
  return pipeline(Readable.from(pieces), await decompressor(compression), () => undefined);
}

/** @throws OsaProofError IO_FAILED */
async function decompressor(compression: Compression): Promise<Transform> {
  const zlib = await import("node:zlib");
  if (compression === "gzip") return zlib.createGunzip();
  if ("createZstdDecompress" in zlib && typeof zlib.createZstdDecompress === "function")
    return (zlib.createZstdDecompress as () => Transform)();
  throw new OsaProofError(
    "IO_FAILED",
    "the bundle is compressed with zstd, which this Node.js does not have (22.15 and later do); decompress it first",
  );
}

/** Passes pieces on, and gives the one reason when they end in an error. */
async function* reported(pieces: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (cause) {
    throw unreadable("bundle", file, cause);
  }
}
