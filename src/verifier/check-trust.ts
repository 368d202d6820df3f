/** Check 0, TRUST: the auditor's own inputs are usable (docs/SPEC.md, "Check 0"). */
import { decodeParsed } from "../bundle/codec.js";
import { sha256Hex } from "../crypto/digest.js";
import { parseJson } from "../encoding/json.js";
import { emptyObject } from "../encoding/json-value.js";
import { appendPointer } from "../encoding/pointer.js";
import { parseTime } from "../encoding/time.js";
import type { FailureCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import type { Schema } from "../statements/schema.js";
import {
  type ExpectationsV1,
  expectations,
  expectationsFault,
  headsFault,
  isBytes,
  type KnownHeadsV1,
  knownHeads,
  type SupplementV1,
  supplement,
} from "./inputs.js";
import type { FailureSource, Findings, InputDigests } from "./report.js";
import { policyFault, resolveTrust, type Trust, trustPolicy } from "./trust-policy.js";

/** What a caller passes beside the bundle and the policy; the types are not believed. */
export interface VerifyOptions {
  /** The verification time, RFC 3339 UTC: `2026-12-02T09:30:00Z`. */
  readonly at: string;
  /** UTF-8 JSON of an ExpectationsV1, SupplementV1 or KnownHeadsV1. */
  readonly expectations?: Uint8Array | undefined;
  readonly supplement?: Uint8Array | undefined;
  readonly heads?: Uint8Array | undefined;
}

export interface TrustInputs {
  readonly trust: Trust;
  readonly at: number;
  readonly expectations: ExpectationsV1 | null;
  readonly supplement: SupplementV1 | null;
  readonly heads: KnownHeadsV1 | null;
}

/**
 * The options, each read once; null when reading one throws, as a getter or a Proxy may. A question counts wherever an
 * object holds it, in a class or behind a prototype too; only what every object inherits is no option.
 */
export function readOptions(options: unknown): Partial<Record<keyof VerifyOptions, unknown>> | null {
  const read: Record<string, unknown> = emptyObject();
  try {
    for (const name of optionNames(options)) read[name] = Reflect.get(options as object, name);
    return read;
  } catch {
    return null;
  }
}

function optionNames(options: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  let holder = typeof options === "object" ? options : null;
  for (let depth = 0; holder !== null && depth < LIMITS.maxDepth; depth += 1) {
    const above: object | null = Object.getPrototypeOf(holder);
    // The last of a chain is what everything inherits: members put there are nobody's question.
    if (above === null && depth > 0) break;
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (depth === 0 || name !== "constructor") names.add(name);
    }
    holder = above;
  }
  return names;
}

const OPTIONS: ReadonlySet<string> = new Set(["at", "expectations", "supplement", "heads"]);

export function digestsOf(
  policy: unknown,
  options: Partial<Record<keyof VerifyOptions, unknown>>,
): InputDigests {
  const digest = (bytes: unknown): string | null => (isBytes(bytes) ? sha256Hex(bytes) : null);
  return {
    trust_policy_digest: digest(policy),
    expectations_digest: digest(options.expectations),
    supplement_digest: digest(options.supplement),
    heads_digest: digest(options.heads),
  };
}

/** Reads policy, time and side inputs; null when one of them is unusable, with the reasons in the findings. */
export function checkTrust(
  policy: unknown,
  options: Partial<Record<keyof VerifyOptions, unknown>>,
  findings: Findings,
): TrustInputs | null {
  if (!isBytes(policy) || policy.length === 0) {
    findings.fail(
      "TRUST",
      "TRUST_POLICY_MISSING",
      { pointer: "", source: "trust_policy" },
      "no trust policy was given",
    );
    return null;
  }
  const failed = (source: FailureSource, code: FailureCode) => (pointer: string, detail: string) =>
    findings.fail("TRUST", code, { pointer, source }, detail);
  const pinned = read(
    policy,
    trustPolicy,
    LIMITS.maxSideInputBytes,
    failed("trust_policy", "TRUST_POLICY_INVALID"),
  );
  const fault = pinned === null ? null : policyFault(pinned);
  if (fault !== null) failed("trust_policy", "TRUST_POLICY_INVALID")(fault.pointer, fault.detail);
  for (const name of Object.keys(options)) {
    // A misspelled option would be a question that is never asked.
    if (OPTIONS.has(name)) continue;
    failed("arguments", "TRUST_INPUT_INVALID")(appendPointer("", name), "there is no such option");
  }
  const at = typeof options.at === "string" ? parseTime(options.at) : null;
  if (at === null)
    failed("arguments", "TRUST_INPUT_INVALID")(
      "/at",
      "the verification time is not an RFC 3339 time in UTC with Z",
    );

  const side = <T>(
    name: "expectations" | "supplement" | "heads",
    schema: Schema<T>,
    maxBytes: number,
  ): T | null => {
    const bytes = options[name];
    if (bytes === undefined) return null;
    const fail = failed(name, "TRUST_INPUT_INVALID");
    if (isBytes(bytes)) return read(bytes, schema, maxBytes, fail);
    fail("", "expected bytes");
    return null;
  };
  const asked = side("expectations", expectations, LIMITS.maxSideInputBytes);
  const newer = side("supplement", supplement, LIMITS.maxSupplementBytes);
  const known = side("heads", knownHeads, LIMITS.maxSideInputBytes);
  for (const [source, reason] of [
    ["expectations", asked === null ? null : expectationsFault(asked)],
    ["heads", known === null ? null : headsFault(known)],
  ] as const) {
    if (reason !== null) failed(source, "TRUST_INPUT_INVALID")("", reason);
  }
  if (findings.hasFailed("TRUST") || pinned === null || at === null) return null;
  return { trust: resolveTrust(pinned), at, expectations: asked, supplement: newer, heads: known };
}

/** True when the policy pins a root for the bundle's namespace; else that is recorded, and the run ends. */
export function isPinned(namespace: string, trust: Trust, findings: Findings): boolean {
  if (trust.namespaces.has(namespace)) return true;
  findings.fail(
    "TRUST",
    "TRUST_NAMESPACE_NOT_PINNED",
    { pointer: "/namespace_id" },
    `the policy pins no root for namespace ${namespace}`,
  );
  return false;
}

/** Decodes a side input; each of its faults is told. */
function read<T>(
  bytes: Uint8Array,
  schema: Schema<T>,
  maxBytes: number,
  fail: (pointer: string, detail: string) => void,
): T | null {
  const parsed = parseJson(bytes, { maxBytes, maxDepth: LIMITS.maxDepth, isFreeNumber: () => false });
  const decoded = decodeParsed(schema, parsed);
  for (const { pointer, code, detail } of decoded.faults) {
    fail(pointer, `${detail} (${code})`);
  }
  return decoded.value ?? null;
}
