/** Verifies a bundle with the signatures of its receipts checked in worker threads (docs/SPEC.md, "Threads"). */
import { isStream } from "../bundle/stream-beginning.js";
import { OsaProofError } from "../errors.js";
import type { VerifyOptions } from "../verifier/check-trust.js";
import { isBytes } from "../verifier/inputs.js";
import type { VerificationReportV1 } from "../verifier/report.js";
import type { KnownSignatures } from "../verifier/signatures-elsewhere.js";
import type { SignedReceipts } from "../verifier/standing.js";
import { type Pieces, StreamVerifier } from "../verifier/verify-stream.js";
import { WholeVerification } from "../verifier/whole-verification.js";
import { SignaturePool } from "./signature-pool.js";

export interface ParallelOptions {
  /** Threads that check signatures, beside the calling one, which reads; 1 for none. By default one for each core, up to 4. */
  readonly threads?: number | undefined;
  /** Ends the verification: the promise is rejected with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Hears why fewer threads work than were asked for. */
  readonly onNote?: ((note: string) => void) | undefined;
}

/** More than so many wait for the thread that reads. */
const MOST_THREADS = 4;
/** How much is read, and how many receipts are judged, before others are listened to. */
const PIECE_BYTES = 262_144;
const SLICE_RECEIPTS = 256;
/** Slices and pieces between two turns of the event loop, in which a signal may come. */
const STEPS_PER_TURN = 16;

/**
 * Verifies a bundle like `verifyBundle`, or one in pieces of its streaming form like `verifyStream`, and gives the report
 * that they give, whatever the number of threads. Where worker threads cannot be used, signatures are checked in the
 * calling thread. When the promise settles no thread is left.
 *
 * @param bundle bytes of a bundle in any form, or the pieces of one in its streaming form
 * @throws OsaProofError ARGUMENT_INVALID on a count of threads that is none, an option that there is not, and pieces that
 *   are no bytes; rejects with the signal's reason, and when `bundle` does. Never on bad input. Memory that is given
 *   belongs to the verification until the promise settles. A bundle in one piece is read in one step, during which no
 *   signal is heard; in pieces of its streaming form it is heard at once.
 */
export async function verifyBundleParallel(
  bundle: Uint8Array | Pieces,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
  parallel: ParallelOptions = {},
): Promise<VerificationReportV1> {
  return (await verifyInThreads(bundle, trustPolicy, options, parallel, null)).report;
}

/** A report, and what it accepted; null when it did not. */
export interface Verified {
  readonly report: VerificationReportV1;
  readonly signed: SignedReceipts | null;
}

/** {@link verifyBundleParallel}, where the signatures of some receipts may be known to verify. */
export async function verifyInThreads(
  bundle: Uint8Array | Pieces,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
  { threads, signal, onNote, ...others }: ParallelOptions,
  known: KnownSignatures | null,
): Promise<Verified> {
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0))
    throw new OsaProofError("ARGUMENT_INVALID", "threads: expected a whole number of at least 1");
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function")
    throw new OsaProofError("ARGUMENT_INVALID", "signal: expected an AbortSignal");
  for (const name of Object.keys(others))
    throw new OsaProofError("ARGUMENT_INVALID", `${name}: there is no such option`);
  signal?.throwIfAborted();
  const count = threads ?? Math.min(await coreCount(), MOST_THREADS);
  const pool = count > 1 ? new SignaturePool(count, (note) => onNote?.(note)) : null;
  const elsewhere = { later: pool, known };
  const steps = new Steps(pool, signal);
  try {
    if (!isIterable(bundle) || (isBytes(bundle) && !isStream(bundle))) {
      const verification = new WholeVerification(bundle, trustPolicy, options, elsewhere);
      for (let from = 0; from < verification.count; from += SLICE_RECEIPTS) {
        verification.judge(from, Math.min(from + SLICE_RECEIPTS, verification.count));
        await steps.next();
      }
      return await steps.report(verification);
    }
    const verifier = new StreamVerifier(trustPolicy, options, elsewhere);
    for await (const piece of isBytes(bundle) ? [bundle] : untilAborted(bundle, signal)) {
      if (!(await takePiece(verifier, piece, steps))) break;
    }
    return await steps.report(verifier);
  } finally {
    await pool?.end();
  }
}

/** Anything else is no bundle, and is told so like bytes that are none. A text is no pieces of bytes. */
function isIterable(bundle: unknown): bundle is Uint8Array | Pieces {
  if (typeof bundle !== "object" || bundle === null) return false;
  return Symbol.asyncIterator in bundle || Symbol.iterator in bundle;
}

/** The pieces, until the signal is aborted: then its reason is thrown, though the source may never give another. */
async function* untilAborted(pieces: Pieces, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await nextOrReason(async () => source.next(), signal);
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    isOver = signal?.aborted !== true;
    throw error;
  } finally {
    // A source that does not answer is told, and not waited for.
    if (!isOver) void (async () => source.return?.())().catch(() => undefined);
  }
}

/** What `next` gives, or the reason of the signal. Nothing is left at the signal: it may live long, and would keep all. */
function nextOrReason<T>(next: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return next();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    const settled = (): void => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort);
    void next().then(resolve, reject).finally(settled);
  });
}

/** False when no further piece can change the report. */
async function takePiece(verifier: StreamVerifier, piece: Uint8Array, steps: Steps): Promise<boolean> {
  if (!isBytes(piece)) throw new OsaProofError("ARGUMENT_INVALID", "bundle: expected pieces of bytes");
  // An empty piece is a step too: a source of nothing else must not hold up the event loop.
  if (piece.length === 0) await steps.next();
  for (let at = 0; at < piece.length; at += PIECE_BYTES) {
    if (!verifier.take(piece.subarray(at, at + PIECE_BYTES))) return false;
    await steps.next();
  }
  return true;
}

/** What happens between the steps of a verification, and at its end. */
class Steps {
  readonly #pool: SignaturePool | null;
  readonly #signal: AbortSignal | undefined;
  #count = 0;

  constructor(pool: SignaturePool | null, signal: AbortSignal | undefined) {
    this.#pool = pool;
    this.#signal = signal;
  }

  async next(): Promise<void> {
    this.#count += 1;
    if (this.#count % STEPS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
    this.#signal?.throwIfAborted();
    await this.#pool?.room(this.#signal);
  }

  async report(
    verification: Pick<WholeVerification, "failSignature" | "report" | "signed">,
  ): Promise<Verified> {
    await this.#pool?.finish(this.#signal);
    for (const position of this.#pool?.invalid ?? []) verification.failSignature(position);
    const report = verification.report();
    return { report, signed: report.verdict === "ACCEPTED" ? verification.signed : null };
  }
}

async function coreCount(): Promise<number> {
  try {
    return (await import("node:os")).availableParallelism();
  } catch {
    return 1;
  }
}
