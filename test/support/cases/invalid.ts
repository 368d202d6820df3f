/** What a case that must be REJECTED is, and how its inputs are made from those of its valid parent. */
import { encodeBundle, parseEither } from "../../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../../src/bundle/format.js";
import { encodeCbor } from "../../../src/encoding/cbor.js";
import { canonicalBytes } from "../../../src/encoding/jcs.js";
import type { JsonValue } from "../../../src/encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../../../src/encoding/utf8.js";
import { type CheckName, checkOf, type FailureCode } from "../../../src/errors.js";
import { testKey } from "../keys.js";
import type { Changes, Draft, World } from "../world.js";
import { type Inputs, inputsOf, jsonFile } from "./files.js";
import { VALID_CASES } from "./valid.js";

type Side = "trust" | "expectations" | "supplement" | "heads";

/** One change to one input of a valid case. */
export interface InvalidCase {
  readonly code: FailureCode;
  readonly name: string;
  /** Name of the valid case that this is one change away from. */
  readonly parent: string;
  readonly pointer: string;
  /** The input that the pointer leads into; the bundle when absent. */
  readonly source?: "trust_policy" | "expectations" | "supplement" | "heads" | "arguments";
  /** Why this must be rejected. */
  readonly why: string;
  /** How it was made. */
  readonly how: string;
  /** The world is made again with these changes, and the bundle (or supplement) packed out of it. */
  readonly world?: Changes;
  readonly take?: "supplement";
  /** Changes the packed bundle; nothing is signed or anchored again. */
  readonly bundle?: (bundle: Draft) => void;
  /** Changes the bytes of the bundle, in the encoding given. */
  readonly bytes?: (bytes: Uint8Array) => Uint8Array;
  readonly encoding?: "json" | "cbor";
  /** Changes a side input, which starts from the parent's or from nothing. */
  readonly side?: readonly [Side, (value: Draft) => Draft | undefined];
  /** The exact bytes of a side input; null takes it away. */
  readonly sideBytes?: readonly [Side, Uint8Array | null];
  /** Another verification time, as text. */
  readonly at?: string;
}

export function expectedCheck(entry: InvalidCase): CheckName {
  const check = checkOf(entry.code);
  if (check === null) throw new Error(`${entry.code} belongs to no check`);
  return check;
}

/** The inputs of a case: those of its parent with the one that it changes. */
export async function buildInvalid(entry: InvalidCase): Promise<Inputs> {
  const parent = VALID_CASES.find(({ name }) => name === entry.parent);
  if (parent === undefined) throw new Error(`${entry.name}: no valid case ${entry.parent}`);
  const encoding = entry.encoding ?? parent.encoding;
  const inputs = inputsOf(await parent.make(), encoding);
  const changed = entry.world === undefined ? null : await parent.make(entry.world);
  if (entry.take === "supplement") return { ...inputs, supplement: jsonFile(changed?.supplement) };
  let { bundle } = inputs;
  if (changed !== null) bundle = encodeLoosely(changed.bundle, encoding);
  if (entry.bundle !== undefined) bundle = editBundle(bundle, encoding, entry.bundle);
  if (entry.bytes !== undefined) bundle = entry.bytes(bundle);
  return { ...inputs, bundle, ...sideOf(entry, inputs), at: entry.at ?? inputs.at };
}

function encodeLoosely(bundle: ProofBundleV3, encoding: "json" | "cbor"): Uint8Array {
  return encodeBundle(bundle, encoding);
}

function editBundle(bytes: Uint8Array, encoding: "json" | "cbor", edit: (bundle: Draft) => void): Uint8Array {
  // Through JSON text, so that no case shares an object with another.
  const { value } = parseEither(bytes, bytes.length);
  const bundle: Draft = JSON.parse(JSON.stringify(value));
  edit(bundle);
  return encoding === "cbor" ? encodeCbor(bundle as JsonValue) : canonicalBytes(bundle as JsonValue);
}

function sideOf(entry: InvalidCase, inputs: Inputs): Partial<Inputs> {
  if (entry.sideBytes !== undefined) return { [entry.sideBytes[0]]: entry.sideBytes[1] };
  if (entry.side === undefined) return {};
  const [side, edit] = entry.side;
  const given = inputs[side];
  const value: Draft = given === null ? {} : JSON.parse(decodeUtf8(given) ?? "");
  return { [side]: jsonFile(edit(value) ?? value) };
}

/** Replaces the first place of a text in the bundle's bytes; a case whose text is not there is an error. */
export function replaceText(from: string, to: string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const text = decodeUtf8(bytes) ?? "";
    if (!text.includes(from)) throw new Error(`${from} is not in the bundle`);
    return encodeUtf8(text.replace(from, () => to));
  };
}

/** The statement is changed before it is signed, and everything above it is made over the change. */
export function resigned(
  label: string,
  draft: (statement: Draft, world: World) => void,
): { readonly world: Changes } {
  return { world: { statements: { [label]: { draft } } } };
}

/** The statement is signed with another key than the one it names. */
export function signedBy(label: string, key: string): { readonly world: Changes } {
  return { world: { statements: { [label]: { key: testKey(key) } } } };
}

/** The statement is changed after it was signed; what is made later is over the change. */
export function tampered(
  label: string,
  signed: (statement: Draft, world: World) => void,
): { readonly world: Changes } {
  return { world: { statements: { [label]: { signed } } } };
}

/** Something more is made at a step of the story. */
export function added(step: string, more: (world: World) => unknown): { readonly world: Changes } {
  return { world: { steps: { [step]: more } } };
}

/** A maker of cases that are derived from one parent unless they say otherwise. */
export function casesFrom(
  parent: string,
): (
  code: FailureCode,
  name: string,
  pointer: string,
  why: string,
  how: string,
  made: Partial<InvalidCase>,
) => InvalidCase {
  return (code, name, pointer, why, how, made) => ({ code, name, parent, pointer, why, how, ...made });
}
