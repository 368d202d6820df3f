import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonValue } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import { limits, vectorFolder } from "./support.js";

interface Verdict {
  readonly rfc8259: "accept" | "reject" | "either";
  readonly strict: "accept" | "reject" | "either";
  readonly why?: string;
}

const folder = vectorFolder("json-parsing");
const verdicts: Readonly<Record<string, Verdict>> =
  folder === null ? {} : JSON.parse(readFileSync(new URL("expected.json", folder), "utf8"));

/** What this parser says where the suite leaves it open, and the one file on which it is stricter than the suite. */
const CHOSEN: ReadonlyMap<string, string> = new Map([
  ["i_number_double_huge_neg_exp.json", "accept"],
  ["i_number_real_underflow.json", "accept"],
  ["i_number_too_big_neg_int.json", "FORMAT_NUMBER_INVALID"],
  ["i_number_very_big_negative_int.json", "FORMAT_NUMBER_INVALID"],
  ["i_structure_500_nested_arrays.json", "FORMAT_TOO_LARGE"],
  ["y_string_escaped_noncharacter.json", "FORMAT_TEXT_INVALID"],
  ["y_string_last_surrogates_1_and_2.json", "FORMAT_TEXT_INVALID"],
  ["y_string_nonCharacterInUTF-8_U+FFFF.json", "FORMAT_TEXT_INVALID"],
  ["y_string_unicode_U+10FFFE_nonchar.json", "FORMAT_TEXT_INVALID"],
  ["y_string_unicode_U+1FFFE_nonchar.json", "FORMAT_TEXT_INVALID"],
  ["y_string_unicode_U+FFFE_nonchar.json", "FORMAT_TEXT_INVALID"],
]);

/** Files of `transform/`, for which the suite states only what strict readers do with the kind of thing. */
const TRANSFORM: ReadonlyMap<string, string> = new Map([
  ["number_1.0.json", "[1]"],
  ["number_1.000000000000000005.json", "[1]"],
  ["number_1000000000000000.json", "[1000000000000000]"],
  ["number_10000000000000000999.json", "FORMAT_NUMBER_INVALID"],
  ["number_1e-999.json", "[0]"],
  ["number_9223372036854775807.json", "FORMAT_NUMBER_INVALID"],
  ["number_9223372036854775808.json", "FORMAT_NUMBER_INVALID"],
  ["object_key_nfd_nfc.json", '{"e\u0301":"NFD","\u00e9":"NFC"}'],
  ["object_same_key_different_values.json", "FORMAT_DUPLICATE_MEMBER"],
  ["object_same_key_same_value.json", "FORMAT_DUPLICATE_MEMBER"],
  ["object_same_key_unclear_values.json", "FORMAT_DUPLICATE_MEMBER"],
  ["string_1_escaped_invalid_codepoint.json", "FORMAT_TEXT_INVALID"],
  ["string_2_escaped_invalid_codepoints.json", "FORMAT_TEXT_INVALID"],
  ["string_2_invalid_codepoints.json", "FORMAT_TEXT_INVALID"],
  ["string_3_invalid_codepoints.json", "FORMAT_TEXT_INVALID"],
]);

describe.skipIf(folder === null)("public JSON parsing files (../shared/vectors/json-parsing)", () => {
  const read = (name: string): Uint8Array =>
    new Uint8Array(readFileSync(new URL(encodeURIComponent(name), folder ?? "")));

  it("has a verdict for every file", () => {
    const names = readdirSync(folder ?? ".").filter((name) => /^[yni]_/.test(name));
    expect(Object.keys(verdicts).sort()).toEqual(names.sort());
    expect(names.length).toBe(211);
  });

  it.each(Object.entries(verdicts))("%s", (name, verdict) => {
    const bytes = read(name);
    const { value, faults } = parseJson(bytes, limits);
    const chosen = CHOSEN.get(name);
    if (verdict.strict === "either") expect(chosen).toBeDefined();
    if ((chosen ?? verdict.strict) === "accept") {
      expect(faults).toEqual([]);
      expect(isJsonValue(value)).toBe(true);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(new TextDecoder().decode(bytes))));
    } else {
      expect(faults.length).toBeGreaterThan(0);
      if (chosen !== undefined) expect(faults[0]?.code).toBe(chosen);
      else expect(faults.map((fault) => fault.code).join(" ")).toMatch(codesFor(name, verdict));
    }
  });

  it.each([...TRANSFORM])("transform/%s gives %s", (name, outcome) => {
    const bytes = new Uint8Array(
      readFileSync(new URL(`transform/${encodeURIComponent(name)}`, folder ?? "")),
    );
    const { value, faults } = parseJson(bytes, limits);
    if (outcome.startsWith("FORMAT_")) expect(faults[0]?.code).toBe(outcome);
    else expect([faults, canonicalJson(value ?? null)]).toEqual([[], outcome]);
  });

  /** The codes that fit the reason; grammar and truncation are told apart by the project's own cases. */
  function codesFor(name: string, { why }: Verdict): RegExp {
    if (why?.includes("duplicate")) return /FORMAT_DUPLICATE_MEMBER/;
    if (why?.includes("overflows a double")) return /FORMAT_NUMBER_INVALID/;
    if (name.startsWith("n_")) return /FORMAT_(SYNTAX_INVALID|TRUNCATED|TEXT_INVALID|TOO_LARGE)$/;
    return /FORMAT_TEXT_INVALID/;
  }
});
