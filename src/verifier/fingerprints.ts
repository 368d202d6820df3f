/**
 * Finds values that come twice among millions, in 16 bytes of memory for each (docs/SPEC.md, "Check 5").
 *
 * A value counts by the first 16 bytes of a SHA-256. Two different values of one fingerprint take 2^64 hashes to find,
 * and would be refused as if they were one: a rejection of one's own bundle, never an acceptance.
 */
import * as LIMITS from "../limits.js";
import { roomFor } from "../tree/room.js";

const WORDS = 4;
/** Of two for each receipt. */
const MOST_BYTES = 2 * LIMITS.maxReceipts * WORDS * 4;

export class Fingerprints {
  #bytes: Uint8Array;
  #count = 0;
  #spare: ArrayBufferLike = new ArrayBuffer(0);
  /** Bytes of it that are lent. */
  #lent = 0;

  constructor(capacity: number = 64) {
    this.#bytes = new Uint8Array(Math.max(capacity, 64) * WORDS * 4);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds fingerprints that stand one behind the other. */
  add(from: Uint8Array, count: number): void {
    const at = this.#count * WORDS * 4;
    const end = at + count * WORDS * 4;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(roomFor(end, this.#bytes.length, MOST_BYTES));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(from.subarray(0, count * WORDS * 4), at);
    this.#count += count;
  }

  /** The places, ascending, of those that an earlier one is equal to; places count from 0 in the order of adding. */
  repeats(): readonly number[] {
    const words = new Uint32Array(this.#bytes.buffer, 0, this.#count * WORDS);
    const suspect = repeatedBeginnings(words, this.#count);
    if (suspect.size === 0) return [];
    const met = new Set<string>();
    const places: number[] = [];
    for (let place = 0; place < this.#count; place += 1) {
      const [a = 0, b = 0, c = 0, d = 0] = words.subarray(place * WORDS, (place + 1) * WORDS);
      if (!suspect.has(`${a} ${b}`)) continue;
      const name = `${a} ${b} ${c} ${d}`;
      if (met.has(name)) places.push(place);
      met.add(name);
    }
    return places;
  }

  /** Lets go of the memory. */
  clear(): void {
    this.#bytes = new Uint8Array(0);
    this.#count = 0;
  }

  /** {@link clear}, and lends the memory: what nobody reaches is taken until a garbage collector comes, perhaps too late. */
  lendMemory(): void {
    this.#spare = this.#bytes.buffer;
    this.#lent = 0;
    this.clear();
  }

  /** So many zeros, in the memory that is lent as long as there is any. */
  numbers(count: number): Uint32Array {
    const bytes = count * Uint32Array.BYTES_PER_ELEMENT;
    if (this.#lent + bytes > this.#spare.byteLength) return new Uint32Array(count);
    this.#lent += bytes;
    return new Uint32Array(this.#spare, this.#lent - bytes, count).fill(0);
  }
}

/** Fingerprints are looked through in so many parts, by their first bits, so that a part takes little memory. */
const PARTS = 16;

/** First halves that more than one fingerprint has. Sorting numbers is several times faster than a set of them. */
function repeatedBeginnings(words: Uint32Array, count: number): ReadonlySet<string> {
  const partOf = (i: number): number => (words[WORDS * i] ?? 0) % PARTS;
  const sizes = new Uint32Array(PARTS);
  for (let i = 0; i < count; i += 1) sizes[partOf(i)] = (sizes[partOf(i)] ?? 0) + 1;
  const halves = new Uint32Array(2 * sizes.reduce((most, size) => Math.max(most, size), 0));
  const repeated = new Set<string>();
  for (let part = 0; part < PARTS; part += 1) {
    let end = 0;
    for (let i = 0; i < count; i += 1) {
      if (partOf(i) !== part) continue;
      halves[end] = words[WORDS * i] ?? 0;
      halves[end + 1] = words[WORDS * i + 1] ?? 0;
      end += 2;
    }
    new BigUint64Array(halves.buffer, 0, end / 2).sort();
    for (let i = 2; i < end; i += 2) {
      if (halves[i] !== halves[i - 2] || halves[i + 1] !== halves[i - 1]) continue;
      repeated.add(`${halves[i]} ${halves[i + 1]}`);
    }
  }
  return repeated;
}
