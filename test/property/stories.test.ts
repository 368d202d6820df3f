/** Random stories through the whole verifier: those that keep the rules are accepted, those with one violation are not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { inputsOf } from "../support/cases/files.js";
import type { Story } from "../support/stories.js";
import { buildStory, plans } from "./random-story.js";
import { VIOLATIONS, withAnotherRoot } from "./violations.js";

/** The report, which must be the same in both encodings. */
function verify(story: Story): VerificationReportV1 {
  const [json, cbor] = (["json", "cbor"] as const).map((encoding) => {
    const { bundle, trust, at } = inputsOf(story, encoding);
    return verifyBundle(bundle, trust ?? new Uint8Array(), { at });
  });
  if (json === undefined || cbor === undefined) throw new Error("expected two reports");
  expect(cbor).toEqual(json);
  return json;
}

describe("random stories", () => {
  it("that keep every rule are ACCEPTED, in both encodings with one report", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const made = await buildStory(plan);
        const report = verify(made.story);
        expect(report.first_failure).toBeNull();
        expect(report.receipt_count).toBe(plan.receipts.length);
        expect(verify(withAnotherRoot(made)).first_failure?.code).toBe("IDENTITY_ROOT_UNKNOWN");
      }),
      { numRuns: 20 },
    );
  });

  it.each(VIOLATIONS)("with $name are REJECTED by $code", async ({ code, apply }) => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(100), async (plan, pick) => {
        const good = await buildStory(plan);
        const chosen = good.receipts[pick % good.receipts.length];
        const changes = chosen === undefined ? null : apply(good, chosen, pick);
        // A story without a place for this violation says nothing about it.
        fc.pre(changes !== null);
        if (changes === null) return;
        expect(verify(good.story).verdict).toBe("ACCEPTED");
        const report = verify((await buildStory(plan, changes)).story);
        expect(report.verdict).toBe("REJECTED");
        expect(report.first_failure?.code).toBe(code);
      }),
      { numRuns: 6 },
    );
  });
});
