/** Standard output and error of this process. */
import { fstatSync, writeSync } from "node:fs";
import type { WriteStream } from "node:tty";
import { encodeUtf8 } from "../encoding/utf8.js";

/**
 * One of the two. Files and pipes are written to directly for as long as they take what comes: the streams of Node.js take
 * longer to load than a bundle of one receipt to verify. From the first use of the stream on, all goes through it, in order.
 */
export class StandardOutput {
  readonly #descriptor: number;
  readonly #open: () => WriteStream;
  #stream: WriteStream | undefined;
  #isLost = false;

  constructor(descriptor: 1 | 2, open: () => WriteStream) {
    this.#descriptor = descriptor;
    this.#open = open;
    // Consoles of Windows take text, which the stream knows how to give them.
    if (process.platform === "win32" || fstatSync(descriptor).isCharacterDevice()) this.stream();
  }

  /** True when something was not written. A reader such as `head` that has seen enough is no fault. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isTerminal(): boolean {
    return this.#stream?.isTTY === true;
  }

  write(text: string): void {
    let rest = encodeUtf8(text);
    try {
      while (this.#stream === undefined && rest.length > 0) {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      }
    } catch (error) {
      if (!hasCode(error, "EAGAIN")) {
        this.#failed(error);
        return;
      }
      // A pipe that is full and does not wait: the stream does.
    }
    if (rest.length > 0) this.stream().write(rest);
  }

  stream(): WriteStream {
    this.#stream ??= this.#open().on("error", (error) => this.#failed(error));
    return this.#stream;
  }

  #failed(error: unknown): void {
    if (!hasCode(error, "EPIPE")) this.#isLost = true;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
