/** Reading bytes. */
import { sha256Hex } from "../../../src/crypto/digest.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import * as LIMITS from "../../../src/limits.js";
import { replaceText } from "../../support/cases/invalid.js";
import { MINUTE } from "../../support/keys.js";
import { begin, finish, type Story, story } from "../../support/story.js";
import { type Draft, World } from "../../support/world.js";
import { type ControlCase, type Derivation, derived, told } from "./control-case.js";
import { replaceIn } from "./stories.js";

/** An input is disclosed whose text holds U+FFFD; as an escape in the file, since bundles are ASCII. */
async function replacementCharacter(): Promise<Story> {
  const world = new World();
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  const input = { json: "make \ufffd report" };
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, input });
  world.disclose("1", "input");
  return story(await finish(world, ["1"]));
}

/** The bytes where the escape `\ufffd` stood are one byte FF, which a lenient decoder reads as U+FFFD. */
function badByte(bytes: Uint8Array): Uint8Array {
  const written = encodeUtf8("\\ufffd");
  const place = bytes.findIndex((_, index) => written.every((byte, step) => bytes[index + step] === byte));
  if (place < 0) throw new Error("no escape in the bundle");
  return Uint8Array.from([...bytes.subarray(0, place), 0xff, ...bytes.subarray(place + written.length)]);
}

/** An object with arrays in it, so deep that in a bundle it ends at level 65; its own canonical form is good. */
const DEEP_TEXT = `{"a":${"[".repeat(62)}${"]".repeat(62)}}`;
/** One value more than any input may have. */
const manyText = (): string => `{"a":[${"0,".repeat(LIMITS.maxValues)}0]}`;

/** The receipt of `one-receipt` under this policy document, which the bundle holds. */
function underPolicy(text: () => string): Derivation {
  const draft = (statement: Draft): void => {
    statement["policy_digest"] = sha256Hex(encodeUtf8(text()));
  };
  return {
    world: { statements: { "delegation:rt-1": { draft }, "receipt:1": { draft } } },
    bundle: (bundle) => {
      bundle["policies"] = ["TEXT"];
    },
    edit: (inputs) => ({ ...inputs, bundle: replaceIn(inputs.bundle, '"TEXT"', text()) }),
  };
}

/** A second anchor of the tree, on a ledger that nobody pins. */
export const withText = (proof: string) => (bundle: Draft) => {
  bundle["evidence_trees"][0].anchors.push({ type: "rekor", proof });
};

export const READING_CASES: readonly ControlCase[] = [
  told(
    "FORMAT_TEXT_INVALID",
    "bad-utf8-in-free-json",
    "One byte of a disclosed text is FF. Read leniently it is the very text that was committed.",
    replacementCharacter,
    (inputs) => ({ ...inputs, bundle: badByte(inputs.bundle) }),
  ),
  derived(
    "FORMAT_SYNTAX_INVALID",
    "trailing-comma-in-an-object",
    "one-receipt",
    "A comma stands behind the last member of the bundle.",
    { bytes: (bytes) => encodeUtf8(new TextDecoder().decode(bytes).replace(/\}$/, ",}")) },
  ),
  derived(
    "FORMAT_TOO_LARGE",
    "nested-65-deep",
    "one-receipt",
    "The policy document is nested one level deeper than may be, and its digest is what delegation and receipt name.",
    underPolicy(() => DEEP_TEXT),
  ),
  derived(
    "FORMAT_TOO_LARGE",
    "eight-million-and-some-values",
    "one-receipt",
    "The policy document has more values than may be read, and its digest is what delegation and receipt name.",
    underPolicy(manyText),
  ),
  derived(
    "FORMAT_TEXT_INVALID",
    "lone-surrogate-in-a-proof",
    "one-receipt",
    "A lone surrogate stands in the proof of an anchor on a ledger that nobody pins, which nothing hashes.",
    { bundle: withText("PROOF"), bytes: replaceText('"PROOF"', '"\\ud800"') },
  ),
  derived(
    "FORMAT_TEXT_INVALID",
    "noncharacter-in-a-proof",
    "one-receipt",
    "A noncharacter stands in the proof of an anchor on a ledger that nobody pins, which nothing hashes.",
    { bundle: withText("PROOF"), bytes: replaceText('"PROOF"', '"\\ufffe"') },
  ),
  derived(
    "FORMAT_DUPLICATE_MEMBER",
    "second-claim",
    "one-receipt",
    "A second claim follows the real one. A reader that keeps the first member does not see it.",
    { bytes: replaceText('"delegations":', '"claim":{"scope":"causal","targets":[]},"delegations":') },
  ),
  derived(
    "FORMAT_DUPLICATE_MEMBER",
    "second-tool-behind-an-escape",
    "one-receipt",
    "A second tool follows the real one, under an escaped name. A reader that keeps the first member does not see it.",
    { bytes: replaceText('"tool":"shell.run"', '"tool":"shell.run","\\u0074ool":"file.read"') },
  ),
];
