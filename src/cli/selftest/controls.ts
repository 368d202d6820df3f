/** The controls that the package brings along: cases that a verifier must accept, and changes that it must refuse. */
import { readFileSync } from "node:fs";
import { sha256Hex } from "../../crypto/digest.js";
import { decodeUtf8, encodeUtf8 } from "../../encoding/utf8.js";
import { type FailureCode, OsaProofError } from "../../errors.js";
import { packagedFile } from "../packaged.js";

/** The inputs of one verification. */
export interface Inputs {
  readonly bundle: Uint8Array;
  readonly trust: Uint8Array;
  readonly at: string;
  readonly expectations?: Uint8Array | undefined;
  readonly supplement?: Uint8Array | undefined;
  readonly heads?: Uint8Array | undefined;
}

/** One packaged case; `code` is the first failure that it must have, null where it must be accepted. */
export interface Control {
  readonly name: string;
  readonly inputs: Inputs;
  readonly code: FailureCode | null;
}

/** Where in a text, how many UTF-16 code units to remove there, and what to put there. A text's hunks are in order. */
type Hunk = readonly [offset: number, removed: number, inserted: string];

/** `selftest/controls.json`, which `npm run fixtures` writes out of the fixtures. */
interface ControlFile {
  /** Whole, or as what differs from an earlier one. */
  readonly texts: readonly (string | { readonly of: number; readonly hunks: readonly Hunk[] })[];
  readonly accepted: readonly {
    readonly name: string;
    readonly at: string;
    /** Places among the texts. */
    readonly files: { readonly [K in keyof Texts]: number };
  }[];
  readonly rejected: readonly {
    /** `<code>/<name>`, as in `fixtures/invalid`. */
    readonly name: string;
    /** The accepted case that this one changes. */
    readonly of: string;
    readonly at?: string;
    readonly file?: keyof Texts;
    readonly hunks?: readonly Hunk[];
  }[];
}

interface Texts {
  readonly bundle: string;
  readonly trust: string;
  readonly expectations?: string;
  readonly supplement?: string;
  readonly heads?: string;
}

const FILE = packagedFile("selftest", "controls.json");

/** What the package brings along. */
export interface PackagedControls {
  /** `0x` SHA-256 of the file that they are in. */
  readonly digest: string;
  /** Each accepted case stands before those made from it. */
  readonly controls: readonly Control[];
}

/** @throws OsaProofError IO_FAILED when the package is damaged */
export function packagedControls(): PackagedControls {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(readFileSync(FILE));
  } catch (cause) {
    throw new OsaProofError("IO_FAILED", "the packaged controls cannot be read; install the package again", {
      cause,
    });
  }
  // The file is the package's own, so its shape is what its generator wrote.
  return { digest: sha256Hex(bytes), controls: controlsOf(JSON.parse(decodeUtf8(bytes) ?? "")) };
}

function controlsOf(file: ControlFile): readonly Control[] {
  const whole: string[] = [];
  for (const text of file.texts)
    whole.push(typeof text === "string" ? text : patched(whole[text.of] ?? "", text.hunks));
  const cases = file.accepted.map(({ name, at, files }) => {
    const texts = Object.entries(files).map(([part, place]) => [part, whole[place] ?? ""]);
    // Members are those of the file, which has a bundle and a policy for each case.
    return { name, at, files: Object.fromEntries(texts) as Texts };
  });
  const accepted = new Map(cases.map((entry) => [entry.name, entry]));
  const controls: Control[] = cases.map(({ name, at, files }) => ({
    name,
    inputs: inputsOf(files, at),
    code: null,
  }));
  for (const { name, of, at, file: changed, hunks = [] } of file.rejected) {
    const parent = accepted.get(of);
    if (parent === undefined) throw new Error(`selftest/controls.json has no case ${of}`);
    const files =
      changed === undefined
        ? parent.files
        : { ...parent.files, [changed]: patched(parent.files[changed] ?? "", hunks) };
    // The directory of a rejected fixture is named after its code.
    const code = name.slice(0, name.indexOf("/")) as FailureCode;
    controls.push({ name, inputs: inputsOf(files, at ?? parent.at), code });
  }
  return controls;
}

function patched(text: string, hunks: readonly Hunk[]): string {
  let [out, at] = ["", 0];
  for (const [offset, removed, inserted] of hunks) {
    out += text.slice(at, offset) + inserted;
    at = offset + removed;
  }
  return out + text.slice(at);
}

function inputsOf(files: Texts, at: string): Inputs {
  const bytes = (text: string | undefined): Uint8Array | undefined =>
    text === undefined ? undefined : encodeUtf8(text);
  return {
    bundle: encodeUtf8(files.bundle),
    trust: encodeUtf8(files.trust),
    at,
    expectations: bytes(files.expectations),
    supplement: bytes(files.supplement),
    heads: bytes(files.heads),
  };
}
