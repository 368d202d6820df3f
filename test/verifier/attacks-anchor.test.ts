/** Attacks on the outside ledger: who dates what, quorums, borrowed proofs, rotations. */
import { describe, expect, it } from "vitest";
import { makeVerifierKey } from "../../src/anchors/verifier-key.js";
import type { Anchor, ProofBundleV3 } from "../../src/bundle/format.js";
import { cosignCheckpoint, witnessNoteSigner } from "../../src/collect/note-signer.js";
import type { TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { DAY, HOUR, MINUTE, testKey, unixSeconds } from "../support/keys.js";
import { LOG_ORIGIN, witness } from "../support/log.js";
import { basePolicy, pinnedRoot, withNamespace } from "../support/trust.js";
import { type Changes, type Draft, World } from "../support/world.js";
import { outcome, verify } from "./attack-tools.js";

const ANCHOR = "/evidence_trees/0/anchors/0";

async function single(changes: Changes = {}, treeTime: number = 40 * MINUTE): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", treeTime);
  world.finish();
  return world;
}

function cosigned(...times: readonly (number | undefined)[]): Changes {
  return {
    anchors: {
      tree: (making) => {
        making.cosigners = times.map((time, index) => ({ witness: index + 1, time }));
      },
    },
  };
}

/** The members of a policy's `tlog`, with other groups and quorum. */
function quorum(groups: TrustPolicyV1["tlog"]["groups"], name: string): TrustPolicyV1 {
  return basePolicy({ tlog: { ...basePolicy().tlog, groups, quorum: name } });
}

describe("who dates a root", () => {
  const at = async (
    changes: Changes,
    trust?: TrustPolicyV1,
  ): Promise<readonly [string, string | null | undefined]> => {
    const report = verify(
      (await single(changes)).bundle("causal", ["1"]),
      trust === undefined ? {} : { trust },
    );
    return [outcome(report), report.times.find(({ pointer }) => pointer === ANCHOR)?.anchored_at];
  };

  it("the witness that completes the quorum, not the earliest one", async () => {
    // Witness 1 is in league with the packer and says 1970.
    expect(await at(cosigned(-unixSeconds(0) + 1, 40 * MINUTE, 50 * MINUTE))).toEqual([
      "ACCEPTED",
      "2026-11-02T09:40:00Z",
    ]);
    expect(
      await at(cosigned(-unixSeconds(0) + 1, 40 * MINUTE, 50 * MINUTE), quorum([], "witness-1")),
    ).toEqual([`ANCHOR_BEFORE_ISSUE /receipts/0`, "1970-01-01T00:00:01Z"]);
  });

  it("undated cosignatures count for the quorum and date nothing", async () => {
    expect(await at(cosigned(undefined, 40 * MINUTE, 41 * MINUTE))).toEqual([
      "ACCEPTED",
      "2026-11-02T09:41:00Z",
    ]);
    expect((await at(cosigned(undefined, 40 * MINUTE, undefined)))[0]).toBe(`ANCHOR_TIME_MISSING ${ANCHOR}`);
    expect((await at(cosigned(undefined, 40 * MINUTE)))[0]).toBe(`ANCHOR_TIME_MISSING ${ANCHOR}`);
  });

  it("a group counts once its own threshold is met, and as one member", async () => {
    const nested = quorum(
      [
        { name: "pair", threshold: 2, members: ["witness-1", "witness-2"] },
        { name: "all", threshold: 2, members: ["pair", "witness-3"] },
      ],
      "all",
    );
    expect(await at(cosigned(40 * MINUTE, 42 * MINUTE, 41 * MINUTE), nested)).toEqual([
      "ACCEPTED",
      "2026-11-02T09:42:00Z",
    ]);
    const withoutPair: Changes = {
      anchors: {
        tree: (making) => {
          making.cosigners = [1, 3].map((number) => ({ witness: number, time: 40 * MINUTE }));
        },
      },
    };
    // The list of the bundle is witnessed by all three, so that the tree's own anchor is what falls short.
    expect((await at(withoutPair, nested))[0]).toBe(`ANCHOR_QUORUM_NOT_MET ${ANCHOR}`);
  });

  it("F077 not the log itself under a second name, and no witness twice", async () => {
    const logKey = testKey(`log ${LOG_ORIGIN}`, "ED25519");
    const self = witnessNoteSigner("friend.example.net", logKey.signer);
    const changes: Changes = { anchors: { tree: (making) => addSelf(making) } };
    const lines: { now: string } = { now: "" };
    const addSelf = (making: Draft): void => {
      making["cosigners"] = [{ witness: 1, time: 40 * MINUTE }];
      making["checkpoint"] = (text: string): string => {
        lines.now = text;
        return text;
      };
    };
    const world = await single(changes);
    expect(outcome(verify(world.bundle("causal", ["1"])))).toBe(`ANCHOR_QUORUM_NOT_MET ${ANCHOR}`);
    // The same with a line of the log's own key as a witness: nobody pinned it, and the policy may not pin it.
    const line = await cosignCheckpoint(self, lines.now, unixSeconds(40 * MINUTE));
    const twice = await single({
      anchors: {
        tree: (making) => {
          addSelf(making);
          making.lines = (signed) => [...signed, line];
        },
      },
    });
    expect(outcome(verify(twice.bundle("causal", ["1"])))).toBe(`ANCHOR_QUORUM_NOT_MET ${ANCHOR}`);
    const vkey = makeVerifierKey("friend.example.net", 0x04, logKey.signer.publicKey)?.vkey ?? "";
    const { tlog } = basePolicy();
    for (const pinned of [vkey, witness(1).key.vkey]) {
      const witnesses = [
        ...tlog.witnesses,
        { name: "friend", vkey: pinned, operator: "independent" as const },
      ];
      const trust = basePolicy({ tlog: { ...tlog, witnesses } });
      expect(outcome(verify(twice.bundle("causal", ["1"]), { trust }))).toBe("TRUST_POLICY_INVALID /tlog");
    }
  });

  it("nobody, before everything", async () => {
    const bundle = (await single()).bundle("causal", ["1"]);
    // An hour and a bit before the session the list is known already, and nothing else is.
    expect(outcome(verify(bundle, { at: 40 * MINUTE - 59 }))).toBe("ACCEPTED");
    expect(outcome(verify(bundle, { at: 40 * MINUTE - 59.001 }))).toBe(`ANCHOR_FROM_FUTURE ${ANCHOR}`);
    expect(outcome(verify(bundle, { at: -3_000 * DAY }))).toBe(
      "REVOCATION_LIST_FROM_FUTURE /revocation_lists/0/list",
    );
  });
});

describe("borrowed proofs", () => {
  it("one checkpoint may anchor tree and list, each by its own place and not by the other's", async () => {
    const world = await single();
    const bundle = world.bundle("causal", ["1"]);
    const [tree] = bundle.evidence_trees;
    const [list] = bundle.revocation_lists;
    const [ofTree, ofList] = [tree?.anchors[0], list?.anchors[0]];
    if (!tree || !list || !ofTree || !ofList) throw new Error("expected a tree and a list with anchors");
    const withAnchors = (forTree: Anchor, forList: Anchor): ProofBundleV3 => ({
      ...bundle,
      evidence_trees: [{ ...tree, anchors: [forTree] }],
      revocation_lists: [{ ...list, anchors: [forList] }],
    });
    expect(outcome(verify(withAnchors(ofTree, ofList)))).toBe("ACCEPTED");
    // The tree's checkpoint is newer and holds the list's entry at index 3 as well.
    const later = ofTree.proof.slice(ofTree.proof.indexOf("\n\n") + 2);
    const index = ofList.proof.slice(0, ofList.proof.indexOf("\n\n"));
    const mixed = outcome(verify(withAnchors(ofTree, { type: "tlog", proof: `${index}\n\n${later}` })));
    expect(mixed).toBe("REVOCATION_LIST_NOT_ANCHORED /revocation_lists/0/list");
    const swapped = verify(withAnchors(ofTree, ofTree));
    expect(outcome(swapped)).toBe("REVOCATION_LIST_NOT_ANCHORED /revocation_lists/0/list");
    expect(swapped.checks.find(({ check }) => check === "ANCHOR")?.failures[0]).toMatchObject({
      code: "ANCHOR_ENTRY_MISMATCH",
      pointer: "/revocation_lists/0/anchors/0",
    });
    expect(outcome(verify(withAnchors(ofList, ofList)))).toBe(`ANCHOR_ENTRY_MISMATCH ${ANCHOR}`);
  });

  it("one leaf under two roots has the earlier time, and both roots are held to their own anchors", async () => {
    const make = async (first: number, second: number): Promise<World> => {
      const world = await single({}, first);
      await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
      await world.tree("second", second, { leaves: ["receipt:1", "receipt:2"] });
      return world;
    };
    const trust = basePolicy({ max_anchor_delay_seconds: HOUR });
    const verified = async (first: number, second: number): Promise<string> =>
      outcome(verify((await make(first, second)).bundle("causal", ["2"]), { trust }));
    expect(await verified(40 * MINUTE, 80 * MINUTE)).toBe("ACCEPTED");
    // The first receipt is in time by the first tree; the second one has only the late tree.
    expect(await verified(40 * MINUTE, 100 * MINUTE)).toBe("ANCHOR_TOO_LATE /receipts/1");
    expect(await verified(100 * MINUTE, 80 * MINUTE)).toBe("ACCEPTED");
    const world = await make(40 * MINUTE, 80 * MINUTE);
    const bundle = world.bundle("causal", ["2"]);
    const [tree, other] = bundle.evidence_trees;
    if (!tree || !other) throw new Error("expected two trees");
    const bare = { ...bundle, evidence_trees: [tree, { ...other, anchors: [] }] };
    expect(outcome(verify(bare, { trust }))).toBe("ANCHOR_MISSING /evidence_trees/1/anchors");
    const swapped = { ...bundle, evidence_trees: [tree, { ...other, anchors: tree.anchors }] };
    expect(outcome(verify(swapped, { trust }))).toBe("ANCHOR_ENTRY_MISMATCH /evidence_trees/1/anchors/0");
  });

  it("a root that is itself a leaf's digest is no proof of that leaf", async () => {
    const world = await single();
    const bundle = world.bundle("causal", ["1"]);
    const [tree] = bundle.evidence_trees;
    if (!tree) throw new Error("expected a tree");
    const proofs = [{ statement_digest: world.digest("receipt:1"), leaf_index: 0, audit_path: [] }];
    const one = { root: tree.root, tree_size: 1, mode: "inclusion" as const, proofs, anchors: tree.anchors };
    expect(outcome(verify({ ...bundle, evidence_trees: [one] }))).toBe("ACCEPTED");
    const lifted = { ...one, root: world.digest("receipt:1") };
    expect(verify({ ...bundle, evidence_trees: [lifted] }).first_failure?.code).toBe(
      "EVIDENCE_PROOF_INVALID",
    );
  });

  it("another tree size under the same root has no anchor", async () => {
    const world = await single();
    await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
    await world.receipt("3", { runtime: "rt-1", sequence: 3, time: 7 * MINUTE, parents: ["2"] });
    await world.tree("three", 41 * MINUTE);
    const bundle = world.bundle("causal", ["3"], ["receipt:1", "receipt:2", "receipt:3"]);
    const tree = bundle.evidence_trees[1];
    if (tree === undefined) throw new Error("expected a second tree");
    // The last of three leaves has the path that the second of two would have.
    const shown = world.bundle("causal", ["3"], ["receipt:3"]).evidence_trees[1]?.proofs?.[0];
    if (shown === undefined) throw new Error("expected a proof");
    const proofs = [{ ...shown, leaf_index: 1 }];
    const smaller = {
      root: tree.root,
      tree_size: 2,
      mode: "inclusion" as const,
      proofs,
      anchors: tree.anchors,
    };
    expect(outcome(verify(bundle))).toBe("ACCEPTED");
    expect(outcome(verify({ ...bundle, evidence_trees: [...bundle.evidence_trees, smaller] }))).toBe(
      "ANCHOR_ENTRY_MISMATCH /evidence_trees/2/anchors/0",
    );
  });
});

describe("anchors at the edge of their time", () => {
  it.each([
    [30 * MINUTE + DAY, "ACCEPTED"],
    [30 * MINUTE + DAY + 1, "ANCHOR_TOO_LATE /receipts/0"],
  ])("a receipt anchored at %d seconds", async (time, expected) => {
    const world = await single(cosigned(time, time));
    await world.list(2, 30 * MINUTE + DAY);
    expect(outcome(verify(world.bundle("causal", ["1"]), { at: 2 * DAY - HOUR }))).toBe(expected);
  });

  it.each([
    [4 * MINUTE, "ACCEPTED"],
    [4 * MINUTE - 1, "ANCHOR_BEFORE_ISSUE /receipts/0"],
  ])("a receipt of 5 minutes anchored at %d seconds", async (time, expected) => {
    expect(outcome(verify((await single(cosigned(time, time))).bundle("causal", ["1"])))).toBe(expected);
  });

  it.each([
    [60 * MINUTE - 1, "ACCEPTED"],
    [60 * MINUTE, "ANCHOR_AFTER_ROTATION /receipts/0"],
  ])("what rests on an old root, anchored at %d seconds", async (time, expected) => {
    for (const root of ["root-0", "root-1"]) {
      const world = await single(cosigned(time, time));
      await world.rotation(1, 50 * MINUTE, 60 * MINUTE);
      const roots = [pinnedRoot(root, root === "root-0" ? 0 : 1)];
      const trust = withNamespace(basePolicy(), { roots });
      expect(outcome(verify(world.bundle("causal", ["1"]), { trust })), root).toBe(expected);
    }
  });
});

describe("roots pinned twice", () => {
  /** root-0 to root-2 in a line; everything is signed by the root given. */
  async function line(signer: string, time: number): Promise<ProofBundleV3> {
    const world = new World();
    await world.rotation(1, -5 * DAY, -4 * DAY);
    await world.rotation(2, 60 * MINUTE, 70 * MINUTE);
    world.root = signer;
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.tree("tree", time);
    return world.bundle("causal", ["1"]);
  }
  const pins = (...roots: readonly (readonly [string, number])[]): TrustPolicyV1 =>
    withNamespace(basePolicy(), { roots: roots.map(([label, number]) => pinnedRoot(label, number)) });

  it("an older pinned root counts only through the line, at its own number", async () => {
    const bundle = await line("root-1", 40 * MINUTE);
    for (const trust of [
      pins(["root-0", 0]),
      pins(["root-2", 2]),
      pins(["root-2", 2], ["root-1", 1], ["root-0", 0]),
    ]) {
      expect(outcome(verify(bundle, { trust }))).toBe("ACCEPTED");
    }
    // Its number in the line belongs to another key.
    expect(outcome(verify(bundle, { trust: pins(["root-2", 2], ["root-7", 1]) }))).toBe(
      "IDENTITY_ROTATION_INVALID /root_rotations/1",
    );
    // Without the rotation the older pin leads nowhere, although it is the key that signed.
    const cut = { ...bundle, root_rotations: [] };
    expect(outcome(verify(cut, { trust: pins(["root-1", 1]) }))).toBe("ACCEPTED");
    expect(outcome(verify(cut, { trust: pins(["root-2", 2], ["root-1", 1]) }))).toBe(
      "IDENTITY_ROOT_UNKNOWN /agent_key_certificates/0",
    );
  });

  it("what a root signed is out of time on either side of its term", async () => {
    expect(outcome(verify(await line("root-1", 80 * MINUTE)))).toBe("ANCHOR_AFTER_ROTATION /receipts/0");
    expect(outcome(verify(await line("root-2", 40 * MINUTE)))).toBe(
      "IDENTITY_ROTATION_INVALID /agent_key_certificates/0",
    );
    expect(outcome(verify(await line("root-0", 40 * MINUTE)))).toBe(
      "REVOCATION_SIGNATURE_INVALID /revocation_lists/0/list",
    );
  });
});
