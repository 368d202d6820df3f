/** VerificationReportV1: what a verification says, and the collector that builds it (docs/SPEC.md, "Report"). */

import type { Operator } from "../anchors/tlog-trust.js";
import type { ClaimScope, ProofBundleV3 } from "../bundle/format.js";
import { comparePointers } from "../encoding/pointer.js";
import { CHECKS, type CheckName } from "../errors.js";
import { ADVICE, codeOrder, type FailureCode } from "../failure-codes.js";
import * as LIMITS from "../limits.js";
import { DOES_NOT_PROVE } from "./does-not-prove.js";
import type { KnownHeadsV1 } from "./inputs.js";

export type Verdict = "ACCEPTED" | "REJECTED";
export type CheckStatus = "PASS" | "FAIL" | "NOT_EVALUATED";

/** The input that a failure's pointer leads into. */
export type FailureSource = "bundle" | "trust_policy" | "supplement" | "heads" | "expectations" | "arguments";

export interface Failure {
  readonly code: FailureCode;
  readonly check: CheckName;
  readonly source: FailureSource;
  /** JSON Pointer (RFC 6901) into that input. */
  readonly pointer: string;
  /** Digest of the statement at fault, where there is one. */
  readonly statement_digest: string | null;
  /** What is wrong, and what to do. */
  readonly message: string;
}

export interface CheckResult {
  readonly check: CheckName;
  readonly status: CheckStatus;
  /** All failures of this check; `failures` shows the first of them. */
  readonly failure_count: number;
  readonly failures: readonly Failure[];
}

/** Who vouches that statements existed no later than a time. */
export interface TimeVoucher {
  /** The tree or list whose anchor this is. */
  readonly pointer: string;
  readonly source: FailureSource;
  readonly type: "tlog";
  readonly log: string;
  readonly log_operator: Operator;
  readonly tree_size: number;
  readonly anchored_at: string | null;
  readonly witnesses: readonly {
    readonly name: string;
    readonly operator: Operator;
    readonly time: string | null;
  }[];
}

/** Something present that the verdict does not rest on. */
export interface NotCounted {
  readonly source: FailureSource;
  readonly pointer: string;
  readonly reason: string;
}

export interface VerificationReportV1 {
  readonly protocol: "OSA_PROOF_V3";
  readonly type: "VerificationReportV1";
  readonly verdict: Verdict;
  readonly first_failure: Failure | null;
  readonly namespace_id: string | null;
  readonly mission_id: string | null;
  readonly scope: ClaimScope | null;
  readonly targets: readonly string[];
  readonly receipt_count: number;
  /** The instant that was asked about, as given. */
  readonly verified_at: string | null;
  readonly trust_policy_digest: string | null;
  readonly expectations_digest: string | null;
  readonly supplement_digest: string | null;
  readonly heads_digest: string | null;
  readonly checks: readonly CheckResult[];
  readonly times: readonly TimeVoucher[];
  readonly not_counted: readonly NotCounted[];
  /** Sentences on what this verdict rests on that a reader should know. */
  readonly notes: readonly string[];
  readonly does_not_prove: readonly string[];
  /** Known heads to keep for the next verification: the given ones, moved forward. */
  readonly heads: KnownHeadsV1 | null;
}

/** Digests of the inputs as given; null where there is none. */
export interface InputDigests {
  readonly trust_policy_digest: string | null;
  readonly expectations_digest: string | null;
  readonly supplement_digest: string | null;
  readonly heads_digest: string | null;
}

const NO_DIGESTS: InputDigests = {
  trust_policy_digest: null,
  expectations_digest: null,
  supplement_digest: null,
  heads_digest: null,
};

/** Where a failure lies. */
export interface Place {
  readonly pointer: string;
  readonly source?: FailureSource;
  readonly digest?: string;
}

type Ordered = Pick<Failure, "check" | "code" | "pointer" | "source">;

/** The failures of one check: how many, and the first of them in order. */
interface CheckFailures {
  count: number;
  readonly first: Failure[];
}

/** The order of docs/SPEC.md, "First failure": check, code, then pointer; then input, which only ever breaks ties. */
function compareFailures(a: Ordered, b: Ordered): number {
  return (
    CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check) ||
    codeOrder(a.code) - codeOrder(b.code) ||
    comparePointers(a.pointer, b.pointer) ||
    (a.source < b.source ? -1 : a.source > b.source ? 1 : 0)
  );
}

/** Collects failures while checks run; only those that a report shows, since hostile input can make millions. */
export class Findings {
  readonly #failures = new Map<CheckName, CheckFailures>();
  readonly #ended = new Set<CheckName>();
  readonly notCounted: NotCounted[] = [];
  readonly times: TimeVoucher[] = [];
  readonly notes: Set<string> = new Set();

  /** Records one failure under the check that found it. `detail` is one clause without a full stop. */
  fail(check: CheckName, code: FailureCode, place: Place, detail: string): void {
    this.#add({
      code,
      check,
      source: place.source ?? "bundle",
      pointer: place.pointer,
      statement_digest: place.digest ?? null,
      // Only what is shown needs its sentences, and hostile input can make millions of failures.
      get message(): string {
        return `${sentence(detail)} ${ADVICE[code]}`;
      },
    });
  }

  #add(failure: Failure): void {
    const failures = this.#failures.get(failure.check) ?? { count: 0, first: [] };
    this.#failures.set(failure.check, failures);
    failures.count += 1;
    const at = placeAmong(failures.first, failure);
    if (at === LIMITS.maxReportedFailures) return;
    failures.first.splice(at, 0, { ...failure });
    failures.first.length = Math.min(failures.first.length, LIMITS.maxReportedFailures);
  }

  /** Failures of a check that has failed already, which its list has no room for. */
  countUnlisted(check: CheckName, more: number): void {
    const failures = this.#failures.get(check);
    if (failures !== undefined) failures.count += more;
  }

  /** Marks a check as run to its end. */
  ran(check: CheckName): void {
    this.#ended.add(check);
  }

  hasFailed(check: CheckName): boolean {
    return this.#failures.has(check);
  }

  hasAnyFailure(): boolean {
    return this.#failures.size > 0;
  }

  /** Records what others have, as if it had been found here now. */
  absorb(others: Findings): void {
    for (const [check, { count, first }] of others.#failures) {
      for (const failure of first) this.#add(failure);
      this.countUnlisted(check, count - first.length);
    }
    this.notCounted.push(...others.notCounted);
    this.times.push(...others.times);
    for (const note of others.notes) this.notes.add(note);
  }

  /** One result for each check, in order. */
  results(): readonly CheckResult[] {
    return CHECKS.map((check) => {
      const { count, first } = this.#failures.get(check) ?? { count: 0, first: [] };
      const status: CheckStatus = count > 0 ? "FAIL" : this.#ended.has(check) ? "PASS" : "NOT_EVALUATED";
      return { check, status, failure_count: count, failures: first };
    });
  }
}

/** Where a failure belongs in a sorted list, behind its equals. They come nearly in order, so from the end. */
function placeAmong(sorted: readonly Failure[], failure: Ordered): number {
  let at = sorted.length;
  for (let before = sorted[at - 1]; before !== undefined && compareFailures(failure, before) < 0; ) {
    at -= 1;
    before = sorted[at - 1];
  }
  return at;
}

function sentence(detail: string): string {
  // A clause may begin with an identifier, which a capital letter would change.
  if (!/^[a-z]+[ ,']/.test(detail)) return `${detail}.`;
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
}

/**
 * ACCEPTED needs PASS everywhere; only ATTESTATION and EXPECTATION may be NOT_EVALUATED, which is how a
 * run marks that nothing was required or asked. Everything else is REJECTED.
 */
export function verdictOf(checks: readonly CheckResult[]): Verdict {
  const mayRest: ReadonlySet<CheckName> = new Set(["ATTESTATION", "EXPECTATION"]);
  const accepted =
    checks.length === CHECKS.length &&
    checks.every(
      ({ check, status }) => status === "PASS" || (status === "NOT_EVALUATED" && mayRest.has(check)),
    );
  return accepted ? "ACCEPTED" : "REJECTED";
}

/** What a report is made of. */
export interface ReportParts {
  /** Of checks TRUST and FORMAT. */
  readonly early: Findings;
  /** Of the checks behind them: left out unless both have passed. */
  readonly late: Findings;
  /** Null when check FORMAT has not passed. */
  readonly head: Pick<ProofBundleV3, "namespace_id" | "mission_id" | "claim"> | null;
  readonly receiptCount: number;
  readonly digests: InputDigests | undefined;
  readonly at: unknown;
  readonly heads: KnownHeadsV1 | null;
}

export function assembleReport(parts: ReportParts): VerificationReportV1 {
  const { early, head, at } = parts;
  const isOpen = !early.hasAnyFailure();
  const late = isOpen ? parts.late : new Findings();
  const behind = late.results();
  const checks = early.results().map((result, index) => {
    if (result.check === "TRUST" || result.check === "FORMAT") return result;
    return behind[index] ?? result;
  });
  return {
    protocol: "OSA_PROOF_V3",
    type: "VerificationReportV1",
    verdict: verdictOf(checks),
    first_failure: checks.flatMap((check) => check.failures)[0] ?? null,
    namespace_id: head?.namespace_id ?? null,
    mission_id: head?.mission_id ?? null,
    scope: head?.claim.scope ?? null,
    targets: head?.claim.targets ?? [],
    receipt_count: parts.receiptCount,
    verified_at: typeof at === "string" ? at : null,
    ...(parts.digests ?? NO_DIGESTS),
    checks,
    times: inOrder(late.times),
    not_counted: inOrder(late.notCounted),
    notes: [...late.notes],
    does_not_prove: [...DOES_NOT_PROVE],
    heads: parts.heads,
  };
}

/** By input and pointer, whatever the order in which they were met. */
function inOrder<T extends { readonly source: FailureSource; readonly pointer: string }>(
  entries: readonly T[],
): readonly T[] {
  return [...entries].sort((a, b) =>
    a.source === b.source ? comparePointers(a.pointer, b.pointer) : a.source < b.source ? -1 : 1,
  );
}
