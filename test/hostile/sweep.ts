/** Runs changes through the verifier and judges each result by the rule of the sweep. */
import { type BundleEncoding, encodingOf } from "../../src/bundle/codec.js";
import { FAILURE_CODES } from "../../src/errors.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { type Change, changesOf } from "./changes.js";
import { exchangesOf } from "./exchanges.js";
import { type Fixture, verifyAs } from "./fixtures.js";
import { harmlessReason } from "./harmless.js";
import { layOut, splice } from "./layout.js";
import { rawChangesOf } from "./raw-bytes.js";
import { StreamSweep } from "./streams.js";

/** One case may take this long; a hostile input that takes longer is a fault of the verifier. */
const LIMIT_MS = 1_000;

/** What was done to a bundle. */
export interface Case {
  readonly kind: string;
  readonly detail: string;
  readonly pointer: string;
  readonly encoding: BundleEncoding;
}

export interface Counts {
  rejected: number;
  harmless: number;
}

export function countsOf(kinds: Map<string, Counts>, kind: string): Counts {
  const counts = kinds.get(kind) ?? { rejected: 0, harmless: 0 };
  kinds.set(kind, counts);
  return counts;
}

export function casesIn(kinds: ReadonlyMap<string, Counts>): number {
  return [...kinds.values()].reduce((sum, { rejected, harmless }) => sum + rejected + harmless, 0);
}

/** Lines of a table by kind. */
export function printedKinds(kinds: ReadonlyMap<string, Counts>): readonly string[] {
  return [...kinds].toSorted().map(([kind, { rejected, harmless }]) => {
    return `${kind.padEnd(36)} ${String(rejected).padStart(8)} rejected ${String(harmless).padStart(6)} harmless`;
  });
}

/** One of so many changed bundles is compared with its streaming form. */
const STREAMED = 10;

/** What a sweep found. `faults` is what must be empty. */
export class Tally {
  readonly faults: string[] = [];
  readonly kinds = new Map<string, Counts>();
  readonly reasons = new Map<string, number>();
  readonly codes = new Map<string, number>();
  readonly streams = new StreamSweep();
  slowest = { ms: 0, what: "" };

  get cases(): number {
    return casesIn(this.kinds);
  }

  /** Verifies one case. Null when it threw. */
  judge(fixture: Fixture, bytes: Uint8Array, done: Case): VerificationReportV1 | null {
    const { kind, detail, pointer, encoding } = done;
    const what = `${fixture.name} ${encoding}: ${kind} ${detail} ${pointer}`;
    const counts = countsOf(this.kinds, kind);
    let report: VerificationReportV1;
    let ms: number;
    try {
      [report, ms] = timed(fixture, bytes);
      // A busy machine can hold up any case once.
      if (ms > LIMIT_MS) ms = Math.min(ms, timed(fixture, bytes)[1]);
    } catch (error) {
      this.faults.push(`${what}: threw ${String(error)}`);
      return null;
    }
    if (ms > this.slowest.ms) this.slowest = { ms, what };
    if (ms > LIMIT_MS) this.faults.push(`${what}: took ${Math.round(ms)} ms`);
    if (this.cases % STREAMED === 0) this.streams.bundle(fixture, bytes, what);
    const fault = faultOf(report);
    if (fault !== null) this.faults.push(`${what}: ${fault}`);
    if (report.verdict === "ACCEPTED") {
      const reasons = harmlessReason(bytes, fixture);
      if (reasons === null) this.faults.push(`${what}: ACCEPTED`);
      for (const reason of reasons ?? []) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
      counts.harmless++;
    } else {
      const code = report.first_failure?.code ?? "";
      this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
      counts.rejected++;
    }
    return report;
  }
}

function timed(fixture: Fixture, bytes: Uint8Array): readonly [report: VerificationReportV1, ms: number] {
  const start = performance.now();
  const report = verifyAs(fixture, bytes);
  return [report, performance.now() - start];
}

/** What is wrong with a report, whichever verdict it gives; null when it is a typed one. */
export function faultOf(report: VerificationReportV1): string | null {
  const failures = report.checks.flatMap((check) => check.failures);
  if (failures.some(({ code }) => code === "INTERNAL_FAULT")) return "INTERNAL_FAULT";
  if (failures.some(({ code }) => !Object.hasOwn(FAILURE_CODES, code))) return "a code that is not listed";
  if (report.verdict === "ACCEPTED") return failures.length === 0 ? null : "accepted with failures";
  return report.verdict === "REJECTED" && report.first_failure !== null ? null : "no verdict with a reason";
}

/** A table for the end of a run. */
export function printed(tally: Tally): string {
  const count = ([text, number]: readonly [string, number]): string =>
    `${String(number).padStart(8)} ${text}`;
  const slowest = `slowest case: ${Math.round(tally.slowest.ms)} ms, ${tally.slowest.what}`;
  return [
    `${tally.cases} cases`,
    ...printedKinds(tally.kinds),
    "rejected with:",
    ...[...tally.codes].toSorted().map(count),
    "accepted because these changes do not matter:",
    ...[...tally.reasons].toSorted().map(count),
    "in the streaming form, with the report of the bundle:",
    ...[...tally.streams.kinds].toSorted().map(count),
    slowest,
  ].join("\n");
}

/** Chooses cases: all of them, or a sample. */
export type Choose = () => boolean;

/** One of so many cases, by a generator that a seed repeats (xorshift of 32 bits). */
export function oneOf(many: number, seed: number): Choose {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % many === 0;
  };
}

const ENCODINGS: readonly BundleEncoding[] = ["json", "cbor"];

/** Everything the sweep does to one fixture. */
export function sweep(fixture: Fixture, tally: Tally, choose: Choose): void {
  tally.streams.lines(fixture, choose);
  const { value } = fixture;
  if (value === null) throw new Error(`${fixture.name} does not parse`);
  const layouts = { json: layOut(value, "json"), cbor: layOut(value, "cbor") };
  for (const changes of [changesOf(value), exchangesOf(value)]) {
    for (const change of changes) if (choose()) judgeChange(fixture, layouts, change, tally);
  }
  for (const encoding of ENCODINGS) {
    const own = encodingOf(fixture.bundle) === encoding;
    const bytes = own ? fixture.bundle : layouts[encoding].bytes;
    for (const raw of rawChangesOf(bytes)) {
      if (choose()) tally.judge(fixture, raw.bytes, { ...raw, pointer: "", encoding });
    }
  }
}

/** A change in both encodings, which must be rejected alike. */
function judgeChange(
  fixture: Fixture,
  layouts: Readonly<Record<BundleEncoding, ReturnType<typeof layOut>>>,
  change: Change,
  tally: Tally,
): void {
  const outcomes = ENCODINGS.map((encoding) => {
    const bytes = change.bytes(encoding);
    if (bytes === null) return null;
    const changed = splice(layouts[encoding], change.at, bytes);
    const report = tally.judge(fixture, changed, { ...change, encoding });
    return report === null ? null : outcomeOf(report);
  });
  const [json, cbor] = outcomes;
  // The same value in both encodings, but for spellings, of which each encoding has its own.
  if (typeof json !== "string" || typeof cbor !== "string" || change.kind === "spelling") return;
  // What is no object is no CBOR bundle: its first byte says JSON.
  if (change.at === "") return;
  if (json !== cbor) {
    const what = `${change.kind} ${change.detail} ${change.pointer}`;
    tally.faults.push(`${fixture.name}: ${what}: ${json} in JSON, ${cbor} in CBOR`);
  }
}

function outcomeOf({ verdict, first_failure: first }: VerificationReportV1): string {
  return first === null ? verdict : `${first.code} ${first.check} ${first.source} ${first.pointer}`;
}
