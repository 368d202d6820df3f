/** Reads and judges blocks of receipts from a stream: all that can be said of them without the other blocks. */
import type { Placed } from "../bundle/contents.js";
import type { Disclosure } from "../bundle/format.js";
import { SignedBytes } from "../bundle/receipt-source.js";
import type { ReceiptBlock } from "../bundle/stream-block.js";
import { LineDecoder } from "../bundle/stream-line.js";
import { sha256Into } from "../crypto/digest.js";
import { decodeHexInto } from "../encoding/hex.js";
import { decodeUtf8 } from "../encoding/utf8.js";
import { canonicalStatement } from "../statements/canonical.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { ReceiptReader } from "../statements/receipt-reader.js";
import type { Fault } from "../statements/schema.js";
import { checkDisclosures } from "./check-evidence.js";
import type { FormatRules } from "./format-rules.js";
import type { ReceiptColumns } from "./receipt-columns.js";
import type { ReceiptJudge } from "./receipt-judge.js";
import type { Findings } from "./report.js";
import { instant } from "./run.js";
import type { Targets } from "./targets.js";

const NEWLINE = 0x0a;
const RECEIPT = '{"receipts":';

/** Where what is found in a block goes. */
export interface BlockFindings {
  /** What schemas refuse. */
  readonly schema: Findings;
  /** What check FORMAT asks of what they accept. */
  readonly format: Findings;
  readonly late: Findings;
}

export interface BlockRun {
  readonly rules: FormatRules;
  /** Null when no check behind FORMAT can be run. */
  readonly judge: ReceiptJudge | null;
  readonly targets: Targets;
  readonly findings: BlockFindings;
}

/** What is left of a block when it has been judged, beside the columns. */
export interface JudgedBlock {
  /** The position in the block of the receipt of each disclosure. */
  readonly disclosed: readonly number[];
  /** What ended the reading, in this block or at its end. */
  readonly ended: Fault | null;
}

/** The receipt at hand, until its disclosures have come. */
interface AtHand {
  readonly position: number;
  readonly receipt: ActionReceiptV3;
  readonly disclosures: Placed<Disclosure>[];
}

export class BlockJudge {
  readonly #reader = new ReceiptReader("");
  readonly #signed = new SignedBytes();

  /** Reads a block into `columns`, which are begun anew, and judges what it reads. */
  judge(block: ReceiptBlock, columns: ReceiptColumns, run: BlockRun): JudgedBlock {
    columns.reset(block.firstReceipt);
    const disclosed: number[] = [];
    const text = decodeUtf8(block.bytes);
    // Text that has as many units as bytes is ASCII.
    if (text === null || text.length !== block.bytes.length) {
      const detail = "lines of receipts have a byte that is not ASCII";
      return { disclosed, ended: { code: "FORMAT_TEXT_INVALID", pointer: "", detail } };
    }
    this.#reader.reset(text);
    const decoder = new LineDecoder((fault, count) => refuse(run.findings.schema, fault, count));
    let [receipts, disclosures] = [0, 0];
    let atHand: AtHand | null = null;
    for (let start = 0; start < text.length; ) {
      const end = block.bytes.indexOf(NEWLINE, start);
      if (text.startsWith(RECEIPT, start)) {
        this.#finish(atHand, columns, run);
        const place = { at: `/receipts/${block.firstReceipt + receipts}`, offset: 0 };
        receipts += 1;
        const read = this.#reader.read(start + RECEIPT.length);
        if (read !== null && read.end === end - 1 && text.charAt(read.end) === "}") {
          const write = (target: Uint8Array, offset: number): void =>
            sha256Into(block.bytes.subarray(read.start, read.end), target, offset);
          const signedBytes = (): Uint8Array => this.#signed.of(read, block.bytes);
          atHand = this.#take(read.statement, write, signedBytes, columns, run);
        } else {
          const line = decoder.decode("receipts", place, block.bytes.subarray(start, end));
          if (line.ended !== null) return { disclosed, ended: line.ended };
          atHand =
            line.value === undefined ? null : this.#takeLong(line.value as ActionReceiptV3, columns, run);
        }
      } else {
        const pointer = `/disclosures/${block.firstDisclosure + disclosures}`;
        disclosures += 1;
        const line = decoder.decode(
          "disclosures",
          { at: pointer, offset: 0 },
          block.bytes.subarray(start, end),
        );
        if (line.ended !== null) return { disclosed, ended: line.ended };
        const value = line.value as Disclosure | undefined;
        // Behind a receipt that its schema refused there is nothing to hold a disclosure against, nor any need to.
        if (value !== undefined && !run.findings.schema.hasAnyFailure()) {
          if (atHand === null || value.receipt_digest !== columns.placeOf(atHand.position).digest) {
            const detail = "a disclosure stands behind the receipt that it opens";
            return { disclosed, ended: { code: "FORMAT_SYNTAX_INVALID", pointer, detail } };
          }
          atHand.disclosures.push({ value, pointer });
          disclosed.push(atHand.position);
        }
      }
      start = end + 1;
    }
    this.#finish(atHand, columns, run);
    return { disclosed, ended: null };
  }

  #takeLong(receipt: ActionReceiptV3, columns: ReceiptColumns, run: BlockRun): AtHand {
    const { digest, signedBytes } = canonicalStatement(receipt);
    const write = (target: Uint8Array, offset: number): void => void decodeHexInto(digest, target, offset);
    return this.#take(receipt, write, () => signedBytes, columns, run);
  }

  #take(
    receipt: ActionReceiptV3,
    writeDigest: (target: Uint8Array, offset: number) => void,
    signedBytes: () => Uint8Array,
    columns: ReceiptColumns,
    { rules, judge, findings }: BlockRun,
  ): AtHand {
    const position = columns.add(receipt, instant(receipt.issued_at), writeDigest);
    rules.judgeReceipt(columns, position);
    // What is refused already gets no further: its signatures would be checked for nothing.
    const isRefused = findings.schema.hasAnyFailure() || findings.format.hasAnyFailure();
    if (!isRefused) judge?.judge(columns, position, receipt, signedBytes);
    return { position, receipt, disclosures: [] };
  }

  /** Judges a receipt's disclosures when all have come. */
  #finish(atHand: AtHand | null, columns: ReceiptColumns, { rules, targets, findings }: BlockRun): void {
    if (atHand === null) return;
    const { position, receipt, disclosures } = atHand;
    targets.meet(columns, position, receipt, disclosures);
    if (disclosures.length === 0) return;
    rules.judgeDisclosures(disclosures);
    checkDisclosures(findings.late, receipt, () => columns.placeOf(position).digest, disclosures);
  }
}

/** Records a fault that stands for several. */
export function refuse(findings: Findings, { code, pointer, detail }: Fault, count: number): void {
  findings.fail("FORMAT", code, { pointer }, detail);
  findings.countUnlisted("FORMAT", count - 1);
}
