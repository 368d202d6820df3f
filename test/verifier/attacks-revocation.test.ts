/** Attacks on the question whether a key is still good: rolled back lists, retired and revoked roots, boundaries. */
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { at, DAY, HOUR, MINUTE, testDigest } from "../support/keys.js";
import { basePolicy, NAMESPACE, pinnedRoot, withNamespace } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { outcome, set, verify } from "./attack-tools.js";

/** One receipt in an anchored tree, after whatever lists and rotations the test makes. */
async function receipt(world: World): Promise<void> {
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
}

/** The list's witnesses date it so many seconds after the session began. */
function dated(label: string, seconds: number): Changes {
  return {
    anchors: {
      [label]: (making) => {
        making.cosigners = [1, 2].map((witness) => ({ witness, time: seconds }));
      },
    },
  };
}

function knownList(number: number, digest: string): unknown {
  return {
    protocol: "OSA_PROOF_V3",
    type: "KnownHeadsV1",
    namespaces: [{ namespace_id: NAMESPACE, revocation_list: { number, digest } }],
    logs: [],
  };
}

describe("a retired root that back-dates a list with a high number", () => {
  const EFFECTIVE = 60 * MINUTE;

  /** root-0 signed list 1 and gave way to root-1; list 7 says it is from before, and is anchored when the test says. */
  async function attack(anchored: number): Promise<ProofBundleV3> {
    const world = new World(dated("list:7", anchored));
    await world.list(1, -HOUR);
    await receipt(world);
    await world.list(7, 45 * MINUTE);
    await world.rotation(1, 50 * MINUTE, EFFECTIVE);
    world.finish();
    return world.bundle("causal", ["1"]);
  }

  const roots = [pinnedRoot("root-1", 1)];
  const pinned = withNamespace(basePolicy(), { roots });
  const pinnedFive = withNamespace(basePolicy(), { roots, minimum_revocation_list_number: 5 });

  it("cannot stand in for the list that the policy asks for", async () => {
    expect(outcome(verify(await attack(EFFECTIVE - 1), { trust: pinnedFive }))).toBe("ACCEPTED");
    for (const anchored of [EFFECTIVE, 100 * MINUTE]) {
      expect(outcome(verify(await attack(anchored), { trust: pinnedFive }))).toBe(
        "REVOCATION_LIST_ROLLED_BACK /revocation_lists",
      );
    }
    const bundle = await attack(100 * MINUTE);
    const [first, forged] = bundle.revocation_lists;
    if (first === undefined || forged === undefined) throw new Error("expected two lists");
    const unanchored = { ...bundle, revocation_lists: [first, { ...forged, anchors: [] }] };
    expect(outcome(verify(unanchored, { trust: pinnedFive }))).toBe(
      "REVOCATION_LIST_ROLLED_BACK /revocation_lists",
    );
  });

  it("cannot stand in for the list that the verifier has seen", async () => {
    const heads = knownList(5, testDigest("list 5 of root-1"));
    expect(outcome(verify(await attack(EFFECTIVE - 1), { trust: pinned, heads }))).toBe("ACCEPTED");
    expect(outcome(verify(await attack(100 * MINUTE), { trust: pinned, heads }))).toBe(
      "REVOCATION_LIST_ROLLED_BACK /revocation_lists",
    );
  });

  it("does not move the known heads, which would shut out every later list", async () => {
    const moved = async (anchored: number): Promise<number | undefined> => {
      const report = verify(await attack(anchored), { trust: pinned });
      expect(outcome(report)).toBe("ACCEPTED");
      return report.heads?.namespaces[0]?.revocation_list?.number;
    };
    expect(await moved(EFFECTIVE - 1)).toBe(7);
    expect(await moved(100 * MINUTE)).toBe(1);
  });
});

describe("a revoked root", () => {
  it("is not the one whose list says that nothing is revoked", async () => {
    const make = async (revoked: readonly string[]): Promise<ProofBundleV3> => {
      const world = new World();
      await world.rotation(1, -4 * DAY, -3 * DAY);
      await receipt(world);
      world.root = "root-1";
      await world.list(1, -HOUR, revoked);
      return world.bundle("causal", ["1"]);
    };
    // The receipt rests on root-0 alone, but was anchored after root-0 gave way: so the control is the other failure.
    expect(outcome(verify(await make([])))).toBe("ANCHOR_AFTER_ROTATION /receipts/0");
    expect(outcome(verify(await make(["root-1"])))).toBe("REVOCATION_KEY_REVOKED /revocation_lists/0/list");
  });
});

describe("a list at the edge of its time", () => {
  const list = async (issued: number, changes: Changes = {}): Promise<ProofBundleV3> => {
    const world = new World(changes);
    await world.list(1, issued);
    await receipt(world);
    world.finish();
    return world.bundle("causal", ["1"]);
  };
  const LIST = "/revocation_lists/0/list";

  it("is fresh at its greatest age, and stale one millisecond later", async () => {
    const bundle = await list(-HOUR);
    expect(outcome(verify(bundle, { at: DAY - HOUR }))).toBe("ACCEPTED");
    expect(outcome(verify(bundle, { at: DAY - HOUR + 0.001 }))).toBe(`REVOCATION_LIST_STALE ${LIST}`);
  });

  it("is stale at its not_after, and fresh one millisecond before", async () => {
    const bundle = await list(-HOUR, {
      statements: { "list:1": set("not_after", at(3 * HOUR)) },
    });
    expect(outcome(verify(bundle, { at: 3 * HOUR - 0.001 }))).toBe("ACCEPTED");
    expect(outcome(verify(bundle, { at: 3 * HOUR }))).toBe(`REVOCATION_LIST_STALE ${LIST}`);
  });

  it("may be dated the skew after the verification time, and no more", async () => {
    // The anchors are a minute older than the list says it is: skew between the two clocks is used up as well.
    const early = { ...dated("list:1", 2 * HOUR) };
    const bundle = await list(2 * HOUR + 60, early);
    expect(outcome(verify(bundle, { at: 2 * HOUR }))).toBe("ACCEPTED");
    expect(outcome(verify(bundle, { at: 2 * HOUR - 0.001 }))).toBe(`REVOCATION_LIST_FROM_FUTURE ${LIST}`);
  });

  it("may be anchored the greatest delay after it was issued, and no more", async () => {
    const trust = basePolicy({ max_anchor_delay_seconds: HOUR });
    expect(outcome(verify(await list(-HOUR, dated("list:1", 0)), { trust }))).toBe("ACCEPTED");
    expect(outcome(verify(await list(-HOUR, dated("list:1", 1)), { trust }))).toBe(
      `REVOCATION_LIST_NOT_ANCHORED ${LIST}`,
    );
  });

  it("may not be anchored more than the skew before it was issued", async () => {
    expect(outcome(verify(await list(60, dated("list:1", 0))))).toBe("ACCEPTED");
    expect(outcome(verify(await list(61, dated("list:1", 0))))).toBe(`REVOCATION_LIST_NOT_ANCHORED ${LIST}`);
  });

  it("is not made fresh by anchoring it again", async () => {
    const world = new World();
    await world.list(1, -2 * DAY + HOUR);
    await receipt(world);
    const bundle = world.bundle("causal", ["1"]);
    expect(outcome(verify(bundle, { at: HOUR }))).toBe(`REVOCATION_LIST_STALE ${LIST}`);
    const subject = { subject: "revocation_list", digest: world.digest("list:1"), treeSize: 1 } as const;
    world.addAnchor("list:1", await world.anchor("again", subject, 50 * MINUTE));
    expect(outcome(verify(world.bundle("causal", ["1"]), { at: HOUR }))).toBe(
      `REVOCATION_LIST_STALE ${LIST}`,
    );
  });
});

describe("lists beside the bundle", () => {
  /** List 2 is in a supplement; `second` is another list 2 that the bundle has. */
  async function withSupplement(
    second: boolean,
    extra: readonly string[] = [],
  ): Promise<readonly [ProofBundleV3, unknown]> {
    const world = new World();
    await world.list(1, -HOUR);
    await receipt(world);
    await world.list(2, 90 * MINUTE, extra);
    const supplement = JSON.parse(JSON.stringify(world.supplement(["list:2"])));
    if (!second) return [world.bundle("causal", ["1"]), supplement];
    const other = new World();
    await other.list(1, -HOUR);
    await receipt(other);
    await other.list(2, 91 * MINUTE);
    return [other.bundle("causal", ["1"]), supplement];
  }

  it("a supplement that tells another story than the bundle is a fork", async () => {
    const [bundle, supplement] = await withSupplement(false);
    expect(outcome(verify(bundle, { supplement }))).toBe("ACCEPTED");
    const [forked, other] = await withSupplement(true);
    expect(outcome(verify(forked))).toBe("ACCEPTED");
    const report = verify(forked, { supplement: other });
    expect(outcome(report)).toBe("REVOCATION_LIST_CONFLICT /revocation_lists/0/list");
    expect(report.first_failure?.source).toBe("supplement");
  });

  it("a list that both have, with an anchor that only the supplement has, is one list", async () => {
    const world = new World();
    await world.list(1, -HOUR);
    await receipt(world);
    const whole = world.bundle("causal", ["1"]);
    const [list] = whole.revocation_lists;
    if (list === undefined) throw new Error("expected a list");
    const bundle = { ...whole, revocation_lists: [{ ...list, anchors: [] }] };
    expect(outcome(verify(bundle))).toBe("REVOCATION_LIST_NOT_ANCHORED /revocation_lists/0/list");
    const supplement = {
      protocol: "OSA_PROOF_V3",
      type: "SupplementV1",
      namespace_id: NAMESPACE,
      root_rotations: [],
      revocation_lists: [list],
    };
    expect(outcome(verify(bundle, { supplement }))).toBe("ACCEPTED");
  });

  it("a supplement of another namespace is refused, also when it is empty", async () => {
    const [bundle] = await withSupplement(false);
    const empty = {
      protocol: "OSA_PROOF_V3",
      type: "SupplementV1",
      root_rotations: [],
      revocation_lists: [],
    };
    expect(outcome(verify(bundle, { supplement: { ...empty, namespace_id: NAMESPACE } }))).toBe("ACCEPTED");
    expect(outcome(verify(bundle, { supplement: { ...empty, namespace_id: "org.other" } }))).toBe(
      "TRUST_INPUT_INVALID /namespace_id",
    );
  });

  it("a known head of the list's own number must be that list", async () => {
    const world = new World();
    await world.list(1, -HOUR);
    await receipt(world);
    const bundle = world.bundle("causal", ["1"]);
    expect(outcome(verify(bundle, { heads: knownList(1, world.digest("list:1")) }))).toBe("ACCEPTED");
    expect(outcome(verify(bundle, { heads: knownList(1, testDigest("another list 1")) }))).toBe(
      "REVOCATION_LIST_CONFLICT /revocation_lists/0/list",
    );
  });
});
