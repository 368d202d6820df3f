/** Verifies a bundle in its streaming form, in bounded memory (docs/SPEC.md, "Streaming form"). */
import type { ReceiptBlock } from "../bundle/stream-block.js";
import { type Part, StreamReader } from "../bundle/stream-reader.js";
import { OsaProofError } from "../errors.js";
import type { VerifyOptions } from "./check-trust.js";
import { isBytes } from "./inputs.js";
import { ReceiptColumns } from "./receipt-columns.js";
import type { VerificationReportV1 } from "./report.js";
import { ALL_SIGNATURES_HERE, type SignaturesElsewhere } from "./signatures-elsewhere.js";
import type { SignedReceipts } from "./standing.js";
import { BlockJudge } from "./stream-blocks.js";
import { StreamVerification } from "./stream-verification.js";

/** Bytes in pieces of any size, as a file or a network gives them. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads and judges pieces of a stream as they come, in this thread. */
export class StreamVerifier {
  readonly #verification: StreamVerification;
  readonly #reader: StreamReader;
  readonly #columns: ReceiptColumns;
  readonly #judge = new BlockJudge();

  constructor(
    trustPolicy: Uint8Array,
    options: VerifyOptions,
    elsewhere: SignaturesElsewhere = ALL_SIGNATURES_HERE,
  ) {
    this.#verification = new StreamVerification(trustPolicy, options, elsewhere);
    this.#reader = new StreamReader(this.#verification.maxBytes, this.#verification);
    this.#columns = new ReceiptColumns(this.#verification.bindings);
  }

  /**
   * Takes the next piece; false when no further piece can change the report.
   * @throws OsaProofError ARGUMENT_INVALID on what is no Uint8Array
   */
  take(piece: Uint8Array): boolean {
    if (!isBytes(piece)) throw new OsaProofError("ARGUMENT_INVALID", "stream: expected pieces of bytes");
    this.#takeParts(() => this.#reader.read(piece));
    return !this.#verification.isOver;
  }

  #takeParts(read: () => Iterable<Part>): void {
    const verification = this.#verification;
    verification.guarded(() => {
      for (const part of read()) {
        if (part.kind === "receipts") this.#takeBlock(part);
        else verification.take(part);
        if (verification.isOver) break;
      }
    });
  }

  #takeBlock(block: ReceiptBlock): void {
    const run = this.#verification.blockRun();
    if (run === null) return;
    const judged = this.#judge.judge(block, this.#columns, run);
    this.#verification.absorb(this.#columns.columns, judged);
  }

  /** Notes that the signature of a receipt does not verify; `position` is the one that `later` got. */
  failSignature(position: number): void {
    this.#verification.failSignature(position);
  }

  /** The report on all that came. Call it once. */
  report(): VerificationReportV1 {
    if (!this.#verification.isOver) this.#takeParts(() => this.#reader.end());
    return this.#verification.report();
  }

  /** Receipts and the keys that signed them, once the report has accepted; null where nothing could be judged. */
  get signed(): SignedReceipts | null {
    return this.#verification.signed;
  }
}

/**
 * Verifies a bundle in its streaming form. Memory grows by about 120 bytes for each receipt and not with the bytes.
 *
 * @param pieces the bytes of the stream, not compressed, in pieces of any size or as a whole
 * @param trustPolicy bytes of the auditor's TrustPolicyV1 JSON; never taken from the bundle
 * @returns the report that `verifyBundle` gives on the same bundle in one piece. Rejects only when `pieces` does, or
 *   gives what is no Uint8Array.
 */
export async function verifyStream(
  pieces: Uint8Array | Pieces,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
): Promise<VerificationReportV1> {
  const verifier = new StreamVerifier(trustPolicy, options);
  for await (const piece of isBytes(pieces) ? [pieces] : pieces) if (!verifier.take(piece)) break;
  return verifier.report();
}
