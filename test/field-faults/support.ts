/** What the field-fault tests share: a case beside the accepted one it is derived from, and one-line outcomes. */
import { expect } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { type Inputs, inputsOf } from "../support/cases/files.js";
import { INVALID_CASES } from "../support/cases/index.js";
import { buildInvalid } from "../support/cases/invalid.js";
import { VALID_CASES } from "../support/cases/valid.js";
import { at } from "../support/keys.js";
import { VERIFIED_AT } from "../support/scenarios.js";
import type { Story } from "../support/stories.js";
import { basePolicy } from "../support/trust.js";
import type { Draft } from "../support/world.js";

const policyBytes: Uint8Array = encodeUtf8(JSON.stringify(basePolicy()));

/** Verifies bytes as of the usual time; the plain policy when none is given. */
export function verifyBytes(bytes: Uint8Array, policy: Uint8Array = policyBytes): VerificationReportV1 {
  return verifyBundle(bytes, policy, { at: at(VERIFIED_AT) });
}

/** "ACCEPTED", or the code of the first failure. */
export function codeOf(report: VerificationReportV1): string {
  return report.first_failure?.code ?? report.verdict;
}

export function verifyInputs({ bundle, trust, at: time, ...sides }: Inputs): VerificationReportV1 {
  return verifyBundle(bundle, trust ?? new Uint8Array(), {
    at: time,
    expectations: sides.expectations ?? undefined,
    supplement: sides.supplement ?? undefined,
    heads: sides.heads ?? undefined,
  });
}

/** The report on a story, after an edit of its packed bundle that signs nothing again. */
export function verifyStory(story: Story, edit: (bundle: Draft) => void = () => {}): VerificationReportV1 {
  const copy: Draft = JSON.parse(JSON.stringify(story.bundle));
  edit(copy);
  return verifyInputs({ ...inputsOf(story, "json"), bundle: encodeUtf8(JSON.stringify(copy)) });
}

export function storyBytes(story: Story): Uint8Array {
  return encodeBundle(story.bundle);
}

/** The case "CODE/name" of the fixtures is rejected by that code, and the valid case it is made from is accepted. */
export async function expectCase(id: string): Promise<VerificationReportV1> {
  const [code, name] = id.split("/");
  const found = INVALID_CASES.find((entry) => entry.code === code && entry.name === name);
  const parent = VALID_CASES.find((entry) => entry.name === found?.parent);
  if (found === undefined || parent === undefined) throw new Error(`no case ${id}`);
  expect(codeOf(verifyInputs(inputsOf(await parent.make(), parent.encoding)))).toBe("ACCEPTED");
  const report = verifyInputs(await buildInvalid(found));
  expect(codeOf(report), id).toBe(code);
  return report;
}

/** All of them. */
export async function expectCases(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await expectCase(id);
}
