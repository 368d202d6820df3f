/**
 * Layer 1: the `cbor-x` decoder, on bytes that passed the scan, and never believed
 * (docs/decisions/cbor-x-as-transport.md).
 */

import { Decoder } from "cbor-x/decode-no-eval";
import { equalBytes } from "./bytes.js";
import type { MarkedText } from "./cbor-scan.js";
import { writeCbor } from "./cbor-write.js";
import { encodeHex } from "./hex.js";
import { emptyObject, type JsonValue } from "./json-value.js";
import { decodeUtf8 } from "./utf8.js";

/**
 * Maps come as Map, because as objects the name `__proto__` would come out changed; 64-bit integers come as
 * numbers, which the scan has bounded. The build without `new Function` is the one that a browser's content
 * security policy lets pass; its type declarations do not resolve, hence the shape written here.
 */
const transport: { decode(bytes: Uint8Array): unknown } = new Decoder({
  mapsAsObjects: false,
  useRecords: false,
  int64AsNumber: true,
});

/**
 * The value of `bytes`, which `scanCbor` found without fault and with these `markedTexts`. Undefined when the
 * decoder throws or gives anything that does not encode to the very same bytes. Never throws.
 */
export function decodeScanned(bytes: Uint8Array, markedTexts: readonly MarkedText[]): JsonValue | undefined {
  try {
    const marked = new Set(markedTexts.map((text) => text.content));
    const value = toJson(transport.decode(transportBytes(bytes, markedTexts)), marked);
    return equalBytes(writeCbor(value, bytes.length), bytes) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What the decoder gets. It drops a U+FEFF that begins a long text, so such a text is handed over as a byte
 * string (one bit of its head) and read by `toJson`. Always an array of our own: the decoder hangs a property on it.
 */
function transportBytes(bytes: Uint8Array, markedTexts: readonly MarkedText[]): Uint8Array {
  if (markedTexts.length === 0) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const copy = new Uint8Array(bytes);
  for (const { head } of markedTexts) copy[head] = (copy[head] ?? 0) ^ 0x20;
  return copy;
}

/** From what the decoder gave to our own value type. Recursive: the scan has bounded the depth. */
function toJson(value: unknown, marked: ReadonlySet<number>): JsonValue {
  if (
    value === null ||
    typeof value === "boolean" ||
    typeof value === "number" ||
    typeof value === "string"
  ) {
    return value;
  }
  if (value instanceof Uint8Array) {
    // A view into the bytes handed over, so its offset says whether it was one of the marked texts.
    return marked.has(value.byteOffset) ? text(value) : encodeHex(value);
  }
  if (Array.isArray(value)) {
    // In place: what an element was made from can be freed before the next is made.
    for (let index = 0; index < value.length; index++) value[index] = toJson(value[index], marked);
    return value;
  }
  if (!(value instanceof Map)) throw new TypeError("the decoder gave a value that JSON does not have");
  const object = emptyObject();
  for (const [name, member] of value) {
    object[name instanceof Uint8Array ? text(name) : String(name)] = toJson(member, marked);
  }
  return object;
}

function text(bytes: Uint8Array): string {
  const decoded = decodeUtf8(bytes);
  if (decoded === null) throw new TypeError("not the UTF-8 that the scan passed");
  return decoded;
}
