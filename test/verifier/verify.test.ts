import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at } from "../support/keys.js";
import { forkAndMerge, oneReceipt, VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";

const trust = encodeUtf8(JSON.stringify(basePolicy()));

/** Needs all three cosignatures: with a spare one, a changed witness name only makes it one of a stranger. */
const { tlog } = basePolicy();
const strict = encodeUtf8(
  JSON.stringify(
    basePolicy({ tlog: { ...tlog, groups: tlog.groups.map((group) => ({ ...group, threshold: 3 })) } }),
  ),
);

const stories: readonly (readonly [string, () => Promise<ProofBundleV3>])[] = [
  ["one receipt", () => oneReceipt()],
  ["a fork and merge of two agents", () => forkAndMerge()],
];

describe.each(stories)("%s", (_name, make) => {
  it("is accepted in JSON and in CBOR, with one report", async () => {
    const bundle = await make();
    const json = verifyBundle(encodeBundle(bundle, "json"), trust, { at: at(VERIFIED_AT) });
    expect(json.first_failure).toBeNull();
    expect(json.verdict).toBe("ACCEPTED");
    expect(verifyBundle(encodeBundle(bundle, "cbor"), trust, { at: at(VERIFIED_AT) })).toEqual(json);
  });

  it("is rejected after one changed byte, wherever that byte is", async () => {
    const bytes = encodeBundle(await make());
    expect(verifyBundle(bytes, strict, { at: at(VERIFIED_AT) }).verdict).toBe("ACCEPTED");
    for (let place = 0; place < bytes.length; place += 97) {
      const changed = bytes.slice();
      changed[place] = (changed[place] ?? 0) ^ 1;
      const report = verifyBundle(changed, strict, { at: at(VERIFIED_AT) });
      expect(report.verdict, `byte ${place}`).toBe("REJECTED");
    }
  });
});
