/** Checks signatures in worker threads, which take batches from one queue; in this thread where there are none. */
import type { Worker } from "node:worker_threads";
import type { PublicKey } from "../crypto/keys.js";
import type { LaterSignatures } from "../verifier/signatures-elsewhere.js";
import { invalidPlaces, SignatureBatch } from "./signature-batch.js";
import type { BatchAnswer, BatchMessage } from "./signature-worker.js";

/** Threads take longer to start than so many batches to check. */
const BATCHES_BEFORE_START = 8;
/** Batches that a thread is given ahead, so that it need not wait while this one reads. */
const AHEAD = 3;

interface Thread {
  readonly worker: Worker;
  /** Given to it, the oldest first. */
  readonly batches: SignatureBatch[];
  /** How many of the keys it knows. */
  keysSent: number;
}

export class SignaturePool implements LaterSignatures {
  /** Positions of receipts whose signatures do not verify, in no order. */
  readonly invalid: number[] = [];
  readonly #wanted: number;
  readonly #note: (text: string) => void;
  readonly #keys: PublicKey[] = [];
  readonly #numbers = new Map<PublicKey, number>();
  readonly #queue: SignatureBatch[] = [];
  readonly #spare: SignatureBatch[] = [];
  readonly #threads = new Set<Thread>();
  #state: "not started" | "running" | "ended" = "not started";
  #open: SignatureBatch | null = null;
  #wake: () => void = () => undefined;
  /** True from when all threads are lost until that has been noted. */
  #isAlone = false;

  /** `note` hears why fewer threads work than were asked for. */
  constructor(threads: number, note: (text: string) => void) {
    this.#wanted = threads;
    this.#note = note;
  }

  add(position: number, key: PublicKey, message: Uint8Array, signature: Uint8Array): void {
    const bytes = message.length + signature.length;
    if (this.#open?.hasRoomFor(bytes) === false) this.#close();
    this.#open ??= this.#newBatch(bytes);
    this.#open.add(position, this.#numberOf(key), message, signature);
  }

  #newBatch(bytes: number): SignatureBatch {
    const spare = this.#spare.pop();
    return spare?.hasRoomFor(bytes) === true ? spare : new SignatureBatch(bytes);
  }

  #numberOf(key: PublicKey): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#keys.length);
    return this.#keys.push(key) - 1;
  }

  #close(): void {
    if (this.#open !== null) this.#queue.push(this.#open);
    this.#open = null;
    this.#handOut();
  }

  /**
   * Waits until there is room for more. Call it often: answers of threads are heard only here and in `finish`.
   * Rejects when `signal` is aborted.
   */
  async room(signal: AbortSignal | undefined): Promise<void> {
    if (this.#state === "not started" && this.#queue.length >= BATCHES_BEFORE_START) await this.#start();
    while (this.#threads.size > 0 && this.#queue.length > this.#threads.size) await this.#change(signal);
    this.#tell();
    if (this.#state === "running" && this.#threads.size === 0) this.#checkHere();
  }

  /** Waits until all that was added has been checked. */
  async finish(signal: AbortSignal | undefined): Promise<void> {
    this.#close();
    while (this.#isBusy()) await this.#change(signal);
    this.#tell();
    this.#checkHere();
  }

  /** Stops all threads; resolves when none is left. */
  async end(): Promise<void> {
    this.#state = "ended";
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  /** Not where threads are lost: a note that throws there would be nobody's to catch. */
  #tell(): void {
    if (!this.#isAlone) return;
    this.#isAlone = false;
    this.#note("worker threads cannot be used here: all signatures are checked in one thread");
  }

  #isBusy(): boolean {
    for (const { batches } of this.#threads) if (batches.length > 0) return true;
    return false;
  }

  async #start(): Promise<void> {
    this.#state = "running";
    try {
      const threads = await import("node:worker_threads");
      for (let i = 0; i < this.#wanted; i += 1) this.#addThread(threads);
    } catch {
      this.#lose(null);
    }
    this.#handOut();
  }

  #addThread({ Worker }: typeof import("node:worker_threads")): void {
    // From this folder of the package, and from one beside it where this was bundled.
    const worker = new Worker(`${import.meta.dirname}/../parallel/signature-worker.js`);
    const thread: Thread = { worker, batches: [], keysSent: 0 };
    this.#threads.add(thread);
    worker.on("message", (answer: BatchAnswer) => this.#answered(thread, answer));
    worker.on("error", () => this.#lose(thread));
    worker.on("exit", () => this.#lose(thread));
  }

  #answered(thread: Thread, answer: BatchAnswer): void {
    // What a lost thread was given has gone to others, and its memory may be in use again.
    if (!this.#threads.has(thread)) return;
    const batch = thread.batches.shift();
    if (batch !== undefined) this.#done(batch, answer);
    this.#handOut();
    this.#wake();
  }

  #done(batch: SignatureBatch, places: readonly number[]): void {
    for (const place of places) this.invalid.push(batch.positions[place] ?? 0);
    batch.clear();
    this.#spare.push(batch);
  }

  /** A thread that ended although nobody stopped it: what it was given is checked by others. */
  #lose(thread: Thread | null): void {
    if (this.#state === "ended" || (thread !== null && !this.#threads.delete(thread))) return;
    this.#queue.unshift(...(thread?.batches.splice(0) ?? []));
    if (this.#threads.size === 0) this.#isAlone = true;
    this.#handOut();
    this.#wake();
  }

  #handOut(): void {
    for (let given = true; given; ) {
      given = false;
      for (const thread of this.#threads) {
        const batch = thread.batches.length < AHEAD ? this.#queue.shift() : undefined;
        if (batch === undefined) continue;
        given = true;
        thread.batches.push(batch);
        const newKeys = this.#keys.slice(thread.keysSent).map(({ spki }) => spki);
        thread.keysSent = this.#keys.length;
        const message: BatchMessage = { ...batch.packed, newKeys };
        thread.worker.postMessage(message);
      }
    }
  }

  /** Checks what no thread will take. */
  #checkHere(): void {
    for (const batch of this.#queue.splice(0)) this.#done(batch, invalidPlaces(batch.packed, this.#keys));
  }

  /** Waits for something to happen. */
  async #change(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        signal?.removeEventListener("abort", this.#wake);
        resolve();
      };
      signal?.addEventListener("abort", this.#wake);
    });
    signal?.throwIfAborted();
  }
}
