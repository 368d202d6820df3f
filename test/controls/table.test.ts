/** The table of rules is complete, and a sample of its controls holds; `npm run test:controls` runs them all. */
import { afterAll, describe, expect, it } from "vitest";
import { FAILURE_CODES } from "../../src/errors.js";
import { CANNOT_OCCUR } from "../support/cases/index.js";
import { alter } from "./build.js";
import { CONTROL_CASES } from "./cases/index.js";
import { isFixture } from "./fixtures.js";
import type { Rule } from "./rule.js";
import { NO_RULES, RULES } from "./rules/index.js";
import { ControlRun, controlsOf } from "./run.js";
import { specSteps } from "./spec-steps.js";

/** Every so many-th control is in the sample; another seed takes others. */
const STEP = 12;
const SEED = Number(process.env["OSA_CONTROLS_SEED"] ?? 1);

const run = new ControlRun();
afterAll(() => run.builds.remove());

const steps = new Map(specSteps().map((step) => [step.id, step]));
const codeOf = (fixture: string): string => fixture.split("/")[0] ?? "";
const codesOf = (rules: readonly Rule[]): ReadonlySet<string> =>
  new Set(rules.flatMap(({ fixtures, as }) => (as === undefined ? fixtures.map(codeOf) : [as])));

describe("the table of rules", () => {
  it("cites words that stand in the step", () => {
    const wrong = RULES.filter(({ step, says }) => !steps.get(step)?.text.includes(says));
    expect(wrong.map(({ step, says }) => `${step}: ${says}`)).toEqual([]);
  });

  it("has every numbered step of the checks, or says why it is no rule", () => {
    const missing = [...steps.keys()].filter(
      (id) => !(id in NO_RULES) && !RULES.some(({ step }) => step === id),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(NO_RULES).filter((id) => !steps.has(id))).toEqual([]);
  });

  it("has every code that a step gives", () => {
    const missing = [...steps.values()].flatMap(({ id, codes }) => {
      const covered = codesOf(RULES.filter(({ step }) => step === id));
      return id in NO_RULES ? [] : codes.filter((code) => !covered.has(code)).map((code) => `${id} ${code}`);
    });
    expect(missing).toEqual([]);
  });

  it("has every failure code that can occur", () => {
    const covered = codesOf(RULES);
    const missing = Object.keys(FAILURE_CODES).filter(
      (code) => !covered.has(code) && !(code in CANNOT_OCCUR),
    );
    expect(missing).toEqual([]);
  });

  it("finds each fragment exactly once in the verifier's source", () => {
    for (const { off } of RULES) run.builds.altered(off);
  });

  it("uses every case that was made for it, under a name that no fixture has", () => {
    const used = new Set(RULES.flatMap(({ fixtures }) => fixtures));
    const names = CONTROL_CASES.map(({ code, name }) => `${code}/${name}`);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
    expect(names.filter((name, index) => isFixture(name) || names.indexOf(name) !== index)).toEqual([]);
  });
});

describe("a control", () => {
  it("refuses a fragment that is not found exactly once", () => {
    const off = { file: "x.ts", fragment: "a", replacement: "b" };
    expect(alter("1a2", off)).toBe("1b2");
    expect(() => alter("12", off)).toThrow("holds it 0 times");
    expect(() => alter("a1a", off)).toThrow("holds it 2 times");
  });

  it("fails when another rule is off than its own", async () => {
    const [first, second] = RULES.filter(({ step, net }) => net === undefined && /^5\.[45]$/.test(step));
    if (first === undefined || second === undefined) throw new Error("expected rules of check 5");
    const [fixture = ""] = first.fixtures;
    expect((await run.judge({ rule: first, fixture })).fault).toBe(null);
    expect((await run.judge({ rule: { ...first, off: second.off }, fixture })).fault).toContain(
      "expected accepted",
    );
  });

  it(`holds, in a sample (seed ${SEED})`, async () => {
    const sample = controlsOf(RULES).filter((_, index) => index % STEP === SEED % STEP);
    const outcomes = [];
    for (const control of sample) outcomes.push(await run.judge(control));
    expect(outcomes.flatMap(({ fault }) => fault ?? [])).toEqual([]);
    expect(sample.length).toBeGreaterThan(20);
  });
});
