/** What the attack tests share: verify a story, or a world that was packed by hand. */
import { encodeBundle } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import type { TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at } from "../support/keys.js";
import { VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";
import type { Draft } from "../support/world.js";

export interface Given {
  readonly trust?: TrustPolicyV1;
  /** Seconds after the session began. */
  readonly at?: number;
  readonly expectations?: unknown;
  readonly supplement?: unknown;
  readonly heads?: unknown;
}

export function verify(bundle: ProofBundleV3, given: Given = {}): VerificationReportV1 {
  const { trust = basePolicy(), at: seconds = VERIFIED_AT, ...side } = given;
  const bytes = (value: unknown): Uint8Array => encodeUtf8(JSON.stringify(value));
  const sides = Object.entries(side).map(([name, value]) => [name, bytes(value)] as const);
  return verifyBundle(encodeBundle(bundle), bytes(trust), { at: at(seconds), ...Object.fromEntries(sides) });
}

/** "ACCEPTED", or the first failure as code and pointer. */
export function outcome(report: VerificationReportV1): string {
  const { verdict, first_failure: first } = report;
  return first === null ? verdict : `${first.code} ${first.pointer}`;
}

/** Every failure as code and pointer, in the order of the report. */
export function failures(report: VerificationReportV1): readonly string[] {
  return report.checks.flatMap((check) => check.failures.map(({ code, pointer }) => `${code} ${pointer}`));
}

/** Sets one member of a statement before it is signed. */
export function set(member: string, value: unknown): { readonly draft: (statement: Draft) => void } {
  return {
    draft: (statement) => {
      statement[member] = value;
    },
  };
}
