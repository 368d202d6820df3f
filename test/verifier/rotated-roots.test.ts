/** After a rotation, everything that rests on the old root is anchored in time, whoever of a chain it is that rests on it. */
import { describe, expect, it } from "vitest";
import type { TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { DAY, HOUR, MINUTE } from "../support/keys.js";
import { agentId, basePolicy } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { outcome, set, verify } from "./attack-tools.js";

/** root-0 is replaced by root-1 an hour into the session. */
async function rotated(changes: Changes = {}): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.rotation(1, 50 * MINUTE, 60 * MINUTE);
  return world;
}

/** The agent's certificate and record, by the old root or the new one. */
async function agent(world: World, name: string, root: "root-0" | "root-1"): Promise<void> {
  world.root = root;
  await world.agent(name, root === "root-0" ? -2 * DAY : 61 * MINUTE);
}

describe("a chain of two agents, anchored after the old root was replaced", () => {
  it.each([
    ["root-1", "root-1", "ACCEPTED"],
    ["root-0", "root-1", "ANCHOR_AFTER_ROTATION /receipts/0"],
    ["root-1", "root-0", "ANCHOR_AFTER_ROTATION /receipts/0"],
    ["root-0", "root-0", "ANCHOR_AFTER_ROTATION /receipts/0"],
  ] as const)("delegator under %s, runtime's agent under %s", async (above, below, expected) => {
    const world = await rotated();
    await agent(world, "planner", above);
    await agent(world, "coder", below);
    await world.runtime("rt-1", "coder", { time: 62 * MINUTE });
    const time = 62 * MINUTE;
    await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder", time });
    await world.delegation("rt-1", "coder", "rt-1", { parent: "to-coder", time });
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 63 * MINUTE });
    await world.tree("tree", 70 * MINUTE);
    world.finish();
    expect(outcome(verify(world.bundle("causal", ["1"])))).toBe(expected);
  });
});

describe("an agent with two certificates, anchored after the old root was replaced", () => {
  it.each([
    ["root-1", "ACCEPTED"],
    ["root-0", "ANCHOR_AFTER_ROTATION /receipts/0"],
  ] as const)(
    "the one of its runtime by %s, the one of its delegation by the new root",
    async (root, expected) => {
      const sameAgent = { "delegation:rt-1": set("agent_id", agentId("planner")) };
      const world = await rotated({ statements: sameAgent });
      const time = 62 * MINUTE;
      world.root = root;
      await world.agentCertificate(
        "agent:planner",
        "planner",
        "planner-key",
        root === "root-0" ? -2 * DAY : time,
      );
      world.root = "root-1";
      await world.agentCertificate("agent:renewed", "planner", "renewed-key", time);
      await world.record("record:planner", "planner", 1, ["agent:planner", "agent:renewed"], time);
      await world.runtime("rt-1", "planner", { time });
      await world.delegation("rt-1", "renewed", "rt-1", { time });
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 63 * MINUTE });
      await world.tree("tree", 70 * MINUTE);
      world.finish();
      expect(outcome(verify(world.bundle("causal", ["1"])))).toBe(expected);
    },
  );
});

describe("the end of a session, anchored after the old root was replaced", () => {
  const trust: TrustPolicyV1 = basePolicy({
    require_session_close: true,
    require_session_seal: true,
    accept_agent_close: true,
  });

  async function session(early: readonly string[], byAgent = false): Promise<string> {
    const world = await rotated();
    await agent(world, "planner", "root-0");
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
    await world.close("rt-1", "1", 15 * MINUTE, byAgent ? { byAgent: "planner" } : {});
    await world.seal("planner", ["rt-1"], 20 * MINUTE);
    const all = ["receipt:1", "close:rt-1", "seal:planner"];
    await world.tree("early", 40 * MINUTE, { leaves: early });
    if (early.length < all.length) {
      await world.tree("late", 70 * MINUTE, { leaves: all.filter((leaf) => !early.includes(leaf)) });
    }
    world.finish();
    return outcome(verify(world.bundle("session", ["1"]), { trust }));
  }

  it("is in time with everything under an early root", async () => {
    expect(await session(["receipt:1", "close:rt-1", "seal:planner"])).toBe("ACCEPTED");
    expect(await session(["receipt:1", "close:rt-1", "seal:planner"], true)).toBe("ACCEPTED");
  });

  it("is too late in its close, whoever signed that", async () => {
    for (const byAgent of [false, true]) {
      expect(await session(["receipt:1", "seal:planner"], byAgent)).toBe(
        "ANCHOR_AFTER_ROTATION /session_closes/0",
      );
    }
  });

  it("is too late in its seal", async () => {
    expect(await session(["receipt:1", "close:rt-1"])).toBe("ANCHOR_AFTER_ROTATION /session_seals/0");
  });
});
