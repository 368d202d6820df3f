/**
 * Reads the streaming form of a bundle from bytes that come in pieces of any size (docs/SPEC.md, "Streaming form"):
 * whole lines, in their one spelling, in their order, with a trailer that fits them.
 *
 * Lines of receipts and their disclosures are not read here but handed on in blocks: they are nearly all of a stream,
 * and whoever judges them reads them, perhaps in another thread.
 */
import { runningDigest } from "../crypto/digest.js";
import { Gatherer } from "../encoding/bytes.js";
import type { FaultCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import type { Fault } from "../statements/schema.js";
import { BlockCollector, type ReceiptBlock } from "./stream-block.js";
import {
  isLineName,
  LINE_NAMES,
  LINES,
  type LineName,
  NO_COUNTS,
  type StreamHeader,
  type StreamTrailer,
} from "./stream-format.js";
import { LineDecoder } from "./stream-line.js";
import { StreamParts } from "./stream-parts.js";

/** Lines that are read one by one. */
export type EntryName = Exclude<LineName, "receipts" | "disclosures">;

/** One line of a stream that is read, or a block of lines of receipts and disclosures. */
export type Part =
  | { readonly kind: "header"; readonly value: StreamHeader }
  | {
      readonly kind: "entry";
      readonly name: EntryName;
      /** Counted from 0 among the lines of its name. */
      readonly index: number;
      readonly value: unknown;
    }
  | ReceiptBlock;

export interface StreamFaults {
  /** Something after which nothing is read. */
  end(fault: Fault): void;
  /** A value that its schema refuses. */
  schema(fault: Fault, count: number): void;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COLON = 0x3a;
const OBJECT_OPEN = 0x7b;
const LONGEST_NAME = 32;
const NO_BYTES = new Uint8Array(0);
const ONE_HEADER = "a stream begins with its header, and has one";

export class StreamReader {
  /** True when nothing more is read: a fault ended it, or the trailer was reached. */
  done = false;
  readonly #faults: StreamFaults;
  readonly #maxBytes: number;
  readonly #decoder: LineDecoder;
  readonly #parts: StreamParts;
  readonly #digest = runningDigest();
  readonly #counts: Record<LineName, number> = { ...NO_COUNTS };
  /** Bytes of a line whose end has not come. */
  readonly #rest = new Gatherer();
  readonly #block = new BlockCollector();
  /** Of the last receipt, with its disclosures. */
  #receiptBytes = 0;
  /** What ends the reading, once the receipts before it have been handed on. */
  #pending: Fault | null = null;
  #bytesRead = 0;
  #section = 0;
  #lines = 0;
  #last: LineName | "header" | null = null;

  constructor(maxBytes: number, faults: StreamFaults) {
    this.#maxBytes = maxBytes;
    this.#faults = faults;
    this.#decoder = new LineDecoder((fault, count) => faults.schema(fault, count));
    this.#parts = new StreamParts((fault) => faults.schema(fault, 1));
  }

  /** Reads the lines that end in this piece. Parts must be used up before the next call. */
  *read(piece: Uint8Array): Generator<Part, void, undefined> {
    if (this.done) {
      this.#refuseBehindTrailer(piece.length);
      return;
    }
    // Lines that end within what may be read come before the fault, whatever the pieces.
    const fair = piece.subarray(0, this.#maxBytes - this.#bytesRead);
    this.#bytesRead += fair.length;
    const end = fair.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const whole = fair.subarray(0, end);
      if (this.#rest.length > 0) this.#rest.add(whole);
      yield* this.#readLines(this.#rest.length === 0 ? whole : this.#rest.take());
    }
    if (this.done) {
      this.#refuseBehindTrailer(piece.length - end);
      return;
    }
    this.#keep(fair.subarray(end));
    if (fair.length < piece.length) this.#end("FORMAT_TOO_LARGE", `more than ${this.#maxBytes} bytes`);
    yield* this.#close(NO_BYTES, 0);
  }

  /** Call it when no piece will come any more. */
  *end(): Generator<Part, void, undefined> {
    if (!this.done) this.#end("FORMAT_TRUNCATED", "the stream ends before its trailer");
    yield* this.#close(NO_BYTES, 0);
  }

  /** Keeps the beginning of a line, in memory of its own: pieces belong to who gave them. */
  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#rest.add(bytes);
    this.#isLineOfFairLength(this.#rest.length);
  }

  /** Where a fault is pending: hands on the receipts before the line that has it, of which one may have another. */
  *#close(bytes: Uint8Array, start: number): Generator<Part, void, undefined> {
    const fault = this.#pending;
    if (fault === null) return;
    this.#pending = null;
    const block = this.#block.endAt(bytes, start, false);
    if (block !== null) yield block;
    this.#faults.end(fault);
  }

  *#readLines(bytes: Uint8Array): Generator<Part, void, undefined> {
    for (let start = 0; start < bytes.length; ) {
      const next = bytes.indexOf(NEWLINE, start) + 1;
      const name = this.#nameOf(bytes, start, next - 1);
      const block = name === "disclosures" ? null : this.#block.endAt(bytes, start, name === "receipts");
      if (block !== null) yield block;
      if (name === null) {
        yield* this.#close(bytes, start);
        return;
      }
      this.#lines += 1;
      if (name === "trailer") {
        this.#digest.update(bytes.subarray(0, start));
        this.#readTrailer(bytes.subarray(start, next - 1));
        if (this.#pending === null) this.#refuseBehindTrailer(bytes.length - next);
        yield* this.#close(bytes, start);
        return;
      }
      if (!this.#mayFollow(name) || !this.#isReceiptOfFairLength(name, next - start)) {
        yield* this.#close(bytes, start);
        return;
      }
      if (name === "receipts") this.#block.begin(start, this.#counts.receipts, this.#counts.disclosures);
      const isReceipt = name === "receipts" || name === "disclosures";
      const part = isReceipt ? null : this.#readEntry(name, bytes.subarray(start, next - 1));
      if (this.done) {
        yield* this.#close(bytes, start);
        return;
      }
      if (name !== "header") this.#counts[name] += 1;
      if (part !== null) yield part;
      start = next;
    }
    this.#digest.update(bytes);
    const block = this.#block.keep(bytes);
    if (block !== null) yield block;
  }

  #refuseBehindTrailer(byteCount: number): void {
    if (byteCount === 0) return;
    const detail = "nothing may follow the trailer";
    this.#faults.end({ code: "FORMAT_SYNTAX_INVALID", pointer: "", detail });
  }

  #isReceiptOfFairLength(name: LineName | "header", length: number): boolean {
    if (name === "receipts") this.#receiptBytes = 0;
    if (name !== "receipts" && name !== "disclosures") return true;
    this.#receiptBytes += length;
    if (this.#receiptBytes <= LIMITS.maxBundleBytes) return true;
    const detail = `one receipt and its disclosures have more than ${LIMITS.maxBundleBytes} bytes`;
    this.#end("FORMAT_TOO_LARGE", detail);
    return false;
  }

  #isLineOfFairLength(length: number): boolean {
    if (length <= LIMITS.maxLineBytes) return true;
    this.#end("FORMAT_TOO_LARGE", `line ${this.#lines + 1} has more than ${LIMITS.maxLineBytes} bytes`);
    return false;
  }

  /** The name of a line's one member; null, with a fault, when the line does not begin with any. */
  #nameOf(bytes: Uint8Array, start: number, end: number): LineName | "header" | "trailer" | null {
    if (!this.#isLineOfFairLength(end - start)) return null;
    const close = bytes.indexOf(QUOTE, start + 2);
    const isNamed = bytes[start] === OBJECT_OPEN && bytes[start + 1] === QUOTE && bytes[close + 1] === COLON;
    if (isNamed && close > 0 && close < Math.min(end, start + LONGEST_NAME)) {
      const name = String.fromCharCode(...bytes.subarray(start + 2, close));
      if (name === "header" || name === "trailer" || isLineName(name)) return name;
    }
    this.#end("FORMAT_SYNTAX_INVALID", `line ${this.#lines + 1} is none that a stream has`);
    return null;
  }

  /** True when a line of this name may stand here; else a fault. */
  #mayFollow(name: LineName | "header"): boolean {
    const last = this.#last;
    this.#last = name;
    if (name === "header" || last === null) {
      if (name === "header" && last === null) return true;
      this.#end("FORMAT_SYNTAX_INVALID", ONE_HEADER);
      return false;
    }
    const { section, most, of } = LINES[name];
    if (section < this.#section || (of !== undefined && this.#counts[of] === 0)) {
      this.#end("FORMAT_SYNTAX_INVALID", `line ${this.#lines} (${name}) stands out of its place`);
      return false;
    }
    this.#section = section;
    if (this.#counts[name] < most) return true;
    this.#end("FORMAT_TOO_LARGE", `more than ${most} lines of ${name}`);
    return false;
  }

  #readEntry(name: EntryName | "header", line: Uint8Array): Part | null {
    const place = this.#parts.placeOf(name, name === "header" ? 0 : this.#counts[name]);
    const read = this.#decoder.decode(name, place, line);
    if (read.ended !== null) {
      this.#endWith(read.ended);
      return null;
    }
    this.#parts.met(name, read.value);
    if (read.value === undefined) return null;
    if (name === "header") return { kind: "header", value: read.value as StreamHeader };
    return { kind: "entry", name, index: this.#counts[name], value: read.value };
  }

  #readTrailer(line: Uint8Array): void {
    this.#parts.endTree();
    const read = this.#decoder.decode("trailer", { at: "/trailer", offset: 0 }, line);
    if (read.ended !== null) {
      this.#endWith(read.ended);
      return;
    }
    this.done = true;
    if (read.value === undefined) return;
    const { counts, digest } = read.value as StreamTrailer;
    const wrong = LINE_NAMES.find((name) => counts[name] !== this.#counts[name]);
    if (this.#last === null) this.#end("FORMAT_SYNTAX_INVALID", ONE_HEADER);
    else if (wrong !== undefined) {
      const detail = `the trailer counts ${counts[wrong]} lines of ${wrong}, ${this.#counts[wrong]} came`;
      this.#endWith({ code: "FORMAT_VALUE_INVALID", pointer: `/trailer/counts/${wrong}`, detail });
    } else if (digest !== this.#digest.digest()) {
      const detail = "the lines before the trailer do not have its digest";
      this.#endWith({ code: "FORMAT_VALUE_INVALID", pointer: "/trailer/digest", detail });
    }
  }

  #end(code: FaultCode, detail: string): void {
    this.#endWith({ code, pointer: "", detail });
  }

  #endWith(fault: Fault): void {
    this.done = true;
    this.#pending ??= fault;
  }
}
