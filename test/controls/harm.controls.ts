/** What is altered to switch a rule off does no more than that: accepted fixtures stay accepted. */
import { afterAll, expect, it } from "vitest";
import { RULES } from "./rules/index.js";
import { ControlRun } from "./run.js";

const run = new ControlRun();
afterAll(() => run.builds.remove());

const offs = new Map(RULES.map((rule) => [JSON.stringify(rule.off), rule]));

it(`leaves every accepted fixture accepted, whichever of ${offs.size} alterations is made`, async () => {
  const harmed: string[] = [];
  for (const rule of offs.values()) harmed.push(...(await run.harm(rule)));
  expect(harmed).toEqual([]);
});
