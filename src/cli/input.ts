/** Files that a command reads, and the one reason it gives when it cannot. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { joinBytes } from "../encoding/bytes.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import type { CommandContext } from "./command.js";

/** Stands for standard input where a command takes a bundle. */
export const STANDARD_INPUT = "-";

/** A path as the command's user meant it. */
export function pathOf(context: Pick<CommandContext, "cwd">, file: string): string {
  return resolve(context.cwd, file);
}

export function unreadable(what: string, file: string, cause: unknown): OsaProofError {
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
    return await gathered(await piecesOf(context, file), maximum);
  } catch (cause) {
    throw unreadable(what, file, cause);
  }
}

/** Bytes of a file or of standard input, piece by piece. */
export type InputPieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Throws what the system throws, a missing file at once. */
export async function piecesOf(context: Pick<CommandContext, "cwd">, file: string): Promise<InputPieces> {
  if (file === STANDARD_INPUT) return process.stdin as AsyncIterable<Uint8Array>;
  return filePieces(openSync(pathOf(context, file), "r"));
}

/** Pieces in which a file is read, but for the first, which is a small file as a whole. */
const PIECE_BYTES = 65_536;
const MOST_AT_FIRST = 16_777_216;

/**
 * Without the streams of Node.js, which take longer to load than a bundle of one receipt to verify. A pipe has no size,
 * and a file may grow: the end is where nothing more comes. Closes the file.
 */
function* filePieces(descriptor: number): Generator<Uint8Array> {
  try {
    const { size } = fstatSync(descriptor);
    const first = size < MOST_AT_FIRST ? size + 1 : 0;
    for (let wanted = Math.max(first, PIECE_BYTES); ; wanted = PIECE_BYTES) {
      const piece = new Uint8Array(wanted);
      const count = readSync(descriptor, piece);
      if (count === 0) return;
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** At most `maximum` bytes and one more, so that a reader with that limit sees it broken. */
export async function gathered(pieces: InputPieces, maximum: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of pieces) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maximum) break;
  }
  const [first = new Uint8Array()] = chunks;
  return (chunks.length > 1 ? joinBytes(chunks) : first).subarray(0, maximum + 1);
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
