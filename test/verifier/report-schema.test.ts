/** The schema of reports takes every report there is, and nothing beside it. */
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { Faults } from "../../src/statements/schema.js";
import { pointer, verificationReport } from "../../src/verifier/report-schema.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { inputsOfFixture, judge, validInputs } from "../controls/fixtures.js";

function faults(report: unknown): string[] {
  const into = new Faults();
  verificationReport.decode(JSON.parse(JSON.stringify(report)), "", into);
  return into.first().map(({ code, pointer: at }) => `${code} ${at}`);
}

describe("the schema of reports", () => {
  const [first] = validInputs();
  if (first === undefined) throw new Error("there are fixtures");
  const report = judge(verifyBundle, first.inputs);

  it.each(validInputs())("takes the report of $name", ({ inputs }) => {
    expect(faults(judge(verifyBundle, inputs))).toEqual([]);
  });

  it("takes the report of a bundle that is refused, and of nothing at all", async () => {
    const refused = judge(verifyBundle, await inputsOfFixture("DAG_EQUIVOCATION/sequence-twice"));
    expect(refused.verdict).toBe("REJECTED");
    expect(faults(refused)).toEqual([]);
    expect(faults(verifyBundle(new Uint8Array(0), new Uint8Array(0), { at: "" }))).toEqual([]);
  });

  it.each<[string, string, unknown]>([
    ["verdict", "VALUE_INVALID", "MAYBE"],
    ["scope", "VALUE_INVALID", "all"],
    ["receipt_count", "NUMBER_INVALID", -1],
    ["targets", "VALUE_INVALID", [report.targets[0], report.targets[0]]],
    ["checks", "VALUE_INVALID", report.checks.slice(1)],
    ["checks", "TOO_LARGE", [...report.checks, report.checks[0]]],
    ["type", "VERSION_UNSUPPORTED", "VerificationReportV2"],
    ["protocol", "VERSION_UNSUPPORTED", "OSA_PROOF_V2"],
    ["trust_policy_digest", "VALUE_INVALID", "0x00"],
    ["heads", "WRONG_TYPE", 1],
    ["verified_at", "WRONG_TYPE", 1],
  ])("refuses a wrong %s (%s)", (member, code, value) => {
    expect(faults(report)).toEqual([]);
    const [found] = faults({ ...report, [member]: value });
    expect(found).toMatch(new RegExp(`^FORMAT_${code} /${member}`));
  });

  it("refuses an unknown member and a missing one", () => {
    const { notes: _, ...without } = report;
    expect(faults({ ...report, extra: 1 })).toEqual(["FORMAT_UNKNOWN_MEMBER /extra"]);
    expect(faults(without)).toEqual(["FORMAT_MISSING_MEMBER /notes"]);
  });

  it("has pointers as RFC 6901 writes them", () => {
    const takes = (value: JsonValue): boolean => pointer.decode(value, "", new Faults()) !== undefined;
    for (const good of ["", "/", "/a", "/a/0", "/~0", "/~1", "//"]) expect(takes(good), good).toBe(true);
    for (const bad of ["a", "/~", "/~2", "/a~", "a/"]) expect(takes(bad), bad).toBe(false);
  });
});
