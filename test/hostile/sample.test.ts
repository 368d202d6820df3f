/** A sample of the hostile sweep, small enough for every run of the tests; `npm run test:hostile` runs it all. */
import "./setup.js";
import { expect, it } from "vitest";
import { encodeCbor } from "../../src/encoding/cbor.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import { loadInvalid, VALID } from "./fixtures.js";
import { layOut } from "./layout.js";
import { Removals } from "./removals.js";
import { sweepSides } from "./sides.js";
import { casesIn, oneOf, printed, sweep, Tally } from "./sweep.js";

/** Another seed tries other cases: `OSA_HOSTILE_SEED=7 npx vitest run test/hostile`. */
const SEED = Number(process.env["OSA_HOSTILE_SEED"] ?? 1);

it("lays bundles out as the encoders write them", () => {
  for (const { value } of VALID) {
    if (value === null) throw new Error("an accepted bundle must parse");
    expect(Buffer.compare(layOut(value, "json").bytes, canonicalBytes(value))).toBe(0);
    expect(Buffer.compare(layOut(value, "cbor").bytes, encodeCbor(value))).toBe(0);
  }
});

it(`rejects a sample of changes with typed codes (seed ${SEED})`, () => {
  const tally = new Tally();
  const choose = oneOf(300, SEED);
  for (const fixture of VALID) sweep(fixture, tally, choose);
  console.log(`seed ${SEED}: ${printed(tally).split("\n")[0]}`);
  expect(tally.faults).toEqual([]);
  expect(tally.streams.faults).toEqual([]);
  expect(tally.cases).toBeGreaterThan(1_000);
  expect(tally.streams.cases).toBeGreaterThan(30);
});

it(`refuses a sample of changes of the auditor's own inputs (seed ${SEED})`, () => {
  const sides = sweepSides(oneOf(50, SEED));
  console.log(`seed ${SEED}: ${casesIn(sides.kinds)} changes of side inputs`);
  expect(sides.faults).toEqual([]);
  expect(casesIn(sides.kinds)).toBeGreaterThan(200);
});

it(`accepts no rejected bundle when something is left out, but by exception (a sample, seed ${SEED})`, () => {
  const removals = new Removals();
  const choose = oneOf(100, SEED);
  for (const fixture of loadInvalid()) {
    const parent = VALID.find(({ name }) => name === fixture.derivedFrom);
    if (parent !== undefined) removals.run(fixture, parent, choose);
  }
  console.log(`seed ${SEED}: ${removals.cases} removals`);
  expect(removals.faults).toEqual([]);
  expect(removals.cases).toBeGreaterThan(200);
});
