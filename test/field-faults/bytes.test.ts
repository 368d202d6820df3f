/** Field faults in how bytes are read: re-written files, versions, unknown members and input that is no input. */
import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import { canonicalStatement } from "../../src/statements/canonical.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at } from "../support/keys.js";
import { VERIFIED_AT } from "../support/scenarios.js";
import { disclosures, oneReceipt, type Story } from "../support/stories.js";
import { basePolicy } from "../support/trust.js";
import { codeOf, expectCases, storyBytes, verifyBytes, verifyStory } from "./support.js";

const escaped = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);

/** Members in the opposite order at every level. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe("field faults of files", () => {
  it.each<[string, (story: Story) => string]>([
    ["indented", ({ bundle }) => JSON.stringify(bundle, null, "\t")],
    [
      "with CRLF line ends",
      ({ bundle }) => `${JSON.stringify(bundle, null, 2).replaceAll("\n", "\r\n")}\r\n`,
    ],
    ["with members in another order", ({ bundle }) => JSON.stringify(reversed(bundle))],
    [
      "with every letter of a name escaped",
      ({ bundle }) => JSON.stringify(bundle).replace('"receipts"', escaped),
    ],
  ])("F011 a file re-written %s still verifies", async (_, rewrite) => {
    expect(codeOf(verifyBytes(encodeUtf8(rewrite(await disclosures()))))).toBe("ACCEPTED");
  });

  it("F011 a file in another encoding fails by its encoding and never by a signature", async () => {
    const bytes = storyBytes(await oneReceipt());
    const text = decodeUtf8(bytes) ?? "";
    expect(codeOf(verifyBytes(bytes))).toBe("ACCEPTED");
    expect(codeOf(verifyBytes(encodeUtf8(`\ufeff${text}`)))).toBe("FORMAT_TEXT_INVALID");
    expect(codeOf(verifyBytes(Buffer.from(text, "utf16le")))).toMatch(/^FORMAT_(?:TEXT|SYNTAX)_INVALID$/);
    expect(codeOf(verifyBytes(Buffer.from(text.replace("fixture", "\u00e9"), "latin1")))).toMatch(
      /^FORMAT_|^ACC/,
    );
    expect(codeOf(verifyBytes(encodeUtf8(`${text}\n{}`)))).toBe("FORMAT_SYNTAX_INVALID");
    expect(codeOf(verifyBytes(bytes.subarray(0, -1)))).toBe("FORMAT_TRUNCATED");
  });

  it("F010 what was signed is the text as read: no default is put in and none is taken out", async () => {
    const story = await oneReceipt();
    const [receipt] = story.bundle.receipts;
    if (receipt === undefined) throw new Error("expected a receipt");
    const { signature: _, ...signed } = JSON.parse(JSON.stringify(receipt));
    expect(decodeUtf8(canonicalStatement(receipt).signedBytes)).toBe(canonicalJson(signed));
    for (const added of [{ parents: [] }, { max_actions: null }]) {
      const report = verifyStory(story, (bundle) => Object.assign(bundle["receipts"][0], added));
      expect(codeOf(report)).toBe("FORMAT_UNKNOWN_MEMBER");
    }
    const report = verifyStory(story, (bundle) => {
      delete bundle["receipts"][0].parent_receipt_digests;
    });
    expect(codeOf(report)).toBe("FORMAT_MISSING_MEMBER");
  });

  it("F002 a lone surrogate or a byte order mark anywhere in a bundle is refused by name", async () => {
    await expectCases("FORMAT_TEXT_INVALID/lone-surrogate", "FORMAT_TEXT_INVALID/byte-order-mark");
  });

  it("F013 an unknown member of a signed object is reported as that, not as a bad signature", async () => {
    await expectCases("FORMAT_UNKNOWN_MEMBER/in-the-receipt", "FORMAT_UNKNOWN_MEMBER/in-the-bundle");
    const story = await oneReceipt();
    for (const kind of [
      "delegations",
      "runtime_key_certificates",
      "identity_records",
      "agent_key_certificates",
    ]) {
      const report = verifyStory(story, (bundle) => {
        bundle[kind][0].x_vendor = true;
      });
      expect(report.first_failure).toMatchObject({
        code: "FORMAT_UNKNOWN_MEMBER",
        pointer: `/${kind}/0/x_vendor`,
      });
    }
  });

  it.each([1, "1", true, 1.5, null, [], "OSA_PROOF_V2", "OSA_PROOF_V4", "osa_proof_v3", " OSA_PROOF_V3"])(
    "F014 version %j is none that is known, and nothing else is looked at first",
    async (version) => {
      const story = await oneReceipt();
      expect(codeOf(verifyStory(story))).toBe("ACCEPTED");
      const ofBundle = verifyStory(story, (bundle) => {
        bundle["protocol"] = version;
        bundle["receipts"] = "what a later version may put here";
      });
      // 1.5 is a number that no bundle holds outside free JSON, found before any member is read.
      const expected = version === 1.5 ? "FORMAT_NUMBER_INVALID" : "FORMAT_VERSION_UNSUPPORTED";
      expect(codeOf(ofBundle)).toBe(expected);
      const ofReceipt = verifyStory(story, (bundle) => {
        bundle["receipts"][0].protocol = version;
        bundle["receipts"][0].sequence = "one";
      });
      expect(codeOf(ofReceipt)).toBe(expected);
    },
  );

  it("F014 a missing version is a version that is not known", async () => {
    const story = await oneReceipt();
    for (const member of ["protocol", "type"]) {
      const report = verifyStory(story, (bundle) => {
        delete bundle[member];
      });
      expect(codeOf(report)).toBe("FORMAT_VERSION_UNSUPPORTED");
    }
    await expectCases("FORMAT_VERSION_UNSUPPORTED/receipt-without-protocol");
  });

  it("F016 whatever is put in place of the inputs, there is a verdict and no exception", async () => {
    const bytes = storyBytes(await oneReceipt());
    const trust = encodeUtf8(JSON.stringify(basePolicy()));
    const options = { at: at(VERIFIED_AT) };
    const loop: Record<string, unknown> = {};
    loop["loop"] = loop;
    const throwing = new Proxy(new Uint8Array(3), {
      get(): never {
        throw new Error("trap");
      },
    });
    const sparse: unknown[] = [];
    sparse[5] = 1;
    const odd = [
      undefined,
      null,
      0,
      "",
      "{}",
      [],
      {},
      loop,
      throwing,
      sparse,
      Symbol("x"),
      () => 1,
      1n,
      new Date(),
    ];
    // Hostile callers are not held by types.
    const call = verifyBundle as (...given: readonly unknown[]) => ReturnType<typeof verifyBundle>;
    expect(codeOf(call(bytes, trust, options))).toBe("ACCEPTED");
    for (const value of odd) {
      for (const report of [
        call(value, trust, options),
        call(bytes, value, options),
        call(bytes, trust, value),
      ]) {
        expect(report.verdict).toBe("REJECTED");
        expect(codeOf(report)).not.toBe("INTERNAL_FAULT");
      }
    }
  });

  it("F016 accessors, gaps, cycles and foreign objects are no values to sign", () => {
    const loop: unknown[] = [];
    loop.push(loop);
    const accessor = Object.defineProperty({}, "a", { enumerable: true, get: () => 1 });
    for (const value of [
      accessor,
      Array.from({ length: 1, 3: 0 }).concat(new Array(2)),
      loop,
      new Map(),
      { a: undefined },
    ]) {
      expect(isJsonValue(value)).toBe(false);
    }
    expect(isJsonValue({ a: [1, null, "x"] })).toBe(true);
  });
});
