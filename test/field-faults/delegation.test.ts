/** Field faults about delegation and revocation: who may, for how long, and who has been told that a key is lost. */
import { describe, expect, it } from "vitest";
import { at, HOUR, MINUTE } from "../support/keys.js";
import { delegationChain, forkAndMerge, oneReceipt } from "../support/stories.js";
import { story } from "../support/story.js";
import { withNamespace } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { codeOf, expectCase, expectCases, verifyStory } from "./support.js";

/** One receipt with the tool under a delegation of one tool. */
async function withTool(allowed: string, used: string): Promise<string> {
  const world = new World();
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1", { tools: [allowed] });
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, tool: used });
  await world.tree("tree", 40 * MINUTE);
  return codeOf(verifyStory(story(world.bundle("causal", ["1"]))));
}

describe("field faults of delegation", () => {
  it("F036 each broken chain has its own reason: forged, by a stranger, too wide, expired", async () => {
    await expectCases(
      ...["DELEGATION_MISSING/no-parent", "DELEGATION_SIGNATURE_INVALID/by-the-runtime"],
      ...["DELEGATION_NOT_DELEGATE/given-to-another", "DELEGATION_OUTSIDE_WINDOW/action-after-its-end"],
      "DELEGATION_TOO_DEEP/nine-in-a-chain",
    );
  });

  it("F036 a revoked ancestor ends the whole chain below it", async () => {
    const listed = async (revoked: string): Promise<string> => {
      const receipts = (world: World): Promise<void> => world.list(2, 20 * MINUTE, [revoked]);
      return codeOf(verifyStory(await delegationChain({ steps: { receipts } })));
    };
    expect(await listed("nobodys-key")).toBe("ACCEPTED");
    expect(await listed("coder-key")).toBe("REVOCATION_KEY_REVOKED");
    expect(await listed("planner-key")).toBe("REVOCATION_KEY_REVOKED");
  });

  it("F036 a chain cannot lead back into itself: a parent is named by what it is, signature included", async () => {
    const made = await delegationChain();
    const report = verifyStory(made, (bundle) => {
      const [top, , last] = bundle["delegations"];
      top.parent_delegation_digest = last.parent_delegation_digest;
    });
    expect(report.verdict).toBe("REJECTED");
    expect(codeOf(verifyStory(made))).toBe("ACCEPTED");
  });

  it.each([
    ["shell.run", "shell.run", "ACCEPTED"],
    ["/data", "/data", "ACCEPTED"],
    ["/data", "/database", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["/data", "/data/", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["/data", "/data/x", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["/data/", "/data", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["shell", "shell.run", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["shell.run", "shell", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["shell.run", "Shell.run", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["a/b", "a/./b", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["a/b", "a/c/../b", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["a..b", "a.x.b", "DELEGATION_TOOL_OUT_OF_SCOPE"],
    ["*", "shell.run", "FORMAT_VALUE_INVALID"],
    ["shell.*", "shell.run", "FORMAT_VALUE_INVALID"],
  ])("F038 allowed %s, used %s: %s", async (allowed, used, expected) => {
    expect(await withTool(allowed, used)).toBe(expected);
  });

  it("F039 a delegation that somebody else holds is worth nothing", async () => {
    await expectCases(
      ...["DELEGATION_NOT_DELEGATE/given-to-another", "DELEGATION_NOT_DELEGATE/given-to-nobody"],
      ...["DELEGATION_BINDING_MISMATCH/another-runtime", "DELEGATION_BINDING_MISMATCH/only-delegates-on"],
    );
  });

  it("F040 a delegation needs a signature that verifies, and having the member is not that", async () => {
    const made = await oneReceipt();
    const absent = verifyStory(made, (bundle) => {
      delete bundle["delegations"][0].signature;
    });
    expect(absent.first_failure).toMatchObject({
      code: "FORMAT_MISSING_MEMBER",
      pointer: "/delegations/0/signature",
    });
    await expectCases(
      "DELEGATION_SIGNATURE_INVALID/by-the-runtime",
      "DELEGATION_SIGNATURE_INVALID/issuer-is-another-key",
    );
  });

  it.each(["to-coder", "rt-2"])(
    "F042 the window of delegation %s is held against the time of the receipt",
    async (name) => {
      // Above and below end at one time, so that neither is wider than the other.
      const until = async (seconds: number): Promise<string> => {
        const names = name === "to-coder" ? ["to-coder", "rt-2"] : ["rt-2"];
        const draft = (statement: Record<string, unknown>): void => {
          statement["not_after"] = at(seconds);
        };
        const statements: Changes["statements"] = Object.fromEntries(
          names.map((one) => [`delegation:${one}`, { draft }]),
        );
        return codeOf(verifyStory(await forkAndMerge({ statements })));
      };
      expect(await until(7 * MINUTE + 1)).toBe("ACCEPTED");
      expect(await until(7 * MINUTE)).toBe("DELEGATION_OUTSIDE_WINDOW");
    },
  );

  it("F042 no link may outlive or precede what stands over it", async () => {
    await expectCases(
      ...[
        "DELEGATION_OUTSIDE_WINDOW/outlives-its-certificate",
        "DELEGATION_OUTSIDE_WINDOW/action-before-its-begin",
      ],
      ...["DELEGATION_OUTSIDE_WINDOW/issued-after-the-action", "DELEGATION_WIDENED/longer-window"],
    );
  });

  it("F043 narrowing is worked out from the chain, and no member may claim it", async () => {
    await expectCases("DELEGATION_WIDENED/one-tool-more", "DELEGATION_WIDENED/bound-dropped");
    const report = verifyStory(await forkAndMerge(), (bundle) => {
      bundle["delegations"][2].narrowed = true;
    });
    expect(codeOf(report)).toBe("FORMAT_UNKNOWN_MEMBER");
  });

  it("F045 a good signature of somebody who may not give the mandate is not enough", async () => {
    await expectCases(
      ...[
        "DELEGATION_TOP_NOT_ALLOWED/not-a-top-delegator",
        "DELEGATION_TOP_NOT_ALLOWED/delegate-drops-its-parent",
      ],
      ...[
        "DELEGATION_SIGNATURE_INVALID/issuer-is-another-key",
        "IDENTITY_ISSUER_MISMATCH/runtime-certificate-of-another-agent",
      ],
    );
  });
});

describe("field faults of revocation", () => {
  it("F046 without a revocation list nothing counts as clean", async () => {
    const report = await expectCase("REVOCATION_LIST_MISSING/no-list");
    expect(report.checks.find(({ check }) => check === "REVOCATION")?.status).toBe("FAIL");
  });

  it("F048 an older list is refused once a newer one is known, though it has not expired", async () => {
    await expectCases(
      ...[
        "REVOCATION_LIST_ROLLED_BACK/below-a-known-head",
        "REVOCATION_LIST_ROLLED_BACK/below-the-pinned-minimum",
      ],
      "REVOCATION_LIST_CONFLICT/known-with-another-digest",
    );
  });

  it("F050 F051 a revoked key fails whatever its receipts are dated and wherever they were anchored", async () => {
    const listed = async (revoked: readonly string[], trust = 2): Promise<string> => {
      const world = new World();
      await world.list(1, -HOUR);
      await world.agent("planner");
      await world.runtime("rt-1", "planner");
      await world.delegation("rt-1", "planner", "rt-1");
      // Dated and anchored long before the list that revokes.
      await world.receipt("1", { runtime: "rt-1", sequence: 1, time: MINUTE });
      await world.tree("tree", 2 * MINUTE);
      await world.list(2, 2 * HOUR, revoked);
      const made = story(world.bundle("causal", ["1"]));
      const policy = withNamespace(made.trust, { minimum_revocation_list_number: trust });
      return codeOf(verifyStory({ ...made, trust: policy }));
    };
    expect(await listed([])).toBe("ACCEPTED");
    expect(await listed(["rt-1-key"])).toBe("REVOCATION_KEY_REVOKED");
    expect(await listed(["planner-key"])).toBe("REVOCATION_KEY_REVOKED");
    await expectCases("REVOCATION_KEY_REVOKED/runtime-key", "REVOCATION_KEY_REVOKED/on-a-stale-list");
  });

  it("F050 F051 an anchor counts by its proof on a pinned log, not by being there", async () => {
    await expectCases(
      ...[
        "ANCHOR_MISSING/unpinned-ledgers-only",
        "ANCHOR_MISSING/no-anchor",
        "ANCHOR_PROOF_INVALID/log-signature",
      ],
      ...["ANCHOR_TIME_MISSING/undated-cosignatures", "ANCHOR_TOO_LATE/a-day-after-the-key"],
    );
  });

  it("F052 a revocation list is dated by its own anchor", async () => {
    await expectCases(
      ...["REVOCATION_LIST_NOT_ANCHORED/no-anchor", "REVOCATION_LIST_NOT_ANCHORED/quorum-not-met"],
      "REVOCATION_LIST_NOT_ANCHORED/anchored-too-late",
    );
  });

  it("F055 revocation data that is too old fails, by an age that the policy sets", async () => {
    await expectCases(
      ...["REVOCATION_LIST_STALE/older-than-a-day", "REVOCATION_LIST_STALE/older-than-the-policy-allows"],
      "REVOCATION_LIST_STALE/past-its-end",
    );
  });
});
