/** The collector of failures by itself: order, bounds, words and the verdict. */
import { describe, expect, it } from "vitest";
import { CHECKS, FAILURE_CODES, FAULT_CODES } from "../../src/errors.js";
import { ADVICE } from "../../src/failure-codes.js";
import * as LIMITS from "../../src/limits.js";
import { type CheckResult, type CheckStatus, Findings, verdictOf } from "../../src/verifier/report.js";

function result(findings: Findings, check: string): CheckResult {
  const found = findings.results().find((one) => one.check === check);
  if (found === undefined) throw new Error(`no result of ${check}`);
  return found;
}

describe("Findings", () => {
  it("has one result for each check, in order, and none has run at first", () => {
    const findings = new Findings();
    expect(findings.hasAnyFailure()).toBe(false);
    expect(findings.results()).toEqual(
      CHECKS.map((check) => ({ check, status: "NOT_EVALUATED", failure_count: 0, failures: [] })),
    );
  });

  it("tells a check that ran from one that failed and one that rested", () => {
    const findings = new Findings();
    findings.ran("FORMAT");
    findings.ran("TRUST");
    findings.fail("TRUST", "TRUST_INPUT_INVALID", { pointer: "" }, "the input is bad");
    expect(findings.hasAnyFailure()).toBe(true);
    expect(findings.hasFailed("TRUST")).toBe(true);
    expect(findings.hasFailed("FORMAT")).toBe(false);
    expect(
      findings
        .results()
        .map(({ status }) => status)
        .slice(0, 3),
    ).toEqual(["FAIL", "PASS", "NOT_EVALUATED"]);
  });

  it("says where, what and what to do, the bundle being meant where nothing is said", () => {
    const findings = new Findings();
    findings.fail("DAG", "DAG_EQUIVOCATION", { pointer: "/a" }, "receipts form a cycle");
    findings.fail("DAG", "DAG_EQUIVOCATION", { pointer: "/b", source: "supplement", digest: "0x00" }, "two");
    expect(result(findings, "DAG")).toEqual({
      check: "DAG",
      status: "FAIL",
      failure_count: 2,
      failures: [
        {
          code: "DAG_EQUIVOCATION",
          check: "DAG",
          source: "bundle",
          pointer: "/a",
          statement_digest: null,
          message: `Receipts form a cycle. ${ADVICE.DAG_EQUIVOCATION}`,
        },
        {
          code: "DAG_EQUIVOCATION",
          check: "DAG",
          source: "supplement",
          pointer: "/b",
          statement_digest: "0x00",
          message: `two. ${ADVICE.DAG_EQUIVOCATION}`,
        },
      ],
    });
  });

  it.each([
    ["it is bad", "It is bad."],
    ["a, b and c", "A, b and c."],
    ["nobody's word", "Nobody's word."],
    ["issued_at is bad", "issued_at is bad."],
    ["final_sequence, and more", "final_sequence, and more."],
    ["x509 is bad", "x509 is bad."],
    ["/a is bad", "/a is bad."],
    ["Already so", "Already so."],
    ["word", "word."],
    ["SHA is not a word", "SHA is not a word."],
  ])("makes a sentence of %j", (detail, sentence) => {
    const findings = new Findings();
    findings.fail("DAG", "DAG_EQUIVOCATION", { pointer: "" }, detail);
    expect(result(findings, "DAG").failures[0]?.message).toBe(`${sentence} ${ADVICE.DAG_EQUIVOCATION}`);
  });

  it("orders by code, then pointer, then input, and keeps equals as they came", () => {
    const findings = new Findings();
    const add = (
      code: "DAG_EQUIVOCATION" | "DAG_PARENT_MISSING",
      pointer: string,
      source: "bundle" | "supplement",
      detail = "x",
    ) => findings.fail("DAG", code, { pointer, source }, detail);
    add("DAG_EQUIVOCATION", "/1", "supplement");
    add("DAG_EQUIVOCATION", "/1", "bundle", "first one");
    add("DAG_EQUIVOCATION", "/1", "bundle", "second one");
    add("DAG_PARENT_MISSING", "/10", "supplement");
    add("DAG_PARENT_MISSING", "/2", "supplement");
    add("DAG_PARENT_MISSING", "/2", "bundle");
    const listed = result(findings, "DAG").failures.map(
      ({ code, pointer, source }) => `${code} ${pointer} ${source}`,
    );
    const parents = ["/2 bundle", "/2 supplement", "/10 supplement"].map((at) => `DAG_PARENT_MISSING ${at}`);
    const cycles = ["/1 bundle", "/1 bundle", "/1 supplement"].map((at) => `DAG_EQUIVOCATION ${at}`);
    const codes = Object.keys(FAILURE_CODES);
    expect(Object.keys(ADVICE)).toEqual(codes);
    expect(codes.filter((code) => (FAULT_CODES as readonly string[]).includes(code))).toEqual([
      ...FAULT_CODES,
    ]);
    expect(listed).toEqual(
      codes.indexOf("DAG_EQUIVOCATION") < codes.indexOf("DAG_PARENT_MISSING")
        ? [...cycles, ...parents]
        : [...parents, ...cycles],
    );
    const same = result(findings, "DAG").failures.filter(
      ({ code, source }) => code === "DAG_EQUIVOCATION" && source === "bundle",
    );
    expect(same.map(({ message }) => message.slice(0, 6))).toEqual(["First ", "Second"]);
  });

  it.each([1, 7, 250])("counts all and lists the first, whatever order they come in (step %i)", (step) => {
    const findings = new Findings();
    const total = 2 * LIMITS.maxReportedFailures + 51;
    for (let i = 0; i < total; i += 1) {
      findings.fail("DAG", "DAG_EQUIVOCATION", { pointer: `/${(i * step) % total}` }, "x");
    }
    const { failure_count: count, failures } = result(findings, "DAG");
    expect(count).toBe(total);
    expect(failures.map(({ pointer }) => pointer)).toEqual(
      Array.from({ length: LIMITS.maxReportedFailures }, (_, i) => `/${i}`),
    );
  });

  it("counts what has no room in a list, of checks that have failed", () => {
    const findings = new Findings();
    findings.countUnlisted("DAG", 5);
    expect(result(findings, "DAG")).toMatchObject({ status: "NOT_EVALUATED", failure_count: 0 });
    findings.fail("DAG", "DAG_EQUIVOCATION", { pointer: "" }, "x");
    findings.countUnlisted("DAG", 5);
    expect(result(findings, "DAG")).toMatchObject({ status: "FAIL", failure_count: 6 });
  });
});

describe("verdictOf", () => {
  const results = (change: Partial<Record<string, CheckStatus>> = {}): CheckResult[] =>
    CHECKS.map((check) => ({ check, status: change[check] ?? "PASS", failure_count: 0, failures: [] }));

  it("accepts when everything passed, or rests where it may", () => {
    expect(verdictOf(results())).toBe("ACCEPTED");
    expect(verdictOf(results({ ATTESTATION: "NOT_EVALUATED", EXPECTATION: "NOT_EVALUATED" }))).toBe(
      "ACCEPTED",
    );
  });

  it.each(CHECKS)("rejects when %s failed, or did not run and must", (check) => {
    expect(verdictOf(results({ [check]: "FAIL" }))).toBe("REJECTED");
    const mayRest = check === "ATTESTATION" || check === "EXPECTATION";
    expect(verdictOf(results({ [check]: "NOT_EVALUATED" }))).toBe(mayRest ? "ACCEPTED" : "REJECTED");
    expect(verdictOf(results().filter((one) => one.check !== check))).toBe("REJECTED");
  });

  it("rejects nothing at all", () => {
    expect(verdictOf([])).toBe("REJECTED");
  });
});
