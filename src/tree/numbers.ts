/** Layer 4: whole numbers below 2^32 that come one by one, in four bytes each. */

const FIRST_ROOM = 64;

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
