/**
 * The auditor's own pins and questions, one at a time exchanged for others that the accepted bundle cannot meet. A
 * verifier that accepts it all the same does not look at that pin.
 */
import { canonicalBytes } from "../../encoding/jcs.js";
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import type { VerificationReportV1 } from "../../verifier/report.js";
import type { Inputs } from "./controls.js";
import { asArray, asObject, changedAt, type Path, pointerOf, valueAt } from "./edit.js";
import type { Reason } from "./mutation.js";

/** The inputs of one more verification, which must end in a rejection. */
export interface Trial {
  readonly kind: string;
  readonly pointer: string;
  readonly reasons: readonly Reason[];
  readonly inputs: Inputs;
}

const NOBODY = "@ai:nobody.invalid/nobody";
const ZERO_DIGEST = `0x${"00".repeat(32)}`;
/** Far above any number that a namespace counts to one by one. */
const FAR = 2 ** 50;

/**
 * All of them. `policy` and `other` are parsed trust policies: the auditor's, which accepts `inputs`, and one that pins
 * keys of somebody else. `bundle` is the parsed bundle, `report` the report that accepted it.
 */
export function pinMutations(
  inputs: Inputs,
  bundle: JsonValue,
  report: VerificationReportV1,
  policy: JsonValue,
  other: JsonValue,
): readonly Trial[] {
  return [
    ...policyTrials(inputs, bundle, report, policy, other),
    ...questionTrials(inputs, bundle),
    ...headTrials(inputs, report),
  ];
}

function policyTrials(
  inputs: Inputs,
  bundle: JsonValue,
  report: VerificationReportV1,
  policy: JsonValue,
  other: JsonValue,
): readonly Trial[] {
  const place = asArray(valueAt(policy, ["namespaces"])).findIndex(
    (entry) => valueAt(entry, ["namespace_id"]) === report.namespace_id,
  );
  const namespace: Path = ["namespaces", place];
  const root = asObject(valueAt(policy, [...namespace, "roots", 0]));
  const domains = asArray(valueAt(policy, [...namespace, "agent_domains"]));
  const used = valueAt(bundle, ["receipts", 0, "signing_algorithm"]);
  const trial = (pin: Path, reasons: readonly Reason[], to: JsonValue): Trial => ({
    kind: "pin exchanged",
    pointer: pointerOf(pin),
    reasons,
    inputs: { ...inputs, trust: canonicalBytes(withMember(policy, pin, to)) },
  });
  return [
    trial(
      [...namespace, "namespace_id"],
      ["TRUST_NAMESPACE_NOT_PINNED"],
      `not-${report.namespace_id}`.slice(0, 128),
    ),
    trial(
      [...namespace, "roots"],
      ["IDENTITY"],
      [{ ...root, public_key: valueAt(other, ["namespaces", 0, "roots", 0, "public_key"]) ?? null }],
    ),
    trial(namespace, ["IDENTITY_AGENT_OUTSIDE_NAMESPACE"], {
      ...asObject(valueAt(policy, namespace)),
      agent_domains: ["nobody.invalid"],
      top_delegators: [NOBODY],
    }),
    trial(
      [...namespace, "top_delegators"],
      ["DELEGATION_TOP_NOT_ALLOWED"],
      [`@ai:${String(domains[0])}/nobody-of-this-name`],
    ),
    trial([...namespace, "minimum_revocation_list_number"], ["REVOCATION_LIST_ROLLED_BACK"], FAR),
    trial([...namespace, "required_policy_digests"], ["DELEGATION_POLICY_NOT_ACCEPTED"], [ZERO_DIGEST]),
    trial(
      ["accepted_algorithms"],
      ["FORMAT_ALGORITHM_NOT_ACCEPTED"],
      [used === "ED25519" ? "ECDSA_P256" : "ED25519"],
    ),
    trial(["tlog"], ["ANCHOR", "REVOCATION"], valueAt(other, ["tlog"]) ?? null),
    trial(["limits"], ["FORMAT_TOO_LARGE"], { max_bundle_bytes: 1 }),
    trial(["attestation_requirements"], ["ATTESTATION"], [{ type: "nitro", measurements: ["0x00"] }]),
  ];
}

/** The value with a member set, which may have been absent. */
function withMember(value: JsonValue, path: Path, to: JsonValue): JsonValue {
  const [last] = path.slice(-1);
  if (typeof last !== "string") return changedAt(value, path, () => to);
  return changedAt(value, path.slice(0, -1), (holder) => ({ ...asObject(holder), [last]: to }));
}

/** Questions to which the bundle is no answer, each instead of what the auditor asked. */
function questionTrials(inputs: Inputs, bundle: JsonValue): readonly Trial[] {
  const mission = String(valueAt(bundle, ["mission_id"]));
  const questions: readonly (readonly [string, Reason, JsonValue])[] = [
    ["mission_id", "EXPECTATION_RUN_MISMATCH", mission === "another" ? "other" : "another"],
    ["agent_id", "EXPECTATION_RUN_MISMATCH", NOBODY],
    ["target_receipt_digests", "EXPECTATION_TARGET_MISMATCH", [ZERO_DIGEST]],
  ];
  return questions.map(([name, reason, asked]) => ({
    kind: "another question",
    pointer: pointerOf([name]),
    reasons: [reason],
    inputs: {
      ...inputs,
      expectations: canonicalBytes({ protocol: "OSA_PROOF_V3", type: "ExpectationsV1", [name]: asked }),
    },
  }));
}

/** Known heads as this verification leaves them, with the namespace's newest list put further: the bundle is older. */
function headTrials(inputs: Inputs, report: VerificationReportV1): readonly Trial[] {
  // Heads are JSON by construction; their interface type has no index signature to say so.
  const heads = report.heads as unknown as JsonObject | null;
  const place = asArray(valueAt(heads, ["namespaces"])).findIndex(
    (entry) => valueAt(entry, ["namespace_id"]) === report.namespace_id,
  );
  const path: Path = ["namespaces", place, "revocation_list", "number"];
  if (valueAt(heads, path) === undefined) return [];
  return [
    {
      kind: "older than known",
      pointer: pointerOf(path),
      reasons: ["REVOCATION_LIST_ROLLED_BACK"],
      inputs: { ...inputs, heads: canonicalBytes(changedAt(heads, path, () => FAR)) },
    },
  ];
}
