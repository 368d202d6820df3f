/** Check 8, ANCHOR: every statement sits under a root that an outside ledger dates, in time (docs/SPEC.md, "Check 8"). */
import type { AnchoredList, Identified } from "../bundle/contents.js";
import type { FailureCode } from "../errors.js";
import { NarrowNumbers } from "../tree/numbers.js";
import { type Anchored, type Checkpoints, judgeAnchors } from "./anchored.js";
import type { SoundTree } from "./check-evidence.js";
import type { SessionEnd } from "./check-session.js";
import { type AgentCertificate, type Identity, recordAt } from "./identity.js";
import type { Place } from "./report.js";
import type { Root } from "./root-line.js";
import { instant, placeOf, type Run } from "./run.js";
import type { Leaves, TreeHead } from "./shown-leaves.js";
import type { Standings } from "./standing.js";

type Leaf = Identified<{ readonly issued_at: string }>;

/** Anchors of one kind of subject, judged. */
export type Judged<T> = ReadonlyMap<T, Anchored>;

/** Judges every anchor of the lists of the bundle and the supplement. They come before those of the trees. */
export function judgeListAnchors(run: Run, checkpoints: Checkpoints): Judged<AnchoredList> {
  // Known heads count as seen first, so that a fork is found at the bundle's checkpoint.
  for (const head of run.heads?.logs ?? []) checkpoints.forks(head);
  const lists = new Map<AnchoredList, Anchored>();
  for (const item of run.lists) {
    const { pointer, source = "bundle" } = placeOf(run, item);
    const at = pointer.slice(0, pointer.lastIndexOf("/list"));
    const subject = {
      subject: "revocation_list",
      digest: item.digest,
      treeSize: 1,
      pointer: `${at}/anchors`,
      source,
    } as const;
    lists.set(item, judgeAnchors(run, checkpoints, subject, item.anchors));
  }
  return lists;
}

/** Judges every anchor of the trees. */
export function judgeTreeAnchors(
  run: Run,
  checkpoints: Checkpoints,
  heads: Iterable<TreeHead>,
): Judged<TreeHead> {
  const trees = new Map<TreeHead, Anchored>();
  for (const head of heads) {
    const { root, tree_size: treeSize, anchors } = head.value;
    const subject = {
      subject: "evidence_root",
      digest: root,
      treeSize,
      pointer: `${head.pointer}/anchors`,
      source: "bundle",
    } as const;
    trees.set(head, judgeAnchors(run, checkpoints, subject, anchors));
  }
  return trees;
}

/** What must be in time for a leaf: the last instant it may be anchored, and the roots its word rests on. */
interface Deadline {
  readonly latest: number;
  readonly agents: readonly AgentCertificate[];
  readonly place: () => Place;
}

export function checkAnchor(
  run: Run,
  identity: Identity,
  standings: Standings,
  ends: SessionEnd,
  leaves: Leaves,
  trees: readonly SoundTree[],
  anchors: Judged<TreeHead>,
): void {
  const times = new LeafTimes(leaves, trees, anchors);
  reportUncovered(run, trees, anchors, times);
  const { receipts } = run;
  for (let position = 0; position < receipts.count; position += 1) {
    const standing = standings.get(receipts.bindingAt(position));
    const { runtime } = standing;
    if (runtime === null || !standing.runtimeHolds) continue;
    judgeTime(run, identity, receipts.issuedAt(position), times.of(position), {
      latest: standing.runtimeSpan.until + run.trust.maxAnchorDelay,
      agents: standing.agents,
      place: () => receipts.placeOf(position),
    });
  }
  const { closes, seals } = run.contents;
  const judgeEnd = (item: Leaf, latest: string, agent: AgentCertificate): void =>
    judgeTime(run, identity, instant(item.statement.issued_at), times.of(leaves.find(item.digest)), {
      latest: instant(latest) + run.trust.maxAnchorDelay,
      agents: [agent],
      place: () => item,
    });
  for (const close of closes) {
    const signer = ends.closedBy.get(close);
    if (signer === undefined) continue;
    const end = signer.runtime === null ? close.statement.issued_at : signer.runtime.item.statement.not_after;
    judgeEnd(close, end, signer.agent);
  }
  for (const seal of seals) {
    const agent = ends.sealedBy.get(seal);
    if (agent !== undefined) judgeEnd(seal, seal.statement.issued_at, agent);
  }
}

/** The time of a leaf that no tree dates. */
const NO_TIME = Number.POSITIVE_INFINITY;

/** Earliest time of each leaf over all trees that hold it; anchoring again later does no harm. */
class LeafTimes {
  /** Times of trees, the earliest first, behind that of a leaf that no tree dates. */
  readonly #times: number[] = [NO_TIME];
  /** By number of the leaf: which of these times. */
  readonly #which: NarrowNumbers;

  constructor(leaves: Leaves, trees: readonly SoundTree[], anchors: Judged<TreeHead>) {
    this.#which = new NarrowNumbers(leaves.count, leaves.count);
    const dated = trees.flatMap(({ head, leaves: held }) => {
      const time = anchors.get(head)?.time ?? null;
      return time === null ? [] : [{ time, held }];
    });
    for (const { time, held } of dated.sort((a, b) => a.time - b.time)) {
      const which = this.#times.push(time) - 1;
      for (const leaf of held) if (this.#which.at(leaf) === 0) this.#which.put(leaf, which);
    }
  }

  of(leaf: number): number {
    return this.#times[this.#which.at(leaf)] ?? NO_TIME;
  }
}

/** A tree whose anchors fall short fails the check only if a leaf has no other dated root. */
function reportUncovered(
  run: Run,
  trees: readonly SoundTree[],
  anchors: Judged<TreeHead>,
  times: LeafTimes,
): void {
  for (const { head, leaves } of trees) {
    const anchored = anchors.get(head);
    if (anchored === undefined || anchored.time !== null) continue;
    if (leaves.every((leaf) => times.of(leaf) !== NO_TIME)) {
      run.findings.notes.add(
        `Evidence tree ${head.pointer} has no counting anchor; all its leaves stand under another root.`,
      );
      continue;
    }
    for (const { code, pointer, detail } of anchored.shortfalls) {
      run.findings.fail("ANCHOR", code, { pointer, source: anchored.source }, detail);
    }
  }
}

/** The time rules of one leaf (docs/SPEC.md, "Time rules of anchors"). */
function judgeTime(run: Run, identity: Identity, issued: number, time: number, deadline: Deadline): void {
  if (time === NO_TIME) return;
  const fail = (code: FailureCode, detail: string): void =>
    run.findings.fail("ANCHOR", code, deadline.place(), detail);
  if (issued > time + run.trust.skew)
    fail("ANCHOR_BEFORE_ISSUE", "it was anchored before the time it says it was issued");
  if (time > deadline.latest)
    fail(
      "ANCHOR_TOO_LATE",
      "it was anchored too long after its key's window, when a stolen key could have made it",
    );
  for (const root of supportingRoots(run, identity, issued, deadline.agents)) {
    if (root.until === null || time < root.until) continue;
    fail(
      "ANCHOR_AFTER_ROTATION",
      `it rests on root ${root.keyId} and was anchored after that root was replaced`,
    );
    return;
  }
}

/** What a leaf rests on matters only where roots were replaced. */
const NO_ROOTS: ReadonlySet<Root> = new Set();

/** The roots that signed the certificates and records a leaf rests on. */
function supportingRoots(
  run: Run,
  identity: Identity,
  issued: number,
  agents: readonly AgentCertificate[],
): ReadonlySet<Root> {
  if (identity.line.rotations.length === 0) return NO_ROOTS;
  const roots = new Set<Root>();
  for (const agent of agents) {
    roots.add(agent.root);
    const record = recordAt(run, identity, agent.item.statement.agent_id, issued);
    if (record !== null) roots.add(record.root);
  }
  return roots;
}
