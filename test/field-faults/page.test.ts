/** docs/field-faults.md is what the tests say, and no fault is without a test or a reason. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FIELD_FAULTS, fieldFaultsPage, namedTests } from "../../scripts/field-faults.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tests = namedTests(root);

describe("docs/field-faults.md", () => {
  it("is what `npm run field-faults` writes", () => {
    expect(readFileSync(`${root}docs/field-faults.md`, "utf8")).toBe(fieldFaultsPage(tests));
  });

  it("has a test or a reason for each fault", () => {
    const named = new Set(tests.flatMap(({ numbers }) => numbers));
    const bare = FIELD_FAULTS.filter(({ number, waitsFor }) => !named.has(number) && waitsFor === undefined);
    expect(bare.map(({ number }) => number)).toEqual([]);
  });

  it("knows every number that a test names, and has each once", () => {
    const known = FIELD_FAULTS.map(({ number }) => number);
    expect(new Set(known).size).toBe(known.length);
    expect(tests.flatMap(({ numbers }) => numbers).filter((number) => !known.includes(number))).toEqual([]);
  });

  it("would notice a fault whose tests are gone", () => {
    expect(fieldFaultsPage(tests.slice(1))).not.toBe(fieldFaultsPage(tests));
    expect(tests.length).toBeGreaterThan(FIELD_FAULTS.length);
  });
});
