/** Values that a leaf is replaced by: boundaries of its kind, near misses, and spellings that no encoder writes. */
import { decodeEcdsaSignature, encodeEcdsaSignature } from "../../src/crypto/der.js";
import { P256_ORDER } from "../../src/crypto/p256.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";

/** Another value, or bytes that stand for none in one or both encodings. */
export type Replacement =
  | { readonly kind: string; readonly detail: string; readonly value: JsonValue }
  | {
      readonly kind: string;
      readonly detail: string;
      readonly json?: Uint8Array;
      readonly cbor?: Uint8Array;
    };

const bytesOf = (hex: string): Uint8Array => decodeHex(`0x${hex}`) ?? new Uint8Array();

/** A spelling that only this encoding has. */
const spelled = (detail: string, raw: { readonly json?: string; readonly cbor?: string }): Replacement => ({
  kind: "spelling",
  detail,
  ...(raw.json === undefined ? {} : { json: encodeUtf8(raw.json) }),
  ...(raw.cbor === undefined ? {} : { cbor: bytesOf(raw.cbor) }),
});

export function* numberChanges(value: number): Generator<Replacement> {
  const max = Number.MAX_SAFE_INTEGER;
  for (const other of [-1, 0, 1, value - 1, value + 1, value + 0.5, max, max - 1, 2 ** 31, 2 ** 32, 5e-324]) {
    yield { kind: "boundary", detail: String(other), value: other };
  }
  yield spelled("minus zero", { json: "-0", cbor: "f98000" });
  yield spelled("fraction of zero", { json: `${value}.0` });
  yield spelled("exponent", { json: `${value}e0` });
  yield spelled("leading zero", { json: `0${value}` });
  yield spelled("plus", { json: `+${value}` });
  yield spelled("hexadecimal", { json: `0x${value}` });
  yield spelled("bare fraction", { json: `.${value}` });
  yield spelled("2^53", { json: "9007199254740992", cbor: "1b0020000000000000" });
  yield spelled("2^64-1", { json: "18446744073709551615", cbor: "1bffffffffffffffff" });
  yield spelled("not a number", { json: "NaN", cbor: "f97e00" });
  yield spelled("infinity", { json: "1e400", cbor: "f97c00" });
  yield spelled("rounded", { json: "0.10000000000000001", cbor: "fb3fb999999999999a" });
  yield spelled("longer head", { cbor: `1b${value.toString(16).padStart(16, "0")}` });
  yield spelled("bignum", { cbor: "c24101" });
  yield spelled("undefined", { json: "undefined", cbor: "f7" });
}

/** Values of the closed enumerations: each is a good value elsewhere. */
const ENUMERATIONS: Readonly<Record<string, readonly string[]>> = {
  scope: ["session", "causal"],
  mode: ["complete", "inclusion"],
  status: ["completed", "failed", "denied", "interrupted"],
  kind: ["input", "output", "evidence"],
  closed_by: ["runtime", "agent"],
  signing_algorithm: ["ECDSA_P256", "ED25519"],
  digest_algorithm: ["SHA-256", "SHA-512"],
  canonicalization: ["RFC8785_JCS", "none"],
  protocol: ["OSA_PROOF_V2", "OSA_PROOF_V4"],
  type: [
    "ActionReceiptV3",
    "DelegationV1",
    "RuntimeKeyCertificateV1",
    "SessionCloseV1",
    "tlog",
    "opentimestamps",
    "rekor",
    "nitro",
    "sev_snp",
  ],
  tool: ["osa.denied", "osa.other", "*"],
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

export function* stringChanges(
  value: string,
  name: string,
  others: ReadonlySet<string>,
): Generator<Replacement> {
  const near: readonly (readonly [detail: string, value: string])[] = [
    ["empty", ""],
    ["space before", ` ${value}`],
    ["space behind", `${value} `],
    ["line feed behind", `${value}\n`],
    ["NUL behind", `${value}\u0000`],
    ["first character cut", value.slice(1)],
    ["last character cut", value.slice(0, -1)],
    ["upper case", value.toUpperCase()],
    ["combining mark", `${value}\u0301`],
    ["long", "x".repeat(1_100)],
  ];
  for (const [detail, other] of near) yield { kind: "boundary", detail, value: other };
  for (const other of ENUMERATIONS[name] ?? []) yield { kind: "boundary", detail: other, value: other };
  for (const other of [...others].filter((text) => text !== value).slice(0, 3)) {
    yield { kind: "boundary", detail: "value of a sibling", value: other };
  }
  if (TIME.test(value)) yield* timeChanges(value);
  const quoted = JSON.stringify(value);
  const [first = "x"] = value;
  const escaped = `\\u${first.charCodeAt(0).toString(16).padStart(4, "0")}`;
  yield spelled("escaped", { json: `"${escaped}${quoted.slice(first === quoted[1] ? 2 : 3)}` });
  yield spelled("lone surrogate", { json: `"\\ud800"`, cbor: "63eda080" });
  yield spelled("noncharacter", { json: `"\\uffff"`, cbor: "63efbfbf" });
  yield spelled("bad escape", { json: `"\\x"` });
  yield spelled("raw control character", { json: `"\u0001"` });
  yield spelled("single quotes", { json: "'text'" });
  yield spelled("never closed", { json: `"text`, cbor: "7b00000000ffffffff" });
  yield spelled("tagged", { cbor: "c06161" });
  yield spelled("indefinite", { cbor: "7f6161ff" });
  yield spelled("hex as text", { cbor: "6430783030" });
  yield spelled("longer head", { cbor: "780161" });
  yield {
    kind: "spelling",
    detail: "bad UTF-8",
    json: Uint8Array.of(0x22, 0xc3, 0x28, 0x22),
    cbor: bytesOf("62c328"),
  };
  yield {
    kind: "spelling",
    detail: "overlong",
    json: Uint8Array.of(0x22, 0xc0, 0xaf, 0x22),
    cbor: bytesOf("62c0af"),
  };
}

function* timeChanges(value: string): Generator<Replacement> {
  const milliseconds = Date.parse(value);
  const shifted = (by: number): string => new Date(milliseconds + by).toISOString();
  const spellings: readonly (readonly [detail: string, value: string])[] = [
    ["fraction", value.length === 20 ? value.replace("Z", ".000Z") : value.replace(/\.\d+Z/, "Z")],
    ["one digit", value.replace(/(\.\d+)?Z/, ".0Z")],
    ["offset", value.replace("Z", "+00:00")],
    ["no zone", value.replace("Z", "")],
    ["leap second", value.replace(/:\d\d(\.\d+)?Z/, ":60Z")],
    ["24 o'clock", value.replace(/T\d\d/, "T24")],
    ["30 February", value.replace(/-\d\d-\d\dT/, "-02-30T")],
    ["blank for T", value.replace("T", " ")],
    ["a millisecond later", shifted(1)],
    ["a second earlier", shifted(-1_000)],
    ["ten years later", shifted(315_576_000_000)],
    ["year 0", "0000-01-01T00:00:00Z"],
    ["year 9999", "9999-12-31T23:59:59Z"],
  ];
  for (const [detail, other] of spellings) yield { kind: "boundary", detail, value: other };
}

const HEX = /^0x([0-9a-f]{2})*$/;

/** Digests, salts, signatures, keys and documents. */
export function* hexChanges(value: string, name: string): Generator<Replacement> {
  const bytes = HEX.test(value) ? decodeHex(value) : null;
  if (bytes === null || value.length < 18) return;
  const changed = (detail: string, other: string): Replacement => ({
    kind: detail,
    detail: "",
    value: other,
  });
  for (const index of new Set([0, 1, bytes.length >> 1, bytes.length - 2, bytes.length - 1])) {
    const other = bytes.with(index, (bytes[index] ?? 0) ^ (index % 2 === 0 ? 0x01 : 0x80));
    yield { kind: "hex flipped", detail: `byte ${index}`, value: encodeHex(other) };
  }
  for (const kept of [bytes.length - 1, bytes.length >> 1, 1, 0]) {
    yield { kind: "hex truncated", detail: `to ${kept}`, value: encodeHex(bytes.subarray(0, kept)) };
  }
  yield { kind: "hex truncated", detail: "by a digit", value: value.slice(0, -1) };
  yield { kind: "hex extended", detail: "behind", value: `${value}00` };
  yield { kind: "hex extended", detail: "before", value: `0x00${value.slice(2)}` };
  yield { kind: "hex extended", detail: "by a digit", value: `${value}0` };
  yield changed("hex upper-cased", `0x${value.slice(2).toUpperCase()}`);
  yield changed("hex upper-cased", `0X${value.slice(2)}`);
  yield { kind: "hex replaced", detail: "without prefix", value: value.slice(2) };
  yield { kind: "hex replaced", detail: "zeros", value: `0x${"00".repeat(bytes.length)}` };
  yield { kind: "hex replaced", detail: "ones", value: `0x${"ff".repeat(bytes.length)}` };
  if (/signature$/.test(name)) yield* signatureChanges(bytes);
  if (/public_key$/.test(name)) yield* keyChanges(bytes);
}

function* signatureChanges(bytes: Uint8Array): Generator<Replacement> {
  const pair = decodeEcdsaSignature(bytes);
  if (pair === null) {
    // R ‖ S of Ed25519: S + L is the same scalar.
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = littleEndian(bytes.subarray(32)) + order;
    yield {
      kind: "signature respelled",
      detail: "S + L",
      value: encodeHex(Uint8Array.from([...bytes.subarray(0, 32), ...toLittleEndian(scalar)])),
    };
    return;
  }
  const { r, s } = pair;
  const respelled: readonly (readonly [string, Uint8Array])[] = [
    ["high S", encodeEcdsaSignature(r, P256_ORDER - s)],
    ["leading zero of r", leadingZero(bytes)],
    ["exchanged", encodeEcdsaSignature(s, r)],
    ["s of 1", encodeEcdsaSignature(r, 1n)],
  ];
  for (const [detail, other] of respelled) {
    yield { kind: "signature respelled", detail, value: encodeHex(other) };
  }
}

/** `30 len 02 len r …` with a needless 00 before r. */
function leadingZero(der: Uint8Array): Uint8Array {
  const [sequence = 0, length = 0, integer = 0, size = 0] = der;
  return Uint8Array.of(sequence, length + 1, integer, size + 1, 0, ...der.subarray(4));
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(encodeHex(bytes.toReversed()));
}

function toLittleEndian(value: bigint): Uint8Array {
  return (decodeHex(`0x${value.toString(16).padStart(64, "0")}`) ?? new Uint8Array()).toReversed();
}

const P256_PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;

function* keyChanges(bytes: Uint8Array): Generator<Replacement> {
  if (bytes.length !== 91) {
    yield {
      kind: "key respelled",
      detail: "sign bit",
      value: encodeHex(bytes.with(43, (bytes[43] ?? 0) ^ 0x80)),
    };
    return;
  }
  const y = BigInt(encodeHex(bytes.subarray(59)));
  const negated = (P256_PRIME - y).toString(16).padStart(64, "0");
  const start = encodeHex(bytes.subarray(0, 59));
  yield { kind: "key respelled", detail: "negated", value: `${start}${negated}` };
  const compressed = `0x3039301306072a8648ce3d020106082a8648ce3d030107032200${y % 2n === 0n ? "02" : "03"}`;
  yield {
    kind: "key respelled",
    detail: "compressed",
    value: compressed + encodeHex(bytes.subarray(27, 59)).slice(2),
  };
}
