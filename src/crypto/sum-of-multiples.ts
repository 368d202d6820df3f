/**
 * Layer 2: the sum that both signature equations are about, of a multiple of the base point and one of a key's point.
 * For public numbers only: the time taken tells the scalars.
 */
import type { CheckedKey } from "./backend.js";
import { type GroupPoint, Multiples, OddMultiples, RecentTables } from "./multiples.js";

/** A table of multiples costs about as much as three sums without one, and makes each later one several times faster. */
const USES_BEFORE_TABLE = 6;
const KEY_WINDOW_BITS = 6;
/** There is one of these for each curve, made once. */
const BASE_WINDOW_BITS = 7;
/** A table takes a third of a megabyte. */
const MAX_TABLES = 16;
const SCALAR_BITS = 256;
/** Of a sum without tables. */
const KEY_ODD_BITS = 5;
const BASE_ODD_BITS = 7;

/** What is known of a key that has no table. */
interface Use<P extends GroupPoint<P>> {
  readonly point: P;
  readonly odd: OddMultiples<P>;
  count: number;
}

export class SumOfMultiples<P extends GroupPoint<P>> {
  readonly #base: P;
  readonly #zero: P;
  readonly #pointOf: (key: CheckedKey) => P;
  readonly #uses = new WeakMap<CheckedKey, Use<P>>();
  readonly #tables = new RecentTables<P>(MAX_TABLES);
  #baseOdd: OddMultiples<P> | undefined;
  #baseTable: Multiples<P> | undefined;

  constructor(base: P, zero: P, pointOf: (key: CheckedKey) => P) {
    this.#base = base;
    this.#zero = zero;
    this.#pointOf = pointOf;
  }

  /** `a` times the base point and `b` times the key's, both scalars below 2^256. */
  of(a: bigint, b: bigint, key: CheckedKey): P {
    const known = this.#tables.get(key);
    if (known !== undefined) return this.#byTables(a, b, known);
    let use = this.#uses.get(key);
    if (use === undefined) {
      const point = this.#pointOf(key);
      use = { point, odd: new OddMultiples(point, KEY_ODD_BITS), count: 0 };
      this.#uses.set(key, use);
    }
    use.count += 1;
    if (use.count < USES_BEFORE_TABLE) return this.#byDoubling(a, b, use.odd);
    // Should its table have to make room for another, it counts anew.
    use.count = 0;
    const table = new Multiples(use.point, SCALAR_BITS, KEY_WINDOW_BITS);
    this.#tables.add(key, table);
    return this.#byTables(a, b, table);
  }

  #byTables(a: bigint, b: bigint, table: Multiples<P>): P {
    this.#baseTable ??= new Multiples(this.#base, SCALAR_BITS, BASE_WINDOW_BITS);
    return table.addTo(this.#baseTable.addTo(this.#zero, a), b);
  }

  /** One chain of doublings for both multiples. */
  #byDoubling(a: bigint, b: bigint, odd: OddMultiples<P>): P {
    this.#baseOdd ??= new OddMultiples(this.#base, BASE_ODD_BITS);
    const [ofBase, ofKey] = [this.#baseOdd.termsOf(a), odd.termsOf(b)];
    let sum = this.#zero;
    for (let bit = Math.max(ofBase.length, ofKey.length) - 1; bit >= 0; bit -= 1) {
      sum = sum.double();
      for (const term of [ofBase[bit], ofKey[bit]]) if (term !== undefined) sum = sum.add(term);
    }
    return sum;
  }
}
