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
  #buffer: Uint8Array;
  #view: DataView;
  #at = 0;
  /** Statements of one kind share their names: each is encoded once. */
  readonly #names = new Map<string, EncodedName>();

  constructor(expectedBytes: number) {
    this.#buffer = new Uint8Array(Math.max(expectedBytes, 64));
    this.#view = new DataView(this.#buffer.buffer);
  }

  /** A view of what has been written. */
  written(): Uint8Array {
    return this.#buffer.subarray(0, this.#at);
  }

  value(value: JsonValue): void {
    if (value === null) this.#byte(0xf6);
    else if (typeof value === "boolean") this.#byte(value ? 0xf5 : 0xf4);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "string") this.#string(value);
    else if (isArray(value)) {
      this.#head(ARRAY, value.length);
      for (const element of value) this.value(element);
    } else this.#object(value);
  }

  #number(value: number): void {
    // Negative zero is safe and not below zero, so it is written as the zero that it is in canonical JSON.
    if (Number.isSafeInteger(value)) this.#head(value < 0 ? 1 : 0, value < 0 ? -1 - value : value);
    else this.#float(value);
  }

  #float(value: number): void {
    const width = floatWidth(value);
    this.#reserve(9);
    const view = this.#view;
    const at = this.#at;
    view.setUint8(at, width === 2 ? 0xf9 : width === 4 ? 0xfa : 0xfb);
    if (width === 2) view.setUint16(at + 1, halfBits(value) ?? 0);
    else if (width === 4) view.setFloat32(at + 1, value);
    else view.setFloat64(at + 1, value);
    this.#at += 1 + width;
  }

  /** Hex is what this project writes bytes as, so hex texts, and only these, become byte strings. */
  #string(text: string): void {
    const bytes = decodeHex(text);
    if (bytes === null) this.#text(text);
    else {
      this.#head(BYTES, bytes.length);
      this.#append(bytes);
    }
  }

  #text(text: string): void {
    const bytes = encodeUtf8(text);
    this.#head(TEXT, bytes.length);
    this.#append(bytes);
  }

  #object(object: JsonObject): void {
    const names = Object.keys(object).map((name) => this.#encodedName(name));
    names.sort((a, b) => compareBytes(a.bytes, b.bytes));
    this.#head(MAP, names.length);
    for (const { name, bytes } of names) {
      this.#append(bytes);
      this.value(object[name] ?? null); // the name is the object's own, so null here is the member's value
    }
  }

  #encodedName(name: string): EncodedName {
    let encoded = this.#names.get(name);
    if (encoded === undefined) {
      const start = this.#at;
      this.#text(name);
      encoded = { name, bytes: this.#buffer.slice(start, this.#at) };
      this.#at = start;
      this.#names.set(name, encoded);
    }
    return encoded;
  }

  /** A head with its argument in the shortest form; `argument` is at most 2^53-1. */
  #head(major: number, argument: number): void {
    const initial = major << 5;
    if (argument < 24) {
      this.#byte(initial | argument);
      return;
    }
    const power = argument < 2 ** 8 ? 0 : argument < 2 ** 16 ? 1 : argument < 2 ** 32 ? 2 : 3;
    this.#byte(initial | (24 + power));
    for (let rest = 2 ** power - 1; rest >= 0; rest -= 1) this.#byte(Math.floor(argument / 2 ** (8 * rest)));
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#at] = byte;
    this.#at += 1;
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #reserve(size: number): void {
    const needed = this.#at + size;
    if (needed <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** `Array.isArray` alone does not narrow a readonly array. */
function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
