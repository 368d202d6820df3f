/** The report as lines: what a person reads, and nothing that could drive a terminal. */
import { describe, expect, it } from "vitest";
import { explainReport, printable } from "../../src/verifier/explain-report.js";
import type { Failure, VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { judge, validInputs } from "../controls/fixtures.js";

const [first] = validInputs();
if (first === undefined) throw new Error("there are fixtures");
const accepted = judge(verifyBundle, first.inputs);

function lines(change: Partial<VerificationReportV1>): readonly string[] {
  return explainReport({ ...accepted, ...change });
}

describe("printable", () => {
  it.each([
    ["plain", "plain"],
    ["a b~", "a b~"],
    ["é\ud83d\ude00", "é\ud83d\ude00"],
    ["a\u001b[2Jb", "a\ufffd[2Jb"],
    ["\n\t", "\ufffd\ufffd"],
    ["\u0000\u007f\u009f", "\ufffd\ufffd\ufffd"],
    ["\u202egnp", "\ufffdgnp"],
    ["\u2028\ufeff\u061c\u200b\u2066", "\ufffd\ufffd\ufffd\ufffd\ufffd"],
  ])("%j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});

describe("explainReport", () => {
  it("begins with the verdict alone, and what was verified", () => {
    const [verdict, what] = lines({ receipt_count: 1, targets: ["0x00"], scope: "causal" });
    expect(verdict).toBe("ACCEPTED");
    expect(what).toBe(`1 receipt in scope causal, 1 target, verified as of ${accepted.verified_at}`);
    const [, many] = lines({
      receipt_count: 2,
      targets: ["0x00", "0x01"],
      scope: "session",
      verified_at: null,
    });
    expect(many).toBe("2 receipts in scope session, 2 targets, verified as of no usable time");
    expect(lines({ scope: null })[1]).toBe("The bundle was not read to its end");
    expect(lines({ scope: null }).join("\n")).not.toContain("in scope");
  });

  it("lists five failures and says how many more there are", () => {
    const failure = (index: number, source: Failure["source"]): Failure => ({
      code: "DAG_EQUIVOCATION",
      check: "DAG",
      source,
      pointer: index === 0 ? "" : `/a/${index}`,
      statement_digest: null,
      message: `Reason ${index}.\u001b`,
    });
    const failures = [0, 1, 2, 3, 4, 5].map((index) => failure(index, index === 1 ? "heads" : "bundle"));
    const shown = (count: number, listed: readonly Failure[]): readonly string[] =>
      lines({ checks: [{ check: "DAG", status: "FAIL", failure_count: count, failures: listed }] });
    const all = shown(9, failures);
    expect(all).toContain("  DAG_EQUIVOCATION at (whole input)");
    expect(all).toContain("  DAG_EQUIVOCATION at heads /a/1");
    expect(all).toContain("  DAG_EQUIVOCATION at /a/4");
    expect(all).not.toContain("  DAG_EQUIVOCATION at /a/5");
    expect(all).toContain("    Reason 4.\ufffd");
    expect(all).toContain("  and 4 more; the JSON report has the first 100 of each check");
    expect(all).toContain(`  ${"DAG".padEnd(11)} FAIL (9)`);
    expect(shown(2, failures.slice(0, 2)).join("\n")).not.toContain(" more");
    expect(shown(3, failures.slice(0, 2))).toContain(
      "  and 1 more; the JSON report has the first 100 of each check",
    );
  });

  it("has a line for each check, without a count where nothing failed", () => {
    expect(lines({})).toContain("  TRUST       PASS");
    expect(lines({})).toContain("  ATTESTATION not evaluated");
    expect(lines({})).not.toContain("Reasons");
  });

  it("says who vouches for times, and whose log and witnesses they are", () => {
    const [time] = accepted.times;
    if (time === undefined) throw new Error("the fixture has an anchor");
    const witnesses = [
      { name: "w\u001b", operator: "own", time: null },
      { name: "v", operator: "independent", time: null },
    ] as const;
    expect(
      lines({
        times: [
          { ...time, pointer: "/t\n", log: "l\u202e", log_operator: "own", anchored_at: null, witnesses },
          {
            ...time,
            pointer: "/u",
            log: "l",
            log_operator: "independent",
            anchored_at: "2026-01-01T00:00:00Z",
            witnesses: [],
          },
        ],
      }),
    ).toEqual(
      expect.arrayContaining([
        "Who vouches for times",
        "  /t\ufffd: no time, log l\ufffd (the operator's own log), witnesses: w\ufffd (own), v (independent)",
        "  /u: 2026-01-01T00:00:00Z, log l (independent), witnesses: none",
      ]),
    );
    expect(lines({ times: [] })).not.toContain("Who vouches for times");
  });

  it("has the rest under its titles, and no title over nothing", () => {
    const said = lines({
      not_counted: [{ source: "bundle", pointer: "/x\n", reason: "because\t" }],
      notes: ["A note.\u0007"],
      does_not_prove: ["That."],
    });
    expect(said.slice(said.indexOf("Present, not counted"))).toEqual([
      "Present, not counted",
      "  /x\ufffd: because\ufffd",
      "Notes",
      "  A note.\ufffd",
      "What this does not prove",
      "  That.",
    ]);
    const bare = lines({ not_counted: [], notes: [], does_not_prove: [] });
    for (const title of ["Present, not counted", "Notes", "What this does not prove"]) {
      expect(bare).not.toContain(title);
    }
  });
});
