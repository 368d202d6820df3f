/** Small stories that must be ACCEPTED. Each builds a world, with changes where a case asks for them. */
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import type { ExpectationsV1 } from "../../src/verifier/inputs.js";
import { MINUTE } from "./keys.js";
import { begin, finish, type MakeStory, single, story } from "./story.js";
import { agentId, basePolicy, DOMAIN, NAMESPACE, pinnedRoot, withNamespace } from "./trust.js";
import { POLICY, rootOf, World } from "./world.js";

export {
  anchoredTwice,
  atTheBoundaries,
  causalScope,
  dayLater,
  inclusionProofs,
  logContinued,
  secondTreeWithoutAnchor,
  unpinnedExtraAnchor,
} from "./anchor-stories.js";
export {
  bothRootsPinned,
  rotationBackward,
  rotationForward,
  rotationWithHeads,
  severalLists,
  supplementNewerList,
  supplementRotation,
  withKnownHeads,
} from "./root-stories.js";
export {
  agentClose,
  keyRenewal,
  olderAncestor,
  sessionWithoutSeal,
  wholeSession,
} from "./session-stories.js";
export { type MakeStory, type Story, VERIFIED_AT } from "./story.js";

export const oneReceipt: MakeStory = async (changes) => story(await single(new World(changes)));

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
