/** Attacks by an agent or a runtime that wants more than it was given, and on who an agent is. */
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { DAY, HOUR, at as instant, MINUTE, testKey } from "../support/keys.js";
import * as stories from "../support/stories.js";
import { agentId } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { outcome, set, verify } from "./attack-tools.js";

async function begin(changes: Changes = {}): Promise<World> {
  const world = new World(changes);
  await world.list(1, -HOUR);
  await world.agent("planner");
  return world;
}

async function pack(world: World, targets: readonly string[]): Promise<ProofBundleV3> {
  await world.tree("tree", 50 * MINUTE);
  world.finish();
  return world.bundle("causal", targets);
}

describe("chains", () => {
  it("an agent may delegate to itself, and gains nothing by it", async () => {
    const make = async (tools: readonly string[]): Promise<string> => {
      const world = await begin();
      await world.runtime("rt-1", "planner");
      await world.delegation("self", "planner", "rt-1", { delegate: "planner", tools: ["file.read"] });
      await world.delegation("rt-1", "planner", "rt-1", { parent: "self", tools });
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, tool: "file.read" });
      return outcome(verify(await pack(world, ["1"])));
    };
    expect(await make(["file.read"])).toBe("ACCEPTED");
    expect(await make(["file.read", "shell.run"])).toBe("DELEGATION_WIDENED /delegations/1");
  });

  it("a chain whose middle is cut out fails where it is cut, whoever stands above", async () => {
    const { bundle } = await stories.delegationChain();
    expect(outcome(verify(bundle))).toBe("ACCEPTED");
    const without = (index: number): string =>
      outcome(verify({ ...bundle, delegations: bundle.delegations.filter((_, place) => place !== index) }));
    expect(without(0)).toBe("DELEGATION_MISSING /delegations/0");
    // The top is now referred to by nothing.
    expect(without(1)).toBe("FORMAT_UNREFERENCED /agent_key_certificates/1");
    expect(without(2)).toMatch(/^FORMAT_UNREFERENCED /);
  });

  it("a bound is for all runtimes below it together, in one bundle", async () => {
    const counted = async (max: number): Promise<string> => {
      const { bundle, trust, at } = await stories.maxActions({
        statements: { "delegation:to-coder": set("max_actions", max) },
      });
      return outcome(verify(bundle, { trust, at }));
    };
    expect(await counted(4)).toBe("ACCEPTED");
    expect(await counted(3)).toBe("DELEGATION_MAX_ACTIONS_EXCEEDED /delegations/0");
    // Once for each receipt, although each receipt's chain is walked on its own.
    expect(await counted(2)).toBe("DELEGATION_MAX_ACTIONS_EXCEEDED /delegations/0");
    expect(await counted(1)).toBe("DELEGATION_MAX_ACTIONS_EXCEEDED /delegations/0");
  });

  it("the delegator's record counts at the time of each action, on every link", async () => {
    const until = async (end: number): Promise<string> => {
      const { bundle } = await stories.delegationChain({
        statements: { "record:coder": set("not_after", instant(end)) },
      });
      return outcome(verify(bundle));
    };
    expect(await until(5 * MINUTE + 0.001)).toBe("ACCEPTED");
    expect(await until(5 * MINUTE)).toBe("IDENTITY_RECORD_MISSING /receipts/0");
  });
});

describe("windows are half-open and get no skew", () => {
  const at = async (label: string, member: string, time: number): Promise<string> => {
    const { bundle } = await stories.oneReceipt({ statements: { [label]: set(member, instant(time)) } });
    return outcome(verify(bundle));
  };

  it.each([
    ["delegation:rt-1", "not_before", 5 * MINUTE, "ACCEPTED"],
    ["delegation:rt-1", "not_before", 5 * MINUTE + 0.001, "DELEGATION_OUTSIDE_WINDOW /receipts/0"],
    ["delegation:rt-1", "not_after", 5 * MINUTE + 0.001, "ACCEPTED"],
    ["delegation:rt-1", "not_after", 5 * MINUTE, "DELEGATION_OUTSIDE_WINDOW /receipts/0"],
    ["runtime:rt-1", "not_before", 5 * MINUTE, "ACCEPTED"],
    ["runtime:rt-1", "not_before", 5 * MINUTE + 0.001, "RECEIPT_OUTSIDE_KEY_WINDOW /receipts/0"],
    ["runtime:rt-1", "not_after", 5 * MINUTE + 0.001, "ACCEPTED"],
    ["runtime:rt-1", "not_after", 5 * MINUTE, "RECEIPT_OUTSIDE_KEY_WINDOW /receipts/0"],
    ["record:planner", "not_before", 5 * MINUTE, "ACCEPTED"],
    ["record:planner", "not_before", 5 * MINUTE + 0.001, "IDENTITY_RECORD_MISSING /receipts/0"],
    ["agent:planner", "not_after", 120 * MINUTE, "ACCEPTED"],
    ["agent:planner", "not_after", 120 * MINUTE - 0.001, "DELEGATION_OUTSIDE_WINDOW /delegations/0"],
    ["agent:planner", "not_before", 0, "ACCEPTED"],
    ["agent:planner", "not_before", 0.001, "IDENTITY_WINDOW_INVALID /runtime_key_certificates/0"],
    // Two clocks meet where one statement uses another: there the skew of a minute counts.
    ["delegation:rt-1", "issued_at", 6 * MINUTE, "ACCEPTED"],
    ["delegation:rt-1", "issued_at", 6 * MINUTE + 0.001, "DELEGATION_OUTSIDE_WINDOW /receipts/0"],
    ["runtime:rt-1", "issued_at", 6 * MINUTE, "ACCEPTED"],
    ["runtime:rt-1", "issued_at", 6 * MINUTE + 0.001, "IDENTITY_ISSUED_AFTER_USE /receipts/0"],
    ["record:planner", "issued_at", 6 * MINUTE, "ACCEPTED"],
    ["record:planner", "issued_at", 6 * MINUTE + 0.001, "IDENTITY_RECORD_MISSING /receipts/0"],
    ["agent:planner", "issued_at", MINUTE, "ACCEPTED"],
    ["agent:planner", "issued_at", MINUTE + 0.001, "IDENTITY_ISSUED_AFTER_USE /delegations/0"],
  ])("%s %s %d: %s", async (label, member, time, expected) => {
    expect(await at(label, member, time)).toBe(expected);
  });
});

describe("keys out of their place", () => {
  it("an agent whose certificate ended cannot date its work back into it", async () => {
    const make = async (anchored: number): Promise<string> => {
      const changes: Changes = { statements: { "agent:planner": set("not_after", instant(2 * HOUR)) } };
      const world = await begin(changes);
      await world.runtime("rt-1", "planner");
      await world.delegation("rt-1", "planner", "rt-1");
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
      await world.tree("tree", anchored);
      await world.list(2, 3 * DAY - HOUR);
      world.finish();
      return outcome(verify(world.bundle("causal", ["1"]), { at: 3 * DAY }));
    };
    expect(await make(HOUR)).toBe("ACCEPTED");
    expect(await make(2 * DAY)).toBe("ANCHOR_TOO_LATE /receipts/0");
  });

  it("one agent's key signs nothing in the name of another", async () => {
    const { bundle } = await stories.forkAndMerge();
    expect(outcome(verify(bundle))).toBe("ACCEPTED");
    const coder = testKey("coder-key");
    const outcomes: Record<string, string> = {};
    for (const label of ["runtime:rt-1", "delegation:rt-1"]) {
      const named = await stories.forkAndMerge({
        statements: {
          [label]: {
            draft: (statement, world) => {
              statement["agent_key_certificate_digest"] = world.digest("agent:coder");
              statement["issuer_key_id"] = "coder-key";
            },
            key: coder,
          },
        },
      });
      outcomes[label] = outcome(verify(named.bundle));
    }
    expect(outcomes).toEqual({
      "runtime:rt-1": "IDENTITY_ISSUER_MISMATCH /runtime_key_certificates/0",
      "delegation:rt-1": "DELEGATION_SIGNATURE_INVALID /delegations/0",
    });
  });

  it("a delegate with its own certificate on the delegation above cannot sign that one", async () => {
    const { bundle } = await stories.forkAndMerge({
      statements: {
        "delegation:to-coder": {
          draft: (statement, world) => {
            statement["agent_id"] = agentId("coder");
            statement["agent_key_certificate_digest"] = world.digest("agent:coder");
            statement["issuer_key_id"] = "coder-key";
          },
          key: testKey("coder-key"),
        },
      },
    });
    expect(outcome(verify(bundle))).toBe("DELEGATION_TOP_NOT_ALLOWED /delegations/1");
  });

  it("a newer record of another agent in the chain counts too, and a failed one voids them all", async () => {
    const withRecord = async (certificate: string, key: string): Promise<string> => {
      const { bundle } = await stories.forkAndMerge({
        statements: { "record:coder-2": { key: testKey(key) } },
        steps: { agents: (world) => world.record("record:coder-2", "coder", 2, [certificate]) },
      });
      return outcome(verify(bundle));
    };
    expect(await withRecord("agent:coder", "root-0")).toBe("ACCEPTED");
    expect(await withRecord("agent:planner", "root-0")).toBe("IDENTITY_CERTIFICATE_NOT_LISTED /receipts/2");
    expect(await withRecord("agent:coder", "coder-key")).toBe(
      "IDENTITY_SIGNATURE_INVALID /identity_records/2",
    );
  });
});
