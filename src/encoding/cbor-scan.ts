/**
 * Layer 1: one pass over CBOR bytes that decides whether they are the deterministic form of a JSON value
 * (docs/SPEC.md, "Compact binary form") before they are read. It makes no strings and reserves nothing
 * for a claimed length: a claim is held against the bytes that are left as soon as its head is read.
 *
 * It walks with a stack of its own, never deeper than the depth bound.
 */

import type { FaultCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import { floatWidth, halfValue } from "./cbor-float.js";
import { looksLikeHex, textFault } from "./cbor-text.js";
import type { JsonFault } from "./json-fault.js";
import { pointerOf } from "./pointer.js";
import { decodeUtf8 } from "./utf8.js";

/** Nesting of arrays and maps, the outermost counted as 1, and values in all; a member name is no value. */
export interface ScanLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** What the pass found. Empty `faults` means: this is deterministic CBOR of a JSON value, and nothing else. */
export interface CborScan {
  readonly faults: readonly JsonFault[];
  /** A byte string whose hex would be longer than any bundle, and so perhaps than any string. */
  readonly hasTooLongBytes: boolean;
}

/**
 * Checks all of `bytes`. Records the first fault of each kind. Text, number and repeated-name faults leave the
 * framing intact, so the pass goes on behind them; syntax, truncation, depth and number of values end it and have
 * pointer "". One item is judged in this order: that there is one, the number of values, its initial byte, the bytes
 * of its argument, their shortest form, depth, what it announces, its content.
 * Never throws. Does not check the size of `bytes`.
 */
export function scanCbor(bytes: Uint8Array, limits: ScanLimits): CborScan {
  const scanner = new Scanner(bytes, limits);
  try {
    scanner.run();
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop;
    scanner.faults.push(stop.fault);
  }
  const { faults, hasTooLongBytes } = scanner;
  return { faults, hasTooLongBytes };
}

/** Ends the pass; never leaves this file. */
class Stop {
  readonly fault: JsonFault;

  constructor(code: FaultCode, offset: number, detail: string) {
    this.fault = { code, pointer: "", offset, detail };
  }
}

/** An array or map whose members are being read. `begun` counts the members begun, `key` is the last name. */
interface Frame {
  readonly isMap: boolean;
  readonly count: number;
  begun: number;
  keyHead: number;
  keyContent: number;
  keyEnd: number;
}

const TEXT = 3;

class Scanner {
  readonly faults: JsonFault[] = [];
  hasTooLongBytes = false;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limits: ScanLimits;
  readonly #frames: Frame[] = [];
  #at = 0;
  /** Values begun. */
  #values = 0;

  constructor(bytes: Uint8Array, limits: ScanLimits) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
  }

  run(): void {
    this.#item();
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.begun === frame.count) {
        this.#frames.pop();
        continue;
      }
      frame.begun += 1;
      if (frame.isMap) this.#name(frame);
      this.#item();
    }
    if (this.#at < this.#bytes.length) {
      throw new Stop("FORMAT_SYNTAX_INVALID", this.#at, "bytes after the end of the value");
    }
  }

  #item(): void {
    const head = this.#at;
    const initial = this.#initialByte();
    this.#values += 1;
    if (this.#values > this.#limits.maxValues) {
      throw new Stop("FORMAT_TOO_LARGE", head, `more than ${this.#limits.maxValues} values`);
    }
    const info = initial & 0x1f;
    switch (initial >> 5) {
      case 0:
        this.#integer(head, this.#argument(head, info), Number.MAX_SAFE_INTEGER);
        break;
      case 1: // stands for -1 - argument
        this.#integer(head, this.#argument(head, info), Number.MAX_SAFE_INTEGER - 1);
        break;
      case 2:
        this.#byteString(head, info);
        break;
      case TEXT:
        this.#text(head, info);
        break;
      case 4:
        this.#open(head, info, false);
        break;
      case 5:
        this.#open(head, info, true);
        break;
      case 6:
        throw new Stop("FORMAT_SYNTAX_INVALID", head, "a tag, which this form does not have");
      default:
        this.#simpleOrFloat(head, info);
    }
  }

  #initialByte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined)
      throw new Stop("FORMAT_TRUNCATED", this.#at, "the input ends before its value does");
    this.#at += 1;
    return byte;
  }

  /** The argument of a head (RFC 8949 section 3) in its shortest form; above 2^53 it may come out rounded. */
  #argument(head: number, info: number): number {
    if (info < 24) return info;
    if (info > 27) {
      const what = info === 31 ? "an indefinite length" : "reserved additional information";
      throw new Stop("FORMAT_SYNTAX_INVALID", head, `${what}, which this form does not have`);
    }
    const size = 2 ** (info - 24);
    const at = this.#take(head, size);
    const value = this.#unsigned(at, size);
    const least = size === 1 ? 24 : 2 ** (size * 4);
    if (value < least)
      throw new Stop("FORMAT_SYNTAX_INVALID", head, "a head that is not in its shortest form");
    return value;
  }

  #unsigned(at: number, size: number): number {
    if (size === 1) return this.#view.getUint8(at);
    if (size === 2) return this.#view.getUint16(at);
    if (size === 4) return this.#view.getUint32(at);
    return this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
  }

  /** Steps over `size` bytes and gives where they begin. */
  #take(head: number, size: number): number {
    const at = this.#at;
    this.#at += this.#claim(head, size, 1);
    return at;
  }

  /** Gives back `count` if that many pieces of at least `least` bytes each can still follow. */
  #claim(head: number, count: number, least: number): number {
    if (count > (this.#bytes.length - this.#at) / least) {
      throw new Stop("FORMAT_TRUNCATED", head, "more is announced than the input has left");
    }
    return count;
  }

  #byteString(head: number, info: number): void {
    const length = this.#argument(head, info);
    this.#take(head, length);
    if (2 * length > LIMITS.maxBundleBytes - '"0x"'.length) this.hasTooLongBytes = true;
  }

  #integer(head: number, argument: number, most: number): void {
    if (argument > most) this.#record("FORMAT_NUMBER_INVALID", head, "an integer beyond 2^53-1");
  }

  #open(head: number, info: number, isMap: boolean): void {
    const count = this.#argument(head, info);
    if (this.#frames.length >= this.#limits.maxDepth) {
      throw new Stop("FORMAT_TOO_LARGE", head, `nested deeper than ${this.#limits.maxDepth}`);
    }
    this.#claim(head, count, isMap ? 2 : 1);
    this.#frames.push({ isMap, count, begun: 0, keyHead: 0, keyContent: 0, keyEnd: 0 });
  }

  #text(head: number, info: number): void {
    const content = this.#textContent(head, info);
    if (looksLikeHex(this.#bytes, content, this.#at)) {
      throw new Stop("FORMAT_SYNTAX_INVALID", head, "hex as a text, where a byte string belongs");
    }
    this.#checkText(head, content);
  }

  /** Reads the rest of a text head, steps over the content and gives where it began. */
  #textContent(head: number, info: number): number {
    const length = this.#argument(head, info);
    return this.#take(head, length);
  }

  #checkText(head: number, content: number): void {
    const fault = textFault(this.#bytes, content, this.#at);
    if (fault !== null) this.#record("FORMAT_TEXT_INVALID", head, `${fault} in a text`);
  }

  /** A member name: a text, and after the name before it in bytewise order (RFC 8949 section 4.2.1). */
  #name(frame: Frame): void {
    const head = this.#at;
    const initial = this.#initialByte();
    if (initial >> 5 !== TEXT) {
      throw new Stop("FORMAT_SYNTAX_INVALID", head, "a member name that is not a text");
    }
    const content = this.#textContent(head, initial & 0x1f);
    const order = frame.begun === 1 ? 1 : this.#compare(head, this.#at, frame.keyHead, frame.keyEnd);
    frame.keyHead = head;
    frame.keyContent = content;
    frame.keyEnd = this.#at;
    if (order < 0) throw new Stop("FORMAT_SYNTAX_INVALID", head, "a member name that is out of order");
    this.#checkText(head, content);
    if (order === 0) this.#record("FORMAT_DUPLICATE_MEMBER", head, "a member name that was there before");
  }

  /** Two encoded names; neither can be a prefix of the other, since each begins with its own length. */
  #compare(a: number, aEnd: number, b: number, bEnd: number): number {
    for (let step = 0; a + step < aEnd && b + step < bEnd; step++) {
      const difference = (this.#bytes[a + step] ?? 0) - (this.#bytes[b + step] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #simpleOrFloat(head: number, info: number): void {
    if (info >= 20 && info <= 22) return; // false, true, null
    if (info < 25 || info > 27) {
      throw new Stop("FORMAT_SYNTAX_INVALID", head, "a simple value that JSON does not have");
    }
    this.#float(head, info === 25 ? 2 : info === 26 ? 4 : 8);
  }

  #float(head: number, width: 2 | 4 | 8): void {
    const at = this.#take(head, width);
    const value =
      width === 2
        ? halfValue(this.#view.getUint16(at))
        : width === 4
          ? this.#view.getFloat32(at)
          : this.#view.getFloat64(at);
    if (!Number.isFinite(value) || Object.is(value, -0)) {
      this.#record("FORMAT_NUMBER_INVALID", head, "NaN, an infinity or negative zero");
    } else if (Number.isSafeInteger(value) || floatWidth(value) !== width) {
      throw new Stop("FORMAT_SYNTAX_INVALID", head, "a number that is not in its shortest form");
    }
  }

  #record(code: FaultCode, offset: number, detail: string): void {
    if (this.faults.some((fault) => fault.code === code)) return;
    this.faults.push({ code, pointer: this.#pointer(), offset, detail });
  }

  /** To the value or member being read. */
  #pointer(): string {
    const path: (string | number)[] = [];
    for (const frame of this.#frames) {
      const token = frame.isMap ? this.#decodedName(frame) : frame.begun - 1;
      if (token === null) break;
      path.push(token);
    }
    return pointerOf(path);
  }

  /** Null for bad UTF-8, and for a name too long to be worth decoding: a UTF-16 unit takes at most three bytes. */
  #decodedName(frame: Frame): string | null {
    if (frame.keyEnd - frame.keyContent > 3 * LIMITS.maxPointerTokenCharacters) return null;
    return decodeUtf8(this.#bytes.subarray(frame.keyContent, frame.keyEnd));
  }
}
