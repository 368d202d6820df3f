/** Known heads move forward and never back, one namespace and one log at a time. */
import { describe, expect, it } from "vitest";
import * as LIMITS from "../../src/limits.js";
import { Faults } from "../../src/statements/schema.js";
import { type HeadsSeen, movedHeads } from "../../src/verifier/heads.js";
import type { KnownHeadsV1 } from "../../src/verifier/inputs.js";
import { headsFault, knownHeads } from "../../src/verifier/inputs.js";

const digest = (digit: string): string => `0x${digit.repeat(64)}`;
const head = (number: number, digit = "a") => ({ number, digest: digest(digit) });
const log = (origin: string, size: number, digit = "a") => ({ origin, size, root: digest(digit) });

// Only number and digest of a statement are read.
const list = (number: number, digit: string) =>
  ({ statement: { list_number: number }, digest: digest(digit) }) as unknown as HeadsSeen["lists"][number];
const rotation = (number: number, digit: string) =>
  ({
    statement: { rotation_number: number },
    digest: digest(digit),
  }) as unknown as HeadsSeen["rotations"][number];

const given: KnownHeadsV1 = {
  protocol: "OSA_PROOF_V3",
  type: "KnownHeadsV1",
  namespaces: [
    { namespace_id: "other", revocation_list: head(9), root_rotation: head(8) },
    { namespace_id: "n", revocation_list: head(3), root_rotation: head(2) },
  ],
  logs: [log("other.example", 5), log("log.example", 10)],
};

function moved(change: Partial<HeadsSeen> = {}): KnownHeadsV1 {
  return movedHeads({ given, namespaceId: "n", lists: [], rotations: [], checkpoints: [], ...change });
}

describe("movedHeads", () => {
  it("leaves what was known when nothing was seen", () => {
    expect(moved()).toEqual(given);
  });

  it("has no member for what was neither known nor seen", () => {
    const members = (change: Partial<HeadsSeen>): readonly string[] =>
      moved({ given: null, ...change }).namespaces.flatMap((entry) => Object.keys(entry));
    expect(members({})).toEqual(["namespace_id"]);
    expect(members({ lists: [list(1, "a")] })).toEqual(["namespace_id", "revocation_list"]);
    expect(members({ rotations: [rotation(1, "a")] })).toEqual(["namespace_id", "root_rotation"]);
  });

  it("starts with nothing for a namespace of which nothing is known", () => {
    expect(moved({ given: null })).toEqual({
      protocol: "OSA_PROOF_V3",
      type: "KnownHeadsV1",
      namespaces: [{ namespace_id: "n" }],
      logs: [],
    });
  });

  it("takes the highest list and rotation that it sees", () => {
    const seen = moved({
      lists: [list(4, "b"), list(6, "c"), list(5, "d")],
      rotations: [rotation(3, "b"), rotation(5, "c"), rotation(4, "d")],
    });
    expect(seen.namespaces).toEqual([
      given.namespaces[0],
      { namespace_id: "n", revocation_list: head(6, "c"), root_rotation: head(5, "c") },
    ]);
    expect(moved({ given: null, lists: [list(1, "b")] }).namespaces).toEqual([
      { namespace_id: "n", revocation_list: head(1, "b") },
    ]);
    expect(moved({ given: null, rotations: [rotation(1, "b")] }).namespaces).toEqual([
      { namespace_id: "n", root_rotation: head(1, "b") },
    ]);
  });

  it("does not take a lower one, nor another of the same number", () => {
    expect(
      moved({ lists: [list(2, "b"), list(3, "c")], rotations: [rotation(1, "b"), rotation(2, "c")] }),
    ).toEqual(given);
  });

  it("takes a larger checkpoint of a log, and leaves the others alone", () => {
    expect(moved({ checkpoints: [log("log.example", 11, "b")] }).logs).toEqual([
      log("other.example", 5),
      log("log.example", 11, "b"),
    ]);
    expect(moved({ checkpoints: [log("new.example", 1, "b")] }).logs).toEqual([
      ...given.logs,
      log("new.example", 1, "b"),
    ]);
    expect(moved({ checkpoints: [log("log.example", 9, "b"), log("log.example", 10, "c")] })).toEqual(given);
  });
});

describe("heads as an input", () => {
  const faults = (heads: unknown): string[] => {
    const into = new Faults();
    knownHeads.decode(heads as never, "", into);
    return into.first().map(({ code, pointer }) => `${code} ${pointer}`);
  };

  it("name each namespace and log once", () => {
    expect(headsFault(given)).toBeNull();
    const [first, second] = [...given.namespaces];
    expect(headsFault({ ...given, namespaces: [first, second, first] as never })).toMatch(/namespace/);
    expect(headsFault({ ...given, logs: [...given.logs, log("log.example", 11)] })).toMatch(/log/);
  });

  it("have origins of 1 to the pinned number of characters", () => {
    const named = (origin: string) => ({ ...given, logs: [log(origin, 1)] });
    expect(faults(given)).toEqual([]);
    expect(faults(named("x"))).toEqual([]);
    expect(faults(named("x".repeat(LIMITS.maxOriginCharacters)))).toEqual([]);
    expect(faults(named(""))).toEqual(["FORMAT_VALUE_INVALID /logs/0/origin"]);
    expect(faults(named("x".repeat(LIMITS.maxOriginCharacters + 1)))).toEqual([
      "FORMAT_VALUE_INVALID /logs/0/origin",
    ]);
  });
});
