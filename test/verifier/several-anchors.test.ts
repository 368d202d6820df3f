/** Several anchors of one root: the earliest that counts dates it, and one that falls short takes nothing away. */
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../support/keys.js";
import { basePolicy } from "../support/trust.js";
import { rootOf, World } from "../support/world.js";
import { outcome, verify } from "./attack-tools.js";

type Cosigners = { witness: number; time: number | undefined }[];

const at = (time: number): Cosigners => [1, 2, 3].map((witness) => ({ witness, time }));
const [early, late, nobody, one] = [at(40 * MINUTE), at(100 * MINUTE), [], at(41 * MINUTE).slice(0, 1)];

/** One receipt in one tree with these anchors, in this order. */
async function anchored(...anchors: readonly Cosigners[]): Promise<World> {
  const names = anchors.map((_, index) => (index === 0 ? "tree" : `anchor-${index}`));
  const makings = names.map((name, index) => [
    name,
    (making: { cosigners: Cosigners }) => {
      making.cosigners = anchors[index] ?? [];
    },
  ]);
  const world = new World({ anchors: Object.fromEntries(makings) });
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  const subject = { subject: "evidence_root", digest: rootOf(world.leafDigests()), treeSize: 1 } as const;
  for (const name of names.slice(1)) world.addAnchor("tree", await world.anchor(name, subject, 40 * MINUTE));
  world.finish();
  return world;
}

/** Keys of half an hour, and a quarter of an hour to anchor what they signed. */
const trust = basePolicy({ max_anchor_delay_seconds: 15 * MINUTE });

async function judged(...anchors: readonly Cosigners[]): Promise<string> {
  return outcome(verify((await anchored(...anchors)).bundle("causal", ["1"]), { trust }));
}

describe("several anchors of one root", () => {
  it("the earliest dates it, wherever it stands", async () => {
    expect(await judged(early)).toBe("ACCEPTED");
    expect(await judged(late)).toBe("ANCHOR_TOO_LATE /receipts/0");
    expect(await judged(early, late)).toBe("ACCEPTED");
    expect(await judged(late, early)).toBe("ACCEPTED");
    expect(await judged(late, late, early, late)).toBe("ACCEPTED");
    expect(await judged(late, late)).toBe("ANCHOR_TOO_LATE /receipts/0");
  });

  it("one that falls short takes nothing from one that counts, and is told", async () => {
    for (const short of [nobody, one]) {
      for (const order of [
        [early, short],
        [short, early],
      ]) {
        const report = verify((await anchored(...order)).bundle("causal", ["1"]), { trust });
        expect(outcome(report)).toBe("ACCEPTED");
        expect(report.not_counted.map(({ pointer, source }) => `${source} ${pointer}`)).toEqual([
          `bundle /evidence_trees/0/anchors/${order.indexOf(short)}`,
        ]);
        const dates = report.times
          .filter(({ pointer }) => pointer.startsWith("/evidence_trees"))
          .map(({ anchored_at: date }) => date);
        expect(dates.filter((date) => date === null)).toHaveLength(1);
        expect(dates.indexOf(null)).toBe(order.indexOf(short));
      }
    }
  });

  it("by the operator alone, where the policy accepts that, lacks a time and not a quorum", async () => {
    const bundle = (await anchored(nobody)).bundle("causal", ["1"]);
    const accepting = basePolicy({ accept_operator_only: true });
    expect(outcome(verify(bundle))).toBe("ANCHOR_OPERATOR_ONLY /evidence_trees/0/anchors/0");
    expect(outcome(verify(bundle, { trust: accepting }))).toBe(
      "ANCHOR_TIME_MISSING /evidence_trees/0/anchors/0",
    );
  });

  it("when all fall short, each says why", async () => {
    const report = verify((await anchored(nobody, one)).bundle("causal", ["1"]), { trust });
    const failed = report.checks.flatMap(({ failures }) => failures);
    expect(failed.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      "ANCHOR_OPERATOR_ONLY /evidence_trees/0/anchors/0",
      "ANCHOR_QUORUM_NOT_MET /evidence_trees/0/anchors/1",
    ]);
  });
});

describe("the note on witnesses of the operator's own", () => {
  const own = (count: number) => {
    const { tlog } = basePolicy();
    const witnesses = tlog.witnesses.map((witness, index) =>
      index < count ? { ...witness, operator: "own" as const } : witness,
    );
    return basePolicy({ tlog: { ...tlog, witnesses } });
  };

  it("stands where all of them are, and not where one is independent", async () => {
    const bundle = (await anchored(early)).bundle("causal", ["1"]);
    const notes = (count: number): readonly string[] => {
      const report = verify(bundle, { trust: own(count) });
      expect(report.verdict).toBe("ACCEPTED");
      return report.notes.filter((note) => note.includes("the operator's own"));
    };
    expect(notes(0)).toEqual([]);
    expect(notes(2)).toEqual([]);
    expect(notes(3)).toHaveLength(1);
    expect(notes(3)[0]).toContain("log.example.org/evidence");
  });

  it("says nothing of an anchor that does not count", async () => {
    const bundle = (await anchored(nobody)).bundle("causal", ["1"]);
    const { notes, verdict, times } = verify(bundle, { trust: own(0) });
    expect(verdict).toBe("REJECTED");
    expect(notes.filter((note) => note.includes("the operator's own"))).toEqual([]);
    expect(times.some(({ witnesses }) => witnesses.length === 0)).toBe(true);
  });
});
