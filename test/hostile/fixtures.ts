/** The directories of `fixtures/` as inputs of a verification. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEither } from "../../src/bundle/codec.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";

const ROOT = fileURLToPath(new URL("../../fixtures/", import.meta.url));

export interface Fixture {
  /** Path below `fixtures/`. */
  readonly name: string;
  /** Name of the accepted fixture that a rejected one was made from. */
  readonly derivedFrom: string | null;
  readonly bundle: Uint8Array;
  /** The bundle as parsed; null where its bytes themselves are what is wrong. */
  readonly value: JsonValue | null;
  /** Undefined is the call of somebody who gives none. */
  readonly trust: Uint8Array | undefined;
  readonly options: {
    readonly at: string;
    readonly expectations?: Uint8Array;
    readonly supplement?: Uint8Array;
    readonly heads?: Uint8Array;
  };
}

function read(path: string): Uint8Array | undefined {
  const file = join(ROOT, path);
  return existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
}

function load(name: string): Fixture {
  const bundle = read(`${name}/bundle.json`) ?? read(`${name}/bundle.cbor`);
  if (bundle === undefined) throw new Error(`${name} has no bundle`);
  const { value, faults } = parseEither(bundle, bundle.length);
  const sides = (["expectations", "supplement", "heads"] as const).flatMap((side) => {
    const bytes = read(`${name}/${side}.json`);
    return bytes === undefined ? [] : [[side, bytes] as const];
  });
  const { at, derived_from: derivedFrom } = JSON.parse(readFileSync(join(ROOT, name, "case.json"), "utf8"));
  return {
    name,
    derivedFrom,
    bundle,
    value: value === undefined || faults.length > 0 ? null : value,
    trust: read(`${name}/trust.json`),
    options: { at, ...Object.fromEntries(sides) },
  };
}

export const VALID: readonly Fixture[] = readdirSync(join(ROOT, "valid")).map((name) =>
  load(`valid/${name}`),
);

export function loadInvalid(): readonly Fixture[] {
  return readdirSync(join(ROOT, "invalid")).flatMap((code) =>
    readdirSync(join(ROOT, "invalid", code)).map((name) => load(`invalid/${code}/${name}`)),
  );
}

/** The report on these bytes in the place of the fixture's bundle. */
export function verifyAs(
  fixture: Fixture,
  bundle: Uint8Array,
  options: Fixture["options"] = fixture.options,
): VerificationReportV1 {
  // Without a policy the call is one that the type does not allow; JavaScript does.
  return verifyBundle(bundle, fixture.trust as Uint8Array, options);
}
