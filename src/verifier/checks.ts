/**
 * The checks behind FORMAT, in their order (docs/SPEC.md, "Verification"), in three steps: of what receipts rest on,
 * of each receipt by itself, and of all together. A reader that meets receipts one by one goes through the same steps
 * as one that has them all.
 */
import type { AnchoredList } from "../bundle/contents.js";
import { Checkpoints } from "./anchored.js";
import { checkAnchor, type Judged, judgeListAnchors, judgeTreeAnchors } from "./check-anchor.js";
import { checkAttestation } from "./check-attestation.js";
import { checkDag } from "./check-dag.js";
import { checkActionCounts, checkDelegations } from "./check-delegation.js";
import { checkEvidence } from "./check-evidence.js";
import { checkExpectation } from "./check-expectation.js";
import { checkIdentity } from "./check-identity.js";
import { checkRevocation, isInTimeOfRoot, type SoundList } from "./check-revocation.js";
import { checkSessionEndUse } from "./check-use.js";
import type { Guard } from "./guard.js";
import { movedHeads } from "./heads.js";
import type { Identity } from "./identity.js";
import type { KnownHeadsV1 } from "./inputs.js";
import type { ShownTree } from "./proven-leaves.js";
import { ReceiptJudge } from "./receipt-judge.js";
import { failing, type Run } from "./run.js";
import type { Leaves } from "./shown-leaves.js";
import type { SignaturesElsewhere } from "./signatures-elsewhere.js";
import { Standings } from "./standing.js";

/** What the first step found, for the others. */
export interface Begun {
  readonly identity: Identity;
  readonly standings: Standings;
  readonly judge: ReceiptJudge;
  readonly checkpoints: Checkpoints;
  readonly listAnchors: Judged<AnchoredList>;
  readonly lists: readonly SoundList[];
}

/** Checks 2 to 4, of everything that receipts rest on; null when one could not be run. */
export function beginChecks(run: Run, guard: Guard, elsewhere: SignaturesElsewhere): Begun | null {
  const checkpoints = new Checkpoints();
  const listAnchors = guard.run("ANCHOR", () => judgeListAnchors(run, checkpoints));
  const identity = guard.run("IDENTITY", () => checkIdentity(run));
  if (!identity || !listAnchors) return null;
  const failedBefore = new Set(run.failed);
  guard.run("DELEGATION", () => checkDelegations(run, identity, failedBefore));
  const lists = guard.run("REVOCATION", () => checkRevocation(run, identity, listAnchors));
  if (!lists) return null;
  const standings = new Standings(run, identity, failedBefore);
  return {
    identity,
    standings,
    judge: new ReceiptJudge(run, identity, standings, elsewhere),
    checkpoints,
    listAnchors,
    lists,
  };
}

/**
 * Everything but the receipts by themselves, when all is there; gives the known heads to keep. The receipts have been
 * judged, and what none of them may have of another one: `checkReuse`.
 */
export function endChecks(
  run: Run,
  begun: Begun,
  leaves: Leaves,
  trees: readonly ShownTree[],
  guard: Guard,
): KnownHeadsV1 | null {
  const { identity, standings, checkpoints } = begun;
  guard.run("IDENTITY", () => checkSessionEndUse(run, identity, failing(run, "IDENTITY")));
  guard.ran("IDENTITY");
  guard.run("DELEGATION", () => checkActionCounts(run, standings));
  guard.ran("DELEGATION");
  guard.ran("REVOCATION");
  guard.ran("RECEIPT");
  const ends = guard.run("DAG", () => checkDag(run, identity, standings));
  guard.ran("DAG");
  const sound = guard.run("EVIDENCE", () => checkEvidence(run, leaves, trees));
  guard.ran("EVIDENCE");
  if (!ends || !sound) return null;
  guard.run("ANCHOR", () => {
    const heads = trees.map(({ head }) => head);
    const anchors = judgeTreeAnchors(run, checkpoints, heads);
    checkAnchor(run, identity, standings, ends, leaves, sound, anchors);
  });
  guard.ran("ANCHOR");
  const closers = [...ends.closedBy.values()].flatMap(({ runtime }) => runtime ?? []);
  guard.runOptional("ATTESTATION", () =>
    checkAttestation(run, new Set([...standings.soundRuntimes(), ...closers])),
  );
  guard.runOptional("EXPECTATION", () => checkExpectation(run));
  if (run.failed.size > 0 && !run.findings.hasAnyFailure()) {
    // A statement that was set aside without a reason must never pass: that would be a fault of a check.
    run.findings.fail(
      "ANCHOR",
      "INTERNAL_FAULT",
      { pointer: "" },
      "a statement failed without a recorded reason",
    );
  }
  return headsAfter(run, begun);
}

function headsAfter(run: Run, { identity, lists, listAnchors, checkpoints }: Begun): KnownHeadsV1 {
  return movedHeads({
    given: run.heads,
    namespaceId: run.namespace.namespace_id,
    lists: lists
      .filter((list) => {
        const anchored = listAnchors.get(list.item);
        return !run.failed.has(list.item) && anchored?.time !== null && isInTimeOfRoot(list, anchored);
      })
      .map(({ item }) => item),
    rotations: identity.line.rotations.filter((rotation) => !run.failed.has(rotation)),
    checkpoints: checkpoints.largest(),
  });
}
