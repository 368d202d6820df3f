/** Every case that must be ACCEPTED. */

import type { MakeStory } from "../stories.js";
import * as stories from "../stories.js";

export interface ValidCase {
  readonly name: string;
  readonly make: MakeStory;
  readonly encoding: "json" | "cbor";
  /** Spaces of indentation in the bundle's JSON; canonical, in one line, when 0. */
  readonly indent: number;
  /** Why this must be accepted, for its README. */
  readonly why: string;
}

function valid(
  name: string,
  make: MakeStory,
  why: string,
  encoding: "json" | "cbor" = "json",
  indent = 0,
): ValidCase {
  return { name, make, encoding, why, indent };
}

export const VALID_CASES: readonly ValidCase[] = [
  valid(
    "one-receipt",
    stories.oneReceipt,
    "The smallest complete proof: one agent, one runtime, one receipt on P-256, one tree, one anchor, one revocation list.",
  ),
  valid(
    "one-receipt-ed25519",
    stories.oneReceiptEd25519,
    "The same with Ed25519 keys from the root down to the runtime.",
  ),
  valid(
    "one-receipt-cbor",
    stories.oneReceipt,
    "The same statements as `one-receipt` in the compact binary form. Both encodings are one bundle and get one report.",
    "cbor",
  ),
  valid(
    "verified-a-day-later",
    stories.dayLater,
    "The same session, verified 26 hours after it began: an old bundle does not expire while a list is fresh enough for the policy.",
  ),
  valid(
    "at-the-boundaries",
    stories.atTheBoundaries,
    "Everything as early, late or long as the rules just allow: a receipt in the first millisecond of its key and one in the last, a parent 60 seconds younger than its child, tree and list anchored at their last moments.",
  ),
  valid(
    "pretty-printed",
    stories.oneReceipt,
    "The bundle of `one-receipt` with line breaks and indentation: signatures cover the canonical form, not the layout of the file.",
    "json",
    2,
  ),
  valid(
    "mixed-algorithms",
    stories.mixedAlgorithms,
    "An Ed25519 runtime key under a P-256 agent and root: each signature is judged by the key that made it.",
  ),
  valid(
    "fork-and-merge",
    stories.forkAndMerge,
    "Two agents: the planner acts, hands work to the coder by a delegation that names it, and merges both branches. The graph is acyclic and every delegation only narrows.",
  ),
  valid(
    "two-domains",
    stories.twoDomains,
    "The coder bears the DNS name of a partner, and the policy pins that name for this namespace.",
  ),
  valid(
    "delegation-chain",
    stories.delegationChain,
    "Three delegations in a chain, from planner to coder and back, each no wider than the one above.",
  ),
  valid("delegation-chain-of-8", stories.delegationChainOf8, "Eight delegations: the longest chain allowed."),
  valid(
    "max-actions",
    stories.maxActions,
    "Four receipts of two runtimes under one delegation that allows four, each runtime's own delegation allowing two.",
  ),
  valid(
    "whole-session",
    stories.wholeSession,
    "Scope `session`: two runtimes, each contiguous from 1 to its close, and a seal that names both closes, as the policy requires.",
  ),
  valid(
    "session-without-seal",
    stories.sessionWithoutSeal,
    "Scope `session` with a close for each runtime; the policy does not ask for a seal.",
  ),
  valid(
    "session-with-an-older-ancestor",
    stories.olderAncestor,
    "Scope `session`, whose first receipt has a parent in another session. That one is shown as an ancestor only and needs no close.",
  ),
  valid(
    "agent-close",
    stories.agentClose,
    "A runtime crashed and its agent closed it; this policy accepts that in as many words.",
  ),
  valid(
    "key-renewal",
    stories.keyRenewal,
    "One runtime with two certificates one after the other. `sequence` runs on, and the close lists both.",
  ),
  valid(
    "inclusion-proofs",
    stories.inclusionProofs,
    "Two of four leaves are shown, each with its audit path to the anchored root.",
  ),
  valid(
    "causal-scope",
    stories.causalScope,
    "Two targets and their common ancestor. What the runtime did later is not shown, and scope `causal` does not claim it.",
  ),
  valid(
    "disclosures",
    stories.disclosures,
    "Openings of an input, two outputs (text and blob) and two of three evidence items, and the policy document. Each fits its field.",
  ),
  valid(
    "disclosed-bytes",
    stories.disclosedBytes,
    "An output that is not valid UTF-8, committed and disclosed as its exact bytes.",
  ),
  valid(
    "rotation-forward",
    stories.rotationForward,
    "The policy pins the old root. A rotation signed by both roots leads to the new one, which signed everything after it took effect.",
  ),
  valid(
    "rotation-backward",
    stories.rotationBackward,
    "The policy pins the new root. What rests on the old one was anchored before the rotation took effect.",
  ),
  valid(
    "both-roots-pinned",
    stories.bothRootsPinned,
    "The policy pins both roots with their rotation numbers, and the rotation between them agrees.",
  ),
  valid(
    "several-lists",
    stories.severalLists,
    "Three revocation lists in a row, cumulative and linked; the newest is fresh and its number is the pinned minimum.",
  ),
  valid(
    "supplement-newer-list",
    stories.supplementNewerList,
    "Verified a month later: the bundle's own list is stale by then, and a supplement brings a fresh one.",
  ),
  valid(
    "supplement-rotation",
    stories.supplementRotation,
    "The rotation that leads from the pinned root to the signing one comes as a supplement.",
  ),
  valid(
    "known-heads",
    stories.withKnownHeads,
    "The verifier has seen this list and this checkpoint before; nothing went back and nothing forked.",
  ),
  valid(
    "log-continued",
    stories.logContinued,
    "The log has grown since the verifier saw it, and its newer checkpoint is shown to continue what was seen.",
  ),
  valid(
    "known-rotation",
    stories.rotationWithHeads,
    "The verifier has seen this rotation before and finds it again.",
  ),
  valid(
    "expectations-met",
    stories.expectationsMet,
    "Every question that expectations can ask is asked, and the bundle answers each.",
  ),
  valid(
    "unpinned-extra-anchor",
    stories.unpinnedExtraAnchor,
    "Beside the good anchor stand one on a log that is not pinned and one of another type. They prove nothing and do no harm.",
  ),
  valid(
    "anchored-twice",
    stories.anchoredTwice,
    "The root was anchored again an hour later. The earlier time counts, so anchoring again does no harm.",
  ),
  valid(
    "second-tree-without-anchor",
    stories.secondTreeWithoutAnchor,
    "A second tree over one of the receipts has no anchor. All its leaves stand under the anchored one, so it is only reported.",
  ),
  valid(
    "attestation-carried",
    stories.attestationCarried,
    "The runtime certificate names an attestation document that the bundle holds. The policy requires none, so check ATTESTATION rests.",
  ),
];
