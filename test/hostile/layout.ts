/** Where each value of a bundle stands in its bytes, so that a change is a splice and not a new encoding. */
import type { BundleEncoding } from "../../src/bundle/codec.js";
import { compareBytes, concatBytes } from "../../src/encoding/bytes.js";
import { encodeCbor } from "../../src/encoding/cbor.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { appendPointer } from "../../src/encoding/pointer.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";

export interface Layout {
  readonly bytes: Uint8Array;
  /** First byte of each value and the byte behind it, by JSON Pointer. */
  readonly spans: ReadonlyMap<string, readonly [start: number, end: number]>;
}

export function encodeValue(value: JsonValue, encoding: BundleEncoding): Uint8Array {
  return encoding === "json" ? canonicalBytes(value) : encodeCbor(value);
}

/** A CBOR head in its shortest form, for counts below 65536. */
export function cborHead(major: number, count: number): Uint8Array {
  const type = major << 5;
  if (count < 24) return Uint8Array.of(type | count);
  return count < 256 ? Uint8Array.of(type | 24, count) : Uint8Array.of(type | 25, count >> 8, count & 0xff);
}

/** A member name, with the colon that follows it in JSON. */
export function encodeName(name: string, encoding: BundleEncoding): Uint8Array {
  const text = encodeUtf8(encoding === "json" ? `${JSON.stringify(name)}:` : name);
  return encoding === "json" ? text : concatBytes(cborHead(3, text.length), text);
}

export interface Member {
  readonly name: string;
  readonly value: Uint8Array;
}

/** An object of members that are encoded already, names repeated or not. */
export function encodeMembers(members: readonly Member[], encoding: BundleEncoding): Uint8Array {
  const parts = members.map(({ name, value }) => ({ name: encodeName(name, encoding), value }));
  if (encoding === "cbor") {
    const ordered = parts.toSorted((a, b) => compareBytes(a.name, b.name));
    return concatBytes(cborHead(5, parts.length), ...ordered.flatMap(({ name, value }) => [name, value]));
  }
  const comma = encodeUtf8(",");
  const listed = parts.flatMap(({ name, value }, index) =>
    index === 0 ? [name, value] : [comma, name, value],
  );
  return concatBytes(encodeUtf8("{"), ...listed, encodeUtf8("}"));
}

export function layOut(root: JsonValue, encoding: BundleEncoding): Layout {
  const spans = new Map<string, readonly [number, number]>();
  const parts: Uint8Array[] = [];
  let length = 0;
  const put = (bytes: Uint8Array): void => {
    parts.push(bytes);
    length += bytes.length;
  };
  const json = encoding === "json";
  const punctuation = (text: string): void => {
    if (json) put(encodeUtf8(text));
  };
  const write = (value: JsonValue, pointer: string): void => {
    const start = length;
    if (typeof value !== "object" || value === null) {
      put(encodeValue(value, encoding));
    } else if (isArray(value)) {
      put(json ? encodeUtf8("[") : cborHead(4, value.length));
      for (const [index, item] of value.entries()) {
        if (index > 0) punctuation(",");
        write(item, appendPointer(pointer, index));
      }
      punctuation("]");
    } else {
      const names = Object.keys(value)
        .map((name) => ({ name, bytes: encodeName(name, encoding) }))
        .toSorted((a, b) => (json ? (a.name < b.name ? -1 : 1) : compareBytes(a.bytes, b.bytes)));
      put(json ? encodeUtf8("{") : cborHead(5, names.length));
      for (const [index, { name, bytes }] of names.entries()) {
        if (index > 0) punctuation(",");
        put(bytes);
        write(value[name] ?? null, appendPointer(pointer, name));
      }
      punctuation("}");
    }
    spans.set(pointer, [start, length]);
  };
  write(root, "");
  return { bytes: concatBytes(...parts), spans };
}

export function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The layout's bytes with others in the place of one value. */
export function splice(layout: Layout, pointer: string, bytes: Uint8Array): Uint8Array {
  const span = layout.spans.get(pointer);
  if (span === undefined) throw new Error(`no value at ${pointer}`);
  return concatBytes(layout.bytes.subarray(0, span[0]), bytes, layout.bytes.subarray(span[1]));
}
