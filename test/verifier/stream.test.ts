/** What the streaming form refuses, and that nothing taken out of one or put into it passes for another. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { decodeBundle } from "../../src/bundle/decode.js";
import { decodeStream } from "../../src/bundle/stream-decode.js";
import { encodeStream } from "../../src/bundle/stream-writer.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { StreamVerifier } from "../../src/verifier/verify-stream.js";
import { verifyStreamBytes } from "../support/streams.js";

function caseOf(name: string): { stream: Uint8Array; trust: Uint8Array; at: string } {
  const directory = join(import.meta.dirname, "../../fixtures/valid", name);
  const { at } = JSON.parse(readFileSync(join(directory, "case.json"), "utf8"));
  const bundle = decodeBundle(readFileSync(join(directory, "bundle.json")));
  return {
    stream: concatBytes(...encodeStream(bundle)),
    trust: readFileSync(join(directory, "trust.json")),
    at,
  };
}

const { stream, trust, at } = caseOf("disclosures");
const lines = new TextDecoder().decode(stream).trimEnd().split("\n");

function judge(bytes: Uint8Array): { verdict: string; code: string | null; pointer: string | null } {
  const { verdict, first_failure: first } = verifyStreamBytes(bytes, trust, { at });
  return { verdict, code: first?.code ?? null, pointer: first?.pointer ?? null };
}

/** A stream of these lines, with a trailer that fits them. */
function sealed(body: readonly string[]): Uint8Array {
  const text = body.map((line) => `${line}\n`).join("");
  const trailer = JSON.parse(lines.at(-1) ?? "");
  for (const name of Object.keys(trailer.trailer.counts))
    trailer.trailer.counts[name] = body.filter((line) => line.startsWith(`{"${name}":`)).length;
  trailer.trailer.digest = `0x${createHash("sha256").update(text).digest("hex")}`;
  return encodeUtf8(`${text}${JSON.stringify(trailer)}\n`);
}

const body = lines.slice(0, -1);

describe("a stream", () => {
  it("is accepted as its writer wrote it, and when its trailer is made again", () => {
    expect(judge(stream).verdict).toBe("ACCEPTED");
    expect(sealed(body)).toEqual(stream);
    expect(lines.filter((line) => line.startsWith('{"disclosures":')).length).toBeGreaterThan(2);
  });

  it("is refused wherever it is cut", () => {
    for (let length = 12; length < stream.length; length += length > stream.length - 400 ? 1 : 61) {
      const { verdict, code } = judge(stream.subarray(0, length));
      expect([length, verdict, code]).toEqual([length, "REJECTED", "FORMAT_TRUNCATED"]);
    }
  });

  it("is refused with a byte changed, wherever that byte is", () => {
    for (let place = 0; place < stream.length; place += 37) {
      const changed = stream.slice();
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect([place, judge(changed).verdict]).toEqual([place, "REJECTED"]);
    }
  });

  it.each([
    ["left out", (i: number) => body.filter((_, index) => index !== i)],
    ["there twice", (i: number) => body.flatMap((line, index) => (index === i ? [line, line] : [line]))],
    ["moved to the end", (i: number) => [...body.filter((_, index) => index !== i), body[i] ?? ""]],
    [
      "moved behind the header",
      (i: number) => [body[0] ?? "", body[i] ?? "", ...body.slice(1).filter((_, index) => index !== i - 1)],
    ],
  ] as const)("is refused with a line %s, even under a trailer that fits", (what, change) => {
    for (const [i, line] of body.entries()) {
      const changed = change(i);
      if (changed.join() === body.join()) continue;
      const { verdict } = judge(sealed(changed));
      // An opening may be withheld, and a document of a policy; nothing else rests on them.
      const mayGo = what === "left out" && /^\{"(disclosures|policies)":/.test(line);
      expect([what, i, line.slice(0, 20), verdict]).toEqual([
        what,
        i,
        line.slice(0, 20),
        mayGo ? "ACCEPTED" : "REJECTED",
      ]);
    }
  });

  const one = (from: string | RegExp, to: string): Uint8Array => {
    const changed = body.map((line) => line.replace(from, to));
    expect(changed).not.toEqual(body);
    return sealed(changed);
  };
  it.each([
    ["a space in a line", one(/^\{"receipts":/, '{"receipts": '), "FORMAT_SYNTAX_INVALID", "/receipts/0"],
    [
      "members in another order",
      one(/"scope":"(\w+)","type":"ProofStreamV3"/, '"type":"ProofStreamV3","scope":"$1"'),
      "FORMAT_SYNTAX_INVALID",
      "",
    ],
    ["an unknown line", sealed([...body, '{"notes":{}}']), "FORMAT_SYNTAX_INVALID", ""],
    ["an empty line", sealed([...body, ""]), "FORMAT_SYNTAX_INVALID", ""],
    ["a second header", sealed([...body, body[0] ?? ""]), "FORMAT_SYNTAX_INVALID", ""],
    ["no header", sealed(body.slice(1)), "FORMAT_SYNTAX_INVALID", ""],
    ["another version", one("ProofStreamV3", "ProofStreamV4"), "FORMAT_VERSION_UNSUPPORTED", "/type"],
    ["a member too many", one('{"header":{', '{"header":{"a":1,'), "FORMAT_UNKNOWN_MEMBER", "/a"],
    [
      "two members in a line",
      one(/^(\{"delegations":.*)\}$/, '$1,"x":1}'),
      "FORMAT_SYNTAX_INVALID",
      "/delegations/0",
    ],
    ["a byte that is not ASCII in a receipt", one('"tool":"', '"tool":"\u00e9'), "FORMAT_TEXT_INVALID", ""],
    ["something behind the trailer", concatBytes(stream, encodeUtf8("\n")), "FORMAT_SYNTAX_INVALID", ""],
    ["the trailer twice", concatBytes(stream, encodeUtf8(`${lines.at(-1)}\n`)), "FORMAT_SYNTAX_INVALID", ""],
    [
      "the trailer of another stream",
      encodeUtf8(`${body.slice(0, 2).join("\n")}\n${lines.at(-1)}\n`),
      "FORMAT_VALUE_INVALID",
      /^\/trailer\/counts\//,
    ],
  ] as const)("refuses %s", (_, bytes, code, pointer) => {
    const { verdict, code: found, pointer: where } = judge(bytes);
    expect([verdict, found]).toEqual(["REJECTED", code]);
    if (typeof pointer === "string") expect(where).toBe(pointer);
    else expect(where).toMatch(pointer);
  });

  it("refuses the right number of other lines by their digest", () => {
    const swapped = stream.slice();
    const text = new TextDecoder().decode(swapped).replace(/"mission_id":"./, '"mission_id":"X');
    expect(judge(encodeUtf8(text))).toMatchObject({
      verdict: "REJECTED",
      code: "FORMAT_VALUE_INVALID",
      pointer: "/trailer/digest",
    });
  });

  it("may come in pieces of any size, one byte included", () => {
    const whole = verifyStreamBytes(stream, trust, { at });
    for (const size of [1, 7, 4096]) {
      const verifier = new StreamVerifier(trust, { at });
      for (let from = 0; from < stream.length; from += size)
        expect(verifier.take(stream.slice(from, from + size))).toBe(true);
      expect(verifier.report()).toEqual(whole);
    }
  });

  it("has the fault of its first line that has one, in pieces of any size", () => {
    const receipts = body.filter((line) => line.startsWith('{"receipts":'));
    const before = body.slice(0, body.indexOf(receipts[0] ?? ""));
    const notAscii = receipts[0]?.replace('"action_id":"', '"action_id":"\u00e9') ?? "";
    const broken = receipts[1]?.replace("{", "[") ?? "";
    const bad = receipts[1]?.slice(0, -1) ?? "";
    const limited = (limits: object): Uint8Array =>
      encodeUtf8(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(trust)), limits }));
    const text = (...some: readonly string[]): Uint8Array =>
      encodeUtf8(some.map((line) => `${line}\n`).join(""));
    const head = text(...before).length;
    const cases: [Uint8Array, Uint8Array, string][] = [
      [trust, text(...before, notAscii, receipts[1] ?? "", '{"nothing":1}'), "FORMAT_TEXT_INVALID "],
      [trust, text(...before, receipts[0] ?? "", bad, '{"nothing":1}'), "FORMAT_TRUNCATED /receipts/1"],
      [trust, text(...before, receipts[0] ?? "", broken, "no"), "FORMAT_SYNTAX_INVALID "],
      [trust, text(...before, notAscii), "FORMAT_TEXT_INVALID "],
      [trust, text(...before, receipts[0] ?? ""), "FORMAT_TRUNCATED "],
      [limited({ max_receipts: 1 }), text(...before, ...receipts, "no"), "FORMAT_TOO_LARGE /receipts"],
      [limited({ max_bundle_bytes: head + 3 }), text(...before, "no", ...receipts), "FORMAT_SYNTAX_INVALID "],
      [limited({ max_bundle_bytes: head + 2 }), text(...before, "no", ...receipts), "FORMAT_TOO_LARGE "],
      [limited({ max_bundle_bytes: 10 }), text(...before), "FORMAT_TOO_LARGE "],
      [
        limited({ max_bundle_bytes: head }),
        text(...before.map((line) => line.replace('"namespace_id":"', '"namespace_id":"x')), "no"),
        "TRUST_NAMESPACE_NOT_PINNED /namespace_id",
      ],
    ];
    for (const [policy, bytes, expected] of cases) {
      for (const size of [bytes.length, 1_000, 64, 1]) {
        const verifier = new StreamVerifier(policy, { at });
        for (let from = 0; from < bytes.length; from += size) verifier.take(bytes.slice(from, from + size));
        const { first_failure: first } = verifier.report();
        expect([size, `${first?.code} ${first?.pointer}`]).toEqual([size, expected]);
      }
    }
  });

  it("may have a long line in very many pieces", () => {
    const verifier = new StreamVerifier(trust, { at });
    const long = encodeUtf8(`{"header":{"a":"${"x".repeat(300_000)}"}}\n`);
    for (let from = 0; from < long.length; from += 1) verifier.take(long.subarray(from, from + 1));
    const { verdict, first_failure: first } = verifier.report();
    expect([verdict, first?.code]).toEqual(["REJECTED", "FORMAT_TRUNCATED"]);
  });

  it("is no longer read once it is refused", () => {
    const verifier = new StreamVerifier(trust, { at });
    expect(verifier.take(encodeUtf8('{"header":1}\n'))).toBe(true);
    expect(verifier.take(encodeUtf8("nothing\n"))).toBe(false);
    expect(verifier.take(stream)).toBe(false);
    expect(verifier.report().verdict).toBe("REJECTED");
  });

  it("is refused by the call for a bundle in one piece, which names the one that takes it", () => {
    for (const bytes of [stream, stream.subarray(0, 20), encodeUtf8('{"header":{}}')]) {
      const { verdict, first_failure: first } = verifyBundle(bytes, trust, { at });
      expect([verdict, first?.code, first?.pointer]).toEqual(["REJECTED", "FORMAT_SYNTAX_INVALID", ""]);
      expect(first?.message).toContain("verifyStream");
    }
    const almost = encodeUtf8('{"header": {}}');
    expect(verifyBundle(almost, trust, { at }).first_failure?.code).toBe("FORMAT_VERSION_UNSUPPORTED");
    expect(verifyBundle(encodeBundle(decodeStream(stream)), trust, { at }).verdict).toBe("ACCEPTED");
  });

  it("opens as the bundle that it was written from", () => {
    const bundle = decodeStream(stream);
    expect(concatBytes(...encodeStream(bundle))).toEqual(stream);
    expect(decodeBundle(stream)).toEqual(bundle);
    expect(() => decodeStream(stream.subarray(0, -1))).toThrow(/before its trailer/);
  });

  it("is not made of receipts in a circle, or with an opening of nothing", () => {
    const bundle = decodeStream(stream);
    expect(() => [...encodeStream({ ...bundle, receipts: [] })]).toThrow(
      /opens a receipt that is not in the bundle/,
    );
  });

  it("puts receipts behind their parents", () => {
    const { stream: many, trust: policy, at: time } = caseOf("fork-and-merge");
    const bundle = decodeStream(many);
    const turned = { ...bundle, receipts: [...bundle.receipts].reverse() };
    const again = concatBytes(...encodeStream(turned));
    expect(verifyStreamBytes(again, policy, { at: time }).verdict).toBe("ACCEPTED");
    const unordered = concatBytes(...encodeStream(bundle));
    expect(verifyStreamBytes(unordered, policy, { at: time }).verdict).toBe("ACCEPTED");
  });
});
