/** What every check of one verification shares. */
import type { AnchoredList, ContentsBesideReceipts, Identified } from "../bundle/contents.js";
import type { ProofBundleV3 } from "../bundle/format.js";
import { type PublicKey, parsePublicKey } from "../crypto/keys.js";
import { verifySignature } from "../crypto/signature.js";
import { decodeHex } from "../encoding/hex.js";
import { parseTime } from "../encoding/time.js";
import type { CheckName, FailureCode } from "../errors.js";
import type { RootRotationV1 } from "../statements/rotation.js";
import type { ExpectationsV1, KnownHeadsV1, LogConsistency } from "./inputs.js";
import type { ReceiptTable } from "./receipt-table.js";
import type { Findings, Place } from "./report.js";
import type { Targets } from "./targets.js";
import type { NamespaceTrust, Trust } from "./trust-policy.js";

/** The inputs of a run once TRUST and FORMAT have passed. Times are milliseconds since 1970. */
export interface Run {
  readonly trust: Trust;
  readonly namespace: NamespaceTrust;
  readonly at: number;
  readonly namespaceId: string;
  readonly missionId: string;
  readonly claim: ProofBundleV3["claim"];
  /** Everything but the receipts. */
  readonly contents: ContentsBesideReceipts;
  readonly receipts: ReceiptTable;
  readonly targets: Targets;
  /** Rotations and lists of the bundle, then those of the supplement that the bundle does not have. */
  readonly rotations: readonly Identified<RootRotationV1>[];
  readonly lists: readonly AnchoredList[];
  /** Role of every certificate of the bundle by digest, sound or not. */
  readonly certificateRoles: ReadonlyMap<string, "agent" | "runtime">;
  readonly keys: KeyRing;
  readonly expectations: ExpectationsV1 | null;
  readonly heads: KnownHeadsV1 | null;
  /** Null when logs need not be shown to continue their known heads. */
  readonly logConsistency: readonly LogConsistency[] | null;
  readonly findings: Findings;
  /** Items of the supplement, so that a failure points into the right input. */
  readonly supplementItems: ReadonlySet<object>;
  /** Statements that failed a check: later checks do not use them. */
  readonly failed: Set<object>;
}

/** The place of a statement, for a failure. `member` is a pointer below it. */
export function placeOf(
  run: Run,
  item: { readonly pointer: string; readonly digest: string },
  member = "",
): Place {
  return {
    pointer: `${item.pointer}${member}`,
    source: run.supplementItems.has(item) ? "supplement" : "bundle",
    digest: item.digest,
  };
}

/** Records a failure at a statement, which later checks then do not use; returns null for the caller to pass on. */
export type FailAt = (
  item: { readonly pointer: string; readonly digest: string },
  code: FailureCode,
  detail: string,
) => null;

export function failing(run: Run, check: CheckName): FailAt {
  return (item, code, detail) => {
    run.failed.add(item);
    run.findings.fail(check, code, placeOf(run, item), detail);
    return null;
  };
}

/** Milliseconds of a time that a closed schema has accepted. */
export function instant(text: string): number {
  // The schema refuses any text that this could not parse; NaN would make every comparison false.
  return parseTime(text) ?? Number.NaN;
}

/** Half-open: the first instant is inside, the last is not. No clock skew (docs/SPEC.md, "Windows"). */
export function inWindow(
  time: number,
  window: { readonly not_before: string; readonly not_after: string },
): boolean {
  return instant(window.not_before) <= time && time < instant(window.not_after);
}

/** A half-open window, and when what has it was issued; milliseconds since 1970: many receipts ask few of them. */
export interface Span {
  readonly from: number;
  readonly until: number;
  readonly issued: number;
}

/** The span of a statement; of none one in which nothing lies. */
export function spanOf(
  statement:
    | { readonly not_before: string; readonly not_after: string; readonly issued_at: string }
    | undefined,
): Span {
  if (statement === undefined) return { from: Number.NaN, until: Number.NaN, issued: Number.NaN };
  return {
    from: instant(statement.not_before),
    until: instant(statement.not_after),
    issued: instant(statement.issued_at),
  };
}

/** {@link inWindow}, of a span. */
export function inSpan(time: number, span: Span): boolean {
  return span.from <= time && time < span.until;
}

/** True when `inner` lies inside `outer` and holds at least one instant. */
export function isInside(
  inner: { readonly not_before: string; readonly not_after: string },
  outer: { readonly not_before: string; readonly not_after: string },
): boolean {
  return (
    instant(outer.not_before) <= instant(inner.not_before) &&
    instant(inner.not_after) <= instant(outer.not_after)
  );
}

export function isEmptyWindow(window: { readonly not_before: string; readonly not_after: string }): boolean {
  return !(instant(window.not_before) < instant(window.not_after));
}

/** Parses each key of a run once: backends remember what they prepared for a key object. */
export class KeyRing {
  readonly #keys = new Map<string, PublicKey | null>();

  /** The key of a public_key member that a closed schema has accepted. */
  get(hex: string): PublicKey | null {
    const known = this.#keys.get(hex);
    if (known !== undefined) return known;
    const bytes = decodeHex(hex);
    const key = bytes === null ? null : parsePublicKey(bytes);
    this.#keys.set(hex, key);
    return key;
  }
}

/** True when the statement's own signature verifies under the key. */
export function isSignedBy(
  item: Identified<{ readonly signature: string }>,
  key: PublicKey,
  signature: string = item.statement.signature,
): boolean {
  const bytes = decodeHex(signature);
  return bytes !== null && verifySignature(key, item.signedBytes, bytes);
}
