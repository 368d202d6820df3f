/** Check 1, FORMAT: bytes, closed schemas, one run, nothing that rides along. */
import { concatBytes } from "../../../src/encoding/bytes.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import type { FailureCode } from "../../../src/errors.js";
import { MINUTE, testDigest, testKey } from "../keys.js";
import type { World } from "../world.js";
import { type InvalidCase, replaceText, resigned } from "./invalid.js";

type Made = Partial<InvalidCase>;

function entry(
  code: FailureCode,
  name: string,
  pointer: string,
  why: string,
  how: string,
  made: Made,
): InvalidCase {
  return { code, name, parent: "one-receipt", pointer, why, how, ...made };
}

const append = (more: Uint8Array) => (bytes: Uint8Array) => concatBytes(bytes, more);

/** Overwrites the bytes behind the first place of a text. */
function setBytesAfter(text: string, values: readonly number[]): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const wanted = encodeUtf8(text);
    const place = bytes.findIndex((_, index) => wanted.every((byte, step) => bytes[index + step] === byte));
    if (place < 0) throw new Error(`${text} is not in the bundle`);
    const changed = bytes.slice();
    changed.set(values, place + wanted.length);
    return changed;
  };
}

const SIZE: readonly InvalidCase[] = [
  entry(
    "FORMAT_TOO_LARGE",
    "over-the-policys-bytes",
    "",
    "The auditor bounds what is read at all, before any of it is looked at.",
    "The policy allows bundles of 1,000 bytes.",
    {
      side: [
        "trust",
        (trust) => {
          trust["limits"] = { max_bundle_bytes: 1_000 };
        },
      ],
    },
  ),
  entry(
    "FORMAT_TOO_LARGE",
    "over-the-policys-receipts",
    "/receipts",
    "The auditor bounds how many receipts are verified.",
    "The policy allows three receipts, the bundle holds four.",
    {
      parent: "fork-and-merge",
      side: [
        "trust",
        (trust) => {
          trust["limits"] = { max_receipts: 3 };
        },
      ],
    },
  ),
  entry(
    "FORMAT_TOO_LARGE",
    "nested-too-deep",
    "",
    "Arrays inside arrays without end would exhaust a reader that follows them.",
    "A policy document of 70 nested arrays was put into the bundle.",
    {
      bundle: (bundle) => {
        bundle["policies"] = ["DEEP"];
      },
      bytes: replaceText('"DEEP"', `{"a":${"[".repeat(70)}${"]".repeat(70)}}`),
    },
  ),
  entry(
    "FORMAT_TOO_LARGE",
    "too-many-parents",
    "/receipts/0/parent_receipt_digests",
    "A receipt has at most 64 parents; a wider merge is a tree of receipts.",
    "The receipt names 65 parents.",
    resigned("receipt:1", (receipt) => {
      receipt["parent_receipt_digests"] = Array.from({ length: 65 }, (_, i) =>
        testDigest(`parent ${i}`),
      ).sort();
    }),
  ),
];

const BYTES: readonly InvalidCase[] = [
  entry(
    "FORMAT_TEXT_INVALID",
    "byte-order-mark",
    "",
    "A byte order mark is no JSON, and some readers drop it silently: the same file would be two things.",
    "The three bytes EF BB BF were put before the bundle.",
    { bytes: (bytes) => concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), bytes) },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "bad-utf8",
    "",
    "Bytes that are no UTF-8 would be replaced by many readers, each in its way.",
    "One byte inside `mission_id` was set to FF.",
    { bytes: setBytesAfter('"mission_id":"', [0xff]) },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "lone-surrogate",
    "/mission_id",
    "Half of a surrogate pair is no character; writing it as UTF-8 is impossible, so no two readers hash it alike.",
    "`mission_id` of the bundle was set to the escape of a lone surrogate.",
    {
      bytes: replaceText(
        '"mission_id":"mission-7","namespace_id":"org.example","policies"',
        '"mission_id":"\\ud800","namespace_id":"org.example","policies"',
      ),
    },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "noncharacter",
    "/disclosures/0/value/json/command",
    "I-JSON (RFC 7493) forbids Unicode noncharacters, in free JSON as everywhere.",
    "U+FFFE was put into a disclosed text.",
    { parent: "disclosures", bytes: replaceText("make report", "make \\ufffe report") },
  ),
  entry(
    "FORMAT_TEXT_INVALID",
    "noncharacter-in-cbor",
    "/receipts/0/mission_id",
    "The rules of the text hold in the compact form too.",
    "The first three bytes of the receipt's `mission_id` in the CBOR bundle were replaced by U+FFFE.",
    {
      parent: "one-receipt-cbor",
      bytes: setBytesAfter("jmission_idi", [0xef, 0xbf, 0xbe]),
    },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "trailing-bytes",
    "",
    "Nothing may follow the bundle: what follows would be unsigned and unread.",
    "`{}` was appended.",
    { bytes: append(encodeUtf8("{}")) },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "trailing-comma",
    "",
    "JSON has no trailing comma; a reader that forgives one forgives more.",
    "A comma was put behind the last target.",
    { bytes: replaceText('"]},', '",]},') },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "comment",
    "",
    "JSON has no comments.",
    "A comment was put before the first member.",
    { bytes: replaceText("{", "{/* checked */") },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "cbor-trailing-byte",
    "",
    "Nothing may follow the value in the compact form either.",
    "One byte 00 was appended.",
    { parent: "one-receipt-cbor", bytes: append(Uint8Array.of(0)) },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "cbor-indefinite-length",
    "",
    "Deterministic CBOR has one form for each value; an indefinite length is a second one.",
    "The outermost map was rewritten with an indefinite length and a break.",
    {
      parent: "one-receipt-cbor",
      bytes: (bytes) => concatBytes(Uint8Array.of(0xbf), bytes.subarray(1), Uint8Array.of(0xff)),
    },
  ),
  entry(
    "FORMAT_SYNTAX_INVALID",
    "cbor-long-head",
    "",
    "A length that is not in its shortest form is a second spelling of the same bundle.",
    "The head of the outermost map was rewritten in two bytes.",
    {
      parent: "one-receipt-cbor",
      bytes: (bytes) => concatBytes(Uint8Array.of(0xb8, (bytes[0] ?? 0) & 0x1f), bytes.subarray(1)),
    },
  ),
  entry(
    "FORMAT_TRUNCATED",
    "json-cut",
    "",
    "A file that ends early may have lost anything.",
    "The last byte was cut off.",
    { bytes: (bytes) => bytes.subarray(0, -1) },
  ),
  entry(
    "FORMAT_TRUNCATED",
    "cbor-cut",
    "",
    "A file that ends early may have lost anything.",
    "The last 100 bytes were cut off.",
    { parent: "one-receipt-cbor", bytes: (bytes) => bytes.subarray(0, -100) },
  ),
  entry("FORMAT_TRUNCATED", "empty", "", "An empty file is no bundle.", "All bytes were cut off.", {
    bytes: () => new Uint8Array(0),
  }),
  entry(
    "FORMAT_DUPLICATE_MEMBER",
    "claim-twice",
    "/claim",
    "Of two members with one name, readers take the first or the last: the same file would make two claims.",
    "A second `claim` was put before the real one.",
    { bytes: replaceText('"claim":', '"claim":{"scope":"causal","targets":[]},"claim":') },
  ),
  entry(
    "FORMAT_DUPLICATE_MEMBER",
    "hidden-by-an-escape",
    "/receipts/0/tool",
    "Names are compared after unescaping, or a second `tool` could hide behind an escape.",
    "A member `\\u0074ool` was put before `tool` in the receipt.",
    { bytes: replaceText('"tool":', '"\\u0074ool":"file.read","tool":') },
  ),
];

const NUMBERS: readonly InvalidCase[] = [
  ["fraction", "1.0", "An integer has one spelling, digits only: `1.0` is the same value and another text."],
  ["exponent", "1e0", "An integer has one spelling, digits only: `1e0` is the same value and another text."],
  ["negative", "-1", "No integer of the protocol has a sign."],
  ["beyond-2-to-the-53", "9007199254740993", "Beyond 2^53-1 readers round, each to its own neighbour."],
].map(([name, text, why]) =>
  entry(
    "FORMAT_NUMBER_INVALID",
    name ?? "",
    "/receipts/0/sequence",
    why ?? "",
    `The receipt's \`sequence\` was written \`${text}\`.`,
    { bytes: replaceText('"sequence":1,', `"sequence":${text},`) },
  ),
);

const MORE_NUMBERS: readonly InvalidCase[] = [
  entry(
    "FORMAT_NUMBER_INVALID",
    "beyond-a-double",
    "/disclosures/0/value/json/nice",
    "In free JSON too a number must be one that every reader can hold.",
    "A disclosed number was written `1e400`.",
    { parent: "disclosures", bytes: replaceText('"nice":-1.5', '"nice":1e400') },
  ),
];

const SHAPE: readonly InvalidCase[] = [
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

const RUN: readonly InvalidCase[] = [
  entry(
    "FORMAT_EMPTY",
    "no-receipt",
    "/receipts",
    "An empty bundle proves nothing and must not pass for want of anything to fail.",
    "All receipts were taken out.",
    {
      bundle: (bundle) => {
        bundle["receipts"] = [];
      },
    },
  ),
  entry(
    "FORMAT_EMPTY",
    "no-target",
    "/claim/targets",
    "A bundle about nothing proves nothing.",
    "All targets were taken out of the claim.",
    {
      bundle: (bundle) => {
        bundle["claim"].targets = [];
      },
    },
  ),
  entry(
    "FORMAT_MIXED_RUN",
    "receipt-of-another-namespace",
    "/receipts/0/namespace_id",
    "One bundle, one namespace: a root of one must never vouch for a receipt of another.",
    "`namespace_id` of the receipt was changed and signed again.",
    resigned("receipt:1", (receipt) => {
      receipt["namespace_id"] = "net.example";
    }),
  ),
  entry(
    "FORMAT_MIXED_RUN",
    "list-of-another-namespace",
    "/revocation_lists/0/list/namespace_id",
    "A revocation list speaks for its own namespace only.",
    "`namespace_id` of the list was changed, and it was signed and anchored again.",
    resigned("list:1", (list) => {
      list["namespace_id"] = "net.example";
    }),
  ),
  entry(
    "FORMAT_MIXED_RUN",
    "parent-of-another-mission",
    "/receipts/0/mission_id",
    "Parents belong to the same mission; what was done for another is not this one's history.",
    "`mission_id` of the first receipt was changed, and everything after it was signed again.",
    {
      parent: "fork-and-merge",
      ...resigned("receipt:1", (receipt) => {
        receipt["mission_id"] = "mission-8";
      }),
    },
  ),
  entry(
    "FORMAT_MIXED_RUN",
    "session-targets-in-two-sessions",
    "/claim/targets",
    "Scope `session` is about one session.",
    "A runtime of a second session acted as well, and its receipt was made a target.",
    {
      parent: "session-without-seal",
      world: {
        steps: {
          receipts: async (world) => {
            await world.runtime("rt-3", "planner", { session: "session-2" });
            await world.delegation("rt-3", "planner", "rt-3", { session: "session-2" });
            await world.receipt("6", { runtime: "rt-3", sequence: 1, time: 10 * MINUTE });
            await world.close("rt-3", "6", 17 * MINUTE);
            world.targets.push("6");
          },
        },
      },
    },
  ),
  ...(
    [
      ["receipt", "receipts", "A receipt"],
      ["revocation-list", "revocation_lists", "A revocation list"],
      ["tree", "evidence_trees", "An evidence tree"],
      ["disclosure", "disclosures", "A disclosure"],
      ["policy", "policies", "A policy document"],
    ] as const
  ).map(([name, member, what]) =>
    entry(
      "FORMAT_DUPLICATE_STATEMENT",
      `${name}-twice`,
      `/${member}/${name === "receipt" ? 2 : name === "disclosure" ? 5 : 1}${name === "revocation-list" ? "/list" : ""}`,
      "A repeated statement could be counted twice, and shows that the bundle was not packed by rule.",
      `${what} of the bundle was added a second time.`,
      {
        parent: "disclosures",
        bundle: (bundle) => {
          bundle[member].push(bundle[member][0]);
        },
      },
    ),
  ),
  entry(
    "FORMAT_DUPLICATE_STATEMENT",
    "anchor-twice",
    "/evidence_trees/0/anchors/1",
    "One proof shown twice is not two proofs.",
    "The anchor of the tree was added a second time.",
    {
      bundle: (bundle) => {
        bundle["evidence_trees"][0].anchors.push(bundle["evidence_trees"][0].anchors[0]);
      },
    },
  ),
];

/** A statement more, made by the world, that nothing in the claim leads to. */
function riding(
  name: string,
  pointer: string,
  what: string,
  step: (world: World) => unknown,
  made: Made = {},
): InvalidCase {
  return entry(
    "FORMAT_UNREFERENCED",
    name,
    pointer,
    "Nothing unverified rides along: what the claim does not lead to would lend weight to it without being judged for it.",
    what,
    { world: { steps: { receipts: step } }, ...made },
  );
}

const UNREFERENCED: readonly InvalidCase[] = [
  riding(
    "receipt-beside-the-targets",
    "/receipts/1",
    "A second receipt was made, neither target nor ancestor of one. It is in the tree.",
    (world) => world.receipt("2", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] }),
  ),
  riding(
    "agent-certificate",
    "/agent_key_certificates/1",
    "A second certificate of the agent was made that nothing names.",
    (world) => world.agentCertificate("agent:planner:2", "planner", "planner-key-2"),
  ),
  riding(
    "runtime-certificate",
    "/runtime_key_certificates/1",
    "A certificate of a runtime was made that signed nothing here.",
    (world) => world.runtime("rt-2", "planner"),
  ),
  riding("delegation", "/delegations/1", "A delegation was made that no receipt names.", (world) =>
    world.delegation("rt-2", "planner", "rt-2"),
  ),
  riding(
    "policy-document",
    "/policies/0",
    "A policy document was added whose digest nothing names.",
    (world) => {
      world.policies.push({ name: "a friendlier policy" });
    },
  ),
  riding(
    "attestation",
    "/attestations/0",
    "An attestation document was added that no certificate names.",
    (world) => {
      world.attestations.push({ type: "nitro", document: "0x00" });
    },
  ),
  entry(
    "FORMAT_UNREFERENCED",
    "disclosure-of-nothing",
    "/disclosures/0",
    "An opening of a receipt that is not shown cannot be checked.",
    "A disclosure names a receipt that is not in the bundle.",
    {
      parent: "disclosed-bytes",
      bundle: (bundle) => {
        bundle["disclosures"][0].receipt_digest = testDigest("a receipt elsewhere");
      },
    },
  ),
  entry(
    "FORMAT_UNREFERENCED",
    "altered-delegation",
    "/delegations/0",
    "A changed statement has another digest, so what named it no longer does.",
    "A tool was added to the delegation in the bundle, and nothing was signed again.",
    {
      bundle: (bundle) => {
        bundle["delegations"][0].tools.push("shell.sudo");
      },
    },
  ),
];

export const FORMAT_CASES: readonly InvalidCase[] = [
  ...SIZE,
  ...BYTES,
  ...NUMBERS,
  ...MORE_NUMBERS,
  ...SHAPE,
  ...VALUES,
  ...MORE_VALUES,
  ...RUN,
  ...UNREFERENCED,
];
