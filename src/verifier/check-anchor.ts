/** Check 8, ANCHOR: every statement sits under a root that an outside ledger dates, in time (docs/SPEC.md, "Check 8"). */
import { type AnchoredList, byDigest, type Identified, type Placed } from "../bundle/contents.js";
import type { EvidenceTreeV1 } from "../bundle/format.js";
import type { FailureCode } from "../errors.js";
import { LIMITS } from "../limits.js";
import { type Anchored, type Checkpoints, judgeAnchors } from "./anchored.js";
import type { SoundTree } from "./check-evidence.js";
import type { RuntimeOf } from "./check-receipt.js";
import type { SessionEnd } from "./check-session.js";
import { type AgentCertificate, type Identity, recordAt } from "./identity.js";
import type { LogHead } from "./inputs.js";
import type { Root } from "./root-line.js";
import { instant, placeOf, type Run } from "./run.js";

type Leaf = Identified<{ readonly issued_at: string }>;

/** Everything that anchors of a run say, judged once before the checks that need it. */
export interface AnchorFindings {
  readonly trees: ReadonlyMap<Placed<EvidenceTreeV1>, Anchored>;
  readonly lists: ReadonlyMap<AnchoredList, Anchored>;
  readonly checkpoints: readonly LogHead[];
}

/** Judges every anchor of the bundle and the supplement. */
export function judgeAllAnchors(run: Run, checkpoints: Checkpoints): AnchorFindings {
  // Known heads count as seen first, so that a fork is found at the bundle's checkpoint.
  for (const head of run.heads?.logs ?? []) checkpoints.forks(head);
  const trees = new Map<Placed<EvidenceTreeV1>, Anchored>();
  for (const tree of run.contents.trees) {
    const { root, tree_size: treeSize, anchors } = tree.value;
    const subject = {
      subject: "evidence_root",
      digest: root,
      treeSize,
      pointer: `${tree.pointer}/anchors`,
      source: "bundle",
    } as const;
    trees.set(tree, judgeAnchors(run, checkpoints, subject, anchors));
  }
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
  return { trees, lists, checkpoints: checkpoints.largest() };
}

/** What must be in time for a leaf: the last instant it may be anchored, and the roots its word rests on. */
interface Deadline {
  readonly latest: number;
  readonly agents: readonly AgentCertificate[];
}

export function checkAnchor(
  run: Run,
  identity: Identity,
  runtimes: RuntimeOf,
  ends: SessionEnd,
  trees: readonly SoundTree[],
  anchors: AnchorFindings,
): void {
  const times = earliestTimes(trees, anchors);
  const { receipts, closes, seals } = run.contents;
  reportUncovered(run, trees, anchors, times);
  const judge = (leaf: Leaf, deadline: Deadline | null): void => {
    const time = times.get(leaf.digest);
    if (time !== undefined && deadline !== null) judgeTime(run, identity, leaf, time, deadline);
  };
  const delegations = byDigest(run.contents.delegations);
  for (const receipt of receipts) {
    const runtime = runtimes.get(receipt);
    if (runtime === undefined) continue;
    const agents = new Set([runtime.agent]);
    let link = delegations.get(receipt.statement.delegation_digest);
    for (let depth = 0; link !== undefined && depth < LIMITS.maxDelegationDepth; depth += 1) {
      const agent = identity.agentCertificates.get(link.statement.agent_key_certificate_digest);
      if (agent !== undefined) agents.add(agent);
      link = delegations.get(link.statement.parent_delegation_digest ?? "");
    }
    judge(receipt, {
      latest: instant(runtime.item.statement.not_after) + run.trust.maxAnchorDelay,
      agents: [...agents],
    });
  }
  for (const close of closes) {
    const signer = ends.closedBy.get(close);
    if (signer === undefined) continue;
    const end = signer.runtime === null ? close.statement.issued_at : signer.runtime.item.statement.not_after;
    judge(close, { latest: instant(end) + run.trust.maxAnchorDelay, agents: [signer.agent] });
  }
  for (const seal of seals) {
    const agent = ends.sealedBy.get(seal);
    if (agent !== undefined)
      judge(seal, { latest: instant(seal.statement.issued_at) + run.trust.maxAnchorDelay, agents: [agent] });
  }
}

/** Earliest time of each leaf over all trees that hold it; anchoring again later does no harm. */
function earliestTimes(trees: readonly SoundTree[], anchors: AnchorFindings): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { tree, leaves } of trees) {
    const time = anchors.trees.get(tree)?.time ?? null;
    if (time === null) continue;
    for (const leaf of leaves) {
      const known = times.get(leaf);
      if (known === undefined || time < known) times.set(leaf, time);
    }
  }
  return times;
}

/** A tree whose anchors fall short fails the check only if a leaf has no other dated root. */
function reportUncovered(
  run: Run,
  trees: readonly SoundTree[],
  anchors: AnchorFindings,
  times: ReadonlyMap<string, number>,
): void {
  for (const { tree, leaves } of trees) {
    const anchored = anchors.trees.get(tree);
    if (anchored === undefined || anchored.time !== null) continue;
    if (leaves.every((leaf) => times.has(leaf))) {
      run.findings.notes.add(
        `Evidence tree ${tree.pointer} has no counting anchor; all its leaves stand under another root.`,
      );
      continue;
    }
    for (const { code, pointer, detail } of anchored.shortfalls) {
      run.findings.fail("ANCHOR", code, { pointer, source: anchored.source }, detail);
    }
  }
}

/** The time rules of one leaf (docs/SPEC.md, "Time rules of anchors"). */
function judgeTime(run: Run, identity: Identity, leaf: Leaf, time: number, deadline: Deadline): void {
  const fail = (code: FailureCode, detail: string): void => {
    run.failed.add(leaf);
    run.findings.fail("ANCHOR", code, placeOf(run, leaf), detail);
  };
  const issued = instant(leaf.statement.issued_at);
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

/** The roots that signed the certificates and records a leaf rests on. */
function supportingRoots(
  run: Run,
  identity: Identity,
  issued: number,
  agents: readonly AgentCertificate[],
): ReadonlySet<Root> {
  const roots = new Set<Root>();
  if (identity.line.rotations.length === 0) return roots;
  for (const agent of agents) {
    roots.add(agent.root);
    const record = recordAt(run, identity, agent.item.statement.agent_id, issued);
    if (record !== null) roots.add(record.root);
  }
  return roots;
}
