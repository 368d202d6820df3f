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

/** What reads receipts one after the other, and keeps its memory from block to block. */
interface Tools {
  readonly reader: ReceiptReader;
  readonly signed: SignedBytes;
}

export class BlockJudge {
  readonly #tools: Tools = { reader: new ReceiptReader(""), signed: new SignedBytes() };

  /** Reads a block into `columns`, which are begun anew, and judges what it reads. */
  judge(block: ReceiptBlock, columns: ReceiptColumns, run: BlockRun): JudgedBlock {
    columns.reset(block.firstReceipt);
    return new BlockReading(block, columns, run, this.#tools).read();
  }
}

/** The reading of one block. */
class BlockReading {
  readonly #bytes: Uint8Array;
  readonly #columns: ReceiptColumns;
  readonly #run: BlockRun;
  readonly #tools: Tools;
  readonly #decoder: LineDecoder;
  readonly #disclosed: number[] = [];
  /** Of the next line of each name, among all of the stream. */
  #nextReceipt: number;
  #nextDisclosure: number;
  /** Null before the first receipt, and behind one that its schema refused. */
  #atHand: AtHand | null = null;

  constructor(block: ReceiptBlock, columns: ReceiptColumns, run: BlockRun, tools: Tools) {
    this.#bytes = block.bytes;
    this.#nextReceipt = block.firstReceipt;
    this.#nextDisclosure = block.firstDisclosure;
    this.#columns = columns;
    this.#run = run;
    this.#tools = tools;
    this.#decoder = new LineDecoder((fault, count) => refuse(run.findings.schema, fault, count));
  }

  read(): JudgedBlock {
    const text = decodeUtf8(this.#bytes);
    // Text that has as many units as bytes is ASCII.
    if (text === null || text.length !== this.#bytes.length) {
      const detail = "lines of receipts have a byte that is not ASCII";
      return this.#result({ code: "FORMAT_TEXT_INVALID", pointer: "", detail });
    }
    this.#tools.reader.reset(text);
    for (let start = 0; start < text.length; ) {
      const end = this.#bytes.indexOf(NEWLINE, start);
      const ended = text.startsWith(RECEIPT, start)
        ? this.#readReceipt(text, start, end)
        : this.#readDisclosure(start, end);
      if (ended !== null) return this.#result(ended);
      start = end + 1;
    }
    this.#finish();
    return this.#result(null);
  }

  #result(ended: Fault | null): JudgedBlock {
    return { disclosed: this.#disclosed, ended };
  }

  /** Reads a line of a receipt; gives what ends the reading. */
  #readReceipt(text: string, start: number, end: number): Fault | null {
    this.#finish();
    const at = `/receipts/${this.#nextReceipt}`;
    this.#nextReceipt += 1;
    const { reader, signed } = this.#tools;
    const read = reader.read(start + RECEIPT.length);
    if (read !== null && read.end === end - 1 && text.charAt(read.end) === "}") {
      const bytes = this.#bytes;
      const write = (target: Uint8Array, offset: number): void =>
        sha256Into(bytes.subarray(read.start, read.end), target, offset);
      this.#take(read.statement, write, () => signed.of(read, bytes));
      return null;
    }
    const { value, ended } = this.#decoder.decode(
      "receipts",
      { at, offset: 0 },
      this.#bytes.subarray(start, end),
    );
    this.#atHand = null;
    if (value !== undefined) this.#takeLong(value as ActionReceiptV3);
    return ended;
  }

  /** Reads a line of a disclosure; gives what ends the reading. */
  #readDisclosure(start: number, end: number): Fault | null {
    const pointer = `/disclosures/${this.#nextDisclosure}`;
    this.#nextDisclosure += 1;
    const place = { at: pointer, offset: 0 };
    const line = this.#decoder.decode("disclosures", place, this.#bytes.subarray(start, end));
    const value = line.value as Disclosure | undefined;
    // Behind a receipt that its schema refused there is nothing to hold a disclosure against, nor any need to.
    if (value === undefined || this.#run.findings.schema.hasAnyFailure()) return line.ended;
    const atHand = this.#atHand;
    if (atHand === null || value.receipt_digest !== this.#columns.placeOf(atHand.position).digest) {
      const detail = "a disclosure stands behind the receipt that it opens";
      return { code: "FORMAT_SYNTAX_INVALID", pointer, detail };
    }
    atHand.disclosures.push({ value, pointer });
    this.#disclosed.push(atHand.position);
    return null;
  }

  #takeLong(receipt: ActionReceiptV3): void {
    const { digest, signedBytes } = canonicalStatement(receipt);
    const write = (target: Uint8Array, offset: number): void => void decodeHexInto(digest, target, offset);
    this.#take(receipt, write, () => signedBytes);
  }

  #take(
    receipt: ActionReceiptV3,
    writeDigest: (target: Uint8Array, offset: number) => void,
    signedBytes: () => Uint8Array,
  ): void {
    const { rules, judge, findings } = this.#run;
    const columns = this.#columns;
    const position = columns.add(receipt, instant(receipt.issued_at), writeDigest);
    rules.judgeReceipt(columns, position);
    // What is refused already gets no further: its signatures would be checked for nothing.
    if (!isRefused(findings)) judge?.judge(columns, position, receipt, signedBytes);
    this.#atHand = { position, receipt, disclosures: [] };
  }

  /** Judges the disclosures of the receipt at hand when all have come. */
  #finish(): void {
    if (this.#atHand === null) return;
    const { position, receipt, disclosures } = this.#atHand;
    const { rules, targets, findings } = this.#run;
    targets.meet(this.#columns, position, receipt, disclosures);
    if (disclosures.length === 0) return;
    rules.judgeDisclosures(disclosures);
    const digest = (): string => this.#columns.placeOf(position).digest;
    checkDisclosures(findings.late, receipt, digest, disclosures);
  }
}

/** True when check FORMAT has failed already, whatever may still come. */
export function isRefused({ schema, format }: BlockFindings): boolean {
  return schema.hasAnyFailure() || format.hasAnyFailure();
}

/** Records a fault that stands for several. */
export function refuse(findings: Findings, { code, pointer, detail }: Fault, count: number): void {
  findings.fail("FORMAT", code, { pointer }, detail);
  findings.countUnlisted("FORMAT", count - 1);
}
