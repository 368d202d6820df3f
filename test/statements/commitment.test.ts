import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalBytes, isJsonValue } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import type { OsaProofError } from "../../src/errors.js";
import * as LIMITS from "../../src/limits.js";
import { newSalt } from "../../src/runtime/entropy.js";
import {
  type ActionStatus,
  type CommittedValue,
  commit,
  commitmentOf,
  commitSmall,
  openCommitment,
} from "../../src/statements/commitment.js";

const salt = Uint8Array.from({ length: 32 }, (_, index) => index);
const input = (json: JsonValue) => ({ kind: "input", receipt_id: "r-1", json }) as const;
const nest = (levels: number): JsonValue => (levels === 1 ? [] : [nest(levels - 1)]);

/** The code of what a call throws; undefined when it does not. */
function codeOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

describe("commit", () => {
  it("opens for its own salt and value alone", () => {
    const made = commit(input({ amount: 12 }), salt);
    expect(openCommitment(made.commitment, made.salt, made.value)).toBe(true);
    expect(openCommitment(made.commitment, made.salt, { ...made.value, receipt_id: "r-2" })).toBe(false);
    expect(openCommitment(made.commitment, made.salt.replace("00", "01"), made.value)).toBe(false);
    expect(openCommitment(made.commitment, `${made.salt}00`, made.value)).toBe(false);
    expect(openCommitment(made.commitment, made.salt, input({ amount: 13 }))).toBe(false);
  });

  it("F099 gives one value different commitments as input, output and evidence", () => {
    const made = [
      commit(input("yes"), salt),
      commit({ ...input("yes"), kind: "output", status: "completed" }, salt),
      commit({ ...input("yes"), kind: "output", status: "failed" }, salt),
      commit({ ...input("yes"), kind: "evidence" }, salt),
    ];
    expect(new Set(made.map(({ commitment }) => commitment)).size).toBe(4);
  });

  it("F097 gives equal values different commitments under fresh salts", () => {
    const made = Array.from({ length: 50 }, () => commit(input("yes"), newSalt()));
    expect(new Set(made.map(({ commitment }) => commitment)).size).toBe(50);
    expect(new Set(made.map(({ salt: text }) => text)).size).toBe(50);
    expect(made.every(({ commitment, salt: text }) => !commitment.includes(text.slice(2)))).toBe(true);
  });

  it.each<[string, JsonValue, JsonValue]>([
    ["an integer beyond 2^53-1", Number.MAX_SAFE_INTEGER, 2 ** 53],
    ["an integer beyond 2^53-1 in exponent form", 1.5, 1e21],
    ["a lone surrogate", "\ud83d\ude00", "\ud83d"],
    ["a noncharacter", "\ufffd", "\uffff"],
    [
      "nesting that a bundle could not hold",
      nest(LIMITS.maxFreeJsonDepth),
      nest(LIMITS.maxFreeJsonDepth + 1),
    ],
  ])("refuses %s beside its good neighbour", (_, good, bad) => {
    expect(codeOf(() => commit(input(good), salt))).toBeUndefined();
    expect(["VALUE_NOT_JSON", "ARGUMENT_INVALID"]).toContain(codeOf(() => commit(input(bad), salt)));
  });

  it("refuses arrays that share their elements beyond any memory, in bounded time", () => {
    let json: JsonValue = [1];
    for (let level = 0; level < 40; level += 1) json = [json, json];
    expect(codeOf(() => commit(input(json), salt))).toBe("ARGUMENT_INVALID");
    expect(codeOf(() => commit(input([[1], [1]]), salt))).toBeUndefined();
  });

  it.each([
    ["no content", { kind: "input", receipt_id: "r" }],
    ["two contents", { kind: "input", receipt_id: "r", json: 1, bytes: "0x" }],
    ["an output without status", { kind: "output", receipt_id: "r", json: 1 }],
    ["an input with status", { kind: "input", receipt_id: "r", json: 1, status: "completed" }],
    ["an unknown member", { kind: "input", receipt_id: "r", json: 1, note: "" }],
    ["an unknown kind", { kind: "result", receipt_id: "r", json: 1 }],
    ["NaN", { kind: "input", receipt_id: "r", json: Number.NaN }],
    ["a function", { kind: "input", receipt_id: "r", json: () => 1 }],
    ["undefined inside", { kind: "input", receipt_id: "r", json: { a: undefined } }],
  ])("refuses %s", (_, value) => {
    expect(codeOf(() => commit(value as never, salt))).toBe("ARGUMENT_INVALID");
  });

  it.each([[new Uint8Array(31)], [new Uint8Array(33)], ["00".repeat(32)], [null]])(
    "refuses a salt that is not 32 bytes",
    (wrong) => {
      expect(codeOf(() => commit(input(1), wrong as never))).toBe("ARGUMENT_INVALID");
    },
  );

  it("is not opened by a salt of another length, though the bytes give the commitment", () => {
    for (const [length, opens] of [
      [32, true],
      [31, false],
      [33, false],
    ] as const) {
      const other = new Uint8Array(length);
      const commitment = commitmentOf(other, input(1));
      expect(openCommitment(commitment, `0x${"00".repeat(length)}`, input(1))).toBe(opens);
    }
  });

  it("writes negative zero as zero, so both open alike", () => {
    const made = commit(input(-0), salt);
    expect(openCommitment(made.commitment, made.salt, input(0))).toBe(true);
  });

  it("keeps exactly what reading the canonical bytes gives, and refuses where that is refused", () => {
    const limits = {
      maxBytes: LIMITS.maxDisclosedValueBytes,
      maxDepth: LIMITS.maxFreeJsonDepth,
      exactNumbers: true,
    };
    const special = fc.constantFrom(
      -0,
      2 ** 53 - 1,
      2 ** 53,
      1e21,
      1.5,
      5e-324,
      "\ud800",
      "\uffff",
      "__proto__",
    );
    const any = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    const values = fc.oneof(any, special, fc.array(special), fc.dictionary(fc.string(), special));
    const long = fc.string({ minLength: 1000, maxLength: 9000 }).map((text) => ({ text }));
    const deep = fc.integer({ min: LIMITS.maxFreeJsonDepth - 2, max: LIMITS.maxFreeJsonDepth + 2 }).map(nest);
    fc.assert(
      fc.property(fc.oneof({ weight: 8, arbitrary: values }, long, deep), (json) => {
        const read = isJsonValue(json) ? parseJson(canonicalBytes(json), limits) : undefined;
        const wanted = read?.faults.length === 0 ? read.value : undefined;
        if (wanted === undefined) expect(codeOf(() => commit(input(json), salt))).toBeDefined();
        else expect(commit(input(json), salt).value.json).toStrictEqual(wanted);
      }),
    );
  });

  it("keeps nothing of the caller's value, whatever its size", () => {
    for (const length of [1, 10_000]) {
      const list = [{ text: "a".repeat(length) }];
      const made = commit(input(list), salt);
      list.push({ text: "more" });
      for (const item of list) item.text = "other";
      expect(made.value.json).toEqual([{ text: "a".repeat(length) }]);
      expect(openCommitment(made.commitment, made.salt, made.value)).toBe(true);
    }
  });
});

describe("a small value by the short way", () => {
  const kinds = ["input", "output", "evidence"] as const;
  const statuses = [undefined, "completed", "failed", "denied", "interrupted", "done", null, 7] as const;

  /** `commit` of the same, or the code of its refusal. */
  function longWay(kind: CommittedValue["kind"], json: JsonValue, status: unknown): unknown {
    const value = { kind, receipt_id: 'r-"1\\', json, ...(status === undefined ? {} : { status }) };
    try {
      return commit(value as CommittedValue, salt);
    } catch (error) {
      return (error as OsaProofError).code;
    }
  }

  /** Holds both ways together; true when the short one answered. */
  function agrees(kind: CommittedValue["kind"], json: JsonValue, status: unknown): boolean {
    const short = commitSmall(kind, 'r-"1\\', json, salt, status as ActionStatus);
    if (short === null) return false;
    expect(short).toStrictEqual(longWay(kind, json, status));
    expect(openCommitment(short.commitment, short.salt, short.value)).toBe(true);
    return true;
  }

  it("is what commit gives, or is left to it", () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    let answered = 0;
    fc.assert(
      fc.property(fc.constantFrom(...kinds), json, fc.constantFrom(...statuses), (kind, value, status) => {
        if (agrees(kind, value, status)) answered += 1;
      }),
      { numRuns: 1000 },
    );
    expect(answered).toBeGreaterThan(20);
  });

  it("answers for every kind with the status it must have, and no other", () => {
    for (const kind of kinds) {
      for (const status of statuses) {
        const isGood = typeof longWay(kind, [1], status) !== "string";
        expect(agrees(kind, [1], status), `${kind} ${status}`).toBe(isGood);
      }
    }
  });

  it("is never one with anything to judge in it, or shared with the caller", () => {
    const withSymbol = Object.assign({ a: 1 }, { [Symbol("s")]: 1 });
    const withAccessor = Object.defineProperty({}, "a", { get: () => 1, enumerable: true });
    const more = Object.assign([1], { more: 1 });
    const bad: readonly unknown[] = [
      undefined,
      1.5,
      2 ** 53,
      Number.NaN,
      "\ud800",
      "\uffff",
      { "\ud800": 1 },
    ];
    const odd = [withSymbol, withAccessor, more, Array(2), new Date(0), { toJSON: () => 1 }, () => 1, 1n];
    for (const value of [...bad, ...odd, "x".repeat(5000)]) {
      expect(commitSmall("input", "r", value as JsonValue, salt)).toBeNull();
    }
    const list = [1];
    const made = commitSmall("input", "r", list, salt);
    list.push(2);
    expect(made?.value.json).toEqual([1]);
  });

  it("is left to commit while Object.prototype lends a toJSON", () => {
    const lend = (value: unknown): void => {
      Object.defineProperty(Object.prototype, "toJSON", { value, configurable: true });
    };
    try {
      lend(() => 1);
      expect(commitSmall("input", "r", "text", salt)).toBeNull();
      expect(longWay("input", "text", undefined)).toBe("ARGUMENT_INVALID");
    } finally {
      Reflect.deleteProperty(Object.prototype, "toJSON");
    }
    expect(commitSmall("input", "r", "text", salt)).not.toBeNull();
  });
});
