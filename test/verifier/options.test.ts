/** What surrounds a bundle: options by name, and an environment in which somebody has polluted prototypes. */
import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at } from "../support/keys.js";
import { oneReceipt, VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";
import { outcome } from "./attack-tools.js";

const policy = basePolicy();
const trust = encodeUtf8(JSON.stringify(policy));
const bytes = encodeBundle(await oneReceipt());

describe("an option of an unknown name", () => {
  it.each(["revocations", "expectation", "At", "head", "a/b"])("%s is refused", (name) => {
    const options = { at: at(VERIFIED_AT), [name]: encodeUtf8("{}") };
    const report = verifyBundle(bytes, trust, options);
    expect(outcome(report)).toBe(`TRUST_INPUT_INVALID /${name.replace("/", "~1")}`);
    expect(report.first_failure?.source).toBe("arguments");
    expect(verifyBundle(bytes, trust, { at: at(VERIFIED_AT) }).verdict).toBe("ACCEPTED");
  });
});

describe("a question", () => {
  const asked = encodeUtf8('{"protocol":"OSA_PROOF_V3","type":"ExpectationsV1","namespace_id":"another"}');
  const time = at(VERIFIED_AT);
  class Options {
    readonly at = time;
    get expectations(): Uint8Array {
      return asked;
    }
  }

  it.each<[string, () => object]>([
    ["in the object itself", () => ({ at: time, expectations: asked })],
    ["behind a prototype", () => Object.assign(Object.create({ expectations: asked }), { at: time })],
    ["that does not enumerate", () => Object.defineProperty({ at: time }, "expectations", { value: asked })],
    ["in a getter of a class", () => new Options()],
    [
      "in an object without a prototype",
      () => Object.assign(Object.create(null), { at: time, expectations: asked }),
    ],
  ])("%s is asked", (_, make) => {
    expect(outcome(verifyBundle(bytes, trust, make() as { at: string }))).toMatch(/^EXPECTATION_/);
  });

  it("that everything inherits is nobody's", () => {
    Object.defineProperty(Object.prototype, "expectations", {
      value: asked,
      configurable: true,
      enumerable: true,
    });
    const report = verifyBundle(bytes, trust, { at: time });
    Reflect.deleteProperty(Object.prototype, "expectations");
    expect(report.verdict).toBe("ACCEPTED");
  });
});

describe("a polluted Object.prototype", () => {
  it.each<[string, unknown]>([
    ["max_anchor_delay_seconds", 1],
    ["max_runtime_key_lifetime_seconds", 1],
    ["max_revocation_age_seconds", 1],
    ["clock_skew_seconds", 300],
    ["accept_agent_close", true],
    ["accept_operator_only", false],
    ["attestation", {}],
    ["signature", "0x00"],
    ["namespace_id", "other"],
    ["json", 1],
  ])("lends no member %s", (name, value) => {
    const before = verifyBundle(bytes, trust, { at: at(VERIFIED_AT) });
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
    const after = verifyBundle(bytes, trust, { at: at(VERIFIED_AT) });
    Reflect.deleteProperty(Object.prototype, name);
    expect(after).toEqual(before);
  });

  it("does not fill in what a policy left out", () => {
    const { namespaces: _, ...without } = policy;
    const cut = encodeUtf8(JSON.stringify(without));
    Object.defineProperty(Object.prototype, "namespaces", { value: policy.namespaces, configurable: true });
    const report = verifyBundle(bytes, cut, { at: at(VERIFIED_AT) });
    Reflect.deleteProperty(Object.prototype, "namespaces");
    expect(outcome(report)).toBe("TRUST_POLICY_INVALID /namespaces");
  });
});

describe("a report", () => {
  it("shares nothing with the next one", () => {
    const first = verifyBundle(bytes, trust, { at: at(VERIFIED_AT) });
    const text = JSON.stringify(first);
    for (const member of Object.values(first)) {
      if (Array.isArray(member)) member.push("changed");
    }
    expect(JSON.stringify(verifyBundle(bytes, trust, { at: at(VERIFIED_AT) }))).toBe(text);
  });
});
