/**
 * What the anchors of one root or list are worth (docs/SPEC.md, "Anchors"). Checks 4 and 8 both rest on it.
 */
import { anchorEntryBytes } from "../anchors/anchor-entry.js";
import { checkTlogProof, type TlogOutcome } from "../anchors/tlog.js";
import type { Anchor } from "../bundle/format.js";
import { decodeHex } from "../encoding/hex.js";
import { formatTime } from "../encoding/time.js";
import type { FailureCode } from "../errors.js";
import { verifyConsistency } from "../tree/proof.js";
import type { LogConsistency, LogHead } from "./inputs.js";
import type { FailureSource } from "./report.js";
import type { Run } from "./run.js";

/** Why an anchor on a pinned ledger does not count, or gives no time. */
export interface Shortfall {
  readonly code: FailureCode;
  readonly pointer: string;
  readonly detail: string;
}

/** Anchors of one subject, judged. */
export interface Anchored {
  readonly pointer: string;
  readonly source: FailureSource;
  /** Earliest time over the counting anchors, in milliseconds; null when none gives one. */
  readonly time: number | null;
  readonly shortfalls: readonly Shortfall[];
}

type Checked = Extract<TlogOutcome, { readonly kind: "checked" }>;

/** Checkpoints seen in this run, to notice a log that shows two roots for one size. */
export class Checkpoints {
  readonly #roots = new Map<string, string>();
  /** Logs that told two stories, or did not show that they go on with theirs. */
  readonly #doubtful = new Set<string>();
  /** By size and log. */
  readonly #breaking = new Map<string, boolean>();
  readonly #largest = new Map<string, LogHead>();

  /** True when this log has already shown another root for this size. */
  forks(checkpoint: LogHead): boolean {
    const name = `${checkpoint.size} ${checkpoint.origin}`;
    const known = this.#roots.get(name);
    this.#roots.set(name, known ?? checkpoint.root);
    if (known === undefined || known === checkpoint.root) return false;
    this.#doubtful.add(checkpoint.origin);
    return true;
  }

  /** True when this checkpoint is larger than the known head of its log and is not shown to continue it. */
  breaksOff(checkpoint: LogHead, { heads, logConsistency }: Run): boolean {
    const known = heads?.logs.find(({ origin }) => origin === checkpoint.origin);
    if (logConsistency === null || known === undefined || checkpoint.size <= known.size) return false;
    // Of each size there is one root, or the log forks: many anchors under one checkpoint are judged once.
    const name = `${checkpoint.size} ${checkpoint.origin}`;
    const breaks = this.#breaking.get(name) ?? !isShownToContinue(known, checkpoint, logConsistency);
    this.#breaking.set(name, breaks);
    if (breaks) this.#doubtful.add(checkpoint.origin);
    return breaks;
  }

  /** Remembers the largest checkpoint of a log whose anchor counts. */
  see(checkpoint: LogHead): void {
    const known = this.#largest.get(checkpoint.origin);
    if (known === undefined || checkpoint.size > known.size) this.#largest.set(checkpoint.origin, checkpoint);
  }

  /** One for each log whose head may move: of a log in doubt what was known stays, or the next run would not notice. */
  largest(): readonly LogHead[] {
    return [...this.#largest.values()].filter(({ origin }) => !this.#doubtful.has(origin));
  }
}

function isShownToContinue(
  known: LogHead,
  checkpoint: LogHead,
  logConsistency: readonly LogConsistency[],
): boolean {
  const sizes = logConsistency.filter(
    (shown) =>
      shown.origin === known.origin && shown.old_size === known.size && shown.new_size === checkpoint.size,
  );
  return sizes.some((shown) =>
    verifyConsistency({
      oldSize: known.size,
      oldRoot: bytesOf(known.root),
      newSize: checkpoint.size,
      newRoot: bytesOf(checkpoint.root),
      path: shown.hashes.map(bytesOf),
    }),
  );
}

/** The subject of an anchor entry: a tree's root and size, or a list's digest and 1. */
export interface Subject {
  readonly subject: "evidence_root" | "revocation_list";
  readonly digest: string;
  readonly treeSize: number;
  /** Pointer of the array of anchors. */
  readonly pointer: string;
  readonly source: FailureSource;
}

/** Judges all anchors of a subject: wrong ones fail check ANCHOR, short ones are told, the rest give a time. */
export function judgeAnchors(
  run: Run,
  checkpoints: Checkpoints,
  subject: Subject,
  anchors: readonly Anchor[],
): Anchored {
  const entry = anchorEntryBytes({
    namespaceId: run.namespaceId,
    subject: subject.subject,
    digest: subject.digest,
    treeSize: subject.treeSize,
  });
  const shortfalls: Shortfall[] = [];
  let pinned = 0;
  let time: number | null = null;
  for (const [index, anchor] of anchors.entries()) {
    const pointer = `${subject.pointer}/${index}`;
    const outcome = judge(run, checkpoints, anchor, entry, { pointer, source: subject.source });
    if (outcome === null) continue;
    pinned += 1;
    if (outcome === "wrong") continue;
    if (outcome.code !== null) shortfalls.push({ code: outcome.code, pointer, detail: outcome.detail });
    if (outcome.time !== null && (time === null || outcome.time < time)) time = outcome.time;
  }
  if (pinned === 0) {
    shortfalls.push({
      code: "ANCHOR_MISSING",
      pointer: subject.pointer,
      detail: "no anchor here is on a pinned ledger",
    });
  }
  return { pointer: subject.pointer, source: subject.source, time, shortfalls };
}

/** Of a digest that a schema has accepted, which is never empty. */
function bytesOf(digest: string): Uint8Array {
  return decodeHex(digest) ?? new Uint8Array();
}

interface Worth {
  readonly code: FailureCode | null;
  readonly detail: string;
  readonly time: number | null;
}

interface Where {
  readonly pointer: string;
  readonly source: FailureSource;
}

/** One anchor: null when its ledger is not pinned, "wrong" when it failed, else its time or shortfall. */
function judge(
  run: Run,
  checkpoints: Checkpoints,
  anchor: Anchor,
  entry: Uint8Array,
  at: Where,
): Worth | "wrong" | null {
  const uncounted = (reason: string): null => {
    run.findings.notCounted.push({ ...at, reason });
    return null;
  };
  if (anchor.type !== "tlog") return uncounted(`no ledger of type ${anchor.type} is pinned`);
  const outcome = checkTlogProof(anchor.proof, entry, run.trust.tlog);
  if (outcome.kind === "unpinned") return uncounted("its log is not pinned");
  if (outcome.kind === "wrong") {
    run.findings.fail("ANCHOR", outcome.code, at, outcome.detail);
    return "wrong";
  }
  const head = { origin: outcome.origin, size: outcome.size, root: outcome.root };
  if (checkpoints.forks(head)) {
    run.findings.fail(
      "ANCHOR",
      "ANCHOR_LOG_FORK",
      at,
      `log ${head.origin} has shown another root for size ${head.size}`,
    );
    return "wrong";
  }
  if (checkpoints.breaksOff(head, run)) {
    run.findings.fail(
      "ANCHOR",
      "ANCHOR_LOG_NOT_CONTINUED",
      at,
      `log ${head.origin} is not shown to continue its known head up to size ${head.size}`,
    );
    return "wrong";
  }
  const worth = worthOf(run, outcome);
  // A checkpoint without a quorum is not remembered: a single operator could otherwise poison the heads.
  if (worth.time !== null) checkpoints.see(head);
  else run.findings.notCounted.push({ ...at, reason: worth.detail });
  vouch(run, at, outcome, worth);
  return worth;
}

function worthOf(run: Run, outcome: Checked): Worth {
  const short = (code: FailureCode, detail: string): Worth => ({ code, detail, time: null });
  if (outcome.cosigners.length === 0 && !run.trust.acceptOperatorOnly) {
    return short("ANCHOR_OPERATOR_ONLY", `only the operator of log ${outcome.origin} signed this checkpoint`);
  }
  if (outcome.cosigners.length > 0 && !outcome.quorumMet) {
    return short(
      "ANCHOR_QUORUM_NOT_MET",
      `${outcome.cosigners.length} pinned witnesses signed, which is not the quorum`,
    );
  }
  if (outcome.time === null)
    return short("ANCHOR_TIME_MISSING", "no quorum of pinned witnesses dates this checkpoint");
  if (outcome.time > run.at + run.trust.skew) {
    return short(
      "ANCHOR_FROM_FUTURE",
      `witnesses date it ${formatTime(outcome.time)}, after the verification time`,
    );
  }
  return { code: null, detail: "", time: outcome.time };
}

/** Tells the reader who vouches for the time, and whether that is the operator's own word. */
function vouch(run: Run, at: Where, outcome: Checked, worth: Worth): void {
  run.findings.times.push({
    pointer: at.pointer,
    source: at.source,
    type: "tlog",
    log: outcome.origin,
    log_operator: outcome.operator,
    tree_size: outcome.size,
    anchored_at: worth.time === null ? null : formatTime(worth.time),
    witnesses: outcome.cosigners.map(({ name, operator, time }) => ({
      name,
      operator,
      time: time === 0 ? null : formatTime(time * 1_000),
    })),
  });
  if (worth.time === null || outcome.cosigners.some(({ operator }) => operator === "independent")) return;
  run.findings.notes.add(
    `Every witness of log ${outcome.origin} is marked as the operator's own: its times are the operator's word.`,
  );
}
