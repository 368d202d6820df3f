/**
 * Memory that a check has done with, for the next ones to use again. What is let go of is taken back by the garbage
 * collector at some time only, and until then would count beside what takes its place.
 */
export class Scratch {
  #buffer = new ArrayBuffer(0);
  #used = 0;

  /** Gives memory that nobody looks at any more. */
  give(bytes: Uint8Array<ArrayBuffer>): void {
    if (
      bytes.buffer.byteLength - bytes.byteLength === 0 &&
      bytes.byteLength > this.#buffer.byteLength - this.#used
    )
      [this.#buffer, this.#used] = [bytes.buffer, 0];
  }

  /** So many numbers, all 0. */
  numbers(count: number): Uint32Array {
    const size = 4 * count;
    if (size > this.#buffer.byteLength - this.#used) return new Uint32Array(count);
    const taken = new Uint32Array(this.#buffer, this.#used, count).fill(0);
    this.#used += size;
    return taken;
  }

  /** So many flags, all 0. */
  flags(count: number): Uint8Array {
    // Whole numbers, so that those behind them stand where numbers may.
    const words = this.numbers(Math.ceil(count / 4));
    return new Uint8Array(words.buffer, words.byteOffset, count);
  }
}
