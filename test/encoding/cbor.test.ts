import { describe, expect, it } from "vitest";
import { encodeCbor, parseCbor } from "../../src/encoding/cbor.js";
import { canonicalJson } from "../../src/encoding/jcs.js";
import type { JsonFault } from "../../src/encoding/json-fault.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import * as LIMITS from "../../src/limits.js";
import { referenceCbor } from "./cbor-reference.js";

const limits = { maxBytes: 1_000_000, maxDepth: LIMITS.maxDepth };

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function faultsOf(hex: string): string[] {
  const { value, faults } = parseCbor(fromHex(hex), limits);
  if (faults.length > 0) expect(value).toBeUndefined();
  return faults.map(({ code, pointer }: JsonFault) => `${code} ${pointer}`.trim());
}

function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error instanceof OsaProofError ? error.code : error;
  }
  return undefined;
}

describe("encodeCbor: the table", () => {
  const rows: [string, JsonValue, string][] = [
    ["null", null, "f6"],
    ["true", true, "f5"],
    ["false", false, "f4"],
    ["zero", 0, "00"],
    ["largest integer in the head", 23, "17"],
    ["smallest integer of one byte", 24, "1818"],
    ["largest integer of one byte", 255, "18ff"],
    ["smallest integer of two bytes", 256, "190100"],
    ["largest integer of two bytes", 65535, "19ffff"],
    ["smallest integer of four bytes", 65536, "1a00010000"],
    ["largest integer of four bytes", 4294967295, "1affffffff"],
    ["smallest integer of eight bytes", 4294967296, "1b0000000100000000"],
    ["a time in milliseconds", 1764633600000, "1b0000019adc5be000"],
    ["2^53-1", 9007199254740991, "1b001fffffffffffff"],
    ["2^53, a float", 9007199254740992, "fa5a000000"],
    ["2^53+2, a float that needs 8 bytes", 9007199254740994, "fb4340000000000001"],
    ["-1", -1, "20"],
    ["-24", -24, "37"],
    ["-25", -25, "3818"],
    ["-2^32", -4294967296, "3affffffff"],
    ["-2^32-1", -4294967297, "3b0000000100000000"],
    ["-(2^53-1)", -9007199254740991, "3b001ffffffffffffe"],
    ["-2^53, a float", -9007199254740992, "fada000000"],
    ["half", 1.5, "f93e00"],
    ["smallest half", 2 ** -24, "f90001"],
    ["half of the smallest half", 2 ** -25, "fa33000000"],
    ["smallest normal half", 2 ** -14, "f90400"],
    ["largest subnormal half", 1023 * 2 ** -24, "f903ff"],
    ["one bit more than a half has", 1 + 2 ** -11, "fa3f801000"],
    ["single", 3.4028234663852886e38, "fa7f7fffff"],
    ["smallest single", 2 ** -149, "fa00000001"],
    ["double", 1.1, "fb3ff199999999999a"],
    ["1e21", 1e21, "fb444b1ae4d6e2ef50"],
    ["1e300", 1e300, "fb7e37e43c8800759c"],
    ["5e-324", 5e-324, "fb0000000000000001"],
    ["empty text", "", "60"],
    ["text", "é", "62c3a9"],
    ["text outside the plane", "😀", "64f09f9880"],
    ["text of 24 bytes", "x".repeat(24), `7818${"78".repeat(24)}`],
    ["hex", "0x00ff", "4200ff"],
    ["no bytes", "0x", "40"],
    ["odd hex is text", "0x0", "63307830"],
    ["upper-case hex is text", "0xAA", "6430784141"],
    ["another prefix is text", "1x00", "6431783030"],
    ["hex and a line end is text", "0x00\n", "65307830300a"],
    ["empty array", [], "80"],
    ["array", [1, [2]], "82018102"],
    ["empty object", {}, "a0"],
    ["shorter names first", { aa: 1, b: 2 }, "a261620262616101"],
    ["hex as a name stays text", { "0x00": "0x00" }, "a164307830304100"],
    ["names like integers", { 2: 0, 10: 1, 1: 2 }, "a361310261320062313001"],
    // UTF-16 order would put U+1F600 (D83D DE00) before U+FF61; UTF-8 length and bytes do not.
    ["names in byte order", { "｡x": 1, "😀": 2 }, "a264efbda1780164f09f988002"],
  ];
  it.each(rows)("%s", (_, value, hex) => {
    const bytes = encodeCbor(value);
    expect(toHex(bytes)).toBe(hex);
    expect([...bytes]).toEqual(referenceCbor(value));
    const parsed = parseCbor(bytes, limits);
    expect(parsed.faults).toEqual([]);
    expect(canonicalJson(parsed.value ?? null)).toBe(canonicalJson(value));
  });

  it("does not depend on the order in which members were added", () => {
    expect(toHex(encodeCbor({ b: 1, a: 2 }))).toBe(toHex(encodeCbor({ a: 2, b: 1 })));
  });

  it("grows its buffer over many and over large members", () => {
    const value = { many: Array.from({ length: 5000 }, (_, i) => `text ${i}`), large: "é".repeat(100_000) };
    expect(parseCbor(encodeCbor(value), limits).faults).toEqual([]);
    expect(JSON.stringify(parseCbor(encodeCbor(value), limits).value)).toBe(
      JSON.stringify({ many: value.many, large: value.large }),
    );
  });

  it("writes negative zero as zero", () => {
    expect(toHex(encodeCbor([-0, { a: -0 }]))).toBe(toHex(encodeCbor([0, { a: 0 }])));
  });

  it("refuses what is not JSON", () => {
    const hostile: unknown[] = [Number.NaN, Number.POSITIVE_INFINITY, undefined, "\ud800", "\uffff", 1n];
    hostile.push([undefined], new Date(0), new Map(), new Uint8Array(1), { "\ud800": 1 });
    hostile.push({ toJSON: () => 1 }, new Array(1));
    for (const value of hostile) {
      expect(codeOf(() => encodeCbor(value as JsonValue))).toBe("VALUE_NOT_JSON");
    }
    expect(codeOf(() => encodeCbor([0, 1, "\ud83d\ude00", { a: 0 }]))).toBeUndefined();
  });

  it("refuses a cycle and nesting beyond the bound, and writes nesting at it", () => {
    const nested = (depth: number): JsonValue => (depth === 0 ? 0 : [nested(depth - 1)]);
    expect(toHex(encodeCbor(nested(LIMITS.maxDepth)))).toBe(`${"81".repeat(LIMITS.maxDepth)}00`);
    expect(codeOf(() => encodeCbor(nested(LIMITS.maxDepth + 1)))).toBe("VALUE_NOT_JSON");
    const cycle: JsonValue[] = [];
    cycle.push(cycle);
    expect(codeOf(() => encodeCbor(cycle))).toBe("VALUE_NOT_JSON");
  });
});

describe("parseCbor: each refusal beside its valid neighbour", () => {
  const syntax = "FORMAT_SYNTAX_INVALID";
  const truncated = "FORMAT_TRUNCATED";
  const text = "FORMAT_TEXT_INVALID";
  const number = "FORMAT_NUMBER_INVALID";
  const duplicate = "FORMAT_DUPLICATE_MEMBER";
  const rows: [name: string, refused: string, fault: string, accepted: string][] = [
    ["no bytes", "", truncated, "00"],
    ["bytes after the value", "0000", syntax, "00"],
    ["a byte order mark", "efbbbf00", syntax, "00"],
    ["tag 0", "c06161", syntax, "6161"],
    ["tag in a long head", "d82000", syntax, "00"],
    ["self-described CBOR", "d9d9f700", syntax, "00"],
    ["tag inside", "81c100", syntax, "8100"],
    ["bignum", "c249010000000000000000", syntax, "49010000000000000000"],
    ["undefined", "f7", syntax, "f6"],
    ["simple value 0", "e0", syntax, "f4"],
    ["simple value 19", "f3", syntax, "f4"],
    ["simple value in two bytes", "f8ff", syntax, "f5"],
    ["false in two bytes", "f814", syntax, "f4"],
    ["break alone", "ff", syntax, "f6"],
    ["reserved information 28, integer", "1c", syntax, "00"],
    ["reserved information 29, bytes", "5d", syntax, "40"],
    ["reserved information 30, text", "7e", syntax, "60"],
    ["reserved information 28, simple", "fc", syntax, "f6"],
    ["indefinite bytes", "5f4100ff", syntax, "4100"],
    ["indefinite text", "7f6161ff", syntax, "6161"],
    ["indefinite array", "9f00ff", syntax, "8100"],
    ["indefinite map", "bf616100ff", syntax, "a1616100"],
    ["break inside a definite array", "81ff", syntax, "81f6"],
    ["integer 23 in one byte", "1817", syntax, "17"],
    ["integer 255 in two bytes", "1900ff", syntax, "18ff"],
    ["integer 65535 in four bytes", "1a0000ffff", syntax, "19ffff"],
    ["integer 2^32-1 in eight bytes", "1b00000000ffffffff", syntax, "1affffffff"],
    ["negative integer, long head", "3800", syntax, "20"],
    ["length of bytes, long head", "580100", syntax, "4100"],
    ["length of text, long head", "780161", syntax, "6161"],
    ["length of array, long head", "980100", syntax, "8100"],
    ["length of map, long head", "b801616100", syntax, "a1616100"],
    ["length of a name, long head", "a178016100", syntax, "a1616100"],
    ["integer 2^53", "1b0020000000000000", number, "1b001fffffffffffff"],
    ["integer 2^64-1", "1bffffffffffffffff", number, "fa5f800000"],
    ["integer -2^53", "3b001fffffffffffff", number, "3b001ffffffffffffe"],
    ["integer -2^64", "3bffffffffffffffff", number, "fadf800000"],
    ["NaN", "f97e00", number, "f93e00"],
    ["NaN with payload in eight bytes", "fb7ff8000000000001", number, "fb3ff8000000000001"],
    ["infinity", "f97c00", number, "f93c01"],
    ["-infinity in four bytes", "faff800000", number, "faff7fffff"],
    ["negative zero", "f98000", number, "00"],
    ["negative zero in eight bytes", "fb8000000000000000", number, "00"],
    ["1.0 as a half", "f93c00", syntax, "01"],
    ["0.0 as a half", "f90000", syntax, "00"],
    ["100000 as a single", "fa47c35000", syntax, "1a000186a0"],
    ["2^53-1 as a double", "fb433fffffffffffff", syntax, "1b001fffffffffffff"],
    ["2^53 as a double", "fb4340000000000000", syntax, "fa5a000000"],
    ["1.5 as a single", "fa3fc00000", syntax, "f93e00"],
    ["1.5 as a double", "fb3ff8000000000000", syntax, "f93e00"],
    ["smallest half as a single", "fa33800000", syntax, "f90001"],
    ["single as a double", "fb47efffffe0000000", syntax, "fa7f7fffff"],
    ["hex as text", "6430783030", syntax, "4100"],
    ["0x as text", "623078", syntax, "40"],
    ["hex as text, beside odd hex", "6430786666", syntax, "653078666666"],
    ["name that is bytes", "a1416100", syntax, "a1616100"],
    ["name that is an integer", "a10100", syntax, "a1613100"],
    ["name that is null", "a1f600", syntax, "a1616100"],
    ["names out of order", "a2616200616100", syntax, "a2616100616200"],
    ["longer name first", "a262616100616200", syntax, "a261620062616100"],
    ["repeated name", "a2616100616100", `${duplicate} /a`, "a2616100616200"],
    ["repeated empty name", "a260006000", `${duplicate} /`, "a26000616100"],
    ["bare continuation byte", "6180", text, "6178"],
    ["overlong slash", "62c0af", text, "612f"],
    ["overlong in three bytes", "63e0809f", text, "63e0a080"],
    ["overlong in four bytes", "64f08080af", text, "64f0908080"],
    ["lone surrogate", "63eda080", text, "63ed9fbf"],
    ["pair of surrogates", "66eda0bdedb880", text, "64f09f9880"],
    ["above U+10FFFF", "64f4908080", text, "64f48fbfbd"],
    ["byte F5", "64f5808080", text, "64f1808080"],
    ["sequence cut by the end of the text", "62e282", text, "63e282ac"],
    ["sequence cut by a letter", "63e28261", text, "63e282ac"],
    ["noncharacter U+FFFE", "63efbfbe", text, "63efbfbd"],
    ["noncharacter U+FFFF", "63efbfbf", text, "63efbfbd"],
    ["noncharacter U+FDD0", "63efb790", text, "63efb78f"],
    ["noncharacter U+FDEF", "63efb7af", text, "63efb7b0"],
    ["noncharacter U+10FFFF", "64f48fbfbf", text, "64f48fbfbd"],
    ["noncharacter U+1FFFE", "64f09fbfbe", text, "64f09fbfbd"],
    ["bad UTF-8 in a name", "a161ff00", text, "a1616100"],
    ["noncharacter in a name", "a163efbfbf00", text, "a163efbfbd00"],
    ["argument cut", "19ff", truncated, "19ffff"],
    ["argument of a tag cut", "d9ff", syntax, "18ff"],
    ["float cut", "f93e", truncated, "f93e00"],
    ["double cut", "fb3ff19999999999", truncated, "fb3ff199999999999a"],
    ["bytes cut", "4200", truncated, "420000"],
    ["text cut", "6261", truncated, "626161"],
    ["array cut", "8200", truncated, "820000"],
    ["map without its value", "a16161", truncated, "a1616100"],
    ["map without its second member", "a2616100", truncated, "a2616100616200"],
    ["inner array cut", "828100", truncated, "82810000"],
  ];
  it.each(rows)("%s", (_, refused, fault, accepted) => {
    expect(faultsOf(refused)).toEqual([fault]);
    expect(faultsOf(accepted)).toEqual([]);
  });

  it.each([
    ["bytes", "5b", "1b"],
    ["text", "7b", ""],
    ["array", "9b", ""],
    ["map", "bb", ""],
  ])("a huge length of %s", (_, head) => {
    for (const claim of ["0000000100000000", "001fffffffffffff", "7fffffffffffffff", "ffffffffffffffff"]) {
      expect(faultsOf(`${head}${claim}00000000`)).toEqual([truncated]);
    }
    const four = (Number.parseInt(head, 16) - 1).toString(16);
    expect(faultsOf(`${four}ffffffff00000000`)).toEqual([truncated]);
    expect(faultsOf(`${"81".repeat(50)}${head}001fffffffffffff00`)).toEqual([truncated]);
  });

  it("names the value at fault", () => {
    // {"a": [0, {"b/": NaN}], "x": "\uffff"}
    expect(faultsOf("a2616182 00a162622ff97e00617863efbfbf")).toEqual([`${number} /a/1/b~1`, `${text} /x`]);
    expect(faultsOf("a2616182 00a162622ff93e00617863efbfbd")).toEqual([]);
  });

  it("ends a pointer before a name that is too long to be shown", () => {
    // {"a": {NAME: NaN}}
    const nested = (name: string) => {
      const bytes = encodeUtf8(name);
      const length = bytes.length.toString(16).padStart(4, "0");
      return faultsOf(`a16161 a1 79${length}${toHex(bytes)} f97e00`);
    };
    for (const character of ["x", "\u20ac", "\u{1f600}"]) {
      const name = character.repeat(LIMITS.maxPointerTokenCharacters / character.length);
      expect(nested(name)).toEqual([`${number} /a/${name}`]);
      expect(nested(`${name}x`)).toEqual([`${number} /a`]);
    }
  });

  it("ends a pointer before a name that is not good text", () => {
    expect(faultsOf("81a161ff f97e00")).toEqual([`${text} /0`, `${number} /0`]);
  });

  it("records the first of each kind and goes on", () => {
    expect(faultsOf("85 f97e00 f97c00 61ff 61fe a2616100616100")).toEqual([
      `${number} /0`,
      `${text} /2`,
      `${duplicate} /4/a`,
    ]);
    expect(faultsOf("83 f97e00 61ff c000")).toEqual([`${number} /0`, `${text} /1`, syntax]);
    expect(faultsOf("83 f97e00 00 19")).toEqual([`${number} /0`, truncated]);
  });

  it("gives the offset in bytes", () => {
    const { faults } = parseCbor(fromHex("82 62c3a9 c000"), limits);
    expect(faults[0]).toMatchObject({ code: syntax, offset: 4 });
  });
});

describe("parseCbor: bounds", () => {
  const nested = (depth: number): string => "81".repeat(depth - 1);

  it("reads nesting at the bound and refuses one more", () => {
    for (const maxDepth of [1, 2, LIMITS.maxDepth]) {
      for (const innermost of ["80", "a0", "8100", "a1616100"]) {
        const at = parseCbor(fromHex(nested(maxDepth) + innermost), { ...limits, maxDepth });
        expect(at.faults).toEqual([]);
        const beyond = parseCbor(fromHex(nested(maxDepth + 1) + innermost), { ...limits, maxDepth });
        expect(beyond.faults).toMatchObject([{ code: "FORMAT_TOO_LARGE", pointer: "", offset: maxDepth }]);
        expect(beyond.value).toBeUndefined();
      }
    }
    expect(parseCbor(fromHex("00"), { ...limits, maxDepth: 0 }).faults).toEqual([]);
  });

  it.each(["820102", "a1616181f6", "a261610161626178", "8280a0", "818180"])(
    "reads %s, which has three values, and no more than allowed",
    (hex) => {
      expect(parseCbor(fromHex(hex), { ...limits, maxValues: 3 }).faults).toEqual([]);
      const { value, faults } = parseCbor(fromHex(hex), { ...limits, maxValues: 2 });
      expect(value).toBeUndefined();
      expect(faults).toMatchObject([{ code: "FORMAT_TOO_LARGE", pointer: "" }]);
    },
  );

  it("judges the number of values before the item, but not that there is none", () => {
    const answer = (hex: string) =>
      parseCbor(fromHex(hex), { ...limits, maxValues: 2 }).faults.map(({ code, offset }) => [code, offset]);
    for (const item of ["02", "c0", "1c", "1801", "9a00ffffff", "7f"]) {
      expect(answer(`8201${item}`)).toEqual([["FORMAT_TOO_LARGE", 2]]);
    }
    expect(answer("a16161")).toEqual([["FORMAT_TRUNCATED", 3]]);
    expect(answer("8301")).toEqual([["FORMAT_TRUNCATED", 0]]);
    expect(answer("a26161016101")).toEqual([["FORMAT_SYNTAX_INVALID", 4]]);
  });

  it("never reads more values than its own bound", () => {
    const bounds = { maxBytes: 2 * LIMITS.maxValues, maxDepth: 2, maxValues: 2 * LIMITS.maxValues };
    const bytes = new Uint8Array(LIMITS.maxValues + 5);
    const count = new DataView(bytes.buffer);
    bytes[0] = 0x9a;
    count.setUint32(1, LIMITS.maxValues);
    expect(parseCbor(bytes, bounds).faults).toMatchObject([{ code: "FORMAT_TOO_LARGE", pointer: "" }]);
    count.setUint32(1, LIMITS.maxValues - 1);
    expect(parseCbor(bytes.subarray(0, -1), bounds).faults).toEqual([]);
  });

  it("cannot be talked into more than its own bound", () => {
    const parsed = parseCbor(fromHex(`${nested(LIMITS.maxDepth + 1)}80`), { ...limits, maxDepth: 1e9 });
    expect(parsed.faults).toMatchObject([{ code: "FORMAT_TOO_LARGE" }]);
  });

  it.each([
    ["arrays", "81"],
    ["maps", "a160"],
    ["tags", "c1"],
    ["indefinite arrays", "9f"],
  ])("survives 100,000 nested %s", (_, head) => {
    const { value, faults } = parseCbor(fromHex(`${head.repeat(100_000)}00`), limits);
    expect(value).toBeUndefined();
    const code = head === "81" || head === "a160" ? "FORMAT_TOO_LARGE" : "FORMAT_SYNTAX_INVALID";
    expect(faults).toMatchObject([{ code }]);
  });

  it("refuses more than maxBytes and reads exactly so many", () => {
    const bytes = fromHex("820102");
    expect(parseCbor(bytes, { ...limits, maxBytes: 3 }).faults).toEqual([]);
    expect(parseCbor(bytes, { ...limits, maxBytes: 2 }).faults).toMatchObject([
      { code: "FORMAT_TOO_LARGE", pointer: "" },
    ]);
  });
});

describe("parseCbor: what comes out", () => {
  it("makes objects without prototype in which __proto__ is an ordinary name", () => {
    const { value } = parseCbor(
      encodeCbor(JSON.parse('{"__proto__": {"polluted": "0x01"}, "b": []}')),
      limits,
    );
    expect(Object.getPrototypeOf(Object.getPrototypeOf(value))).toBeNull();
    expect(Reflect.ownKeys(Object.getPrototypeOf(value) as object)).toEqual([]);
    expect(Object.isFrozen(Object.getPrototypeOf(value))).toBe(true);
    expect(Object.keys(value as object)).toEqual(["b", "__proto__"]);
    expect(JSON.stringify(value)).toBe('{"b":[],"__proto__":{"polluted":"0x01"}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("keeps a U+FEFF that begins a text or name, however long", () => {
    for (const length of [0, 10, 60, 61, 62, 200, 70_000]) {
      const marked = `\ufeff${"x".repeat(length)}`;
      const plain = "x".repeat(length);
      const value = { [marked]: [marked, plain, "0xefbbbf", { [plain]: "\ufeff\ufeff" }], [plain]: marked };
      const { value: read, faults } = parseCbor(encodeCbor(value), limits);
      expect(faults).toEqual([]);
      expect(canonicalJson(read ?? null)).toBe(canonicalJson(value));
    }
  });

  it("reads a view into a larger buffer, and leaves its argument alone", () => {
    const around = fromHex("ffff 8243efbbbf 64efbbbf61 ffff");
    const bytes = around.subarray(2, -2);
    expect(parseCbor(bytes, limits).value).toEqual(["0xefbbbf", "\ufeffa"]);
    expect(Reflect.ownKeys(bytes).every((key) => typeof key === "string" && /^\d+$/.test(key))).toBe(true);
    expect(toHex(around)).toBe("ffff8243efbbbf64efbbbf61ffff");
    expect(parseCbor(Buffer.from(bytes), limits).value).toEqual(["0xefbbbf", "\ufeffa"]);
  });

  it("answers the same after any other input", () => {
    const good = fromHex("a1616182f93e004100");
    const before = parseCbor(good, limits);
    for (const bad of ["9f", "c0", "81", "a16161", "ff", "", "5b0000000100000000"])
      parseCbor(fromHex(bad), limits);
    expect(parseCbor(good, limits)).toEqual(before);
    expect(before.faults).toEqual([]);
  });
});
