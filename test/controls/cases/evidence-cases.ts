/** Checks 7 and 8. */
import type { NoteSignature } from "../../../src/anchors/note.js";
import { encodeHex } from "../../../src/encoding/hex.js";
import type { CommittedValue } from "../../../src/statements/commitment.js";
import { commit } from "../../../src/statements/commitment.js";
import { added, type InvalidCase, resigned } from "../../support/cases/invalid.js";
import { at, DAY, HOUR, MINUTE, testDigest, testSalt } from "../../support/keys.js";
import { logSigner, UNPINNED_ORIGIN } from "../../support/log.js";
import { begin, finish, type Story, story } from "../../support/story.js";
import { basePolicy, pinnedRoot, withNamespace } from "../../support/trust.js";
import { type Changes, rootOf, World } from "../../support/world.js";
import { type ControlCase, derived, together, told } from "./control-case.js";
import { closed, logged, setAll, trustWith } from "./stories.js";

const ELSEWHERE = testDigest("a statement elsewhere");
const ANOTHER_ROOT = testDigest("another root");

const COMPLETE: readonly ControlCase[] = [
  derived(
    "EVIDENCE_ROOT_MISMATCH",
    "leaf-of-nothing-shown",
    "one-receipt",
    "The tree, anchored so, has a leaf more, in its place, of a statement that is not in the bundle.",
    { world: { leaves: { tree: (leaves) => [...leaves, ELSEWHERE].sort() } } },
  ),
  derived(
    "EVIDENCE_ROOT_MISMATCH",
    "anchored-under-another-root",
    "one-receipt",
    "`root` is another one, and that one was anchored.",
    {
      ...logged(ANOTHER_ROOT, 1),
      bundle: (bundle) => {
        bundle["evidence_trees"][0].root = ANOTHER_ROOT;
      },
    },
  ),
  derived(
    "EVIDENCE_ROOT_MISMATCH",
    "anchored-with-another-size",
    "one-receipt",
    "`tree_size` is 2, and was anchored so.",
    {
      world: {
        anchors: {
          tree: (making) => {
            const text = new TextDecoder().decode(making.entry);
            making.entry = new TextEncoder().encode(text.replace('"tree_size":1', '"tree_size":2'));
          },
        },
      },
      bundle: (bundle) => {
        bundle["evidence_trees"][0].tree_size = 2;
      },
    },
  ),
];

/** Two receipts in a tree that may repeat leaves; the leaves at these places are shown by proofs. */
async function proven(
  receipts: number,
  repeat: (leaves: string[]) => string[],
  shown: readonly string[],
  more: readonly string[] = [],
): Promise<Story> {
  const world = new World({ leaves: { tree: repeat } });
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  for (let sequence = 1; sequence <= receipts; sequence += 1) {
    await world.receipt(`${sequence}`, { runtime: "rt-1", sequence, time: (4 + sequence) * MINUTE });
  }
  await world.tree("tree", 40 * MINUTE);
  world.finish();
  const bundle = world.bundle("causal", ["1"], shown);
  const trees = world.bundle("causal", ["1"], [...shown, ...more]).evidence_trees;
  return story({ ...bundle, evidence_trees: trees });
}

const PROOFS: readonly ControlCase[] = [
  told(
    "EVIDENCE_PROOF_INVALID",
    "leaf-at-two-places",
    "The tree was made, and anchored, with a leaf at two places, and both are proven.",
    () => proven(2, (leaves) => [...leaves, ...leaves], ["receipt:1"]),
  ),
  derived(
    "EVIDENCE_PROOF_INVALID",
    "two-leaves-at-one-place",
    "inclusion-proofs",
    "The second proof is for the place of the first.",
    {
      bundle: (bundle) => {
        const { proofs } = bundle["evidence_trees"][0];
        proofs[1].leaf_index = proofs[0].leaf_index;
      },
    },
  ),
  told(
    "EVIDENCE_PROOF_INVALID",
    "proof-of-a-leaf-not-shown",
    "A good proof of a leaf stands there whose receipt is not in the bundle.",
    () => proven(3, (leaves) => leaves, ["receipt:1"], ["receipt:2"]),
  ),
];

const ITEM: CommittedValue = { kind: "evidence", receipt_id: "receipt-1", json: { name: "stdout" } };
const ITEM_SALT = testSalt("an item");
const ITEM_DIGEST = commit(ITEM, ITEM_SALT).commitment;
const OTHERS: CommittedValue = { kind: "output", receipt_id: "receipt-9", json: 42, status: "completed" };
const OTHERS_SALT = testSalt("an output");

/** The receipt of `one-receipt` with other members, and openings put into the bundle. */
function opened(
  members: Record<string, unknown>,
  openings: readonly { salt: Uint8Array; value: CommittedValue; inclusion?: Record<string, unknown> }[],
): Partial<InvalidCase> {
  return {
    ...resigned("receipt:1", setAll(members)),
    bundle: (bundle) => {
      bundle["disclosures"] = openings.map(({ salt, ...more }) => ({
        receipt_digest: bundle["claim"].targets[0],
        salt: encodeHex(salt),
        ...more,
      }));
    },
  };
}

const placed = (leaf_index: number, tree_size: number, ...audit_path: readonly string[]) => ({
  salt: ITEM_SALT,
  value: ITEM,
  inclusion: { leaf_index, tree_size, audit_path },
});
const NEIGHBOUR = rootOf([ITEM_DIGEST]);

const OPENINGS: readonly ControlCase[] = [
  derived(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "leaf-twice-in-the-action-tree",
    "one-receipt",
    "The action tree holds one commitment twice, and both places are shown.",
    opened({ evidence_merkle_root: rootOf([ITEM_DIGEST, ITEM_DIGEST]) }, [
      placed(0, 2, NEIGHBOUR),
      placed(1, 2, NEIGHBOUR),
    ]),
  ),
  derived(
    "EVIDENCE_DISCLOSURE_MISMATCH",
    "committed-for-another-receipt",
    "one-receipt",
    "The receipt's output commitment is that of an output which names another receipt, and it is opened.",
    opened({ output_commitment: commit(OTHERS, OTHERS_SALT).commitment }, [
      { salt: OTHERS_SALT, value: OTHERS },
    ]),
  ),
  derived(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "place-beyond-the-tree",
    "one-receipt",
    "The one item of an action is shown at place 1 of a tree of one.",
    opened({ evidence_merkle_root: NEIGHBOUR }, [placed(1, 1)]),
  ),
  derived(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "hash-left-over",
    "one-receipt",
    "The one item of an action is shown with a path of one hash, where none is taken.",
    opened({ evidence_merkle_root: NEIGHBOUR }, [placed(0, 1, ANOTHER_ROOT)]),
  ),
  derived(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "hash-missing",
    "one-receipt",
    "The one item of an action is shown as one of two, without the hash of the other.",
    opened({ evidence_merkle_root: NEIGHBOUR }, [placed(0, 2)]),
  ),
  derived(
    "EVIDENCE_ITEM_NOT_INCLUDED",
    "another-root",
    "one-receipt",
    "An item is shown whose path leads to another root than the receipt's.",
    opened({ evidence_merkle_root: ANOTHER_ROOT }, [placed(0, 1)]),
  ),
];

/** A second anchor of the tree, made from the text of the good one. */
const beside = (proof: (good: string) => string): Partial<InvalidCase> => ({
  bundle: (bundle) => {
    const { anchors } = bundle["evidence_trees"][0];
    anchors.push({ type: "tlog", proof: proof(anchors[0].proof) });
  },
});
const underHeader = (note: string): string => `c2sp.org/tlog-proof@v1\nindex 0\n\n${note}`;

function lines(change: (lines: NoteSignature[]) => NoteSignature[]): Pick<InvalidCase, "world"> {
  return {
    world: {
      anchors: {
        tree: (making) => {
          making.lines = change;
        },
      },
    },
  };
}

const OTHER_LOG = logSigner(UNPINNED_ORIGIN).key;

const TLOG: readonly ControlCase[] = [
  derived(
    "ANCHOR_PROOF_INVALID",
    "no-proof-beside-a-good-one",
    "one-receipt",
    "A second anchor of the tree is no tlog-proof.",
    beside(() => "see the log"),
  ),
  derived(
    "ANCHOR_PROOF_INVALID",
    "no-note-beside-a-good-one",
    "one-receipt",
    "A second anchor of the tree is a tlog-proof whose checkpoint is no note.",
    beside(() => underHeader("see the log\n")),
  ),
  derived(
    "ANCHOR_PROOF_INVALID",
    "no-checkpoint-beside-a-good-one",
    "one-receipt",
    "A second anchor of the tree is a tlog-proof of a note that is no checkpoint.",
    beside(() => underHeader("see the log\n\n\u2014 log.example.org/evidence AAAAAAA=\n")),
  ),
  derived(
    "ANCHOR_PROOF_INVALID",
    "line-of-another-log-key",
    "one-receipt",
    "The checkpoint has a wrong line of the key of another log, which this policy pins.",
    {
      ...lines((made) => [
        ...made,
        { name: OTHER_LOG.name, keyId: OTHER_LOG.keyId, signature: new Uint8Array(64) },
      ]),
      side: [
        "trust",
        (trust) => {
          trust["tlog"].logs.push({ origin: UNPINNED_ORIGIN, vkey: OTHER_LOG.vkey, operator: "own" });
        },
      ],
    },
  ),
  derived(
    "ANCHOR_PROOF_INVALID",
    "log-did-not-sign",
    "one-receipt",
    "The log's own line was taken out of the checkpoint; the witnesses' stand.",
    lines((made) => made.slice(1)),
  ),
];

/** Two roots, of which the first was retired an hour before the session; each signs what `plan` gives it. */
async function twoRoots(plan: { certificate: string; record: string }): Promise<Story> {
  const world = new World();
  await world.rotation(1, -4 * DAY, -HOUR);
  world.root = "root-1";
  await world.list(1, -HOUR + MINUTE);
  world.root = plan.certificate;
  await world.agentCertificate("agent:planner", "planner", "planner-key", -30 * MINUTE);
  world.root = plan.record;
  await world.record("record:planner", "planner", 1, ["agent:planner"], -30 * MINUTE);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  const trust = withNamespace(basePolicy(), { roots: [pinnedRoot("root-1", 1)] });
  return story(await finish(world, ["1"]), { trust });
}

const TIMES: readonly ControlCase[] = [
  told(
    "ANCHOR_TOO_LATE",
    "runtimes-close",
    "A runtime's close is signed by a key that ended half an hour before the tree was anchored; its receipts' key ended later.",
    () =>
      closed({
        at: 8 * MINUTE,
        certificates: ["runtime:rt-1", "runtime:rt-1:2"],
        trust: { max_anchor_delay_seconds: 20 * MINUTE },
        changes: together(
          resigned("runtime:rt-1:2", setAll({ not_after: at(10 * MINUTE) })),
          added("runtimes", (world) =>
            world.runtime("rt-1", "planner", { key: "rt-1-key-2", label: "runtime:rt-1:2" }),
          ),
        ).world as Changes,
      }),
  ),
  told(
    "ANCHOR_TOO_LATE",
    "agents-close",
    "An agent's close was anchored half an hour after its date; the policy allows twenty minutes.",
    () =>
      closed({
        at: 10 * MINUTE,
        byAgent: "planner",
        trust: { accept_agent_close: true, max_anchor_delay_seconds: 20 * MINUTE },
      }),
  ),
  derived(
    "ANCHOR_TOO_LATE",
    "seal",
    "whole-session",
    "The seal was anchored twenty minutes after its date; the policy allows fifteen.",
    trustWith({ max_anchor_delay_seconds: 15 * MINUTE }),
  ),
  told(
    "ANCHOR_AFTER_ROTATION",
    "certificate-of-a-retired-root",
    "The agent's certificate, not its record, was signed by a root that was retired when the tree was anchored.",
    () => twoRoots({ certificate: "root-0", record: "root-1" }),
  ),
  told(
    "ANCHOR_AFTER_ROTATION",
    "record-of-a-retired-root",
    "The agent's record, not its certificate, was signed by a root that was retired when the tree was anchored.",
    () => twoRoots({ certificate: "root-1", record: "root-0" }),
  ),
];

export const EVIDENCE_CASES: readonly ControlCase[] = [
  ...COMPLETE,
  ...PROOFS,
  ...OPENINGS,
  ...TLOG,
  ...TIMES,
];
