/** Rules at their edges: the last value that is accepted beside the first that is not. */
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { DAY, HOUR, at as instant, MINUTE } from "../support/keys.js";
import { keyRenewal } from "../support/session-stories.js";
import { basePolicy, NAMESPACE, pinnedRoot, withNamespace } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { outcome, set, verify } from "./attack-tools.js";

async function twoReceipts(changes: Changes = {}): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.tree("tree", 40 * MINUTE);
  world.finish();
  return world;
}

/** One receipt of a runtime, with everything that was made before. */
async function oneReceipt(world: World): Promise<ProofBundleV3> {
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  world.finish();
  return world.bundle("causal", ["1"]);
}

describe("counts", () => {
  it("a bundle has as many receipts as the policy allows, and not one more", async () => {
    const bundle = (await twoReceipts()).bundle("causal", ["2"]);
    const limited = (max_receipts: number): string =>
      outcome(verify(bundle, { trust: basePolicy({ limits: { max_receipts } }) }));
    expect(limited(2)).toBe("ACCEPTED");
    expect(limited(1)).toBe("FORMAT_TOO_LARGE /receipts");
  });

  it("a delegation may allow as many actions as the one above it", async () => {
    const make = async (max: number | undefined): Promise<string> => {
      const world = new World();
      await world.list(1, -HOUR);
      await world.agent("planner");
      await world.agent("coder");
      await world.runtime("rt-1", "coder");
      await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder", max: 4 });
      const bound = max === undefined ? {} : { max };
      await world.delegation("rt-1", "coder", "rt-1", { parent: "to-coder", ...bound });
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
      await world.tree("tree", 40 * MINUTE);
      world.finish();
      return outcome(verify(world.bundle("causal", ["1"])));
    };
    expect(await make(3)).toBe("ACCEPTED");
    expect(await make(4)).toBe("ACCEPTED");
    expect(await make(5)).toBe("DELEGATION_WIDENED /delegations/1");
    expect(await make(undefined)).toBe("DELEGATION_WIDENED /delegations/1");
  });
});

describe("what was expected", () => {
  const expectations = (target_receipt_digests: readonly string[]): object => ({
    protocol: "OSA_PROOF_V3",
    type: "ExpectationsV1",
    target_receipt_digests,
  });

  it("targets are exactly the receipts asked for, in any order", async () => {
    const world = await twoReceipts();
    const [first, second] = [world.digest("receipt:1"), world.digest("receipt:2")];
    const asked = (targets: readonly string[], wanted: readonly string[]): string =>
      outcome(verify(world.bundle("causal", targets), { expectations: expectations(wanted) }));
    const mismatch = "EXPECTATION_TARGET_MISMATCH /claim/targets";
    expect(asked(["2"], [second])).toBe("ACCEPTED");
    expect(asked(["1", "2"], [first, second])).toBe("ACCEPTED");
    expect(asked(["1", "2"], [second, first])).toBe("ACCEPTED");
    expect(asked(["2"], [first])).toBe(mismatch);
    expect(asked(["2"], [second, first])).toBe(mismatch);
    expect(asked(["1", "2"], [second])).toBe(mismatch);
    expect(asked(["1", "2"], [first, world.digest("delegation:rt-1")])).toBe(mismatch);
  });
});

describe("the clock skew", () => {
  it.each([
    [60, "ACCEPTED"],
    [61, "DELEGATION_OUTSIDE_WINDOW /delegations/1"],
  ])("a parent delegation issued %d seconds after its child", async (seconds, expected) => {
    const world = new World({
      statements: { "delegation:to-coder": set("issued_at", instant(seconds)) },
    });
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.agent("coder");
    await world.runtime("rt-1", "coder");
    await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder" });
    await world.delegation("rt-1", "coder", "rt-1", { parent: "to-coder" });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    expect(outcome(verify(world.bundle("causal", ["1"])))).toBe(expected);
  });
});

describe("the instant at which a root is replaced", () => {
  it.each([
    ["root-1", -HOUR, "ACCEPTED"],
    ["root-1", -HOUR - 1, "REVOCATION_SIGNATURE_INVALID /revocation_lists/0/list"],
    ["root-0", -HOUR, "REVOCATION_SIGNATURE_INVALID /revocation_lists/0/list"],
    ["root-0", -HOUR - 1, "REVOCATION_LIST_NOT_ANCHORED /revocation_lists/0/list"],
    // The quorum dates it 31 seconds after it was issued.
    ["root-0", -HOUR - 31, "REVOCATION_LIST_NOT_ANCHORED /revocation_lists/0/list"],
    ["root-0", -HOUR - 32, "ACCEPTED"],
  ] as const)("a list by %s dated %d seconds", async (root, time, expected) => {
    const world = new World();
    await world.rotation(1, -5 * DAY, -HOUR);
    world.root = root;
    await world.list(1, time);
    world.root = "root-1";
    await world.agentCertificate("agent:planner", "planner", "planner-key", -HOUR);
    await world.record("record:planner", "planner", 1, ["agent:planner"], -HOUR);
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    expect(outcome(verify(world.bundle("causal", ["1"])))).toBe(expected);
  });

  it.each([
    [-HOUR, "ACCEPTED"],
    [-HOUR - 1, "IDENTITY_ROTATION_INVALID /agent_key_certificates/0"],
  ])("a certificate by the new root dated %d seconds", async (time, expected) => {
    const world = new World();
    await world.rotation(1, -5 * DAY, -HOUR);
    world.root = "root-1";
    await world.list(1, -HOUR);
    await world.agentCertificate("agent:planner", "planner", "planner-key", time);
    await world.record("record:planner", "planner", 1, ["agent:planner"], -HOUR);
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    expect(outcome(verify(world.bundle("causal", ["1"])))).toBe(expected);
  });
});

describe("revocation lists one after the other", () => {
  it.each([
    [-HOUR, "ACCEPTED"],
    [-HOUR - 1, "REVOCATION_LIST_CONFLICT /revocation_lists/1/list"],
  ])("the second dated %d seconds, the first an hour before", async (time, expected) => {
    const world = new World();
    await world.list(1, -HOUR);
    await world.list(2, time);
    expect(outcome(verify(await oneReceipt(world)))).toBe(expected);
  });

  it("one from the future does not hide why the others do not count", async () => {
    const world = new World();
    await world.list(1, -HOUR);
    await world.list(2, 5 * DAY);
    const bundle = await oneReceipt(world);
    const codes = (seconds: number): string[] =>
      verify(bundle, { at: seconds })
        .checks.filter(({ check }) => check === "REVOCATION")
        .flatMap(({ failures }) => failures.map(({ code, pointer }) => `${code} ${pointer}`));
    expect(codes(3 * HOUR)).toEqual([]);
    expect(codes(3 * DAY)).toEqual(["REVOCATION_LIST_STALE /revocation_lists/0/list"]);
  });
});

describe("known heads", () => {
  const digest = (digit: string): string => `0x${digit.repeat(64)}`;
  const heads = (...namespaces: readonly object[]): object => ({
    protocol: "OSA_PROOF_V3",
    type: "KnownHeadsV1",
    namespaces,
    logs: [],
  });

  it("of another namespace are not those of this one", async () => {
    const world = await twoReceipts();
    const bundle = world.bundle("causal", ["2"]);
    const high = {
      revocation_list: { number: 9, digest: digest("a") },
      root_rotation: { number: 9, digest: digest("b") },
    };
    const own = { namespace_id: NAMESPACE };
    const other = { namespace_id: "other", ...high };
    for (const given of [heads(other), heads(other, own), heads(own, other)]) {
      expect(outcome(verify(bundle, { heads: given }))).toBe("ACCEPTED");
    }
    expect(outcome(verify(bundle, { heads: heads(other, { ...own, ...high }) }))).toBe(
      "IDENTITY_ROTATION_INVALID /namespaces/1/root_rotation",
    );
  });

  it("a rotation that is known is behind a root that is pinned with its number", async () => {
    const world = new World();
    world.root = "root-5";
    await world.list(1, -HOUR);
    const bundle = await oneReceipt(world);
    const trust = withNamespace(basePolicy(), { roots: [pinnedRoot("root-1", 1), pinnedRoot("root-5", 5)] });
    const known = (number: number): string => {
      const own = { namespace_id: NAMESPACE, root_rotation: { number, digest: digest("a") } };
      return outcome(verify(bundle, { trust, heads: heads(own) }));
    };
    expect(known(5)).toBe("ACCEPTED");
    expect(known(6)).toBe("IDENTITY_ROTATION_INVALID /namespaces/0/root_rotation");
  });
});

describe("the certificates that a close lists", () => {
  it("are all those that were used, each in its place", async () => {
    const { bundle, trust, at } = await keyRenewal();
    expect(outcome(verify(bundle, { trust, at }))).toBe("ACCEPTED");
    const [close] = bundle.session_closes;
    const listed = close?.runtime_key_certificate_digests ?? [];
    expect(listed).toHaveLength(2);
    for (const wrong of [
      [...listed].reverse(),
      listed.slice(0, 1),
      listed.slice(1),
      [listed[0], `0x${"a".repeat(64)}`],
      [`0x${"a".repeat(64)}`, listed[1]],
      [...listed, `0x${"a".repeat(64)}`],
    ]) {
      const changes: Changes = {
        statements: { "close:rt-1": set("runtime_key_certificate_digests", wrong) },
      };
      const made = await keyRenewal(changes);
      expect(outcome(verify(made.bundle, { trust, at }))).toMatch(
        /^(DAG_CLOSE|IDENTITY_CERTIFICATE|FORMAT_UNREF)/,
      );
    }
  });
});

describe("the end of a session", () => {
  async function ended(times: { close?: number; seal?: number; last?: Changes }): Promise<string> {
    const { close = 15 * MINUTE, seal = 20 * MINUTE, last = {} } = times;
    const world = new World(last);
    await world.list(1, -HOUR);
    await world.agent("planner");
    for (const runtime of ["rt-1", "rt-2"]) {
      await world.runtime(runtime, "planner");
      await world.delegation(runtime, "planner", runtime);
    }
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.receipt("2", { runtime: "rt-2", sequence: 1, time: 5 * MINUTE, parents: ["1"] });
    await world.close("rt-1", "1", close);
    await world.close("rt-2", "2", close);
    await world.seal("planner", ["rt-1", "rt-2"], seal);
    await world.tree("tree", 40 * MINUTE);
    world.finish();
    const trust = basePolicy({ require_session_close: true, require_session_seal: true });
    return outcome(verify(world.bundle("session", ["2"]), { trust }));
  }

  it("closes may be dated a minute before the last receipt, and no earlier", async () => {
    expect(await ended({})).toBe("ACCEPTED");
    expect(await ended({ close: 4 * MINUTE })).toBe("ACCEPTED");
    expect(await ended({ close: 4 * MINUTE - 1 })).toMatch(/^(DAG|IDENTITY)_.* \/session_closes\/0/);
  });

  it("a seal may be dated a minute before its closes, and no earlier", async () => {
    expect(await ended({ seal: 14 * MINUTE })).toBe("ACCEPTED");
    expect(await ended({ seal: 14 * MINUTE - 1 })).toMatch(/^DAG_SEAL_.* \/session_seals\/0/);
  });

  it("a seal names every close of the session, and no other", async () => {
    const only = (wrong: (world: World) => readonly string[]): Changes => ({
      statements: {
        "seal:planner": {
          draft: (statement, world) => {
            statement["session_close_digests"] = wrong(world as World);
          },
        },
      },
    });
    const [first, second] = ["close:rt-1", "close:rt-2"];
    const named = (...labels: readonly string[]): Promise<string> =>
      ended({
        last: only((world) => labels.map((label) => (label.includes(":") ? world.digest(label) : label))),
      });
    expect(await named(first, second)).toBe("ACCEPTED");
    for (const wrong of [
      [first],
      [second],
      [first, `0x${"a".repeat(64)}`],
      [first, second, `0x${"a".repeat(64)}`],
    ]) {
      expect(await named(...wrong)).toMatch(/^(DAG_SEAL_|FORMAT_UNREFERENCED)/);
    }
  });
});

describe("the certificates of a runtime whose key was renewed", () => {
  async function closed(listed: readonly string[], byAgent: boolean): Promise<string> {
    const world = new World();
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.runtime("rt-1", "planner");
    await world.runtime("rt-1", "planner", { time: 28 * MINUTE, key: "rt-1-key-2", label: "second" });
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    const by = byAgent ? { byAgent: "planner" } : {};
    await world.close("rt-1", "1", byAgent ? 20 * MINUTE : 40 * MINUTE, { certificates: listed, ...by });
    await world.tree("tree", 50 * MINUTE);
    world.finish();
    const trust = basePolicy({ require_session_close: true, accept_agent_close: true });
    return verify(world.bundle("session", ["1"]), { trust })
      .checks.flatMap(({ failures }) => failures)
      .filter(({ code }) => code !== "FORMAT_UNREFERENCED")
      .map(({ code }) => code)
      .join(" ");
  }

  it("end with one that signed the close and nothing else", async () => {
    expect(await closed(["runtime:rt-1", "second"], false)).toBe("");
    expect(await closed(["second"], false)).toBe("DAG_CLOSE_MISMATCH");
    expect(await closed(["runtime:rt-1", "runtime:rt-1", "second"], false)).not.toBe("");
  });

  it("do not when the agent closes: then all were used", async () => {
    expect(await closed(["runtime:rt-1", "second"], true)).toBe("DAG_CLOSE_MISMATCH");
  });

  it("are in order of use by sequence, in whatever order the bundle has the receipts", async () => {
    const { bundle, trust, at } = await keyRenewal();
    const reversed = { ...bundle, receipts: bundle.receipts.toReversed() };
    expect(outcome(verify(bundle, { trust, at }))).toBe("ACCEPTED");
    expect(outcome(verify(reversed, { trust, at }))).toBe("ACCEPTED");
  });
});

describe("the leaves of a tree", () => {
  it("are in the one order, to the last of them", async () => {
    const swapped = async (first: number, second: number): Promise<string> => {
      const world = new World({
        leaves: {
          tree: (leaves) =>
            leaves.map((leaf, index) =>
              index === first ? (leaves[second] ?? leaf) : index === second ? (leaves[first] ?? leaf) : leaf,
            ),
        },
      });
      await world.list(1, -HOUR);
      await world.agent("planner");
      await world.runtime("rt-1", "planner");
      await world.delegation("rt-1", "planner", "rt-1");
      for (const sequence of [1, 2, 3]) {
        await world.receipt(`${sequence}`, { runtime: "rt-1", sequence, time: sequence * MINUTE });
      }
      await world.tree("tree", 40 * MINUTE);
      world.finish();
      return outcome(verify(world.bundle("causal", ["1", "2", "3"])));
    };
    expect(await swapped(0, 0)).toBe("ACCEPTED");
    for (const [first, second] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      expect(await swapped(first, second)).toBe("EVIDENCE_ROOT_MISMATCH /evidence_trees/0");
    }
  });
});

describe("a leaf that is no statement of the bundle", () => {
  it.each([
    [0, `0x${"0".repeat(63)}1`],
    [1, `0x${"f".repeat(64)}`],
  ])("is refused at place %d", async (place, stranger) => {
    const made = async (extra: readonly string[]): Promise<string> => {
      const world = new World({
        leaves: { tree: (leaves) => (place === 0 ? [...extra, ...leaves] : [...leaves, ...extra]) },
      });
      await world.list(1, -HOUR);
      return outcome(verify(await oneReceipt(world)));
    };
    expect(await made([])).toBe("ACCEPTED");
    expect(await made([stranger])).toBe(`EVIDENCE_ROOT_MISMATCH /evidence_trees/0/leaves/${place}`);
  });
});

describe("what is said of a bundle of another namespace", () => {
  it("that nobody pins it, when it is a bundle at all", async () => {
    const bundle = (await twoReceipts()).bundle("causal", ["2"]);
    const trust = encodeUtf8(JSON.stringify(basePolicy()));
    const said = (text: string): string =>
      outcome(verifyBundle(encodeUtf8(text), trust, { at: instant(3 * HOUR) }));
    const changed = (members: object): string => said(JSON.stringify({ ...bundle, ...members }));
    expect(changed({})).toBe("ACCEPTED");
    expect(changed({ namespace_id: "other" })).toBe("TRUST_NAMESPACE_NOT_PINNED /namespace_id");
    expect(changed({ namespace_id: "other", type: "ProofBundleV9" })).toBe(
      "FORMAT_VERSION_UNSUPPORTED /type",
    );
    expect(changed({ namespace_id: "other", protocol: "OSA_PROOF_V9" })).toBe(
      "FORMAT_VERSION_UNSUPPORTED /protocol",
    );
    expect(changed({ namespace_id: "" })).toBe("FORMAT_VALUE_INVALID /namespace_id");
    expect(changed({ namespace_id: "o r" })).toBe("FORMAT_VALUE_INVALID /namespace_id");
    expect(changed({ namespace_id: 5 })).toBe("FORMAT_WRONG_TYPE /namespace_id");
    const twice = JSON.stringify({ ...bundle, namespace_id: "other" }).replace(
      "{",
      '{"namespace_id":"other",',
    );
    expect(said(twice)).toBe("FORMAT_DUPLICATE_MEMBER /namespace_id");
    expect(said('"ProofBundleV3"')).toBe("FORMAT_WRONG_TYPE ");
  });
});
