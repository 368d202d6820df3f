/** One fault is told as one fault: no later check stumbles over what an earlier one has set aside. */
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { DAY, HOUR, at as instant, MINUTE, testDigest, testKey } from "../support/keys.js";
import { LOG_ORIGIN } from "../support/log.js";
import { agentId, basePolicy, NAMESPACE, withNamespace } from "../support/trust.js";
import { type Changes, type StatementChange, World } from "../support/world.js";
import { failures, set, verify } from "./attack-tools.js";

const stranger: StatementChange = { key: testKey("stranger") };

/** A whole session of one receipt, under a delegation of another agent; root-0 is replaced after all of it. */
async function session(changes: Changes = {}, anchored = true): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.rotation(1, 80 * MINUTE, 90 * MINUTE);
  await world.agent("planner");
  await world.agent("coder");
  await world.runtime("rt-1", "coder");
  await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder" });
  await world.delegation("rt-1", "coder", "rt-1", { parent: "to-coder" });
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.close("rt-1", "1", 15 * MINUTE);
  await world.tree("tree", 40 * MINUTE, { anchored });
  world.finish();
  return world;
}

async function told(label?: string, change: StatementChange = stranger): Promise<readonly string[]> {
  const world = await session(label === undefined ? {} : { statements: { [label]: change } });
  return failures(verify(world.bundle("session", ["1"])));
}

describe("a statement that its signer did not sign", () => {
  it("is not there in the session that is accepted", async () => {
    expect(await told()).toEqual([]);
  });

  it.each([
    ["runtime:rt-1", ["IDENTITY_SIGNATURE_INVALID /runtime_key_certificates/0"]],
    ["record:planner", ["IDENTITY_SIGNATURE_INVALID /identity_records/0"]],
    ["record:coder", ["IDENTITY_SIGNATURE_INVALID /identity_records/1"]],
    ["agent:planner", ["IDENTITY_SIGNATURE_INVALID /agent_key_certificates/0"]],
    ["agent:coder", ["IDENTITY_SIGNATURE_INVALID /agent_key_certificates/1"]],
    ["list:1", ["REVOCATION_SIGNATURE_INVALID /revocation_lists/0/list"]],
  ])("%s", async (label, first) => {
    const all = await told(label);
    expect(all.slice(0, first.length)).toEqual(first);
    expect(all.filter((failure) => failure.startsWith("INTERNAL_FAULT"))).toEqual([]);
    expect(all.filter((failure) => failure.startsWith("ANCHOR_"))).toEqual([]);
  });
});

describe("a fault under a root that was replaced later", () => {
  it("a receipt that no record covers", async () => {
    const late = set("not_before", instant(6 * MINUTE));
    expect(await told("record:coder", late)).toEqual(["IDENTITY_RECORD_MISSING /receipts/0"]);
  });

  it("a tree without an anchor", async () => {
    const world = await session({}, false);
    expect(failures(verify(world.bundle("session", ["1"])))).toEqual([
      "ANCHOR_MISSING /evidence_trees/0/anchors",
    ]);
  });

  it("a target that is not there", async () => {
    const bundle = (await session()).bundle("session", ["1"]);
    const claimed = (targets: readonly string[]): readonly string[] =>
      failures(
        verify(
          { ...bundle, claim: { ...bundle.claim, targets: [...targets] } },
          {
            trust: basePolicy({ require_session_close: true }),
            expectations: { protocol: "OSA_PROOF_V3", type: "ExpectationsV1", tool: "shell.run" },
          },
        ),
      );
    expect(claimed(bundle.claim.targets)).toEqual([]);
    expect(claimed([...bundle.claim.targets, testDigest("elsewhere")])).toEqual([
      "DAG_TARGET_MISSING /claim/targets/1",
    ]);
    const none = claimed([testDigest("elsewhere")]);
    expect(none).not.toEqual([]);
    expect(none.filter((failure) => failure.startsWith("INTERNAL_FAULT"))).toEqual([]);
  });
});

describe("a delegation that has failed", () => {
  const trust = withNamespace(basePolicy(), { top_delegators: [agentId("coder")] });

  it("is not judged any further", async () => {
    const top = "DELEGATION_TOP_NOT_ALLOWED /delegations/0";
    const judged = async (changes: Changes): Promise<readonly string[]> =>
      failures(verify((await session(changes)).bundle("session", ["1"]), { trust }));
    expect(await judged({})).toContain(top);
    const failed = await judged({ statements: { "agent:planner": stranger } });
    expect(failed).toContain("IDENTITY_SIGNATURE_INVALID /agent_key_certificates/0");
    expect(failed).not.toContain(top);
  });
});

describe("a list that does not hold", () => {
  it("has no number to be held against a minimum", async () => {
    const trust = withNamespace(basePolicy(), { minimum_revocation_list_number: 2 });
    const judged = async (changes: Changes): Promise<readonly string[]> =>
      failures(verify((await session(changes)).bundle("session", ["1"]), { trust }));
    expect(await judged({})).toEqual(["REVOCATION_LIST_ROLLED_BACK /revocation_lists"]);
    expect(await judged({ statements: { "list:1": stranger } })).toEqual([
      "REVOCATION_SIGNATURE_INVALID /revocation_lists/0/list",
    ]);
  });
});

describe("a tree that does not hold, and has no anchor either", () => {
  const twoReceipts = async (
    leaves: (leaves: string[]) => string[],
    change: (bundle: ProofBundleV3) => ProofBundleV3 = (bundle) => bundle,
  ): Promise<readonly string[]> => {
    const world = new World({ leaves: { tree: leaves } });
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
    await world.tree("tree", 40 * MINUTE, { anchored: false });
    world.finish();
    return failures(verify(change(world.bundle("causal", ["2"]))));
  };

  it("is told for its leaves alone", async () => {
    const [same, at] = [(leaves: string[]): string[] => leaves, "/evidence_trees/0"];
    expect(await twoReceipts(same)).toEqual([`ANCHOR_MISSING ${at}/anchors`]);
    expect(await twoReceipts((leaves) => [...leaves, ...leaves])).toEqual([
      `EVIDENCE_PROOF_INVALID ${at}/leaves/2`,
    ]);
    expect(await twoReceipts((leaves) => [...leaves, testDigest("elsewhere")])).toEqual([
      `EVIDENCE_ROOT_MISMATCH ${at}/leaves/2`,
    ]);
    expect(await twoReceipts((leaves) => leaves.toReversed())).toEqual([`EVIDENCE_ROOT_MISMATCH ${at}`]);
    const otherRoot = (bundle: ProofBundleV3): ProofBundleV3 => ({
      ...bundle,
      evidence_trees: bundle.evidence_trees.map((tree) => ({ ...tree, root: testDigest("root") })),
    });
    expect(await twoReceipts(same, otherRoot)).toEqual([`EVIDENCE_ROOT_MISMATCH ${at}`]);
  });
});

describe("a wrong anchor of a list beside one that counts", () => {
  const subject = (digest: string) => ({ subject: "revocation_list", digest, treeSize: 1 }) as const;
  const twice = async (changes: Changes = {}): Promise<World> => {
    const world = await session(changes);
    const anchor = await world.anchor("again", subject(world.digest("list:1")), -HOUR + 31);
    world.addAnchor("list:1", anchor);
    return world;
  };

  it("is the one that is told", async () => {
    const wrong = {
      "list:1": (making: { entry: Uint8Array }): void => {
        making.entry = new Uint8Array(9);
      },
    };
    expect(failures(verify((await twice()).bundle("session", ["1"])))).toEqual([]);
    expect(failures(verify((await twice({ anchors: wrong })).bundle("session", ["1"])))).toEqual([
      "ANCHOR_ENTRY_MISMATCH /revocation_lists/0/anchors/0",
    ]);
  });

  it("is told as a fork of what was known", async () => {
    const bundle = (await twice()).bundle("session", ["1"]);
    const knowing = (size: number): readonly string[] =>
      failures(
        verify(bundle, {
          heads: {
            protocol: "OSA_PROOF_V3",
            type: "KnownHeadsV1",
            namespaces: [],
            logs: [{ origin: LOG_ORIGIN, size, root: testDigest("another root") }],
          },
        }),
      );
    expect(knowing(3)).toEqual([]);
    expect(knowing(4)).toEqual(["ANCHOR_LOG_FORK /revocation_lists/0/anchors/0"]);
  });

  it("or stands there twice", async () => {
    const bundle = (await session()).bundle("session", ["1"]);
    const lists = bundle.revocation_lists.map(({ list, anchors }) => ({
      list,
      anchors: [...anchors, ...anchors],
    }));
    expect(failures(verify({ ...bundle, revocation_lists: lists }))).toEqual([
      "FORMAT_DUPLICATE_STATEMENT /revocation_lists/0/anchors/1",
    ]);
  });
});

describe("rotations", () => {
  it("one that makes a root of an agent's key gives one key two roles", async () => {
    const shared = (statement: Record<string, unknown>): void => {
      statement["new_root_key_id"] = "coder-key";
      statement["new_root_public_key"] = testKey("coder-key").spki;
    };
    expect(await told("rotation:1", { draft: shared })).toEqual([
      "IDENTITY_CONFLICT /agent_key_certificates/1",
    ]);
  });

  it("one that gives another key the id of the root is in conflict itself", async () => {
    const again = (statement: Record<string, unknown>): void => {
      statement["new_root_key_id"] = "root-0";
    };
    expect(await told("rotation:1", { draft: again })).toContain("IDENTITY_CONFLICT /root_rotations/0");
    expect(await told("rotation:1", set("rotation_number", 2))).not.toContain(
      "IDENTITY_CONFLICT /root_rotations/0",
    );
  });

  it("one to a key of another algorithm is refused, though both keys signed it", async () => {
    const judged = async (algorithm: "ECDSA_P256" | "ED25519"): Promise<readonly string[]> => {
      const world = new World();
      world.algorithmOf["root-1"] = algorithm;
      await world.list(1, -HOUR);
      await world.rotation(1, 80 * MINUTE, 90 * MINUTE);
      await world.agent("planner");
      await world.runtime("rt-1", "planner");
      await world.delegation("rt-1", "planner", "rt-1");
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
      await world.tree("tree", 40 * MINUTE);
      world.finish();
      return failures(verify(world.bundle("causal", ["1"])));
    };
    expect(await judged("ECDSA_P256")).toEqual([]);
    expect(await judged("ED25519")).toEqual(["IDENTITY_ROTATION_INVALID /root_rotations/0"]);
  });

  it("the second of two is held against the head of its own number", async () => {
    const world = new World();
    await world.rotation(1, -6 * DAY, -4 * DAY);
    await world.rotation(2, -5 * DAY, -3 * DAY);
    world.root = "root-2";
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    const knowing = (number: number, digest: string): readonly string[] =>
      failures(
        verify(world.bundle("causal", ["1"]), {
          heads: {
            protocol: "OSA_PROOF_V3",
            type: "KnownHeadsV1",
            namespaces: [{ namespace_id: NAMESPACE, root_rotation: { number, digest } }],
            logs: [],
          },
        }),
      );
    const [first, second] = [world.digest("rotation:1"), world.digest("rotation:2")];
    expect(knowing(1, first)).toEqual([]);
    expect(knowing(2, second)).toEqual([]);
    const forked = ["IDENTITY_ROTATION_INVALID /namespaces/0/root_rotation"];
    expect(knowing(2, first)).toEqual(forked);
    expect(knowing(1, second)).toEqual(forked);
  });
});
