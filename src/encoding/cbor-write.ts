/**
 * Layer 1: the one deterministic CBOR form of a JSON value (docs/SPEC.md, "Compact binary form"; RFC 8949
 * section 4.2.1). It shares nothing with the reader, which is believed only when its value comes out here as the bytes
 * that went in (docs/decisions/own-cbor-reader.md).
 */

import { compareBytes } from "./bytes.js";
import { floatWidth, halfBits } from "./cbor-float.js";
import { decodeHex } from "./hex.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { encodeUtf8 } from "./utf8.js";

/**
 * The bytes of `value`; negative zero is written as zero. `expectedBytes` only sizes the first buffer.
 * Recursive and does not check that `value` is a JsonValue: the caller has, with its depth.
 */
export function writeCbor(value: JsonValue, expectedBytes: number): Uint8Array {
  const writer = new Writer(expectedBytes);
  writer.value(value);
  return writer.written();
}

const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;

/** A member name with its encoding, head included: what members are sorted by. */
interface EncodedName {
  readonly name: string;
  readonly bytes: Uint8Array;
}

class Writer {
  private buffer: Uint8Array;
  private view: DataView;
  private at = 0;
  /** Statements of one kind share their names: each is encoded once. */
  private readonly names = new Map<string, EncodedName>();

  constructor(expectedBytes: number) {
    this.buffer = new Uint8Array(Math.max(expectedBytes, 64));
    this.view = new DataView(this.buffer.buffer);
  }

  /** A view of what has been written. */
  written(): Uint8Array {
    return this.buffer.subarray(0, this.at);
  }

  value(value: JsonValue): void {
    if (value === null) this.byte(0xf6);
    else if (typeof value === "boolean") this.byte(value ? 0xf5 : 0xf4);
    else if (typeof value === "number") this.number(value);
    else if (typeof value === "string") this.string(value);
    else if (isArray(value)) {
      this.head(ARRAY, value.length);
      for (const element of value) this.value(element);
    } else this.object(value);
  }

  private number(value: number): void {
    // Negative zero is safe and not below zero, so it is written as the zero that it is in canonical JSON.
    if (Number.isSafeInteger(value)) this.head(value < 0 ? 1 : 0, value < 0 ? -1 - value : value);
    else this.float(value);
  }

  private float(value: number): void {
    const width = floatWidth(value);
    this.reserve(9);
    if (width === 2) {
      this.view.setUint8(this.at, 0xf9);
      this.view.setUint16(this.at + 1, halfBits(value) ?? 0);
    } else if (width === 4) {
      this.view.setUint8(this.at, 0xfa);
      this.view.setFloat32(this.at + 1, value);
    } else {
      this.view.setUint8(this.at, 0xfb);
      this.view.setFloat64(this.at + 1, value);
    }
    this.at += 1 + width;
  }

  /** Hex is what this project writes bytes as, so hex texts, and only these, become byte strings. */
  private string(text: string): void {
    const bytes = decodeHex(text);
    if (bytes === null) this.text(text);
    else {
      this.head(BYTES, bytes.length);
      this.append(bytes);
    }
  }

  private text(text: string): void {
    const bytes = encodeUtf8(text);
    this.head(TEXT, bytes.length);
    this.append(bytes);
  }

  private object(object: JsonObject): void {
    const names = Object.keys(object).map((name) => this.encodedName(name));
    names.sort((a, b) => compareBytes(a.bytes, b.bytes));
    this.head(MAP, names.length);
    for (const { name, bytes } of names) {
      this.append(bytes);
      this.value(object[name] ?? null); // the name is the object's own, so null here is the member's value
    }
  }

  private encodedName(name: string): EncodedName {
    let encoded = this.names.get(name);
    if (encoded === undefined) {
      const start = this.at;
      this.text(name);
      encoded = { name, bytes: this.buffer.slice(start, this.at) };
      this.at = start;
      this.names.set(name, encoded);
    }
    return encoded;
  }

  /** A head with its argument in the shortest form; `argument` is at most 2^53-1. */
  private head(major: number, argument: number): void {
    this.reserve(9);
    const initial = major << 5;
    if (argument < 24) {
      this.view.setUint8(this.at, initial | argument);
      this.at += 1;
    } else if (argument < 2 ** 8) {
      this.view.setUint8(this.at, initial | 24);
      this.view.setUint8(this.at + 1, argument);
      this.at += 2;
    } else if (argument < 2 ** 16) {
      this.view.setUint8(this.at, initial | 25);
      this.view.setUint16(this.at + 1, argument);
      this.at += 3;
    } else if (argument < 2 ** 32) {
      this.view.setUint8(this.at, initial | 26);
      this.view.setUint32(this.at + 1, argument);
      this.at += 5;
    } else {
      this.view.setUint8(this.at, initial | 27);
      this.view.setUint32(this.at + 1, Math.floor(argument / 2 ** 32));
      this.view.setUint32(this.at + 5, argument % 2 ** 32);
      this.at += 9;
    }
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.at] = byte;
    this.at += 1;
  }

  private append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  private reserve(size: number): void {
    const needed = this.at + size;
    if (needed <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
    this.view = new DataView(larger.buffer);
  }
}

/** `Array.isArray` alone does not narrow a readonly array. */
function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
