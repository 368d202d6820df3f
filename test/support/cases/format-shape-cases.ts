/** Check 1, FORMAT: versions, and members that are unknown, missing or of the wrong type. */
import * as LIMITS from "../../../src/limits.js";
import { casesFrom, type InvalidCase, resigned } from "./invalid.js";

const entry = casesFrom("one-receipt");

export const FORMAT_SHAPE_CASES: readonly InvalidCase[] = [
  entry(
    "FORMAT_VERSION_UNSUPPORTED",
    "bundle-of-version-2",
    "/protocol",
    "A verifier that guesses at another version's rules verifies nothing.",
    "`protocol` of the bundle was set to `OSA_PROOF_V2`.",
    {
      bundle: (bundle) => {
        bundle["protocol"] = "OSA_PROOF_V2";
      },
    },
  ),
  entry(
    "FORMAT_VERSION_UNSUPPORTED",
    "receipt-without-protocol",
    "/receipts/0/protocol",
    "A statement that does not say which rules it follows follows none.",
    "`protocol` was left out of the receipt, which was signed without it.",
    resigned("receipt:1", (receipt) => {
      delete receipt["protocol"];
    }),
  ),
  entry(
    "FORMAT_VERSION_UNSUPPORTED",
    "delegation-of-another-type",
    "/delegations/0/type",
    "A statement of one kind must never be read as one of another.",
    "`type` of the delegation was set to that of a certificate and signed again.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["type"] = "RuntimeKeyCertificateV1";
    }),
  ),
  entry(
    "FORMAT_UNKNOWN_MEMBER",
    "in-the-receipt",
    "/receipts/0/comment",
    "All schemas are closed: what a verifier does not understand it must not ignore.",
    "`comment` was added to the receipt, which was signed with it.",
    resigned("receipt:1", (receipt) => {
      receipt["comment"] = "approved";
    }),
  ),
  entry(
    "FORMAT_UNKNOWN_MEMBER",
    "in-the-bundle",
    "/trust_policy",
    "A bundle cannot bring its own trust, nor anything else that is not in its schema.",
    "`trust_policy` was added to the bundle.",
    {
      bundle: (bundle) => {
        bundle["trust_policy"] = {};
      },
    },
  ),
  entry(
    "FORMAT_UNKNOWN_MEMBER",
    "of-a-name-too-long-to-show",
    "/claim",
    "A name can be as long as a bundle, and a report shows none of it: the pointer ends at the object that has the member.",
    "A member whose name has 1,025 characters was added to the claim.",
    {
      bundle: (bundle) => {
        Object.assign(bundle["claim"] as object, { ["x".repeat(LIMITS.maxPointerTokenCharacters + 1)]: {} });
      },
    },
  ),
  entry(
    "FORMAT_UNKNOWN_MEMBER",
    "of-the-longest-name-shown",
    `/claim/${"x".repeat(LIMITS.maxPointerTokenCharacters)}`,
    "The positive beside `of-a-name-too-long-to-show`: the longest name that a pointer shows.",
    "A member whose name has 1,024 characters was added to the claim.",
    {
      bundle: (bundle) => {
        Object.assign(bundle["claim"] as object, { ["x".repeat(LIMITS.maxPointerTokenCharacters)]: {} });
      },
    },
  ),
  entry(
    "FORMAT_UNKNOWN_MEMBER",
    "type-in-a-receipt",
    "/receipts/0/type",
    "The receipt is the one statement without a `type`.",
    "`type` was added to the receipt, which was signed with it.",
    resigned("receipt:1", (receipt) => {
      receipt["type"] = "ActionReceiptV3";
    }),
  ),
  entry(
    "FORMAT_UNKNOWN_MEMBER",
    "agent-certificate-in-a-runtimes-close",
    "/session_closes/0/agent_key_certificate_digest",
    "Only a close by the agent names the agent's certificate.",
    "`agent_key_certificate_digest` was added to a close by the runtime, which was signed with it.",
    {
      parent: "whole-session",
      ...resigned("close:rt-1", (close, world) => {
        close["agent_key_certificate_digest"] = world.digest("agent:planner");
      }),
    },
  ),
  entry(
    "FORMAT_MISSING_MEMBER",
    "no-session-seals",
    "/session_seals",
    "Every member of the bundle is required, empty or not: leaving one out must not leave a check out.",
    "`session_seals` was taken out of the bundle.",
    {
      bundle: (bundle) => {
        delete bundle["session_seals"];
      },
    },
  ),
  entry(
    "FORMAT_MISSING_MEMBER",
    "receipt-without-policy",
    "/receipts/0/policy_digest",
    "Every member of a receipt is required.",
    "`policy_digest` was left out of the receipt, which was signed without it.",
    resigned("receipt:1", (receipt) => {
      delete receipt["policy_digest"];
    }),
  ),
  entry(
    "FORMAT_MISSING_MEMBER",
    "unsigned-receipt",
    "/receipts/0/signature",
    "A statement without a signature is a claim without proof.",
    "`signature` was taken out of the receipt, and the tree and anchor made over what was left.",
    {
      world: {
        statements: {
          "receipt:1": {
            signed: (receipt) => {
              delete receipt["signature"];
            },
          },
        },
      },
    },
  ),
  entry(
    "FORMAT_MISSING_MEMBER",
    "item-without-path",
    "/disclosures/2/inclusion",
    "An evidence item proves nothing without its path in the action tree.",
    "`inclusion` was taken out of a disclosed evidence item.",
    {
      parent: "disclosures",
      bundle: (bundle) => {
        delete bundle["disclosures"][2].inclusion;
      },
    },
  ),
  entry(
    "FORMAT_WRONG_TYPE",
    "null-parents",
    "/receipts/0/parent_receipt_digests",
    "null is not an empty list, and stands for nothing in this protocol.",
    "`parent_receipt_digests` of the receipt was set to null and signed again.",
    resigned("receipt:1", (receipt) => {
      receipt["parent_receipt_digests"] = null;
    }),
  ),
  entry(
    "FORMAT_WRONG_TYPE",
    "sequence-as-text",
    "/receipts/0/sequence",
    'A number in quotes is text, and `"10"` sorts before `"9"`.',
    '`sequence` of the receipt was set to the text "1" and signed again.',
    resigned("receipt:1", (receipt) => {
      receipt["sequence"] = "1";
    }),
  ),
  entry(
    "FORMAT_WRONG_TYPE",
    "targets-as-object",
    "/claim/targets",
    "An object with indexes for names is no array, however much it looks like one.",
    "`targets` was rewritten as an object.",
    {
      bundle: (bundle) => {
        bundle["claim"].targets = { 0: bundle["claim"].targets[0] };
      },
    },
  ),
];
