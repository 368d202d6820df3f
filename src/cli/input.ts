/** Files that a command reads, and the one reason it gives when it cannot. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline, Readable, type Transform } from "node:stream";
import { decodeBundle } from "../bundle/codec.js";
import type { ProofBundleV3 } from "../bundle/format.js";
import { isStream, STREAM_BEGINNING } from "../bundle/stream-format.js";
import { joinBytes } from "../encoding/bytes.js";
import { OsaProofError } from "../errors.js";
import { LIMITS } from "../limits.js";
import type { CommandContext } from "./command.js";

/** Stands for standard input where a command takes a bundle. */
export const STANDARD_INPUT = "-";

/** A path as the command's user meant it. */
export function pathOf(context: Pick<CommandContext, "cwd">, file: string): string {
  return resolve(context.cwd, file);
}

function unreadable(what: string, file: string, cause: unknown): OsaProofError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const name = file === STANDARD_INPUT ? "standard input" : file;
  return new OsaProofError(
    "IO_FAILED",
    `${what} ${name} cannot be read (${reason}); check the name and your right to read it`,
    { cause },
  );
}

/**
 * The bytes of a file. `what` names it in the error: "bundle", "trust policy".
 *
 * At most `maximum` bytes and one more are read, so that a reader with that limit sees it broken without the
 * rest being held in memory.
 * @throws OsaProofError IO_FAILED
 */
export async function readInput(
  context: Pick<CommandContext, "cwd">,
  what: string,
  file: string,
  maximum: number = LIMITS.maxBundleBytes,
): Promise<Uint8Array> {
  try {
    const stream =
      file === STANDARD_INPUT ? process.stdin : createReadStream(pathOf(context, file), { end: maximum });
    return await gathered(stream as AsyncIterable<Uint8Array>, maximum);
  } catch (cause) {
    throw unreadable(what, file, cause);
  }
}

/** The first bytes of a bundle tell its form; compressed ones are told by the magic numbers of their formats. */
const HEAD_BYTES = STREAM_BEGINNING.length;
/** Pieces in which a stream is read. */
const PIECE_BYTES = 65_536;

/** A bundle as it comes: in one piece, or as a stream of pieces that are not compressed any more. */
export type BundleInput =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "stream"; readonly pieces: AsyncIterable<Uint8Array>; readonly size: number | null };

/**
 * Opens a bundle of any form. gzip (RFC 1952) and zstd (RFC 8878) are undone by the platform's own library.
 * @throws OsaProofError IO_FAILED
 */
export async function openInput(context: Pick<CommandContext, "cwd">, file: string): Promise<BundleInput> {
  const name = file === STANDARD_INPUT ? null : pathOf(context, file);
  try {
    const source: Readable =
      name === null ? process.stdin : createReadStream(name, { highWaterMark: PIECE_BYTES });
    const raw = await peeked(source);
    const undo = await decompressorOf(raw.head);
    const plain =
      undo === null ? raw : await peeked(pipeline(Readable.from(raw.pieces), undo, () => undefined));
    const pieces = reported(plain.pieces, file);
    if (isStream(plain.head)) {
      const size = name === null || undo !== null ? null : (await stat(name)).size;
      return { kind: "stream", pieces, size };
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

async function peeked(source: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let size = 0; size < HEAD_BYTES; ) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* first;
    for (;;) {
      const { value, done } = await iterator.next();
      if (done === true) return;
      yield value;
    }
  }
  return { head: joinBytes(first).subarray(0, HEAD_BYTES), pieces: all() };
}

/** What undoes the compression that the first bytes tell; null when they tell none. @throws OsaProofError IO_FAILED */
async function decompressorOf(head: Uint8Array): Promise<Transform | null> {
  const begins = (...magic: readonly number[]): boolean => magic.every((byte, index) => head[index] === byte);
  const [isGzip, isZstd] = [begins(0x1f, 0x8b), begins(0x28, 0xb5, 0x2f, 0xfd)];
  if (!isGzip && !isZstd) return null;
  // Most bundles are not compressed, and a command that starts often loads nothing it does not need.
  const zlib = await import("node:zlib");
  if (isGzip) return zlib.createGunzip();
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

/** At most `maximum` bytes and one more, so that a reader with that limit sees it broken. */
async function gathered(pieces: AsyncIterable<Uint8Array>, maximum: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of pieces) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maximum) break;
  }
  return joinBytes(chunks).subarray(0, maximum + 1);
}

/** The bytes of a file, or null when there is no file of that name. @throws OsaProofError IO_FAILED */
export async function readInputIfThere(
  context: Pick<CommandContext, "cwd">,
  what: string,
  file: string,
): Promise<Uint8Array | null> {
  try {
    return await readInput(context, what, file);
  } catch (error) {
    const cause = error instanceof OsaProofError ? error.cause : undefined;
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw error;
  }
}

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

/** `0x` SHA-256 of a file of any size. @throws OsaProofError IO_FAILED */
export async function digestOfFile(
  context: Pick<CommandContext, "cwd">,
  what: string,
  file: string,
): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(pathOf(context, file))) hash.update(chunk);
  } catch (cause) {
    throw unreadable(what, file, cause);
  }
  return `0x${hash.digest("hex")}`;
}
