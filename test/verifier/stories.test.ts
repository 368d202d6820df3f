import { describe, expect, it } from "vitest";
import { verifyBundle } from "../../src/verifier/verify.js";
import { inputsOf } from "../support/cases/files.js";
import { VALID_CASES } from "../support/cases/valid.js";

describe("stories", () => {
  it.each(VALID_CASES)("$name is accepted", async ({ make, encoding }) => {
    const { bundle, trust, at, ...side } = inputsOf(await make(), encoding);
    const given = Object.fromEntries(Object.entries(side).filter(([, bytes]) => bytes !== null));
    const report = verifyBundle(bundle, trust ?? new Uint8Array(0), { at, ...given });
    expect(report.checks.flatMap(({ failures }) => failures)).toEqual([]);
    expect(report.verdict).toBe("ACCEPTED");
  });
});
