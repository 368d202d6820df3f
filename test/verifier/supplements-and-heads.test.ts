/** What a supplement repeats or breaks, what heads are moved by, and where each is told. */
import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { inputsOfFixture, judge } from "../controls/fixtures.js";
import { HOUR, MINUTE, testKey } from "../support/keys.js";
import { basePolicy } from "../support/trust.js";
import { type Changes, World } from "../support/world.js";
import { failures, outcome, verify } from "./attack-tools.js";

async function world(changes: Changes = {}, rotated = true): Promise<World> {
  const made = new World(changes);
  await made.list(1, -HOUR);
  if (rotated) await made.rotation(1, 80 * MINUTE, 90 * MINUTE);
  await made.agent("planner");
  await made.runtime("rt-1", "planner");
  await made.delegation("rt-1", "planner", "rt-1");
  await made.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await made.step("receipts");
  await made.tree("tree", 40 * MINUTE);
  made.finish();
  return made;
}

describe("the head of a log", () => {
  it.each(["ANCHOR_LOG_FORK/another-root-known", "ANCHOR_LOG_NOT_CONTINUED/not-shown-to-continue"])(
    "stays where it was after %s, so that a second run notices too",
    async (name) => {
      const inputs = await inputsOfFixture(name);
      const { heads, first_failure: first } = judge(verifyBundle, inputs);
      expect(first?.code).toBe(name.split("/")[0]);
      const given = JSON.parse(new TextDecoder().decode(inputs.heads ?? new Uint8Array()));
      expect(heads?.logs).toEqual(given.logs);
    },
  );
});

describe("a rotation in a supplement", () => {
  it("may be one that the bundle has", async () => {
    const made = await world();
    const bundle = made.bundle("causal", ["1"]);
    const supplement = made.supplement(["rotation:1"]);
    expect(bundle.root_rotations).toEqual(supplement["root_rotations"]);
    expect(failures(verify(bundle, { supplement }))).toEqual([]);
    expect(failures(verify(made.bundle("causal", ["1"]), { supplement }))).toEqual([]);
  });

  it("is told at its place in the supplement", async () => {
    const made = await world({ statements: { "rotation:1": { key: testKey("stranger") } } });
    const supplement = made.supplement(["rotation:1"]);
    const { first_failure: first } = verify(made.bundle("causal", ["1"]), { supplement });
    expect(first).toMatchObject({
      code: "IDENTITY_ROTATION_INVALID",
      source: "supplement",
      pointer: "/root_rotations/0",
    });
  });

  it("is of an algorithm that the policy accepts", async () => {
    const made = await world();
    const rotation = made.supplement(["rotation:1"])["root_rotations"][0];
    const supplement = {
      ...made.supplement(["rotation:1"]),
      root_rotations: [{ ...rotation, signing_algorithm: "ED25519" }],
    };
    const trust = basePolicy({ accepted_algorithms: ["ECDSA_P256"] });
    const bundle = made.bundle("causal", ["1"]);
    expect(failures(verify(bundle, { trust, supplement: made.supplement(["rotation:1"]) }))).toEqual([]);
    expect(failures(verify(bundle, { trust, supplement }))).toEqual([
      "FORMAT_ALGORITHM_NOT_ACCEPTED /root_rotations/0/signing_algorithm",
    ]);
  });
});

describe("heads", () => {
  it.each([[true], [false]])("are not moved by a list that nothing dates (rotated: %j)", async (rotated) => {
    const made = await world({ steps: { receipts: (growing) => growing.list(2, -HOUR + MINUTE) } }, rotated);
    const numberAfter = (dated: boolean): number | undefined => {
      const bundle = made.bundle("causal", ["1"]);
      const lists = bundle.revocation_lists.map((item, index) =>
        index === 0 || dated ? item : { ...item, anchors: [] },
      );
      const report = verify({ ...bundle, revocation_lists: lists });
      expect(outcome(report)).toBe("ACCEPTED");
      return report.heads?.namespaces[0]?.revocation_list?.number;
    };
    expect(numberAfter(true)).toBe(2);
    expect(numberAfter(false)).toBe(1);
  });
});

describe("a seal", () => {
  it("without the close that it names is one fault", async () => {
    const made = await world({
      steps: {
        receipts: async (growing) => {
          await growing.close("rt-1", "1", 15 * MINUTE);
          await growing.seal("planner", ["rt-1"], 20 * MINUTE);
        },
      },
    });
    expect(failures(verify(made.bundle("causal", ["1"])))).toEqual([]);
    const shown = ["receipt:1", "seal:planner"];
    expect(failures(verify(made.bundle("causal", ["1"], shown)))).toEqual([
      "DAG_SEAL_MISMATCH /session_seals/0",
    ]);
  });
});

describe("a required attestation", () => {
  it("is missed for the key that signed a close, too", async () => {
    const trust = basePolicy({ attestation_requirements: [{ type: "nitro", measurements: ["0x00"] }] });
    const last = "runtime:rt-1:2";
    const made = await world({
      steps: {
        receipts: async (growing) => {
          await growing.runtime("rt-1", "planner", { time: MINUTE, key: "rt-1-key-2", label: last });
          await growing.close("rt-1", "1", 15 * MINUTE, { certificates: ["runtime:rt-1", last] });
        },
      },
    });
    const bundle = made.bundle("causal", ["1"]);
    expect(failures(verify(bundle))).toEqual([]);
    expect(failures(verify(bundle, { trust }))).toEqual([
      "ATTESTATION_MISSING /runtime_key_certificates/0",
      "ATTESTATION_MISSING /runtime_key_certificates/1",
    ]);
  });
});

describe("the time of a report", () => {
  it("is what was given as text, and nothing else", async () => {
    const bundle = encodeBundle((await world()).bundle("causal", ["1"]));
    const policy = encodeUtf8(JSON.stringify(basePolicy()));
    const given = (time: unknown): string | null =>
      verifyBundle(bundle, policy, { at: time } as { readonly at: string }).verified_at;
    expect(given("soon")).toBe("soon");
    expect(given(7)).toBeNull();
  });
});
