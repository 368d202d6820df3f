/** Every case of the hostile sweep, and everything left out of every rejected fixture. */
import { afterAll, describe, expect, it } from "vitest";
import { loadInvalid, VALID } from "./fixtures.js";
import { ALL_REASONS } from "./harmless.js";
import { EXCEPTIONS } from "./improvements.js";
import { Removals } from "./removals.js";
import { sweepSides } from "./sides.js";
import { casesIn, oneOf, printed, printedKinds, sweep, Tally } from "./sweep.js";

/** A bundle that an earlier fixture has, under another policy, time or side input: one of so many cases. */
const SAME_BUNDLE = 8;
const SEED = 20_261_102;

describe("changes of accepted bundles", () => {
  const tally = new Tally();
  const swept = new Set<string>();

  it.each(VALID.map((fixture) => [fixture.name, fixture] as const))("%s", (_, fixture) => {
    const text = JSON.stringify(fixture.value);
    const choose = swept.has(text) ? oneOf(SAME_BUNDLE, SEED) : () => true;
    swept.add(text);
    const before = tally.faults.length;
    sweep(fixture, tally, choose);
    expect(tally.faults.slice(before)).toEqual([]);
    expect(tally.streams.faults).toEqual([]);
  });

  it("needs every reason on the list of changes that do not matter", () => {
    expect(ALL_REASONS.filter((reason) => !tally.reasons.has(reason))).toEqual([]);
  });

  afterAll(() => {
    console.log(`${printed(tally)}\nseed ${SEED}`);
  });
});

describe("changes of the auditor's own inputs", () => {
  it("are refused where they break the form, and never end without a typed code", () => {
    const sides = sweepSides(() => true);
    const rows = printedKinds(sides.kinds);
    console.log([`${casesIn(sides.kinds)} changes of the auditor's own inputs`, ...rows].join("\n"));
    expect(sides.faults).toEqual([]);
  });
});

describe("removals from rejected bundles", () => {
  const removals = new Removals();

  it.each(loadInvalid().map((fixture) => [fixture.name, fixture] as const))("%s", (_, fixture) => {
    const parent = VALID.find(({ name }) => name === fixture.derivedFrom);
    if (parent === undefined) throw new Error("a rejected case names the accepted one it was made from");
    const before = removals.faults.length;
    removals.run(fixture, parent, () => true);
    expect(removals.faults.slice(before)).toEqual([]);
  });

  it("needs every written exception", () => {
    expect(EXCEPTIONS.filter(({ reason }) => !removals.reasons.has(reason))).toEqual([]);
  });

  afterAll(() => {
    const rows = [...removals.reasons].map(([reason, count]) => `${String(count).padStart(8)} ${reason}`);
    console.log([`${removals.cases} removals; accepted by a written exception:`, ...rows].join("\n"));
  });
});
