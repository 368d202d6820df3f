/** Lines of a byte stream, without their newline, whole and unchanged. */
import type { Readable } from "node:stream";
import { concatBytes } from "../../encoding/bytes.js";
import { OsaProofError } from "../../errors.js";

const LINE_END = 0x0a;
/** A message this long is a mistake or an attack: text of JavaScript cannot be much longer. */
const MAX_LINE_BYTES = 256_000_000;

/** @throws OsaProofError FORMAT_TOO_LARGE when a line does not end in time */
export async function* linesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      yield concatBytes(...parts, chunk.subarray(from, end));
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(from === 0 ? chunk : chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) {
      throw new OsaProofError("FORMAT_TOO_LARGE", `a message is longer than ${MAX_LINE_BYTES} bytes`);
    }
  }
  // What stands behind the last newline was never a whole message; it is passed on all the same.
  if (length > 0) yield concatBytes(...parts);
}
