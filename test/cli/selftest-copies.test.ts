/** The changed copies of a self-test: rejected for every accepted story, and each wrong verifier is found by them. */
import { describe, expect, it } from "vitest";
import type { SelftestFailure } from "../../src/cli/selftest/report.js";
import type { Verify } from "../../src/cli/selftest/run.js";
import { defaultCopies, runBundle } from "../../src/cli/selftest/run-bundle.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { VALID_CASES } from "../support/cases/valid.js";
import { acceptsAll, blindTo, type Sabotage, saysTheSame, validCase } from "./selftest-support.js";

/** Somebody else's pins: the policy of the fixtures with another root and another log. */
const OTHER = canonicalBytes({
  namespaces: [
    {
      roots: [
        {
          // RFC 8032 section 7.1, test 1.
          public_key:
            "0x302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        },
      ],
    },
  ],
  tlog: {
    // The log of the example in C2SP's text on signed notes.
    logs: [
      {
        origin: "PeterNeumann",
        vkey: "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        operator: "independent",
      },
    ],
    witnesses: [],
    groups: [],
    quorum: "none",
  },
});

function runOn(
  name: string,
  limit: number,
  verify: Verify = verifyBundle,
): { readonly failures: readonly SelftestFailure[]; readonly counts: ReturnType<typeof runBundle> } {
  const failures: SelftestFailure[] = [];
  const counts = runBundle(verify, validCase(name), OTHER, limit, failures, () => undefined);
  return { failures, counts };
}

/** The unchanged bundle is judged rightly, so that the run begins; all else by the wrong verifier. */
function wrongVerifier(sabotage: Sabotage): Verify {
  return (...args) => {
    const report = verifyBundle(...args);
    return report.verdict === "ACCEPTED" ? report : sabotage(report);
  };
}

describe("changed copies", () => {
  it.each(VALID_CASES.map(({ name }) => name))("of %s are rejected for the right reason", (name) => {
    const { failures, counts } = runOn(name, 60);
    expect(failures).toEqual([]);
    expect(counts.every(({ run: count }) => count > 0)).toBe(true);
  });

  it("are chosen evenly where there are more than asked for", () => {
    const { counts } = runOn("one-receipt", 20);
    const changed = counts.find(({ kind }) => kind === "member changed");
    expect(changed?.run).toBeLessThan(changed?.available ?? 0);
    expect(counts.every(({ run: count }) => count > 0)).toBe(true);
  });

  it("are fewer of a larger bundle", () => {
    expect([1, 20_000, 200_000, 500_000_000].map(defaultCopies)).toEqual([1_000, 1_000, 100, 20]);
  });

  it.each([
    ["IDENTITY_SIGNATURE_INVALID", "runtime key certificate signature changed, names follow"],
    ["DELEGATION_SIGNATURE_INVALID", "delegation signature changed, names follow"],
    ["RECEIPT_SIGNATURE_INVALID", "receipt signature changed, names follow"],
    ["REVOCATION_SIGNATURE_INVALID", "revocation list signature changed, names follow"],
    ["DAG_CLOSE_INVALID", "session close signature changed, names follow"],
    ["DAG_SEAL_INVALID", "session seal signature changed, names follow"],
    ["FORMAT_UNKNOWN_MEMBER", "member added"],
    ["FORMAT_DUPLICATE_STATEMENT", "statement doubled"],
    ["TRUST_NAMESPACE_NOT_PINNED", "pin exchanged"],
    ["IDENTITY_AGENT_OUTSIDE_NAMESPACE", "pin exchanged"],
    ["DELEGATION_TOP_NOT_ALLOWED", "pin exchanged"],
    ["DELEGATION_POLICY_NOT_ACCEPTED", "pin exchanged"],
    ["FORMAT_ALGORITHM_NOT_ACCEPTED", "pin exchanged"],
    ["REVOCATION_LIST_ROLLED_BACK", "older than known"],
    ["EXPECTATION_TARGET_MISMATCH", "another question"],
    ["EXPECTATION_RUN_MISMATCH", "another question"],
  ])("show a verifier that is blind to %s: %s", (code, kind) => {
    const { failures } = runOn("whole-session", 60, wrongVerifier(blindTo(code)));
    expect(failures.map(({ control }) => control)).toContain(kind);
    expect(
      failures.every(({ expected }) => expected.split(" or ").some((reason) => code.startsWith(reason))),
    ).toBe(true);
  });

  it("show a verifier that does not look at anchors", () => {
    const blind = blindTo("ANCHOR_PROOF_INVALID", "ANCHOR_ENTRY_MISMATCH", "ANCHOR_MISSING");
    const { failures } = runOn("one-receipt", 100, wrongVerifier(blind));
    expect(failures.map(({ control }) => control)).toContain("anchor changed");
  });

  it("show a verifier that accepts all, and one that always gives the same reason", () => {
    const { failures, counts } = runOn("one-receipt", 100, wrongVerifier(acceptsAll));
    const run = counts.reduce((sum, count) => sum + count.run, 0);
    expect(failures.length).toBe(run - 1); // all but the unchanged copy
    const same = runOn("one-receipt", 100, wrongVerifier(saysTheSame)).failures;
    expect(new Set(same.map(({ control }) => control))).toContain("pin exchanged");
  });

  it("show a verifier that turns its own exceptions into rejections", () => {
    const broken: Sabotage = (report) => ({
      ...report,
      checks: report.checks.map((result) => ({
        ...result,
        failures: result.failures.map((failure) => ({ ...failure, code: "INTERNAL_FAULT" as const })),
      })),
    });
    const { failures, counts } = runOn("one-receipt", 100, wrongVerifier(broken));
    expect(failures.length).toBe(counts.reduce((sum, count) => sum + count.run, 0) - 1);
  });

  it("are not made of a bundle that is rejected", () => {
    const inputs = { ...validCase("one-receipt"), bundle: encodeUtf8("{}") };
    const attempt = () => runBundle(verifyBundle, inputs, OTHER, 20, [], () => undefined);
    expect(attempt).toThrow(OsaProofError);
    expect(attempt).toThrow(/a rejected bundle cannot be the base of a control/);
  });
});
