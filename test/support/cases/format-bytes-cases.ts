/** Check 1, FORMAT: size, text, syntax and numbers. */
import { concatBytes } from "../../../src/encoding/bytes.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import { testDigest } from "../keys.js";
import { casesFrom, type InvalidCase, replaceText, resigned } from "./invalid.js";

const entry = casesFrom("one-receipt");

const append = (more: Uint8Array) => (bytes: Uint8Array) => concatBytes(bytes, more);

/** Overwrites the bytes behind the first place of a text. */
function setBytesAfter(text: string, values: readonly number[]): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const wanted = encodeUtf8(text);
    const place = bytes.findIndex((_, index) => wanted.every((byte, step) => bytes[index + step] === byte));
    if (place < 0) throw new Error(`${text} is not in the bundle`);
    const changed = bytes.slice();
    changed.set(values, place + wanted.length);
    return changed;
  };
}

const SIZE: readonly InvalidCase[] = [
  entry(
    "FORMAT_TOO_LARGE",
    "over-the-policys-bytes",
    "",
    "The auditor bounds what is read at all, before any of it is looked at.",
    "The policy allows bundles of 1,000 bytes.",
    {
      side: [
        "trust",
        (trust) => {
          trust["limits"] = { max_bundle_bytes: 1_000 };
        },
      ],
    },
  ),
  entry(
    "FORMAT_TOO_LARGE",
    "over-the-policys-receipts",
    "/receipts",
    "The auditor bounds how many receipts are verified.",
    "The policy allows three receipts, the bundle holds four.",
    {
      parent: "fork-and-merge",
      side: [
        "trust",
        (trust) => {
          trust["limits"] = { max_receipts: 3 };
        },
      ],
    },
  ),
  entry(
    "FORMAT_TOO_LARGE",
    "nested-too-deep",
    "",
    "Arrays inside arrays without end would exhaust a reader that follows them.",
    "A policy document of 70 nested arrays was put into the bundle.",
    {
      bundle: (bundle) => {
        bundle["policies"] = ["DEEP"];
      },
      bytes: replaceText('"DEEP"', `{"a":${"[".repeat(70)}${"]".repeat(70)}}`),
    },
  ),
  entry(
    "FORMAT_TOO_LARGE",
    "too-many-parents",
    "/receipts/0/parent_receipt_digests",
    "A receipt has at most 64 parents; a wider merge is a tree of receipts.",
    "The receipt names 65 parents.",
    resigned("receipt:1", (receipt) => {
      receipt["parent_receipt_digests"] = Array.from({ length: 65 }, (_, i) =>
        testDigest(`parent ${i}`),
      ).sort();
    }),
  ),
];

const BYTES: readonly InvalidCase[] = [
  entry(
    "FORMAT_TEXT_INVALID",
    "byte-order-mark",
    "",
    "A byte order mark is no JSON, and some readers drop it silently: the same file would be two things.",
    "The three bytes EF BB BF were put before the bundle.",
    { bytes: (bytes) => concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), bytes) },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "bad-utf8",
    "",
    "Bytes that are no UTF-8 would be replaced by many readers, each in its way.",
    "One byte inside `mission_id` was set to FF.",
    { bytes: setBytesAfter('"mission_id":"', [0xff]) },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "lone-surrogate",
    "/mission_id",
    "Half of a surrogate pair is no character; writing it as UTF-8 is impossible, so no two readers hash it alike.",
    "`mission_id` of the bundle was set to the escape of a lone surrogate.",
    {
      bytes: replaceText(
        '"mission_id":"mission-7","namespace_id":"org.example","policies"',
        '"mission_id":"\\ud800","namespace_id":"org.example","policies"',
      ),
    },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "noncharacter",
    "/disclosures/0/value/json/command",
    "I-JSON (RFC 7493) forbids Unicode noncharacters, in free JSON as everywhere.",
    "U+FFFE was put into a disclosed text.",
    { parent: "disclosures", bytes: replaceText("make report", "make \\ufffe report") },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "noncharacter-in-cbor",
    "/receipts/0/mission_id",
    "The rules of the text hold in the compact form too.",
    "The first three bytes of the receipt's `mission_id` in the CBOR bundle were replaced by U+FFFE.",
    {
      parent: "one-receipt-cbor",
      bytes: setBytesAfter("jmission_idi", [0xef, 0xbf, 0xbe]),
    },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "trailing-bytes",
    "",
    "Nothing may follow the bundle: what follows would be unsigned and unread.",
    "`{}` was appended.",
    { bytes: append(encodeUtf8("{}")) },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "trailing-comma",
    "",
    "JSON has no trailing comma; a reader that forgives one forgives more.",
    "A comma was put behind the last target.",
    { bytes: replaceText('"]},', '",]},') },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "comment",
    "",
    "JSON has no comments.",
    "A comment was put before the first member.",
    { bytes: replaceText("{", "{/* checked */") },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "cbor-trailing-byte",
    "",
    "Nothing may follow the value in the compact form either.",
    "One byte 00 was appended.",
    { parent: "one-receipt-cbor", bytes: append(Uint8Array.of(0)) },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "cbor-indefinite-length",
    "",
    "Deterministic CBOR has one form for each value; an indefinite length is a second one.",
    "The outermost map was rewritten with an indefinite length and a break.",
    {
      parent: "one-receipt-cbor",
      bytes: (bytes) => concatBytes(Uint8Array.of(0xbf), bytes.subarray(1), Uint8Array.of(0xff)),
    },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "cbor-long-head",
    "",
    "A length that is not in its shortest form is a second spelling of the same bundle.",
    "The head of the outermost map was rewritten in two bytes.",
    {
      parent: "one-receipt-cbor",
      bytes: (bytes) => concatBytes(Uint8Array.of(0xb8, (bytes[0] ?? 0) & 0x1f), bytes.subarray(1)),
    },
  ),
  entry(
    "FORMAT_TRUNCATED",
    "json-cut",
    "",
    "A file that ends early may have lost anything.",
    "The last byte was cut off.",
    { bytes: (bytes) => bytes.subarray(0, -1) },
  ),
  entry(
    "FORMAT_TRUNCATED",
    "cbor-cut",
    "",
    "A file that ends early may have lost anything.",
    "The last 100 bytes were cut off.",
    { parent: "one-receipt-cbor", bytes: (bytes) => bytes.subarray(0, -100) },
  ),
  entry("FORMAT_TRUNCATED", "empty", "", "An empty file is no bundle.", "All bytes were cut off.", {
    bytes: () => new Uint8Array(0),
  }),
  entry(
    "FORMAT_DUPLICATE_MEMBER",
    "claim-twice",
    "/claim",
    "Of two members with one name, readers take the first or the last: the same file would make two claims.",
    "A second `claim` was put before the real one.",
    { bytes: replaceText('"claim":', '"claim":{"scope":"causal","targets":[]},"claim":') },
  ),
  entry(
    "FORMAT_DUPLICATE_MEMBER",
    "hidden-by-an-escape",
    "/receipts/0/tool",
    "Names are compared after unescaping, or a second `tool` could hide behind an escape.",
    "A member `\\u0074ool` was put before `tool` in the receipt.",
    { bytes: replaceText('"tool":', '"\\u0074ool":"file.read","tool":') },
  ),
];

const NUMBERS: readonly InvalidCase[] = [
  ["fraction", "1.0", "An integer has one spelling, digits only: `1.0` is the same value and another text."],
  ["exponent", "1e0", "An integer has one spelling, digits only: `1e0` is the same value and another text."],
  ["negative", "-1", "No integer of the protocol has a sign."],
  ["beyond-2-to-the-53", "9007199254740993", "Beyond 2^53-1 readers round, each to its own neighbour."],
].map(([name, text, why]) =>
  entry(
    "FORMAT_NUMBER_INVALID",
    name ?? "",
    "/receipts/0/sequence",
    why ?? "",
    `The receipt's \`sequence\` was written \`${text}\`.`,
    { bytes: replaceText('"sequence":1,', `"sequence":${text},`) },
  ),
);

const MORE_NUMBERS: readonly InvalidCase[] = [
  entry(
    "FORMAT_NUMBER_INVALID",
    "beyond-a-double",
    "/disclosures/0/value/json/nice",
    "In free JSON too a number must be one that every reader can hold.",
    "A disclosed number was written `1e400`.",
    { parent: "disclosures", bytes: replaceText('"nice":-1.5', '"nice":1e400') },
  ),
];

export const FORMAT_BYTES_CASES: readonly InvalidCase[] = [...SIZE, ...BYTES, ...NUMBERS, ...MORE_NUMBERS];
