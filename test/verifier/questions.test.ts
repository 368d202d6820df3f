/** What the auditor asks, and the bytes in which it is asked. */
import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { decodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { HOUR, at as instant, MINUTE, testDigest } from "../support/keys.js";
import { VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";
import { type ReceiptPlan, World } from "../support/world.js";
import { failures, outcome, verify } from "./attack-tools.js";

async function world(output?: ReceiptPlan["output"]): Promise<World> {
  const made = new World();
  await made.list(1, -HOUR);
  await made.agent("planner");
  await made.runtime("rt-1", "planner");
  await made.delegation("rt-1", "planner", "rt-1");
  await made.receipt("1", {
    runtime: "rt-1",
    sequence: 1,
    time: 5 * MINUTE,
    ...(output === undefined ? {} : { output }),
  });
  made.disclose("1", "output");
  await made.tree("tree", 40 * MINUTE);
  made.finish();
  return made;
}

describe("the file that an output is asked to be", () => {
  const text = encodeUtf8("the file");
  const [ours, other] = [sha256Hex(text), testDigest("another file")];

  it.each([
    ["a text", { json: "the file" }],
    ["bytes", { bytes: "0x7468652066696c65" }],
    ["a blob", { blob: { media_type: "text/plain", sha256: ours, size: text.length } }],
  ])("is %s", async (_, output) => {
    expect(decodeHex("0x7468652066696c65")).toEqual(text);
    const bundle = (await world(output)).bundle("causal", ["1"]);
    const asking = (output_sha256: string): string =>
      outcome(
        verify(bundle, { expectations: { protocol: "OSA_PROOF_V3", type: "ExpectationsV1", output_sha256 } }),
      );
    expect(asking(ours)).toBe("ACCEPTED");
    expect(asking(other)).toBe("EXPECTATION_OUTPUT_MISMATCH /receipts/0");
  });

  it("is never other JSON", async () => {
    const bundle = (await world({ json: 7 })).bundle("causal", ["1"]);
    const asking = (question: object): readonly string[] =>
      failures(
        verify(bundle, { expectations: { protocol: "OSA_PROOF_V3", type: "ExpectationsV1", ...question } }),
      );
    expect(asking({ status: "completed" })).toEqual([]);
    expect(asking({ output_sha256: sha256Hex(encodeUtf8("7")) })).toEqual([
      "EXPECTATION_OUTPUT_MISMATCH /receipts/0",
    ]);
  });
});

describe("a policy", () => {
  const judged = async (text: string, pad = 0): Promise<VerificationReportV1> => {
    const bundle = encodeBundle((await world()).bundle("causal", ["1"]));
    return verifyBundle(bundle, encodeUtf8(text + " ".repeat(pad)), { at: instant(VERIFIED_AT) });
  };
  const plain = JSON.stringify(basePolicy());
  const withMember = (json: string): string => plain.replace(/\}$/, `,"more":${json}}`);

  it("has at most as many bytes as a side input may have", async () => {
    const room = LIMITS.maxSideInputBytes - plain.length;
    expect(outcome(await judged(plain, room))).toBe("ACCEPTED");
    const { first_failure: first } = await judged(plain, room + 1);
    expect(first?.code).toBe("TRUST_POLICY_INVALID");
    expect(first?.message).toContain("FORMAT_TOO_LARGE");
  });

  it("is nested no deeper than anything else", async () => {
    const nested = (depth: number): string => withMember("[".repeat(depth) + "]".repeat(depth));
    const codes = async (depth: number): Promise<readonly (string | undefined)[]> =>
      (await judged(nested(depth))).checks
        .flatMap((check) => check.failures)
        .map(({ message }) => /FORMAT_\w+/.exec(message)?.[0]);
    expect(await codes(LIMITS.maxDepth - 1)).not.toContain("FORMAT_TOO_LARGE");
    expect(await codes(LIMITS.maxDepth)).toEqual(["FORMAT_TOO_LARGE"]);
  });

  it("has no number but integers in digits", async () => {
    const told = async (json: string): Promise<readonly string[]> =>
      (await judged(withMember(json))).checks
        .flatMap((check) => check.failures)
        .map(({ message }) => message);
    expect((await told("1")).filter((message) => message.includes("FORMAT_NUMBER_INVALID"))).toEqual([]);
    for (const odd of ["9007199254740993", "1.0", "1e1", "-1"]) {
      const messages = await told(odd);
      expect(messages.filter((message) => message.includes("FORMAT_NUMBER_INVALID"))).toHaveLength(1);
    }
  });
});

describe("options behind prototypes without end", () => {
  it("are read, and come to an end", async () => {
    const bundle = encodeBundle((await world()).bundle("causal", ["1"]));
    const policy = encodeUtf8(JSON.stringify(basePolicy()));
    const given = (options: object): string =>
      outcome(verifyBundle(bundle, policy, options as { readonly at: string }));
    const endless: object = new Proxy({ at: instant(VERIFIED_AT) }, { getPrototypeOf: () => endless });
    expect(given({ at: instant(VERIFIED_AT) })).toBe("ACCEPTED");
    expect(given(endless)).toBe("ACCEPTED");
    const misspelt: object = new Proxy(
      { at: instant(VERIFIED_AT), expectation: 1 },
      { getPrototypeOf: () => misspelt },
    );
    expect(given(misspelt)).toBe("TRUST_INPUT_INVALID /expectation");
  });
});
