/** What the controls judge: fixtures, and the cases made for them, under one kind of name. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import type { CaseDescription } from "../support/cases/directories.js";
import type { VerifyBundle } from "./build.js";
import type { ControlInputs } from "./cases/control-case.js";
import { CONTROL_CASES } from "./cases/index.js";

const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** The inputs behind `CODE/name`: a case of the controls, else the fixture of that name below `fixtures/invalid`. */
export async function inputsOfFixture(name: string): Promise<ControlInputs> {
  const made = CONTROL_CASES.find((entry) => `${entry.code}/${entry.name}` === name);
  return made === undefined ? read(join(FIXTURES, "invalid", name)) : made.make();
}

/** True for a name that `fixtures/invalid` has. */
export function isFixture(name: string): boolean {
  return existsSync(join(FIXTURES, "invalid", name));
}

let valid: readonly { readonly name: string; readonly inputs: ControlInputs }[] | null = null;

/** Everything that must be accepted. */
export function validInputs(): readonly { readonly name: string; readonly inputs: ControlInputs }[] {
  const folder = join(FIXTURES, "valid");
  valid ??= readdirSync(folder).map((name) => ({ name, inputs: read(join(folder, name)) }));
  return valid;
}

function read(folder: string): ControlInputs {
  const file = (name: string): Uint8Array | null => {
    const path = join(folder, name);
    return existsSync(path) ? new Uint8Array(readFileSync(path)) : null;
  };
  const { at }: CaseDescription = JSON.parse(readFileSync(join(folder, "case.json"), "utf8"));
  const bundle = file("bundle.json") ?? file("bundle.cbor");
  if (bundle === null) throw new Error(`${folder} has no bundle`);
  const side = (name: string): Uint8Array | null => file(`${name}.json`);
  return {
    at,
    bundle,
    trust: side("trust"),
    expectations: side("expectations"),
    supplement: side("supplement"),
    heads: side("heads"),
  };
}

export function judge(verify: VerifyBundle, inputs: ControlInputs): VerificationReportV1 {
  return verify(inputs.bundle, inputs.trust ?? new Uint8Array(0), {
    at: inputs.at,
    expectations: inputs.expectations ?? undefined,
    supplement: inputs.supplement ?? undefined,
    heads: inputs.heads ?? undefined,
    ...inputs.options,
  });
}
