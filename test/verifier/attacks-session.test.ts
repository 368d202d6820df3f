/** Attacks on closes, seals and the completeness that scope `session` claims. */
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { HOUR, MINUTE, testKey } from "../support/keys.js";
import * as stories from "../support/stories.js";
import { agentId, basePolicy } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { outcome, set, verify } from "./attack-tools.js";

/** Two runtimes of one agent, two receipts of `rt-1` and one of `rt-2`, which descends from the first. */
async function twoRuntimes(changes: Changes = {}): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.agent("planner");
  for (const runtime of ["rt-1", "rt-2"]) {
    await world.runtime(runtime, "planner");
    await world.delegation(runtime, "planner", runtime);
  }
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-2", sequence: 1, time: 7 * MINUTE, parents: ["2"] });
  return world;
}

async function pack(
  world: World,
  scope: "causal" | "session",
  targets: readonly string[],
): Promise<ProofBundleV3> {
  await world.tree("tree", 50 * MINUTE);
  world.finish();
  return world.bundle(scope, targets);
}

describe("a close shown in scope causal", () => {
  const closed = async (changes: Changes = {}): Promise<ProofBundleV3> => {
    const world = await twoRuntimes(changes);
    await world.close("rt-1", "2", 15 * MINUTE);
    return pack(world, "causal", ["3"]);
  };
  const withClose = (draft: (close: Record<string, unknown>, world: World) => void): Changes => ({
    statements: { "close:rt-1": { draft } },
  });

  it("lists no certificate of another runtime", async () => {
    expect(outcome(verify(await closed()))).toBe("ACCEPTED");
    const changes = withClose((close, world) => {
      close["runtime_key_certificate_digests"] = [world.digest("runtime:rt-2"), world.digest("runtime:rt-1")];
    });
    expect(outcome(verify(await closed(changes)))).toBe("DAG_CLOSE_MISMATCH /session_closes/0");
  });

  it("ends with no receipt that has another sequence", async () => {
    const changes = withClose((close, world) => {
      close["final_sequence"] = 5;
      close["receipt_count"] = 5;
      close["last_receipt_digest"] = world.digest("receipt:1");
    });
    expect(outcome(verify(await closed(changes)))).toBe("DAG_CLOSE_MISMATCH /session_closes/0");
  });

  it("ends with no receipt of another runtime", async () => {
    const changes = withClose((close, world) => {
      close["final_sequence"] = 5;
      close["receipt_count"] = 5;
      close["last_receipt_digest"] = world.digest("receipt:3");
    });
    expect(outcome(verify(await closed(changes)))).toBe("DAG_CLOSE_MISMATCH /session_closes/0");
  });
});

describe("who may close a runtime", () => {
  const accepting = basePolicy({ accept_agent_close: true });

  /** The coder is another agent of the same session, with a runtime and a receipt of its own. */
  async function twoAgents(
    close: (world: World) => Promise<void>,
    changes: Changes = {},
  ): Promise<ProofBundleV3> {
    const world = new World(changes);
    await world.list(1, -HOUR);
    for (const agent of ["planner", "coder"]) await world.agent(agent);
    await world.runtime("rt-1", "planner");
    await world.runtime("rt-2", "coder");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder" });
    await world.delegation("rt-2", "coder", "rt-2", { parent: "to-coder" });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.receipt("2", { runtime: "rt-2", sequence: 1, time: 6 * MINUTE, parents: ["1"] });
    await world.close("rt-1", "1", 15 * MINUTE);
    await close(world);
    return pack(world, "session", ["2"]);
  }

  it("its own agent, not another agent of the session", async () => {
    const by = async (agent: string): Promise<string> =>
      outcome(
        verify(await twoAgents((world) => world.close("rt-2", "2", 16 * MINUTE, { byAgent: agent })), {
          trust: accepting,
        }),
      );
    expect(await by("coder")).toBe("ACCEPTED");
    expect(await by("planner")).toBe("DAG_CLOSE_INVALID /session_closes/1");
  });

  it("not another agent that puts its own name on the close", async () => {
    const changes = { statements: { "close:rt-2": set("agent_id", agentId("planner")) } };
    const close = (world: World): Promise<void> =>
      world.close("rt-2", "2", 16 * MINUTE, { byAgent: "planner" });
    expect(outcome(verify(await twoAgents(close, changes), { trust: accepting }))).toBe(
      "DAG_CLOSE_MISMATCH /session_closes/1",
    );
  });

  it("not a sibling runtime, and not an earlier key of the runtime that it lists last but one", async () => {
    const closedBy = async (key: string, id: string): Promise<string> => {
      const { bundle, trust, at } = await stories.keyRenewal({
        statements: {
          "close:rt-1": { ...set("issuer_key_id", id), key: testKey(key) },
        },
      });
      return outcome(verify(bundle, { trust, at }));
    };
    expect(await closedBy("rt-1-key-2", "rt-1-key-2")).toBe("ACCEPTED");
    expect(await closedBy("rt-1-key", "rt-1-key")).toBe("DAG_CLOSE_INVALID /session_closes/0");
    expect(await closedBy("rt-1-key", "rt-1-key-2")).toBe("DAG_CLOSE_INVALID /session_closes/0");
  });
});

describe("the whole of a session", () => {
  const strict = basePolicy({ require_session_close: true });

  it("a close of a longer runtime cannot be traded for a shorter one when both are shown", async () => {
    const world = await twoRuntimes();
    await world.close("rt-1", "2", 15 * MINUTE);
    await world.close("rt-2", "3", 15 * MINUTE);
    expect(outcome(verify(await pack(world, "session", ["3"]), { trust: strict }))).toBe("ACCEPTED");
    const cut = await twoRuntimes();
    await cut.close("rt-1", "1", 15 * MINUTE);
    await cut.close("rt-2", "3", 15 * MINUTE);
    expect(outcome(verify(await pack(cut, "session", ["3"]), { trust: strict }))).toBe(
      "DAG_CLOSE_MISMATCH /session_closes/0",
    );
  });

  it("one runtime with receipts in two sessions is a conflict, whichever session the targets are in", async () => {
    const make = async (second: string): Promise<string> => {
      const world = new World();
      await world.list(1, -HOUR);
      await world.agent("planner");
      await world.runtime("rt-1", "planner");
      await world.delegation("rt-1", "planner", "rt-1");
      const label = "runtime:other";
      await world.runtime("rt-1", "planner", { session: second, key: "rt-1-other-key", label });
      await world.delegation("other", "planner", "rt-1", { session: second });
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
      const next = { certificate: label, delegation: "other", parents: ["1"] };
      await world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, ...next });
      return outcome(verify(await pack(world, "causal", ["2"])));
    };
    expect(await make("session-1")).toBe("ACCEPTED");
    expect(await make("session-2")).toBe("IDENTITY_CONFLICT /runtime_key_certificates/1");
  });

  it("ancestors of another session need no close, the session itself does", async () => {
    const world = new World();
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.runtime("rt-0", "planner", { session: "session-0" });
    await world.delegation("rt-0", "planner", "rt-0", { session: "session-0" });
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    // Sequence 4 alone: the other session is not claimed to be whole.
    await world.receipt("0", { runtime: "rt-0", sequence: 4, time: 4 * MINUTE });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, parents: ["0"] });
    await world.close("rt-1", "1", 15 * MINUTE);
    const bundle = await pack(world, "session", ["1"]);
    expect(outcome(verify(bundle, { trust: strict }))).toBe("ACCEPTED");
    const asked = { ...bundle, claim: { ...bundle.claim, targets: [world.digest("receipt:0")] } };
    expect(outcome(verify(asked, { trust: strict }))).toBe("FORMAT_UNREFERENCED /delegations/1");
  });

  it("a seal cannot be met by closes of another agent or session", async () => {
    const sealed = basePolicy({ require_session_close: true, require_session_seal: true });
    const make = async (session: string): Promise<string> => {
      const world = await twoRuntimes();
      await world.close("rt-1", "2", 15 * MINUTE);
      await world.close("rt-2", "3", 15 * MINUTE);
      await world.seal("planner", ["rt-1", "rt-2"], 20 * MINUTE, session);
      return outcome(verify(await pack(world, "session", ["3"]), { trust: sealed }));
    };
    expect(await make("session-1")).toBe("ACCEPTED");
    expect(await make("session-2")).toBe("FORMAT_UNREFERENCED /session_seals/0");
  });

  it("targets that are closes, certificates or nothing are no targets", async () => {
    const world = await twoRuntimes();
    await world.close("rt-1", "2", 15 * MINUTE);
    await world.close("rt-2", "3", 15 * MINUTE);
    const bundle = await pack(world, "session", ["3"]);
    expect(outcome(verify(bundle, { trust: strict }))).toBe("ACCEPTED");
    for (const label of ["close:rt-1", "runtime:rt-1", "delegation:rt-1", "list:1"]) {
      const targets = [...bundle.claim.targets, world.digest(label)];
      expect(outcome(verify({ ...bundle, claim: { scope: "session", targets } }, { trust: strict }))).toBe(
        "DAG_TARGET_MISSING /claim/targets/1",
      );
    }
  });
});

describe("a close at the edge of its time", () => {
  it.each([
    [30 * MINUTE - 0.001, "ACCEPTED"],
    [30 * MINUTE, "DAG_CLOSE_INVALID /session_closes/0"],
  ])("by the runtime at %d seconds", async (time, expected) => {
    const world = await twoRuntimes();
    await world.close("rt-1", "2", time);
    expect(outcome(verify(await pack(world, "causal", ["3"])))).toBe(expected);
  });

  it.each([
    [5 * MINUTE, "ACCEPTED"],
    [5 * MINUTE - 0.001, "DAG_CLOSE_MISMATCH /session_closes/0"],
  ])("at %d seconds, its last receipt a skew or more later", async (time, expected) => {
    const world = await twoRuntimes();
    await world.close("rt-1", "2", time);
    expect(outcome(verify(await pack(world, "causal", ["3"])))).toBe(expected);
  });
});
