/** Reading bytes. */
import { net, type Rule, rulesOf } from "../rule.js";

const reader = rulesOf("encoding/json-reader.ts");

export const READING_RULES: readonly Rule[] = [
  reader(
    "reading.1",
    "More bytes than allowed",
    "FORMAT_TOO_LARGE/over-the-policys-bytes",
    "if (bytes.length > limits.maxBytes) {",
    "if (false) {",
    { file: "encoding/json.ts" },
  ),
  reader(
    "reading.2",
    "Bytes that are not UTF-8",
    "FORMAT_TEXT_INVALID/bad-utf8-in-free-json",
    "fatal: true",
    "fatal: false",
    { file: "encoding/utf8.ts" },
  ),
  reader(
    "reading.2",
    "a byte order mark at the start",
    "FORMAT_TEXT_INVALID/byte-order-mark",
    "ignoreBOM: true",
    "ignoreBOM: false",
    { file: "encoding/utf8.ts" },
  ),
  reader(
    "reading.3",
    "Anything but white space behind the value",
    "FORMAT_SYNTAX_INVALID/trailing-bytes",
    "if (this.#at < this.#text.length) {",
    "if (false) {",
  ),
  reader(
    "reading.3",
    "Where the text deviates from the grammar",
    "FORMAT_SYNTAX_INVALID/trailing-comma",
    "this.#path[depth - 1] = array.length;",
    "if (this.#opensEmpty(ARRAY_CLOSE)) return array;\n      this.#path[depth - 1] = array.length;",
  ),
  reader(
    "reading.3",
    "Where the text deviates from the grammar",
    "FORMAT_SYNTAX_INVALID/trailing-comma-in-an-object",
    'if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#expected("a member name in quotes");',
    "if (this.#opensEmpty(OBJECT_CLOSE)) return object;",
  ),
  reader(
    "reading.3",
    "when the text ends where more must come",
    "FORMAT_TRUNCATED/json-cut",
    "if (code !== close && code !== COMMA) throw this.#expected(wanted);",
    "if (Number.isNaN(code)) return this.#path.pop() !== undefined;",
  ),
  reader(
    "reading.3",
    "nested deeper than 64",
    "FORMAT_TOO_LARGE/nested-65-deep",
    "if (this.#path.length >= this.#maxDepth) {",
    "if (false) {",
  ),
  reader(
    "reading.3",
    "when 8000000 values have begun before it",
    "FORMAT_TOO_LARGE/eight-million-and-some-values",
    "if (this.#values > this.#maxValues && this.#at < this.#text.length) {",
    "if (false) {",
    net(
      "INTERNAL_FAULT",
      "no canonical form is written of so many values, and a policy's digest is that of one",
    ),
  ),
  reader(
    "reading.4",
    "holds a lone surrogate",
    "FORMAT_TEXT_INVALID/lone-surrogate-in-a-proof",
    'this.#note("FORMAT_TEXT_INVALID", start, "a lone surrogate, which is no character");',
    "return;",
  ),
  reader(
    "reading.4",
    "a Unicode noncharacter",
    "FORMAT_TEXT_INVALID/noncharacter-in-a-proof",
    "else if (hasNoncharacter(text))",
    "else if (false)",
  ),
  reader(
    "reading.4",
    "is in the same object already",
    ["FORMAT_DUPLICATE_MEMBER/second-claim", "FORMAT_DUPLICATE_MEMBER/second-tool-behind-an-escape"],
    "if (repeated) this.#note(",
    "if (false) this.#note(",
  ),
  reader(
    "reading.4",
    "FORMAT_NUMBER_INVALID",
    "FORMAT_NUMBER_INVALID/exponent",
    "if (detail !== null) this.#note(",
    "if (false) this.#note(",
  ),
];
