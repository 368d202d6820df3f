/**
 * The controls that `osa-proof selftest` ships with: a choice of the fixtures in one small file. A rejected case is
 * written as what differs from the accepted case that it was made from.
 */
import { decodeUtf8, encodeUtf8 } from "../../../src/encoding/utf8.js";
import { FAILURE_CODES } from "../../../src/errors.js";
import type { CaseDescription } from "./directories.js";

/** At `offset` of the text, `removed` UTF-16 code units give way to `inserted`. */
type Hunk = readonly [offset: number, removed: number, inserted: string];

type Texts = Readonly<Record<string, string>>;

interface Rejected {
  readonly name: string;
  readonly of: string;
  readonly at?: string;
  readonly file?: string;
  readonly hunks?: readonly Hunk[];
}

const FILES = ["bundle", "trust", "expectations", "supplement", "heads"] as const;
/** At most so many cases of one code are packaged: those that differ least. */
const CASES_PER_CODE = 2;
/** Larger differences are left to the fixtures, where another case has the code. */
const MAX_DIFFERENCE = 400;
/** Accepted cases that are packaged anyway; another one only for a code that no case of these has. */
const COMMON_PARENTS = new Set([
  "known-heads",
  "fork-and-merge",
  "session-without-seal",
  "whole-session",
  "disclosures",
]);
const UNCOMMON = 1_000_000;

/** `selftest/controls.json` out of the files of `fixtures/`. */
export function selftestControls(fixtures: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const rejected = Object.keys(FAILURE_CODES).flatMap((code) => chosenCases(fixtures, code));
  const parents = [...new Set(rejected.map(({ of }) => of))].sort();
  const texts: string[] = [];
  // Many cases share a bundle or a policy; each text is kept once.
  const placeOf = (text: string): number => {
    const known = texts.indexOf(text);
    return known < 0 ? texts.push(text) - 1 : known;
  };
  const accepted = parents.map((name) => {
    const files = Object.entries(textsOf(fixtures, `valid/${name}`) ?? {});
    return {
      name,
      at: descriptionOf(fixtures, `valid/${name}`).at,
      files: Object.fromEntries(files.map(([file, text]) => [file, placeOf(text)])),
    };
  });
  const lines = (entries: readonly unknown[]): string =>
    entries.map((entry) => JSON.stringify(entry)).join(",\n");
  // A text that has much in common with the first one of its kind is written as what differs.
  const written = texts.map((text, place) => {
    const like = texts.slice(0, place).findIndex((other) => kindOf(other) === kindOf(text));
    if (like < 0) return text;
    const hunks = hunksBetween(texts[like] ?? "", text);
    return JSON.stringify(hunks).length < text.length ? { of: like, hunks } : text;
  });
  return encodeUtf8(
    `{"format":"osa-proof-selftest-1","texts":[\n${lines(written)}\n],"accepted":[\n${lines(accepted)}\n],"rejected":[\n${lines(rejected)}\n]}\n`,
  );
}

/** The `type` of the JSON text of a side input or bundle. */
function kindOf(text: string): string {
  return /"type": ?"(?:ProofBundle|TrustPolicy|Expectations|Supplement|KnownHeads)V\d"/.exec(text)?.[0] ?? "";
}

function chosenCases(fixtures: ReadonlyMap<string, Uint8Array>, code: string): readonly Rejected[] {
  const names = [...fixtures.keys()].filter(
    (path) => path.startsWith(`invalid/${code}/`) && path.endsWith("/case.json"),
  );
  const cases = names.flatMap((path) => rejectedCase(fixtures, path.slice(0, -"/case.json".length)) ?? []);
  const costOf = (entry: Rejected): number =>
    (entry.hunks ?? []).reduce((sum, [, , inserted]) => sum + inserted.length + 12, 0) +
    (entry.of === "one-receipt" ? 0 : COMMON_PARENTS.has(entry.of) ? MAX_DIFFERENCE : UNCOMMON);
  const sorted = cases
    .map((entry) => ({ entry, cost: costOf(entry) }))
    .sort((a, b) => a.cost - b.cost || (a.entry.name < b.entry.name ? -1 : 1));
  return sorted
    .filter(({ cost }, place) => place === 0 || (place < CASES_PER_CODE && cost <= MAX_DIFFERENCE))
    .map(({ entry }) => entry);
}

/** Null where the difference is no change of one text: bytes that are no UTF-8, CBOR, a file more or fewer. */
function rejectedCase(fixtures: ReadonlyMap<string, Uint8Array>, directory: string): Rejected | null {
  const { at, derived_from: parent } = descriptionOf(fixtures, directory);
  const [before, after] = [textsOf(fixtures, parent ?? ""), textsOf(fixtures, directory)];
  if (before === null || after === null || Object.keys(before).join() !== Object.keys(after).join())
    return null;
  const entry = { name: directory.slice("invalid/".length), of: (parent ?? "").slice("valid/".length) };
  const file = FILES.find((name) => before[name] !== after[name]);
  if (file === undefined) return { ...entry, at };
  return { ...entry, file, hunks: hunksBetween(before[file] ?? "", after[file] ?? "") };
}

function descriptionOf(fixtures: ReadonlyMap<string, Uint8Array>, directory: string): CaseDescription {
  const bytes = fixtures.get(`${directory}/case.json`);
  if (bytes === undefined) throw new Error(`no case ${directory}`);
  return JSON.parse(decodeUtf8(bytes) ?? "");
}

function textsOf(fixtures: ReadonlyMap<string, Uint8Array>, directory: string): Texts | null {
  const texts: Record<string, string> = {};
  if (!fixtures.has(`${directory}/bundle.json`)) return null;
  for (const name of FILES) {
    const bytes = fixtures.get(`${directory}/${name}.json`);
    if (bytes === undefined) continue;
    const text = decodeUtf8(bytes);
    if (text === null) return null;
    texts[name] = text;
  }
  return texts;
}

/** The longest common subsequence of the pieces stays; everything else is a hunk. Positions are in the old text. */
function hunksBetween(before: string, after: string): readonly Hunk[] {
  const [old, fresh] = [piecesOf(before), piecesOf(after)];
  const columns = fresh.length + 1;
  const common = new Uint16Array((old.length + 1) * columns);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const [here, below, beside] = [i * columns + j, (i + 1) * columns + j, i * columns + j + 1];
      common[here] =
        old[i] === fresh[j]
          ? (common[below + 1] ?? 0) + 1
          : Math.max(common[below] ?? 0, common[beside] ?? 0);
    }
  }
  const hunks: [number, number, string][] = [];
  let [i, j, offset] = [0, 0, 0];
  while (i < old.length || j < fresh.length) {
    const [was, is] = [old[i] ?? "", fresh[j] ?? ""];
    if (i < old.length && j < fresh.length && was === is) {
      [i, j, offset] = [i + 1, j + 1, offset + was.length];
      continue;
    }
    const removes =
      j >= fresh.length ||
      (i < old.length && (common[(i + 1) * columns + j] ?? 0) >= (common[i * columns + j + 1] ?? 0));
    let last = hunks.at(-1);
    if (last === undefined || last[0] + last[1] !== offset) {
      last = [offset, 0, ""];
      hunks.push(last);
    }
    if (removes) {
      last[1] += was.length;
      [i, offset] = [i + 1, offset + was.length];
    } else {
      last[2] += is;
      j += 1;
    }
  }
  return hunks;
}

/** Pieces of JSON text, ended by its punctuation or by an escape or space inside a string. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[^,:[\]{}\\ ]*[,:[\]{}\\ ]|[^,:[\]{}\\ ]+$/g) ?? [];
}
