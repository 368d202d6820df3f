/** The line of roots: a rotation counts only where it leaves from the very key and id that the line has reached. */
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { canonicalStatement } from "../../src/statements/canonical.js";
import type { RootRotationV1 } from "../../src/statements/rotation.js";
import type { PinnedRoot } from "../../src/verifier/trust-policy.js";
import { DAY, HOUR, at as instant, MINUTE, testKey } from "../support/keys.js";
import { basePolicy, pinnedRoot, withNamespace } from "../support/trust.js";
import { World } from "../support/world.js";
import { verify } from "./attack-tools.js";

const [FIRST, SECOND] = [-4 * DAY, -3 * DAY];

/** root-0 to root-2; everything else is signed by root-2. */
async function line(): Promise<ProofBundleV3> {
  const world = new World();
  await world.rotation(1, -6 * DAY, FIRST);
  await world.rotation(2, -5 * DAY, SECOND);
  world.root = "root-2";
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  world.finish();
  return world.bundle("causal", ["1"]);
}

interface Side {
  /** The id that the rotation names. */
  readonly id: string;
  /** The label of the key that it names, and that signs. */
  readonly key: string;
}

interface Change {
  readonly old?: Side;
  readonly new?: Side;
  readonly issued?: number;
  readonly effective?: number;
}

/** A rotation with other ends or times, signed by both of its ends. */
async function changed(rotation: RootRotationV1, change: Change): Promise<RootRotationV1> {
  const number = rotation.rotation_number;
  const from = change.old ?? { id: `root-${number - 1}`, key: `root-${number - 1}` };
  const to = change.new ?? { id: `root-${number}`, key: `root-${number}` };
  const draft = {
    ...rotation,
    issuer_key_id: from.id,
    old_root_key_id: from.id,
    old_root_public_key: testKey(from.key).spki,
    new_root_key_id: to.id,
    new_root_public_key: testKey(to.key).spki,
    ...(change.issued === undefined ? {} : { issued_at: instant(change.issued) }),
    ...(change.effective === undefined ? {} : { effective_at: instant(change.effective) }),
  };
  const { signedBytes } = canonicalStatement(draft);
  const signature = encodeHex(await testKey(from.key).signer.sign(signedBytes));
  const newSignature = encodeHex(await testKey(to.key).signer.sign(signedBytes));
  return { ...draft, signature, new_root_signature: newSignature };
}

/** "ACCEPTED", or every rotation that is called invalid. */
async function judged(changes: readonly Change[], ...pins: readonly PinnedRoot[]): Promise<string> {
  const bundle = await line();
  const rotations = await Promise.all(
    bundle.root_rotations.map((rotation, index) => changed(rotation, changes[index] ?? {})),
  );
  const roots = pins.length > 0 ? pins : [pinnedRoot("root-0", 0)];
  const report = verify(
    { ...bundle, root_rotations: rotations },
    { trust: withNamespace(basePolicy(), { roots: [...roots] }) },
  );
  const invalid = report.checks
    .flatMap(({ failures }) => failures)
    .filter(({ code }) => code === "IDENTITY_ROTATION_INVALID")
    .map(({ pointer }) => pointer);
  return report.verdict === "ACCEPTED" ? "ACCEPTED" : invalid.join(" ");
}

describe("a line of two rotations", () => {
  it("holds from each of its roots", async () => {
    for (const number of [0, 1, 2]) {
      expect(await judged([], pinnedRoot(`root-${number}`, number))).toBe("ACCEPTED");
    }
  });

  it("does not hold under another number of the same root", async () => {
    expect(await judged([], pinnedRoot("root-0", 1))).not.toBe("ACCEPTED");
    expect(await judged([], pinnedRoot("root-2", 1))).not.toBe("ACCEPTED");
  });
});

describe("a rotation that leaves from elsewhere, though both of its ends signed it", () => {
  const stranger = { id: "root-9", key: "root-9" };
  const keyOfStranger = (id: string): Side => ({ id, key: "root-9" });
  const nameOfStranger = (key: string): Side => ({ id: "root-9", key });

  it("is not the first of a pinned root", async () => {
    for (const old of [stranger, keyOfStranger("root-0"), nameOfStranger("root-0")]) {
      expect(await judged([{ old }])).toBe("/root_rotations/0 /root_rotations/1");
    }
  });

  it("is not the second of a line", async () => {
    for (const old of [stranger, keyOfStranger("root-1"), nameOfStranger("root-1")]) {
      expect(await judged([{}, { old }])).toBe("/root_rotations/1");
    }
  });

  it("does not lead to a pinned root from below", async () => {
    const pin = pinnedRoot("root-2", 2);
    for (const to of [stranger, keyOfStranger("root-2"), nameOfStranger("root-2")]) {
      expect(await judged([{}, { new: to }], pin)).toBe("/root_rotations/0 /root_rotations/1");
    }
    for (const to of [stranger, keyOfStranger("root-1"), nameOfStranger("root-1")]) {
      expect(await judged([{ new: to }], pin)).toBe("/root_rotations/0");
    }
  });

  it("does not lead past an older root that is pinned as another", async () => {
    const pin = pinnedRoot("root-2", 2);
    const older = pinnedRoot("root-1", 1);
    const other = pinnedRoot("root-9", 1);
    expect(await judged([], pin, older)).toBe("ACCEPTED");
    expect(await judged([], pin, other)).toBe("/root_rotations/1");
    expect(await judged([], pin, { ...older, key_id: "root-9" })).toBe("/root_rotations/1");
    expect(await judged([], pin, { ...older, public_key: other.public_key })).toBe("/root_rotations/1");
  });
});

describe("a rotation to a root of the past", () => {
  it.each([
    ["its key under a new id", { id: "root-7", key: "root-0" }],
    ["its id with a new key", { id: "root-0", key: "root-7" }],
    ["both", { id: "root-0", key: "root-0" }],
  ])("is refused: %s", async (_, to) => {
    expect(await judged([{}, { new: to }])).toBe("/root_rotations/1");
    expect(await judged([{}, { new: { id: "root-2", key: "root-2" } }])).toBe("ACCEPTED");
  });

  it.each([
    ["its key under a new id", { id: "root-7", key: "root-2" }],
    ["its id with a new key", { id: "root-2", key: "root-7" }],
  ])("is refused from above: %s", async (_, from) => {
    expect(await judged([{ old: from }], pinnedRoot("root-2", 2))).toBe("/root_rotations/0");
  });
});

describe("the times of rotations", () => {
  it.each([
    ["root-0", 0, "/root_rotations/1"],
    ["root-1", 1, "/root_rotations/1"],
    ["root-2", 2, "/root_rotations/0"],
  ])("rise from one to the next, seen from %s", async (label, number, expected) => {
    const pin = pinnedRoot(label, number);
    expect(await judged([{}, { effective: FIRST + 1 }], pin)).toBe("ACCEPTED");
    expect(await judged([{}, { effective: FIRST }], pin)).toBe(expected);
    expect(await judged([{}, { effective: FIRST - 1 }], pin)).toBe(expected);
  });

  it("let a rotation take effect at once, and not before it was issued", async () => {
    expect(await judged([{ issued: FIRST, effective: FIRST }])).toBe("ACCEPTED");
    expect(await judged([{ issued: FIRST + 1, effective: FIRST }])).toBe(
      "/root_rotations/0 /root_rotations/1",
    );
  });
});
