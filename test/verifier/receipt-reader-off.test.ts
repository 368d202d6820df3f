/** No verdict, code, pointer or message depends on how a receipt was read. */
import { describe, expect, it, vi } from "vitest";
import { parseEither } from "../../src/bundle/codec.js";
import { ReceiptSource } from "../../src/bundle/receipt-source.js";
import { ReceiptSource as ByValue } from "../../src/bundle/receipts-by-value.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { ActionReceiptV3 } from "../../src/statements/receipt.js";
import { ReceiptReader } from "../../src/statements/receipt-reader.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { loadInvalid, VALID } from "../hostile/fixtures.js";

const all = [...VALID, ...loadInvalid()];
const original = ReceiptReader.prototype.read;
let isOff = false;
let read = 0;
vi.spyOn(ReceiptReader.prototype, "read").mockImplementation(function (this: ReceiptReader, start) {
  const found = isOff ? null : original.call(this, start);
  if (found !== null) read += 1;
  return found;
});

describe("with the short way to receipts switched off", () => {
  it("every fixture has the same report", () => {
    for (const { name, bundle, trust, options } of all) {
      isOff = false;
      const report = verifyBundle(bundle, trust as Uint8Array, options);
      isOff = true;
      expect(verifyBundle(bundle, trust as Uint8Array, options), name).toEqual(report);
    }
    isOff = false;
    // Otherwise the test would compare the long way with itself.
    expect(read).toBeGreaterThan(all.length);
  });

  it("a bundle in memory that threads share has the same report", () => {
    for (const { name, value, trust, options } of VALID) {
      if (value === null) continue;
      const bytes = canonicalBytes(value);
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
      shared.set(bytes);
      const report = verifyBundle(bytes, trust as Uint8Array, options);
      expect(verifyBundle(shared, trust as Uint8Array, options), name).toEqual(report);
    }
  });
});

describe("receipts by value, as a page gets them", () => {
  it("have the digests and signed bytes of receipts in a text", () => {
    let compared = 0;
    for (const { bundle } of VALID) {
      const { value, readings } = parseEither(bundle, 1_000_000);
      const { receipts } = value as unknown as { readonly receipts: readonly ActionReceiptV3[] };
      const [inText, byValue] = [new ReceiptSource(receipts, bundle, readings), new ByValue(receipts)];
      for (const receipt of receipts) {
        const [one, other] = [new Uint8Array(40), new Uint8Array(40)];
        inText.writeDigest(receipt, one, 3);
        byValue.writeDigest(receipt, other, 3);
        expect(other).toEqual(one);
        expect(byValue.signedBytes(receipt)).toEqual(inText.signedBytes(receipt));
        compared += readings.has(receipt) ? 1 : 0;
      }
    }
    expect(compared).toBeGreaterThan(50);
  });
});
