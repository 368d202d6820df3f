/** Small stories that must be ACCEPTED. Each builds a world, with changes where a case asks for them. */
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import type { ExpectationsV1, KnownHeadsV1 } from "../../src/verifier/inputs.js";
import type { TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { DAY, HOUR, MINUTE } from "./keys.js";
import { agentId, basePolicy, DOMAIN, NAMESPACE, pinnedRoot, withNamespace } from "./trust.js";
import { type Changes, type Draft, POLICY, rootOf, World } from "./world.js";

/** The verification time of every story that does not say otherwise: three hours after the session began. */
export const VERIFIED_AT: number = 3 * HOUR;

/** Everything that one verification gets. */
export interface Story {
  readonly bundle: ProofBundleV3;
  readonly trust: TrustPolicyV1;
  /** Seconds after the session began. */
  readonly at: number;
  readonly expectations?: ExpectationsV1;
  readonly supplement?: Draft;
  readonly heads?: KnownHeadsV1;
}

export type MakeStory = (changes?: Changes) => Promise<Story>;

function story(bundle: ProofBundleV3, more: Partial<Story> = {}): Story {
  return { bundle, trust: basePolicy(), at: VERIFIED_AT, ...more };
}

async function begin(world: World): Promise<void> {
  await world.list(1, -HOUR);
  await world.agent("planner");
}

/** One agent, one runtime, one receipt, all leaves in one anchored tree. */
async function single(world: World): Promise<ProofBundleV3> {
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  return finish(world, ["1"]);
}

async function finish(
  world: World,
  targets: readonly string[],
  scope: "causal" | "session" = "causal",
  shown?: readonly string[],
): Promise<ProofBundleV3> {
  await world.step("receipts");
  await world.tree("tree", 40 * MINUTE);
  await world.step("tree");
  world.finish();
  return world.bundle(scope, targets, shown);
}

export const oneReceipt: MakeStory = async (changes) => story(await single(new World(changes)));

/** Verified a day after the session, under a policy that allows lists of two days. */
export const dayLater: MakeStory = async (changes) =>
  story(await single(new World(changes)), {
    trust: basePolicy({ max_revocation_age_seconds: 2 * DAY }),
    at: 26 * HOUR,
  });

export const oneReceiptEd25519: MakeStory = async (changes) => {
  const world = new World(changes, "ED25519");
  const root = { ...pinnedRoot("root-0", 0), public_key: world.key("root-0").spki };
  const trust = withNamespace(basePolicy(), { roots: [root] });
  return story(await single(world), { trust });
};

/** A runtime that signs with Ed25519 under an agent and a root on P-256. */
export const mixedAlgorithms: MakeStory = async (changes) => {
  const world = new World(changes);
  world.algorithmOf["rt-1-key"] = "ED25519";
  return story(await single(world));
};

/** The planner forks work to the coder and merges what comes back. */
async function forked(world: World, coder = "coder"): Promise<ProofBundleV3> {
  await begin(world);
  await world.agent(coder);
  await world.step("agents");
  await world.runtime("rt-1", "planner");
  await world.runtime("rt-2", coder);
  await world.delegation("rt-1", "planner", "rt-1");
  await world.delegation("to-coder", "planner", "rt-1", { delegate: coder });
  await world.delegation("rt-2", coder, "rt-2", { parent: "to-coder", tools: ["file.read", "file.write"] });
  await forkedReceipts(world);
  return finish(world, ["4"]);
}

async function forkedReceipts(world: World): Promise<void> {
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  const write = { tool: "file.write", parents: ["1"] };
  await world.receipt("3", { runtime: "rt-2", sequence: 1, time: 7 * MINUTE, ...write });
  await world.receipt("4", { runtime: "rt-1", sequence: 3, time: 9 * MINUTE, parents: ["2", "3"] });
}

export const forkAndMerge: MakeStory = async (changes) => story(await forked(new World(changes)));

export const PARTNER = "@ai:partner.example.net/coder";

export const twoDomains: MakeStory = async (changes) =>
  story(await forked(new World(changes), PARTNER), {
    trust: withNamespace(basePolicy(), { agent_domains: [DOMAIN, "partner.example.net"] }),
  });

/** `length` delegations in a chain, from planner to coder and back. */
async function chained(world: World, length: number): Promise<ProofBundleV3> {
  await begin(world);
  await world.agent("coder");
  const agentOf = (place: number): string => (place % 2 === 0 ? "planner" : "coder");
  for (let place = 0; place < length - 1; place += 1) {
    const parent = place === 0 ? {} : { parent: `${place - 1}` };
    const delegate = agentOf(place + 1);
    await world.delegation(`${place}`, agentOf(place), "rt-0", { ...parent, delegate });
  }
  await world.step("chain");
  await world.runtime("rt-1", agentOf(length - 1));
  await world.delegation("rt-1", agentOf(length - 1), "rt-1", { parent: `${length - 2}` });
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  return finish(world, ["1"]);
}

export const delegationChain: MakeStory = async (changes) => story(await chained(new World(changes), 3));

export const delegationChainOf8: MakeStory = async (changes) => story(await chained(new World(changes), 8));

/** Two runtimes of the coder share what the planner allows: four actions together, two each. */
export const maxActions: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.agent("coder");
  await world.delegation("to-coder", "planner", "rt-0", { delegate: "coder", max: 4 });
  for (const runtime of ["rt-1", "rt-2"]) {
    await world.runtime(runtime, "coder");
    await world.delegation(runtime, "coder", runtime, { parent: "to-coder", max: 2 });
  }
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE });
  await world.receipt("3", { runtime: "rt-2", sequence: 1, time: 7 * MINUTE });
  await world.receipt("4", { runtime: "rt-2", sequence: 2, time: 8 * MINUTE });
  return story(await finish(world, ["1", "2", "3", "4"]));
};

const STRICT_SESSION = { require_session_close: true, require_session_seal: true } as const;

/** Two runtimes of one agent in one session; `rt-2` works between the first and last receipt of `rt-1`. */
async function sessionReceipts(world: World): Promise<void> {
  await begin(world);
  for (const runtime of ["rt-1", "rt-2"]) {
    await world.runtime(runtime, "planner");
    await world.delegation(runtime, "planner", runtime);
  }
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-2", sequence: 1, time: 7 * MINUTE, parents: ["1"] });
  await world.receipt("4", { runtime: "rt-2", sequence: 2, time: 8 * MINUTE, parents: ["3"] });
  await world.receipt("5", { runtime: "rt-1", sequence: 3, time: 9 * MINUTE, parents: ["2"] });
}

export const wholeSession: MakeStory = async (changes) => {
  const world = new World(changes);
  await sessionReceipts(world);
  await world.close("rt-1", "5", 15 * MINUTE);
  await world.close("rt-2", "4", 16 * MINUTE);
  await world.step("closes");
  await world.seal("planner", ["rt-1", "rt-2"], 20 * MINUTE);
  return story(await finish(world, ["4", "5"], "session"), { trust: basePolicy(STRICT_SESSION) });
};

/** Closes, and nobody asks for a seal. */
export const sessionWithoutSeal: MakeStory = async (changes) => {
  const world = new World(changes);
  await sessionReceipts(world);
  await world.close("rt-1", "5", 15 * MINUTE);
  await world.close("rt-2", "4", 16 * MINUTE);
  const trust = basePolicy({ require_session_close: true });
  return story(await finish(world, ["5"], "session"), { trust });
};

/** `rt-2` crashed: the agent closes it. */
export const agentClose: MakeStory = async (changes) => {
  const world = new World(changes);
  await sessionReceipts(world);
  await world.close("rt-1", "5", 15 * MINUTE);
  await world.close("rt-2", "4", 45 * MINUTE, { byAgent: "planner" });
  await world.seal("planner", ["rt-1", "rt-2"], 50 * MINUTE);
  await world.step("receipts");
  await world.tree("tree", 60 * MINUTE);
  world.finish();
  const trust = basePolicy({ ...STRICT_SESSION, accept_agent_close: true });
  return story(world.bundle("session", ["4", "5"]), { trust });
};

/** One runtime, two certificates one after the other; `sequence` runs on. */
export const keyRenewal: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  const second = "runtime:rt-1:2";
  await world.runtime("rt-1", "planner", { time: 28 * MINUTE, key: "rt-1-key-2", label: second });
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 25 * MINUTE, parents: ["1"] });
  const renewed = { certificate: second, parents: ["2"] };
  await world.receipt("3", { runtime: "rt-1", sequence: 3, time: 35 * MINUTE, ...renewed });
  await world.close("rt-1", "3", 40 * MINUTE, { certificates: ["runtime:rt-1", second] });
  return story(await finish(world, ["3"], "session"), { trust: basePolicy({ require_session_close: true }) });
};

/** Only what leads to the target is shown; the rest of the tree stands behind audit paths. */
export const inclusionProofs: MakeStory = async (changes) => {
  const world = new World(changes);
  await forkedWithoutTree(world);
  return story(await finish(world, ["2"], "causal", ["receipt:1", "receipt:2"]));
};

/** The coder's runtime and delegation would be unreferenced here, so all four receipts are the planner's. */
async function forkedWithoutTree(world: World): Promise<void> {
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-1", sequence: 3, time: 7 * MINUTE, parents: ["1"] });
  await world.receipt("4", { runtime: "rt-1", sequence: 4, time: 8 * MINUTE, parents: ["2", "3"] });
}

/** The ancestors of two targets, without the receipt that came after them; the tree ends with them. */
export const causalScope: MakeStory = async (changes) => {
  const world = new World(changes);
  await forkedWithoutTree(world);
  await world.step("receipts");
  const shown = ["receipt:1", "receipt:2", "receipt:3"];
  await world.tree("tree", 40 * MINUTE, { leaves: shown });
  world.finish();
  return story(world.bundle("causal", ["2", "3"], shown));
};

export const REPORT_FILE: string = encodeHex(encodeUtf8("total: 42\n"));

/** Openings of an input, an output, two evidence items and a blob; the policy document is shown as well. */
export const disclosures: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  world.policies.push(POLICY);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", {
    runtime: "rt-1",
    sequence: 1,
    time: 5 * MINUTE,
    input: { json: { command: "make report", nice: -1.5, note: null } },
    output: { json: "total: 42\n" },
    evidence: ["stdout", "stderr", "exit"].map((name) => ({ json: { name } })),
  });
  const blob = { media_type: "text/plain", size: 10, sha256: sha256Hex(encodeUtf8("total: 42\n")) };
  await world.receipt("2", {
    runtime: "rt-1",
    sequence: 2,
    time: 6 * MINUTE,
    parents: ["1"],
    tool: "file.write",
    output: { blob },
  });
  for (const field of ["input", "output", "evidence 0", "evidence 2"]) world.disclose("1", field);
  world.disclose("2", "output");
  return story(await finish(world, ["1", "2"]));
};

/** The output is exact bytes that no JSON value could hold. */
export const disclosedBytes: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  const output = { bytes: "0xff00fe7b226e223a4e614e7d" };
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, output });
  world.disclose("1", "output");
  return story(await finish(world, ["1"]));
};

/** The policy pins root-0, and everything is signed by root-1. */
export const rotationForward: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.rotation(1, -4 * DAY, -3 * DAY);
  world.root = "root-1";
  await world.step("rotation");
  return story(await single(world));
};

/** The policy pins root-1; the session is under root-0 and was anchored before the change. */
export const rotationBackward: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await world.rotation(1, 60 * MINUTE, 90 * MINUTE);
  world.root = "root-1";
  await world.list(2, 95 * MINUTE);
  world.finish();
  const trust = withNamespace(basePolicy(), { roots: [pinnedRoot("root-1", 1)] });
  return story(world.bundle("causal", ["1"]), { trust });
};

/** Three lists in a row, each with what the one before had; the keys on them are of nobody here. */
export const severalLists: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.list(1, -3 * DAY, ["lost-1"]);
  await world.list(2, -2 * DAY, ["lost-1", "lost-2"]);
  await world.list(3, -HOUR, ["lost-1", "lost-2", "lost-3"]);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  const trust = withNamespace(basePolicy(), { minimum_revocation_list_number: 3 });
  return story(await finish(world, ["1"]), { trust });
};

/** Verified a month later with a list that the bundle cannot have. */
export const supplementNewerList: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await world.list(2, 30 * DAY - HOUR, ["lost-1"]);
  await world.step("list");
  world.finish();
  const supplement = world.supplement(["list:2"]);
  return story(world.bundle("causal", ["1"]), { supplement, at: 30 * DAY });
};

/** The rotation that leads to the agent's root comes beside the bundle. */
export const supplementRotation: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.rotation(1, -4 * DAY, -3 * DAY);
  world.root = "root-1";
  const supplement = world.supplement(["rotation:1"]);
  return story(await single(world), { supplement });
};

function headsOf(world: World, more: Draft = {}): KnownHeadsV1 {
  const list = { number: 1, digest: world.digest("list:1") };
  return {
    protocol: "OSA_PROOF_V3",
    type: "KnownHeadsV1",
    namespaces: [{ namespace_id: NAMESPACE, revocation_list: list, ...more }],
    logs: [world.log.head()],
  };
}

export const withKnownHeads: MakeStory = async (changes) => {
  const world = new World(changes);
  const bundle = await single(world);
  return story(bundle, { heads: headsOf(world) });
};

export const rotationWithHeads: MakeStory = async (changes) => {
  const world = new World(changes);
  await world.rotation(1, -4 * DAY, -3 * DAY);
  world.root = "root-1";
  const bundle = await single(world);
  const head = { number: 1, digest: world.digest("rotation:1") };
  return story(bundle, { heads: headsOf(world, { root_rotation: head }) });
};

/** Every question that expectations can ask, answered. */
export const expectationsMet: MakeStory = async (changes) => {
  const { bundle, trust, at } = await disclosures(changes);
  const target = bundle.claim.targets[0] ?? "";
  const expectations: ExpectationsV1 = {
    protocol: "OSA_PROOF_V3",
    type: "ExpectationsV1",
    namespace_id: NAMESPACE,
    mission_id: "mission-7",
    session_id: "session-1",
    agent_id: agentId("planner"),
    tool: "shell.run",
    target_receipt_digests: [target],
    scope: "causal",
    status: "completed",
    output_sha256: sha256Hex(decodeHex(REPORT_FILE) ?? new Uint8Array(0)),
  };
  return { bundle: onlyFirstTarget(bundle), trust, at, expectations };
};

/** The bundle of `disclosures` about its first receipt alone: the second is neither target nor ancestor. */
function onlyFirstTarget(bundle: ProofBundleV3): ProofBundleV3 {
  const [first] = bundle.claim.targets;
  const [tree] = bundle.evidence_trees;
  if (first === undefined || tree === undefined) throw new Error("expected a target and a tree");
  const leaves = tree.leaves ?? [];
  const index = leaves.indexOf(first);
  const sibling = leaves[1 - index];
  if (sibling === undefined || leaves.length !== 2) throw new Error("expected two leaves");
  const proof = { statement_digest: first, leaf_index: index, audit_path: [rootOf([sibling])] };
  return {
    ...bundle,
    claim: { ...bundle.claim, targets: [first] },
    receipts: bundle.receipts.slice(0, 1),
    disclosures: bundle.disclosures.filter((disclosure) => disclosure.receipt_digest === first),
    evidence_trees: [
      { root: tree.root, tree_size: 2, mode: "inclusion", proofs: [proof], anchors: tree.anchors },
    ],
  };
}

export const unpinnedExtraAnchor: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  const subject = { subject: "evidence_root", digest: rootOf(world.leafDigests()), treeSize: 1 } as const;
  world.addAnchor("tree", await world.anchor("elsewhere", subject, 41 * MINUTE, world.otherLog));
  world.addAnchor("tree", { type: "opentimestamps", proof: "0x004f70656e54696d657374616d7073" });
  await world.step("anchors");
  world.finish();
  return story(world.bundle("causal", ["1"]));
};

/** Two anchors of one root on the pinned log; the earlier one dates it. */
export const anchoredTwice: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  const subject = { subject: "evidence_root", digest: rootOf(world.leafDigests()), treeSize: 1 } as const;
  world.addAnchor("tree", await world.anchor("again", subject, 100 * MINUTE));
  world.finish();
  return story(world.bundle("causal", ["1"]));
};

/** A later tree over the same receipt that nobody has anchored. */
export const secondTreeWithoutAnchor: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await world.tree("second", 0, { leaves: ["receipt:1"], anchored: false });
  world.finish();
  return story(world.bundle("causal", ["1", "2"]));
};

/** The runtime certificate names an attestation document, which the policy does not ask for. */
export const attestationCarried: MakeStory = async (changes) => {
  const world = new World(changes);
  await begin(world);
  const document = encodeUtf8("a document that no decoder of this version reads");
  world.attestations.push({ type: "nitro", document: encodeHex(document) });
  await world.runtime("rt-1", "planner", { attestation: sha256Hex(document) });
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  return story(await finish(world, ["1"]));
};
