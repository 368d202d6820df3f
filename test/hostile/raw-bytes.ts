/** Changes of the bytes as they stand, whatever they mean. */
import { concatBytes } from "../../src/encoding/bytes.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";

export interface RawChange {
  readonly kind: string;
  readonly detail: string;
  readonly bytes: Uint8Array;
}

const AROUND: readonly (readonly [detail: string, bytes: Uint8Array])[] = [
  ["space", encodeUtf8(" ")],
  ["line feed", encodeUtf8("\n")],
  ["carriage return and tab", encodeUtf8("\r\t")],
  ["vertical tab", Uint8Array.of(0x0b)],
  ["NUL", Uint8Array.of(0)],
  ["byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf)],
  ["no-break space", Uint8Array.of(0xc2, 0xa0)],
  ["comma", encodeUtf8(",")],
  ["comment", encodeUtf8("/**/")],
  ["object", encodeUtf8("{}")],
  ["CBOR map", Uint8Array.of(0xa0)],
  ["CBOR tag 55799", Uint8Array.of(0xd9, 0xd9, 0xf7)],
  ["CBOR break", Uint8Array.of(0xff)],
  ["UTF-16 mark", Uint8Array.of(0xff, 0xfe)],
  ["gzip", Uint8Array.of(0x1f, 0x8b, 0x08)],
];

export function* rawChangesOf(bytes: Uint8Array): Generator<RawChange> {
  for (let length = 0; length < bytes.length; length += 64) {
    yield { kind: "bytes cut", detail: `to ${length}`, bytes: bytes.subarray(0, length) };
    if (length > 0) yield { kind: "bytes cut", detail: `first ${length}`, bytes: bytes.subarray(length) };
    const end = Math.min(length + 64, bytes.length);
    const hole = concatBytes(bytes.subarray(0, length), bytes.subarray(end));
    yield { kind: "bytes cut", detail: `${length} to ${end}`, bytes: hole };
    const byte = bytes[length] ?? 0;
    for (const bit of [0x01, 0x20, 0x80]) {
      yield { kind: "bytes flipped", detail: `${length} by ${bit}`, bytes: bytes.with(length, byte ^ bit) };
    }
  }
  yield { kind: "bytes cut", detail: "the last", bytes: bytes.subarray(0, -1) };
  yield { kind: "bytes suffixed", detail: "itself", bytes: concatBytes(bytes, bytes) };
  for (const [detail, other] of AROUND) {
    yield { kind: "bytes prefixed", detail, bytes: concatBytes(other, bytes) };
    yield { kind: "bytes suffixed", detail, bytes: concatBytes(bytes, other) };
  }
}
