/** The search of one target: change known inputs, keep what runs code that nothing ran before. */
import type { Coverage } from "./coverage.js";
import { mutate, type Random } from "./mutate.js";
import type { FuzzTarget } from "./target.js";

/** An input that takes longer than this hangs, as far as a user can tell. */
const SLOW_MS = 1_000;

const SMALLEST_BATCH = 8;
const LARGEST_BATCH = 256;

export interface Crash {
  readonly input: Uint8Array;
  readonly message: string;
}

export interface SearchResult {
  readonly executions: number;
  readonly blocks: number;
  readonly crashes: readonly Crash[];
  /** The shortest inputs found that together run everything that was run. */
  readonly corpus: readonly Uint8Array[];
}

export class Search {
  readonly #target: FuzzTarget;
  readonly #coverage: Coverage;
  readonly #random: Random;
  readonly #tokens: readonly Uint8Array[];
  readonly #queue: Uint8Array[] = [];
  /** By message: one cause gives many inputs, and the shortest is the one to look at. */
  readonly #crashes = new Map<string, Uint8Array>();
  #executions = 0;

  constructor(target: FuzzTarget, coverage: Coverage, random: Random) {
    this.#target = target;
    this.#coverage = coverage;
    this.#random = random;
    this.#tokens = target.tokens.map((token) => (typeof token === "string" ? Buffer.from(token) : token));
  }

  async run(kept: readonly Uint8Array[], budgetMs: number): Promise<SearchResult> {
    const seeds = await this.#target.seeds();
    this.#coverage.reset();
    for (const input of [...seeds, ...kept]) this.#keepNew([input]);
    if (this.#queue.length === 0) this.#queue.push(new Uint8Array());
    const end = performance.now() + budgetMs;
    let batch = SMALLEST_BATCH;
    while (performance.now() < end) {
      // Asking for coverage costs more than a run, so a batch shares one question until there is news.
      const found = this.#keepNew(Array.from({ length: batch }, () => this.#next()));
      batch = found ? Math.max(SMALLEST_BATCH, batch >> 1) : Math.min(LARGEST_BATCH, batch << 1);
    }
    const blocks = this.#coverage.blocks();
    const crashes = [...this.#crashes].map(([message, input]) => ({ message, input }));
    return { executions: this.#executions, blocks, crashes, corpus: this.#smallest() };
  }

  /** Later finds lie deeper, so half of the choices are among the last eight. */
  #next(): Uint8Array {
    const { length } = this.#queue;
    const pick = (): Uint8Array => {
      const recent = this.#random(2) === 0 && length > 8;
      const place = recent ? length - 1 - this.#random(8) : this.#random(length);
      return this.#queue[place] ?? new Uint8Array();
    };
    return mutate(pick(), pick(), this.#tokens, this.#target.maxBytes, this.#random);
  }

  #execute(input: Uint8Array): void {
    const begin = performance.now();
    this.#executions += 1;
    let message: string | null = null;
    try {
      // A copy: a parser that wrote to its input would spoil the search, and is found because the copy differs.
      const copy = input.slice();
      this.#target.run(copy);
      if (Buffer.compare(copy, input) !== 0) message = "the input was written to";
    } catch (error) {
      message =
        error instanceof Error
          ? (error.stack ?? error.message).split("\n").slice(0, 3).join(" ")
          : String(error);
    }
    if (message === null && performance.now() - begin > SLOW_MS) message = "takes more than a second";
    if (message === null) return;
    const known = this.#crashes.get(message);
    if (known === undefined || known.length > input.length) this.#crashes.set(message, input);
  }

  /** Runs the inputs and keeps those that run something new, which it finds by halving. */
  #keepNew(inputs: readonly Uint8Array[]): boolean {
    for (const input of inputs) this.#execute(input);
    const [first, second] = inputs;
    const single = first !== undefined && second === undefined;
    if (!this.#coverage.isNew(this.#coverage.take(), single)) return false;
    if (single) {
      this.#queue.push(first);
      return true;
    }
    const middle = inputs.length >> 1;
    this.#keepNew(inputs.slice(0, middle));
    this.#keepNew(inputs.slice(middle));
    return true;
  }

  #smallest(): Uint8Array[] {
    this.#coverage.reset();
    const ordered = [...this.#queue].sort((a, b) => a.length - b.length);
    return ordered.filter((input) => {
      this.#execute(input);
      return this.#coverage.isNew(this.#coverage.take(), true);
    });
  }
}
