/** Every directory of `fixtures/`: the verdict, where it fails, and that the one change is what makes the difference. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { encodingOf, parseEither } from "../src/bundle/codec.js";
import { encodeCbor } from "../src/encoding/cbor.js";
import { canonicalBytes } from "../src/encoding/jcs.js";
import { FAILURE_CODES } from "../src/errors.js";
import type { VerificationReportV1 } from "../src/verifier/report.js";
import { verifyBundle } from "../src/verifier/verify.js";
import { type CaseDescription, fixtureFiles } from "./support/cases/directories.js";
import { CANNOT_OCCUR } from "./support/cases/index.js";

const ROOT = fileURLToPath(new URL("../fixtures/", import.meta.url));
const SIDES = ["expectations", "supplement", "heads"] as const;

interface Fixture {
  readonly bundle: Uint8Array;
  readonly trust: Uint8Array | undefined;
  readonly expectations: Uint8Array | undefined;
  readonly supplement: Uint8Array | undefined;
  readonly heads: Uint8Array | undefined;
  readonly at: string;
}

function read(path: string): Uint8Array | undefined {
  const file = join(ROOT, path);
  return existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
}

function description(directory: string): CaseDescription {
  return JSON.parse(readFileSync(join(ROOT, directory, "case.json"), "utf8"));
}

function load(directory: string): Fixture {
  const bundle = read(`${directory}/bundle.json`) ?? read(`${directory}/bundle.cbor`);
  if (bundle === undefined) throw new Error(`${directory} has no bundle`);
  return {
    bundle,
    trust: read(`${directory}/trust.json`),
    expectations: read(`${directory}/expectations.json`),
    supplement: read(`${directory}/supplement.json`),
    heads: read(`${directory}/heads.json`),
    at: description(directory).at,
  };
}

function verify({ bundle, trust, ...options }: Fixture): VerificationReportV1 {
  // A case without trust.json is the call of somebody who gives none; the type does not allow it, JavaScript does.
  return verifyBundle(bundle, trust as Uint8Array, options);
}

/** The same content in the other encoding, or null where the bytes themselves are what is wrong. */
function otherEncoding(bundle: Uint8Array): Uint8Array | null {
  const { value, faults } = parseEither(bundle, bundle.length);
  if (value === undefined || faults.length > 0) return null;
  return encodingOf(bundle) === "cbor" ? canonicalBytes(value) : encodeCbor(value);
}

/** Everything in a report but the number of bytes that a message names: the encodings differ in length. */
function comparable(report: VerificationReportV1): unknown {
  return JSON.parse(JSON.stringify(report).replace(/\d+ bytes/g, "some bytes"));
}

function directoriesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
}

const VALID = directoriesIn("valid");
const INVALID = directoriesIn("invalid").flatMap(directoriesIn);

describe.each(VALID)("%s", (directory) => {
  it("is accepted without any failure", () => {
    const report = verify(load(directory));
    expect(report.checks.flatMap(({ failures }) => failures)).toEqual([]);
    expect(report.verdict).toBe("ACCEPTED");
    expect(report.first_failure).toBeNull();
  });

  it("gets the same report in the other encoding", () => {
    const fixture = load(directory);
    const bundle = otherEncoding(fixture.bundle);
    if (bundle === null) throw new Error("an accepted bundle must parse");
    expect(verify({ ...fixture, bundle })).toEqual(verify(fixture));
  });
});

describe.each(INVALID)("%s", (directory) => {
  const { first_failure: expected, verdict, derived_from: parent } = description(directory);

  it("is rejected for the reason given", () => {
    const report = verify(load(directory));
    expect(verdict).toBe("REJECTED");
    expect(report.verdict).toBe("REJECTED");
    const found = report.first_failure;
    expect(
      found && { code: found.code, check: found.check, source: found.source, pointer: found.pointer },
    ).toEqual(expected);
    expect(directory.split("/")[1]).toBe(expected?.code);
  });

  it("gets the same report in the other encoding, unless its bytes are what is wrong", () => {
    const fixture = load(directory);
    const bundle = otherEncoding(fixture.bundle);
    const report = comparable(verify(bundle === null ? fixture : { ...fixture, bundle }));
    expect(report).toEqual(comparable(verify(fixture)));
  });

  it("F089 is one input away from a case that is accepted", () => {
    if (parent === null) throw new Error("a rejected case names its parent");
    const [fixture, accepted] = [load(directory), load(parent)];
    const differing = (["bundle", "trust", ...SIDES, "at"] as const).filter(
      (part) => !sameInput(fixture[part], accepted[part]),
    );
    expect(differing).toHaveLength(1);
    expect(verify(accepted).verdict).toBe("ACCEPTED");
  });
});

function sameInput(a: Uint8Array | string | undefined, b: Uint8Array | string | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return Buffer.compare(a, b) === 0;
}

describe("fixtures as a whole", () => {
  let files: ReadonlyMap<string, Uint8Array>;

  beforeAll(async () => {
    files = await fixtureFiles();
  });

  it("has a case for each failure code, but for those that cannot occur", () => {
    const covered = readdirSync(join(ROOT, "invalid"));
    const never = Object.keys(CANNOT_OCCUR);
    expect(covered.filter((code) => never.includes(code))).toEqual([]);
    expect([...covered, ...never].sort()).toEqual(Object.keys(FAILURE_CODES).sort());
  });

  it("is what the generator writes, byte for byte, and nothing else", () => {
    const onDisk = readdirSync(ROOT, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));
    expect(onDisk.sort()).toEqual([...files.keys()].sort());
    const differing = [...files].filter(([path, bytes]) => !sameInput(read(path), bytes));
    expect(differing.map(([path]) => path)).toEqual([]);
  });
});
