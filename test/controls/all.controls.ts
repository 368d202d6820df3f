/** Every control, and the table of them: `npm run test:controls`. */
import { afterAll, describe, expect, it } from "vitest";
import { NO_RULES, RULES } from "./rules/index.js";
import { ControlRun, controlsOf } from "./run.js";

const run = new ControlRun();
const controls = controlsOf(RULES);
const table: string[] = [];

afterAll(() => {
  run.builds.remove();
  const still = controls.filter(({ rule }) => rule.net !== undefined).length;
  console.info(
    [
      "rule | fixture | when the rule is off",
      ...table,
      "",
      "Steps that are no rule:",
      ...Object.entries(NO_RULES).map(([step, why]) => `${step} | ${why}`),
      "",
      `${new Set(RULES.map(({ step }) => step)).size} steps, ${RULES.length} rules, ${controls.length} controls: ${controls.length - still} accepted when off, ${still} rejected by a rule behind it`,
    ].join("\n"),
  );
});

describe.each(controls)("$rule.step $rule.says: $fixture", (control) => {
  it("is rejected, and accepted without this rule", async () => {
    const { line, fault } = await run.judge(control);
    table.push(line);
    expect(fault).toBe(null);
  });
});
