import { expect, it } from "vitest";
import { failureCodes } from "../../src/cli/commands/codes.js";
import { CHECKS, FAILURE_CODES } from "../../src/errors.js";
import { run } from "./support.js";

it("prints every code with its meaning and advice, in the order of the table", async () => {
  const { code, out, err } = await run(["codes"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const places = failureCodes().codes.map((entry) => {
    expect(out).toContain(`  ${entry.code}: ${entry.meaning}\n    ${entry.advice}\n`);
    return out.indexOf(`  ${entry.code}: `);
  });
  expect([...places].sort((a, b) => a - b)).toEqual(places);
  for (const check of CHECKS) expect(out).toContain(`, ${check}\n`);
  expect(out).not.toContain("\u001b");
});

it("prints the same table as JSON", async () => {
  const { out } = await run(["codes", "--json"]);
  const table = JSON.parse(out);
  expect(table).toEqual(failureCodes());
  expect(table.codes.map(({ code }: { code: string }) => code)).toEqual(Object.keys(FAILURE_CODES));
  const shared = table.codes.filter(({ check }: { check: string | null }) => check === null);
  expect(shared).toMatchObject([{ code: "INTERNAL_FAULT" }]);
});

it("colours headings only on a terminal", async () => {
  expect((await run(["codes"], { colour: true })).out).toContain("\u001b[1mCheck 0, TRUST");
});

it("refuses extra arguments and unknown options", async () => {
  expect((await run(["codes", "TRUST"])).code).toBe(2);
  expect((await run(["codes", "--jsn"])).code).toBe(2);
});
