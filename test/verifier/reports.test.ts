/**
 * The whole report of every fixture and control case, as it was: not only verdict and first failure, but each failure
 * with its words, the times and who vouches for them, what is present and not counted, notes and heads.
 *
 * A change here is a change that auditors see: look at it, then write the file anew with UPDATE_REPORTS=1.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { explainReport } from "../../src/verifier/explain-report.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { CONTROL_CASES } from "../controls/cases/index.js";
import { inputsOfFixture, judge, validInputs } from "../controls/fixtures.js";

const FILE = fileURLToPath(new URL("reports.jsonl", import.meta.url));
const INVALID = fileURLToPath(new URL("../../fixtures/invalid/", import.meta.url));
const update = process.env["UPDATE_REPORTS"] === "1";

const invalid = readdirSync(INVALID).flatMap((code) =>
  readdirSync(`${INVALID}${code}`).map((name) => `${code}/${name}`),
);
const names = [
  ...validInputs().map(({ name }) => `valid/${name}`),
  ...invalid,
  ...CONTROL_CASES.map(({ code, name }) => `${code}/${name}`),
];

const kept = new Map<string, string>();
for (const line of update ? [] : readFileSync(FILE, "utf8").trimEnd().split("\n")) {
  kept.set(JSON.parse(line).name, line);
}

async function reportOf(name: string): Promise<VerificationReportV1> {
  const accepted = validInputs().find((entry) => `valid/${entry.name}` === name);
  return judge(verifyBundle, accepted?.inputs ?? (await inputsOfFixture(name)));
}

/** What a report says beyond its inputs, on one line; what people read of it by its digest. */
function lineOf(name: string, report: VerificationReportV1): string {
  const { checks, does_not_prove: notProven, protocol, type, ...rest } = report;
  const failed = checks.filter(({ status }) => status === "FAIL");
  const said = {
    name,
    protocol,
    type,
    ...rest,
    not_evaluated: checks.filter(({ status }) => status === "NOT_EVALUATED").map(({ check }) => check),
    passed: checks.filter(({ status }) => status === "PASS").length,
    failed,
    not_proven: notProven.length,
    explained: sha256Hex(encodeUtf8(explainReport(report).join("\n"))),
  };
  return JSON.stringify(said);
}

describe("the report of", () => {
  afterAll(() => {
    if (update) writeFileSync(FILE, `${[...kept.values()].join("\n")}\n`);
  });

  it.each(names)("%s", async (name) => {
    const line = lineOf(name, await reportOf(name));
    if (update) kept.set(name, line);
    expect(JSON.parse(line)).toEqual(JSON.parse(kept.get(name) ?? "null"));
  });

  it("nothing else is kept", () => {
    expect([...kept.keys()].sort()).toEqual([...names].sort());
  });
});
