/** The short way to a receipt answers only where the long way gives the same without a fault. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import { parseJson, type Recogniser } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { canonicalStatement, canonicalText } from "../../src/statements/canonical.js";
import { type ActionReceiptV3, actionReceipt } from "../../src/statements/receipt.js";
import { ReceiptReader } from "../../src/statements/receipt-reader.js";
import { Faults } from "../../src/statements/schema.js";

const digest = (text: string): string => sha256Hex(encodeUtf8(text));

const receipt: ActionReceiptV3 = {
  protocol: "OSA_PROOF_V3",
  receipt_id: "r-1",
  namespace_id: "acme",
  agent_id: "@ai:acme.example/clerk",
  runtime_id: "rt",
  runtime_key_id: "key",
  session_id: "s",
  mission_id: "m",
  action_id: "a-1",
  sequence: 12,
  parent_receipt_digests: [digest("p"), digest("q")],
  delegation_digest: digest("d"),
  policy_digest: digest("p"),
  tool: "shell",
  input_commitment: digest("i"),
  output_commitment: digest("o"),
  evidence_merkle_root: digest(""),
  issued_at: "2026-01-01T00:00:00.250Z",
  digest_algorithm: "SHA-256",
  canonicalization: "RFC8785_JCS",
  signing_algorithm: "ECDSA_P256",
  signature: `0x${"ab".repeat(70)}`,
};

/** What the long way makes of a text: the statement, or null after any fault. */
function longWay(text: string): ActionReceiptV3 | null {
  const { value, faults } = parseJson(encodeUtf8(text), {
    maxBytes: 100_000,
    maxDepth: LIMITS.maxDepth,
    isFreeNumber: () => false,
    exactNumbers: true,
  });
  if (value === undefined || faults.length > 0) return null;
  return actionReceipt.decode(value, "", new Faults()) ?? null;
}

/** Holds both ways together on one text; true when the short way read it. */
function agrees(text: string): boolean {
  const read = new ReceiptReader(text).read(0);
  if (read === null) return false;
  const whole = text.slice(read.start, read.end);
  const statement = longWay(whole);
  expect(statement, text).not.toBeNull();
  expect(read.statement).toEqual(statement);
  expect(Object.getPrototypeOf(read.statement)).toBe(Object.getPrototypeOf(statement));
  expect(Object.keys(read.statement)).toEqual(Object.keys(receipt).sort());
  expect(canonicalText(read.statement)).toBe(whole);
  const { signedBytes } = canonicalStatement(read.statement);
  const signed = text.slice(read.start, read.signatureStart) + text.slice(read.signatureEnd, read.end);
  expect(encodeUtf8(signed)).toEqual(signedBytes);
  expect(read.values).toBe(23 + read.statement.parent_receipt_digests.length);
  return true;
}

describe("the short way to a receipt", () => {
  it("reads canonical text, wherever it stands, one receipt after another", () => {
    const [first, second] = [canonicalText(receipt), canonicalText({ ...receipt, sequence: 13, tool: "x" })];
    const reader = new ReceiptReader(`[${first},${second}]`);
    const read = reader.read(1);
    expect(read).toMatchObject({ statement: receipt, start: 1, end: 1 + first.length });
    expect(reader.read(2 + first.length)).toMatchObject({ statement: { sequence: 13, tool: "x" } });
    expect(reader.read(0)).toBeNull();
    expect(reader.read(first.length + second.length + 3)).toBeNull();
    expect(agrees(first)).toBe(true);
  });

  it("does not carry a text over to a receipt that has another", () => {
    const variants = Object.keys(receipt).flatMap((name) => {
      const value = receipt[name as keyof ActionReceiptV3];
      return typeof value === "string" && /^0x|_id$|^tool$/.test(`${value.slice(0, 2)}${name}`)
        ? [{ ...receipt, [name]: value.replace(/[a-z0-9]$/, (last) => (last === "b" ? "c" : "b")) }]
        : [];
    });
    expect(variants.length).toBeGreaterThan(12);
    const all = [receipt, ...variants.flatMap((variant) => [variant as ActionReceiptV3, receipt])];
    const texts = all.map((one) => canonicalText(one));
    const reader = new ReceiptReader(texts.join(""));
    let at = 0;
    for (const [index, text] of texts.entries()) {
      expect(reader.read(at)?.statement).toEqual(all[index]);
      at += text.length;
    }
  });

  it("reads no text that only begins like the one before it, and is not closed", () => {
    const text = canonicalText(receipt);
    const reader = (second: string): number | undefined => {
      const both = new ReceiptReader(text + second);
      expect(both.read(0)?.statement).toEqual(receipt);
      return both.read(text.length)?.end;
    };
    expect(reader(text)).toBe(2 * text.length);
    const values = Object.values(receipt).filter((value) => typeof value === "string");
    expect(values.length).toBeGreaterThan(15);
    for (const value of values) {
      const open = text.replace(`"${value}"`, `"${value}x`);
      expect(open).not.toBe(text);
      expect(reader(open), value).toBeUndefined();
    }
  });

  it("has nothing to compare the first text with", () => {
    const named = { ...receipt, session_id: "undefined", tool: "undefined" };
    expect(agrees(canonicalText(named))).toBe(true);
  });

  it("agrees with the long way after any change of one character", () => {
    const text = canonicalText(receipt);
    const changes = [
      ["", 1],
      ["0", 1],
      [" ", 1],
      ['"', 1],
      ["\\", 1],
      ["0", 0],
      [",", 0],
    ] as const;
    let read = 0;
    let count = 0;
    for (let at = 0; at < text.length; at += 1) {
      for (const [put, skip] of changes) {
        count += 1;
        if (agrees(text.slice(0, at) + put + text.slice(at + skip))) read += 1;
      }
    }
    // Many changes only change a value; most break the form.
    expect(read).toBeGreaterThan(500);
    expect(read).toBeLessThan(count / 2);
  });

  it("agrees with the long way on any values of the members", () => {
    const odd = fc.oneof(
      fc.constantFrom(
        "",
        " ",
        '"',
        "\\",
        "a b",
        "é",
        "\u0000",
        "0x",
        "osa.x",
        "*",
        "a".repeat(128),
        "a".repeat(129),
      ),
      fc.constantFrom(1.5, -1, 0, 1e21, 2 ** 53, 2 ** 53 - 1, null, true),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.string({ minLength: 1, maxLength: 130 }),
      fc.array(fc.constantFrom(digest("x"), digest("y"), "0x00"), { maxLength: 70 }),
      fc.constant({}),
    );
    const names = Object.keys(receipt);
    fc.assert(
      fc.property(fc.constantFrom(...names), odd, (name, value) => {
        const text = JSON.stringify({ ...receipt, [name]: value }, names.sort());
        const read = agrees(text);
        // What the long way accepts in canonical form is read the short way too, or the bench would measure another.
        const statement = longWay(text);
        if (statement !== null && canonicalText(statement) === text && !/\\/.test(text))
          expect(read).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["members in another order", JSON.stringify(receipt)],
    ["a space", canonicalText(receipt).replace(",", ", ")],
    ["a repeated member", canonicalText(receipt).replace('"action_id"', '"action_id":"a-1","action_id"')],
    ["a repeated parent", canonicalText({ ...receipt, parent_receipt_digests: [digest("p"), digest("p")] })],
    ["a leading zero", canonicalText(receipt).replace(":12,", ":012,")],
    ["an exponent", canonicalText(receipt).replace(":12,", ":12e0,")],
    ["no digits", canonicalText(receipt).replace(":12,", ":,")],
    ["an escape", canonicalText(receipt).replace("r-1", "\\u0072-1")],
    ["its end cut off", canonicalText(receipt).slice(0, -1)],
    ["nothing", ""],
  ])("leaves %s to the long way", (_, text) => {
    expect(new ReceiptReader(text).read(0)).toBeNull();
  });

  it("takes 64 parents and no 65th, and none", () => {
    const parents = Array.from({ length: 65 }, (_, index) => digest(`${index}`));
    for (const count of [0, 1, 64, 65]) {
      const text = canonicalText({ ...receipt, parent_receipt_digests: parents.slice(0, count) });
      expect(agrees(text)).toBe(count <= 64);
    }
  });

  it("counts the values that it reads, up to the same limit", () => {
    const text = `{"receipts":[${canonicalText(receipt)},${canonicalText(receipt)}],"x":[1,2]}`;
    const recogniser: Recogniser = (whole) => {
      const reader = new ReceiptReader(whole);
      return (path, at) => {
        const read = path.length === 2 && path[0] === "receipts" ? reader.read(at) : null;
        return read && { ...read, value: read.statement as unknown as JsonValue };
      };
    };
    for (let maxValues = 1; maxValues < 70; maxValues += 1) {
      const limits = { maxBytes: 100_000, maxDepth: LIMITS.maxDepth, maxValues };
      const long = parseJson(encodeUtf8(text), limits);
      expect(parseJson(encodeUtf8(text), { ...limits, recogniser }), `${maxValues}`).toEqual(long);
      expect(long.faults.length).toBe(maxValues < 55 ? 1 : 0);
    }
  });
});
