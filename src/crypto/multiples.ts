/**
 * Layer 2: multiples of a point, for the portable backend. With a table of them, a multiplication is a few dozen additions
 * and no doubling; with a few odd ones, it takes a doubling for each bit. For public numbers only: the time taken tells the scalar.
 */

/** A point of a group whose addition is complete, right for every pair of points. */
export interface GroupPoint<P> {
  add(other: P): P;
  double(): P;
  negate(): P;
}

/**
 * The multiples 1 to 2^(bits-1) of a point, of 2^bits times the point, and so on: one row for each `windowBits` of a
 * scalar. Taking digits from -2^(bits-1) + 1 to 2^(bits-1) needs half the points that digits from 0 would.
 */
export class Multiples<P extends GroupPoint<P>> {
  readonly #windowBits: number;
  readonly #rows: readonly (readonly P[])[];

  /** Scalars are below 2^`scalarBits`. Takes about 2^(windowBits-1) additions for each of its rows. */
  constructor(point: P, scalarBits: number, windowBits: number) {
    this.#windowBits = windowBits;
    const rows: P[][] = [];
    let base = point;
    // One bit more than a scalar has, so that the carry out of the last row has a place in it.
    for (let bit = 0; bit < scalarBits + 1; bit += windowBits) {
      const row = [base];
      let last = base;
      for (let i = 1; i < 2 ** (windowBits - 1); i += 1) {
        last = last.add(base);
        row.push(last);
      }
      rows.push(row);
      base = last.double();
    }
    this.#rows = rows;
  }

  /** `sum` and `scalar` times the point. Throws on a scalar of more bits than the table has. */
  addTo(sum: P, scalar: bigint): P {
    const half = 2 ** (this.#windowBits - 1);
    const [mask, shift] = [BigInt(2 * half - 1), BigInt(this.#windowBits)];
    let [result, left] = [sum, scalar];
    for (const row of this.#rows) {
      let digit = Number(left & mask);
      left >>= shift;
      if (digit > half) {
        digit -= 2 * half;
        left += 1n;
      }
      if (digit === 0) continue;
      const multiple = row[Math.abs(digit) - 1];
      if (multiple === undefined) break;
      result = result.add(digit < 0 ? multiple.negate() : multiple);
    }
    if (left !== 0n) throw new RangeError("a scalar of more bits than the table has");
    return result;
  }
}

/** The odd multiples of a point up to 2^(bits-1), with which a scalar needs one addition for about `windowBits` + 1 bits. */
export class OddMultiples<P extends GroupPoint<P>> {
  readonly #windowBits: number;
  readonly #points: readonly P[];

  constructor(point: P, windowBits: number) {
    this.#windowBits = windowBits;
    const [points, twice] = [[point], point.double()];
    let last = point;
    for (let i = 1; i < 2 ** (windowBits - 2); i += 1) {
      last = last.add(twice);
      points.push(last);
    }
    this.#points = points;
  }

  /** Points whose sum, each doubled as often as its index says, is `scalar` times the point. Most indexes have none. */
  termsOf(scalar: bigint): readonly (P | undefined)[] {
    const whole = 2 ** this.#windowBits;
    const mask = BigInt(whole - 1);
    const terms: (P | undefined)[] = [];
    for (let left = scalar; left !== 0n; left >>= 1n) {
      const low = Number(left & mask);
      let term: P | undefined;
      if (low % 2 === 1) {
        const digit = low > whole / 2 ? low - whole : low;
        const multiple = this.#points[(Math.abs(digit) - 1) / 2];
        term = digit < 0 ? multiple?.negate() : multiple;
        left -= BigInt(digit);
      }
      terms.push(term);
    }
    return terms;
  }
}

/** Tables of the points that were used last, so that an attacker who chooses how many come back takes no memory. */
export class RecentTables<P extends GroupPoint<P>> {
  readonly #most: number;
  /** The one used last is at the end. */
  readonly #tables = new Map<object, Multiples<P>>();

  constructor(most: number) {
    this.#most = most;
  }

  get(owner: object): Multiples<P> | undefined {
    const table = this.#tables.get(owner);
    if (table === undefined) return undefined;
    this.#tables.delete(owner);
    this.#tables.set(owner, table);
    return table;
  }

  add(owner: object, table: Multiples<P>): void {
    for (const oldest of this.#tables.keys()) {
      if (this.#tables.size < this.#most) break;
      this.#tables.delete(oldest);
    }
    this.#tables.set(owner, table);
  }
}
