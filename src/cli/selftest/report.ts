/** SelftestReportV1: what a self-test found. An auditor can keep it beside the report of a verification. */
import type { CheckName } from "../../errors.js";

/** Something that came out as it must not. */
export interface SelftestFailure {
  /** A packaged control, or the kind of a change. */
  readonly control: string;
  /** JSON Pointer to what was changed, in the input that the kind names; "" for the whole of it. */
  readonly pointer: string;
  /** `ACCEPTED`, or the codes and checks of which the rejection must have one. */
  readonly expected: string;
  /** `ACCEPTED`, or the code of the first failure. */
  readonly found: string;
}

/** A kind of control: how many there are, how many were run, and how many came out as they must. */
export interface ControlCount {
  readonly kind: string;
  readonly available: number;
  readonly run: number;
  readonly as_expected: number;
}

export interface SelftestPolicy {
  readonly digest: string;
  readonly controls: readonly ControlCount[];
}

export interface SelftestBundle {
  readonly digest: string;
  /** The verification time at which the bundle itself was accepted. */
  readonly verified_at: string;
  /** Of what the bundle was accepted with; null where it was not given. */
  readonly expectations_digest: string | null;
  readonly supplement_digest: string | null;
  readonly heads_digest: string | null;
  readonly controls: readonly ControlCount[];
}

export interface SelftestReportV1 {
  readonly protocol: "OSA_PROOF_V3";
  readonly type: "SelftestReportV1";
  readonly result: "PASSED" | "FAILED";
  readonly verifier: {
    readonly name: "osa-proof";
    readonly version: string;
    /** What checks signatures and hashes. */
    readonly backend: string;
  };
  readonly platform: { readonly runtime: string; readonly system: string };
  /** When it ran, by this machine's clock. */
  readonly run_at: string;
  /** Of the file of packaged controls: two reports with the same digest tried the same. */
  readonly controls_digest: string;
  /** Packaged cases that must be accepted, in both encodings. */
  readonly accepted_controls: ControlCount;
  /** Packaged cases that must be rejected with a given code, by the check that must reject them. */
  readonly rejected_controls: readonly (ControlCount & { readonly kind: CheckName })[];
  /** Controls under the auditor's own policy; null when none was given. */
  readonly trust_policy: SelftestPolicy | null;
  /** Changed copies of the auditor's own bundle; null when none was given. */
  readonly bundle: SelftestBundle | null;
  /** All that came out wrong; `failures` shows the first of them. */
  readonly failure_count: number;
  readonly failures: readonly SelftestFailure[];
}

export const MAX_LISTED_FAILURES = 100;

/** Counts controls by kind and keeps what failed. */
export class Tally {
  readonly #counts = new Map<string, { available: number; run: number; as_expected: number }>();
  readonly #failures: SelftestFailure[];

  /** `failures` is shared by the tallies of one run. */
  constructor(failures: SelftestFailure[]) {
    this.#failures = failures;
  }

  /** Says that controls of a kind exist that this run leaves out. */
  skip(kind: string, count: number): void {
    this.#of(kind).available += count;
  }

  record(kind: string, failure: SelftestFailure | null): void {
    const count = this.#of(kind);
    count.available += 1;
    count.run += 1;
    if (failure === null) count.as_expected += 1;
    else this.#failures.push(failure);
  }

  counts(): readonly ControlCount[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, ...count }));
  }

  #of(kind: string): { available: number; run: number; as_expected: number } {
    const known = this.#counts.get(kind) ?? { available: 0, run: 0, as_expected: 0 };
    this.#counts.set(kind, known);
    return known;
  }
}

export function listed(failures: readonly SelftestFailure[]): readonly SelftestFailure[] {
  return failures.slice(0, MAX_LISTED_FAILURES);
}
