/** Fuzz targets of layer 1: JSON, CBOR, hex, base64 and time, each held against a second reader. */
import { decodeBase64, encodeBase64 } from "../../src/encoding/base64.js";
import { equalBytes } from "../../src/encoding/bytes.js";
import { encodeCbor, parseCbor } from "../../src/encoding/cbor.js";
import { decodeHex, encodeHex, isHex } from "../../src/encoding/hex.js";
import { canonicalBytes, canonicalJson } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { formatTime, parseTime } from "../../src/encoding/time.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { referenceCbor } from "../encoding/cbor-reference.js";
import { referenceJcs } from "../encoding/reference-jcs.js";
import { type FuzzTarget, hold, textTarget } from "./target.js";

const limits = { maxBytes: 65_536, maxDepth: LIMITS.maxDepth } as const;
const strict = { ...limits, exactNumbers: true, isFreeNumber: () => false } as const;

/** What `JSON.parse` makes of the text; undefined when it refuses. */
function platformJson(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function runJson(input: Uint8Array): void {
  const { value, faults } = parseJson(input, limits);
  hold((value !== undefined || faults.length > 0) === true, "neither a value nor a fault");
  const closed = parseJson(input, strict);
  hold(faults.length === 0 || closed.faults.length > 0, "more options accept more");
  const text = decodeUtf8(input);
  const codes = faults.map(({ code }) => code);
  if (text === null || text.startsWith("\ufeff")) {
    hold(codes.join() === "FORMAT_TEXT_INVALID", "bad UTF-8 or a byte order mark is accepted");
    return;
  }
  if (codes.includes("FORMAT_TOO_LARGE")) return;
  const other = platformJson(text);
  const refused = codes.includes("FORMAT_SYNTAX_INVALID") || codes.includes("FORMAT_TRUNCATED");
  hold(refused === (other === undefined), "the platform disagrees on what is JSON");
  if (faults.length > 0 || value === undefined || other === undefined) return;
  const canonical = canonicalJson(value);
  hold(canonical === canonicalJson(other.value), "the platform reads another value");
  hold(canonical === referenceJcs(value), "the slow writer gives another text");
  // A fraction may be an integer beyond 2^53-1 in its canonical form, which readers refuse.
  const again = parseJson(encodeUtf8(canonical), limits);
  hold(
    again.value === undefined || canonicalJson(again.value) === canonical,
    "canonical text is no fixed point",
  );
  if (closed.faults.length > 0 || closed.value === undefined) return;
  const cbor = parseCbor(encodeCbor(closed.value), limits);
  hold(cbor.value !== undefined && canonicalJson(cbor.value) === canonical, "CBOR loses the value");
}

function runCbor(input: Uint8Array): void {
  const { value, faults } = parseCbor(input, limits);
  hold((value === undefined) === faults.length > 0, "a value with faults, or neither");
  if (value === undefined) return;
  hold(equalBytes(encodeCbor(value), input), "accepted, and encodes to other bytes");
  hold(Buffer.from(referenceCbor(value)).equals(input), "the slow writer gives other bytes");
  const text = parseJson(canonicalBytes(value), limits);
  hold(text.value === undefined || equalBytes(encodeCbor(text.value), input), "JSON text loses the value");
}

const ISO_SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

function runTime(text: string): void {
  const ms = parseTime(text);
  const shaped = ISO_SHAPE.test(text) && text.length <= 24;
  const platform = shaped ? Date.parse(text) : Number.NaN;
  const padded = text.length === 20 ? `${text.slice(0, 19)}.000Z` : text;
  const isReal = !Number.isNaN(platform) && new Date(platform).toISOString() === padded;
  hold((ms !== null) === isReal, "the platform disagrees on what is a time");
  if (ms === null) return;
  hold(ms === platform, "the platform reads another instant");
  hold(parseTime(formatTime(ms)) === ms, "the instant does not come back");
}

function runHex(text: string): void {
  const bytes = decodeHex(text);
  hold(isHex(text) === (bytes !== null), "two answers to one question");
  hold((bytes !== null) === /^0x(?:[0-9a-f]{2})*$/.test(text), "the expression disagrees");
  if (bytes !== null) hold(encodeHex(bytes) === text, "another text comes back");
  const own = encodeUtf8(text);
  hold(equalBytes(decodeHex(encodeHex(own)) ?? new Uint8Array(), own), "bytes do not come back");
}

function runBase64(text: string): void {
  const bytes = decodeBase64(text);
  const platform = Buffer.from(text, "base64");
  hold((bytes !== null) === (platform.toString("base64") === text), "the platform disagrees");
  if (bytes !== null) hold(platform.equals(bytes) && encodeBase64(bytes) === text, "another text comes back");
  const own = encodeUtf8(text);
  const back = decodeBase64(encodeBase64(own));
  hold(back !== null && equalBytes(back, own), "bytes do not come back");
}

const JSON_SEEDS: readonly string[] = [
  '{"a":[1,-2.5e3,"x\\u00e9\\ud83d\\ude00\\n",true,false,null],"b":{"0xab":"0x00ff","":[]}}',
  " [ 0 , 0.1 , 9007199254740991 , 1E+2 , 5e-324 ]\r\n\t",
  '{"__proto__":{"toJSON":1},"constructor":"é😀"}',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
];

export const ENCODING_TARGETS: readonly FuzzTarget[] = [
  {
    name: "json",
    seeds: async () => JSON_SEEDS.map(encodeUtf8),
    tokens: [
      ...[
        '{"a":',
        "[",
        "]",
        "}",
        ",",
        ":",
        '"',
        "null",
        "true",
        "false",
        "\\ud83d\\ude00",
        "\\ud800",
        "\\uffff",
      ],
      ...[
        "\\u0061",
        "-0",
        "1e400",
        "9007199254740993",
        "1e-400",
        "0.1",
        "\ufeff",
        "\ufffe",
        "\u{1ffff}",
        '"a":1,',
      ],
      Uint8Array.of(0xed, 0xa0, 0x80),
    ],
    maxBytes: 2_048,
    run: runJson,
  },
  {
    name: "cbor",
    seeds: async () =>
      JSON_SEEDS.map((text) => encodeCbor(JSON.parse(text))).concat(
        encodeCbor(["0x", "0x00", `0x${"ab".repeat(300)}`, "x".repeat(300), 1.5, 1e300, 65_504, -(2 ** 40)]),
      ),
    tokens: [
      ...[0xa1, 0x9f, 0xbf, 0xff, 0x5f, 0x7f, 0xc0, 0xf4, 0xf6, 0xf7, 0x80, 0x60, 0x40].map((byte) =>
        Uint8Array.of(byte),
      ),
      ...[
        "f90000",
        "f97e00",
        "f98000",
        "fa00000000",
        "fb7ff0000000000000",
        "fb3ff199999999999a",
        "1b0020000000000000",
      ].map((hex) => Buffer.from(hex, "hex")),
      ...[
        "1b001fffffffffffff",
        "3b001fffffffffffff",
        "7bffffffffffffffff",
        "9affffffff",
        "d9d9f7",
        "62c3a9",
        "63efbfbf",
      ].map((hex) => Buffer.from(hex, "hex")),
    ],
    maxBytes: 2_048,
    run: runCbor,
  },
  textTarget({
    name: "time",
    seeds: () => ["2026-11-02T09:00:00Z", "0000-02-29T23:59:59.999Z", "9999-12-31T00:00:00.000Z"],
    tokens: ["T", "Z", ".000", "+00:00", ":60", "24:00:00", "02-29", "1900", "2000", "-", "\u0660", "z", "t"],
    maxBytes: 64,
    run: runTime,
  }),
  textTarget({
    name: "hex",
    seeds: () => ["0x", "0x00ff", `0x${"0123456789abcdef".repeat(5)}`],
    tokens: ["0x", "0X", "A", "g", "\u0130", " "],
    maxBytes: 512,
    run: runHex,
  }),
  textTarget({
    name: "base64",
    seeds: () => ["", "AA==", "AAA=", "AAAA", "+/+/+/8="],
    tokens: ["=", "==", "-", "_", "\n", " ", "AB==", "AAB="],
    maxBytes: 512,
    run: runBase64,
  }),
];
