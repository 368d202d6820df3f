/** Check 1, FORMAT: values not in their one spelling, and algorithms that the policy does not accept. */
import { testKey } from "../keys.js";
import { casesFrom, type InvalidCase, resigned } from "./invalid.js";

const entry = casesFrom("one-receipt");

const VALUES: readonly InvalidCase[] = (
  [
    [
      "upper-case-digest",
      "policy_digest",
      (text: string) => text.toUpperCase().replace("0X", "0x"),
      "A digest has one spelling, in lower case.",
    ],
    ["short-digest", "policy_digest", (text: string) => text.slice(0, -2), "A digest is exactly 32 bytes."],
    [
      "time-with-offset",
      "issued_at",
      () => "2026-11-02T09:05:00+00:00",
      "Times are written with Z, so that equal instants are equal text but for milliseconds.",
    ],
    [
      "time-not-in-calendar",
      "issued_at",
      () => "2026-11-31T09:05:00Z",
      "November has 30 days; a reader that carries over would see another day.",
    ],
    [
      "upper-case-dns-name",
      "agent_id",
      () => "@ai:Agents.example.org/planner",
      "An agent's DNS name is lower case: two spellings would be two agents, or one.",
    ],
    [
      "dot-segment",
      "agent_id",
      () => "@ai:agents.example.org/../planner",
      "A `..` segment would be resolved by some readers and compared by others.",
    ],
    ["tool-with-a-star", "tool", () => "shell.*", "A tool name is never a pattern."],
    [
      "space-in-a-tool",
      "tool",
      () => "shell.run\u00a0",
      "A tool name is printable ASCII: what looks the same must be the same.",
    ],
    [
      "unknown-algorithm",
      "signing_algorithm",
      () => "RS256",
      "An algorithm outside the closed list is never looked up.",
    ],
    [
      "unknown-digest-algorithm",
      "digest_algorithm",
      () => "SHA-1",
      "There is one digest algorithm, and the signed bytes name it.",
    ],
    ["sequence-zero", "sequence", () => 0, "Sequences begin at 1."],
  ] as const
).map(([name, member, change, why]) =>
  entry(
    "FORMAT_VALUE_INVALID",
    name,
    `/receipts/0/${member}`,
    why,
    `\`${member}\` of the receipt was set to such a value, and the receipt was signed again.`,
    resigned("receipt:1", (receipt) => {
      receipt[member] = change(String(receipt[member]));
    }),
  ),
);

/** A point that is not on P-256: the last byte of y is changed. */
const offCurve = `${testKey("rt-1-key").spki.slice(0, -2)}00`;
const compressed = `0x3039301306072a8648ce3d020106082a8648ce3d030107032200${"02"}${testKey("rt-1-key").spki.slice(56, 120)}`;

const MORE_VALUES: readonly InvalidCase[] = [
  entry(
    "FORMAT_VALUE_INVALID",
    "key-not-on-the-curve",
    "/runtime_key_certificates/0/public_key",
    "A point off the curve opens the door to attacks on whatever library sees it, so none does.",
    "The last byte of the runtime's public key was changed, and its certificate signed again.",
    resigned("runtime:rt-1", (certificate) => {
      certificate["public_key"] = offCurve;
    }),
  ),
  entry(
    "FORMAT_VALUE_INVALID",
    "compressed-key",
    "/runtime_key_certificates/0/public_key",
    "A key has one spelling, or its thumbprint would not be one.",
    "The runtime's public key was written as a compressed point, and its certificate signed again.",
    resigned("runtime:rt-1", (certificate) => {
      certificate["public_key"] = compressed;
    }),
  ),
  entry(
    "FORMAT_VALUE_INVALID",
    "no-tools",
    "/delegations/0/tools",
    "A delegation of no tools allows nothing, and must not be read as one of all.",
    "`tools` of the delegation was emptied and signed again.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["tools"] = [];
    }),
  ),
  entry(
    "FORMAT_VALUE_INVALID",
    "tool-twice",
    "/delegations/0/tools/1",
    "Tools are a set: each stands once.",
    "The first tool of the delegation was listed twice, and it was signed again.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["tools"] = ["shell.run", "shell.run"];
    }),
  ),
  entry(
    "FORMAT_VALUE_INVALID",
    "unknown-scope",
    "/claim/scope",
    "A scope outside the closed list claims nothing that could be checked.",
    "`scope` was set to `everything`.",
    {
      bundle: (bundle) => {
        bundle["claim"].scope = "everything";
      },
    },
  ),
  entry(
    "FORMAT_VALUE_INVALID",
    "unknown-anchor-type",
    "/evidence_trees/0/anchors/1/type",
    "An anchor of a type outside the table is a format error, unlike one on a ledger that is only not pinned.",
    "An anchor of type `blockchain` was put beside the good one.",
    {
      bundle: (bundle) => {
        bundle["evidence_trees"][0].anchors.push({ type: "blockchain", proof: "0x00" });
      },
    },
  ),
  entry(
    "FORMAT_VALUE_INVALID",
    "parent-twice",
    "/receipts/3/parent_receipt_digests/1",
    "Parents are a set: each stands once.",
    "The merging receipt names one parent twice, and was signed again.",
    {
      parent: "fork-and-merge",
      ...resigned("receipt:4", (receipt, world) => {
        receipt["parent_receipt_digests"] = [world.digest("receipt:2"), world.digest("receipt:2")];
      }),
    },
  ),
  entry(
    "FORMAT_ALGORITHM_NOT_ACCEPTED",
    "policy-without-p256",
    "/agent_key_certificates/0/signing_algorithm",
    "The policy decides which algorithms are looked at, before any cryptography runs.",
    "The policy accepts Ed25519 only.",
    {
      side: [
        "trust",
        (trust) => {
          trust["accepted_algorithms"] = ["ED25519"];
        },
      ],
    },
  ),
  entry(
    "FORMAT_ALGORITHM_NOT_ACCEPTED",
    "policy-without-ed25519",
    "/receipts/0/signing_algorithm",
    "One statement with an algorithm that the policy does not accept is enough.",
    "The policy accepts P-256 only; the runtime signs with Ed25519.",
    {
      parent: "mixed-algorithms",
      side: [
        "trust",
        (trust) => {
          trust["accepted_algorithms"] = ["ECDSA_P256"];
        },
      ],
    },
  ),
];

export const FORMAT_VALUE_CASES: readonly InvalidCase[] = [...VALUES, ...MORE_VALUES];
