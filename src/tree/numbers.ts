/** Layer 4: many whole numbers in little memory. */
import { roomFor } from "./room.js";

const FIRST_ROOM = 64;

/** Numbers below 2^32 that come one by one, in four bytes each. */
export class Numbers {
  #numbers: Uint32Array;
  #count = 0;

  /** `room`: how many are expected; more are taken too. */
  constructor(room: number = FIRST_ROOM) {
    this.#numbers = new Uint32Array(Math.max(room, FIRST_ROOM));
  }

  get count(): number {
    return this.#count;
  }

  add(number: number): void {
    if (this.#count === this.#numbers.length) {
      const grown = new Uint32Array(2 * this.#count);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.#count] = number;
    this.#count += 1;
  }

  /** All of them, in order; a view that holds until the next one is added. */
  get all(): Uint32Array {
    return this.#numbers.subarray(0, this.#count);
  }
}

/** From one to eight bytes for each number. */
const WIDTHS = [Uint8Array, Uint16Array, Uint32Array, Float64Array] as const;

/** Numbers by index, up to 2^53 in size, in as many bytes each as the one that needs most of them. */
export class NarrowNumbers {
  #width = 0;
  #numbers: InstanceType<(typeof WIDTHS)[number]>;
  readonly #most: number;

  /** `room`: how many are expected, and `most`: how many there will be at most; more are taken too. */
  constructor(room: number, most: number) {
    this.#numbers = new Uint8Array(room);
    this.#most = most;
  }

  /** The number at an index; 0 where none was put. */
  at(index: number): number {
    return this.#numbers[index] ?? 0;
  }

  put(index: number, number: number): void {
    if (index >= this.#numbers.length) this.#copy(roomFor(index + 1, this.#numbers.length, this.#most));
    this.#numbers[index] = number;
    // What does not fit comes out as another number.
    while (this.#numbers[index] !== number && this.#width + 1 < WIDTHS.length) {
      this.#width += 1;
      this.#copy(this.#numbers.length);
      this.#numbers[index] = number;
    }
  }

  #copy(length: number): void {
    const copy = new (WIDTHS[this.#width] ?? Float64Array)(length);
    copy.set(this.#numbers);
    this.#numbers = copy;
  }
}
