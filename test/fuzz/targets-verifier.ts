/** Fuzz targets of layer 7: a trust policy, and a whole bundle in either encoding. */
import { decodeParsed, encodeBundle, parseEither } from "../../src/bundle/codec.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { encodeCbor } from "../../src/encoding/cbor.js";
import { canonicalBytes, canonicalJson } from "../../src/encoding/jcs.js";
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { policyFault, resolveTrust, trustPolicy } from "../../src/verifier/trust-policy.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at } from "../support/keys.js";
import { oneReceipt, VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";
import { type FuzzTarget, hold } from "./target.js";

const limits = { maxBytes: LIMITS.maxSideInputBytes, maxDepth: LIMITS.maxDepth } as const;
const trust = encodeUtf8(JSON.stringify(basePolicy()));
const genuine = new Set<string>();
let bundle: Uint8Array = new Uint8Array();

async function bundles(): Promise<readonly Uint8Array[]> {
  const made = await oneReceipt();
  bundle = encodeBundle(made);
  genuine.add(withoutAnchors(parseEither(bundle, bundle.length).value ?? null));
  return [bundle, encodeBundle(made, "cbor")];
}

/** Digest of a bundle without the texts of its anchors, which may lose what is not counted and stay good. */
function withoutAnchors(value: JsonValue): string {
  const text = JSON.stringify(JSON.parse(canonicalJson(value)), (name, member) =>
    name === "anchors" ? [] : member,
  );
  return sha256Hex(encodeUtf8(text));
}

/** What every report must keep, whatever was put in. */
function holdReport(report: VerificationReportV1): void {
  const failures = report.checks.flatMap((check) => check.failures);
  hold(
    failures.every(({ code }) => code !== "INTERNAL_FAULT"),
    `INTERNAL_FAULT: ${failures.find(({ code }) => code === "INTERNAL_FAULT")?.message ?? ""}`,
  );
  hold(
    (report.verdict === "ACCEPTED") === (report.first_failure === null),
    "verdict and first failure disagree",
  );
  hold((failures.length === 0) === (report.first_failure === null), "a failure is not the first one");
}

function runBundle(input: Uint8Array): void {
  const report = verifyBundle(input, trust, { at: at(VERIFIED_AT) });
  holdReport(report);
  const { value, faults } = parseEither(input, input.length);
  if (value === undefined || faults.length > 0) {
    hold(report.first_failure?.check === "FORMAT", "bytes that cannot be read pass the first check");
    return;
  }
  if (report.verdict === "ACCEPTED")
    hold(genuine.has(withoutAnchors(value)), "accepted, and not the genuine bundle");
  const other =
    input[0] !== undefined && input[0] >= 0xa0 && input[0] <= 0xbf
      ? canonicalBytes(value)
      : encodeCbor(value);
  const first = verifyBundle(other, trust, { at: at(VERIFIED_AT) }).first_failure;
  const place = (failure: typeof first): string =>
    failure === null ? "" : `${failure.code} ${failure.pointer}`;
  // Only a map is CBOR: another value in CBOR would be read as JSON text.
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    hold(place(first) === place(report.first_failure), "the other encoding fails elsewhere");
  }
}

function runPolicy(input: Uint8Array): void {
  const decoded = decodeParsed(trustPolicy, parseJson(input, limits));
  const usable = decoded.value !== undefined && policyFault(decoded.value) === null;
  if (usable && decoded.value !== undefined) resolveTrust(decoded.value);
  const report = verifyBundle(bundle, input, { at: at(VERIFIED_AT) });
  holdReport(report);
  hold(usable || report.first_failure?.check === "TRUST", "a policy that is not usable is used");
}

const WORDS = [
  "receipts",
  "anchors",
  "tree",
  "leaves",
  "claim",
  "scope",
  "session",
  "causal",
  "targets",
  "protocol",
  "type",
];
const TOKENS = [
  "null",
  "true",
  "[]",
  "{}",
  '""',
  "0",
  "1",
  "-1",
  "1.5",
  '"a":1,',
  ",",
  "OSA_PROOF_V3",
  "0x",
  "ED25519",
];

export const VERIFIER_TARGETS: readonly FuzzTarget[] = [
  {
    name: "trust-policy",
    seeds: async () => {
      await bundles();
      return [trust];
    },
    tokens: [
      ...TOKENS,
      "none",
      "own",
      "independent",
      "quorum",
      "witness-1",
      "threshold",
      "roots",
      "rotation_number",
    ],
    maxBytes: 8_192,
    run: runPolicy,
  },
  { name: "bundle", seeds: bundles, tokens: [...TOKENS, ...WORDS], maxBytes: 32_768, run: runBundle },
];
