/** Field faults about the graph of receipts, its trees and its anchors. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { inFolder, run } from "../cli/support.js";
import { HOUR, MINUTE } from "../support/keys.js";
import { causalScope, oneReceipt } from "../support/stories.js";
import { story } from "../support/story.js";
import { basePolicy } from "../support/trust.js";
import { World } from "../support/world.js";
import { codeOf, expectCase, expectCases, storyBytes, verifyBytes, verifyStory } from "./support.js";

async function begin(): Promise<World> {
  const world = new World();
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  return world;
}

describe("field faults of the graph", () => {
  it("F056 a cut tail fails where a whole session is claimed, and is said where it is not", async () => {
    await expectCases(
      "DAG_SEQUENCE_GAP/tail-cut-off",
      "DAG_CLOSE_MISSING/no-close",
      "EXPECTATION_SCOPE_TOO_WEAK/session-asked",
    );
    const report = verifyStory(await causalScope());
    expect(report.verdict).toBe("ACCEPTED");
    expect(report.scope).toBe("causal");
    expect([...report.does_not_prove, ...report.notes].join(" ")).toMatch(/scope causal is silent/);
  });

  it("F058 two receipts under one sequence are equivocation, and both are named", async () => {
    const report = await expectCase("DAG_EQUIVOCATION/sequence-twice");
    const failures = report.checks
      .flatMap((check) => check.failures)
      .filter(({ code }) => code === "DAG_EQUIVOCATION");
    const said = failures.map(({ statement_digest, message }) => `${statement_digest} ${message}`).join(" ");
    expect(new Set(said.match(/0x[0-9a-f]{64}/g)).size).toBeGreaterThanOrEqual(2);
  });

  it("F060 parents are at most 64, each once, and their order is under the signature like all else", async () => {
    await expectCases("FORMAT_VALUE_INVALID/parent-twice", "FORMAT_TOO_LARGE/too-many-parents");
    const world = await begin();
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: MINUTE });
    await world.receipt("2", { runtime: "rt-1", sequence: 2, time: MINUTE });
    await world.receipt("3", { runtime: "rt-1", sequence: 3, time: MINUTE, parents: ["1", "2"] });
    await world.tree("tree", 40 * MINUTE);
    const made = story(world.bundle("causal", ["3"]));
    expect(codeOf(verifyStory(made))).toBe("ACCEPTED");
    const reordered = verifyStory(made, (bundle) => {
      bundle["receipts"][2].parent_receipt_digests.reverse();
    });
    expect(reordered.verdict).toBe("REJECTED");
  });

  it("F060 shared ancestors are visited once: 24 diamonds on end have 16 million ways through", async () => {
    const world = await begin();
    let sequence = 0;
    const receipt = async (parents: readonly string[]): Promise<string> => {
      sequence += 1;
      await world.receipt(`${sequence}`, { runtime: "rt-1", sequence, time: MINUTE, parents });
      return `${sequence}`;
    };
    let top = await receipt([]);
    for (let diamond = 0; diamond < 24; diamond++) {
      const sides = [await receipt([top]), await receipt([top])];
      top = await receipt(sides);
    }
    await world.tree("tree", 40 * MINUTE);
    expect(codeOf(verifyStory(story(world.bundle("causal", [top]))))).toBe("ACCEPTED");
  });

  it("F061 a missing parent, one of another run and a contradiction of order have a reason each", async () => {
    await expectCases("FORMAT_MIXED_RUN/parent-of-another-mission", "DAG_ORDER_CYCLE/parent-after-child");
    const report = await expectCase("DAG_PARENT_MISSING/branch-left-out");
    const missing = report.checks
      .flatMap((check) => check.failures)
      .filter(({ code }) => code === "DAG_PARENT_MISSING");
    expect(missing.every(({ pointer }) => /^\/receipts\/\d+\/parent_receipt_digests/.test(pointer))).toBe(
      true,
    );
  });

  it("F061 a receipt cannot be its own parent: its digest would have to hold itself", async () => {
    const world = new World({
      statements: {
        "receipt:1": {
          signed: (statement) => {
            statement["parent_receipt_digests"] = [`0x${"11".repeat(32)}`];
          },
        },
      },
    });
    await world.list(1, -HOUR);
    await world.agent("planner");
    await world.runtime("rt-1", "planner");
    await world.delegation("rt-1", "planner", "rt-1");
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: MINUTE });
    await world.tree("tree", 40 * MINUTE);
    const codes = verifyStory(story(world.bundle("causal", ["1"]))).checks.flatMap(
      ({ failures }) => failures,
    );
    expect(codes.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["RECEIPT_SIGNATURE_INVALID", "DAG_PARENT_MISSING"]),
    );
    expect(codeOf(verifyStory(await oneReceipt()))).toBe("ACCEPTED");
  });

  it("F063 a denied action is a receipt like any other, in the verdict and in the graph", async () => {
    const world = await begin();
    await world.receipt("1", { runtime: "rt-1", sequence: 1, time: MINUTE, tool: "osa.denied" });
    await world.receipt("2", { runtime: "rt-1", sequence: 2, time: MINUTE, parents: ["1"] });
    await world.tree("tree", 40 * MINUTE);
    const bytes = storyBytes(story(world.bundle("causal", ["2"])));
    expect(codeOf(verifyBytes(bytes))).toBe("ACCEPTED");
    const drawn = await inFolder(async (cwd) => {
      await writeFile(join(cwd, "bundle"), bytes);
      return run(["graph", "bundle", "--format", "mermaid"], { cwd });
    });
    expect(drawn.code).toBe(0);
    expect(drawn.out).toContain("osa.denied");
    expect(drawn.out).toContain("shell.run");
  });
});

describe("field faults of trees and anchors", () => {
  it("F068 a doubled last leaf is another tree, and a leaf counts once", async () => {
    await expectCases(
      ...["EVIDENCE_PROOF_INVALID/leaf-twice-in-a-complete-tree", "EVIDENCE_PROOF_INVALID/leaf-proven-twice"],
      "EVIDENCE_ROOT_MISMATCH/another-size",
    );
  });

  it("F070 a genuine anchor of something else is refused by name", async () => {
    await expectCases(
      ...["ANCHOR_ENTRY_MISMATCH/anchor-of-the-list", "ANCHOR_ENTRY_MISMATCH/another-root-logged"],
      ...["EVIDENCE_PROOF_INVALID/proof-of-something-else", "EVIDENCE_PROOF_INVALID/another-place"],
    );
  });

  it("F077 one wrong cosignature is a failure beside two good ones, and a quorum counts distinct witnesses", async () => {
    await expectCases("ANCHOR_PROOF_INVALID/one-witness-wrong", "ANCHOR_QUORUM_NOT_MET/one-of-three");
    await expectCases(
      "TRUST_POLICY_INVALID/one-key-is-log-and-witness",
      "ANCHOR_PROOF_INVALID/beside-a-good-one",
    );
  });

  it("F080 what is pinned is read anew each time: a changed policy or head is noticed at once", async () => {
    const bytes = storyBytes(await oneReceipt());
    const good = JSON.stringify(basePolicy());
    expect(codeOf(verifyBytes(bytes, encodeUtf8(good)))).toBe("ACCEPTED");
    const vkey = basePolicy().tlog.logs[0]?.vkey ?? "";
    const changed = `${vkey.slice(0, -3)}${vkey.at(-3) === "A" ? "B" : "A"}${vkey.slice(-2)}`;
    expect(codeOf(verifyBytes(bytes, encodeUtf8(good.replace(vkey, changed))))).toBe("TRUST_POLICY_INVALID");
    expect(codeOf(verifyBytes(bytes, encodeUtf8(good)))).toBe("ACCEPTED");
    await expectCases(
      "ANCHOR_LOG_FORK/another-root-known",
      "IDENTITY_ROTATION_INVALID/known-with-another-digest",
    );
  });

  it("F082 an anchor on another log, or ahead of its head, anchors nothing", async () => {
    await expectCases("ANCHOR_MISSING/unpinned-ledgers-only", "ANCHOR_LOG_FORK/another-root-known");
    const made = await oneReceipt();
    const ahead = verifyStory(made, (bundle) => {
      const anchor = bundle["evidence_trees"][0].anchors[0];
      anchor.proof = anchor.proof.replace(/\nindex \d+\n/, "\nindex 4000\n");
    });
    expect(codeOf(ahead)).toBe("ANCHOR_PROOF_INVALID");
    expect(codeOf(verifyStory(made))).toBe("ACCEPTED");
  });
});
