/** Check 0, TRUST: the auditor's own inputs. */

import { witnessNoteSigner } from "../../../src/collect/note-signer.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import { testDigest } from "../keys.js";
import { logSigner, witness } from "../log.js";
import { agentId } from "../trust.js";
import type { Draft } from "../world.js";
import type { InvalidCase } from "./invalid.js";

const parent = "one-receipt";

function policy(
  name: string,
  pointer: string,
  why: string,
  how: string,
  edit: (policy: Draft) => Draft | undefined,
): InvalidCase {
  return {
    code: "TRUST_POLICY_INVALID",
    name,
    parent,
    pointer,
    source: "trust_policy",
    why,
    how,
    side: ["trust", edit],
  };
}

const namespaceOf = (trust: Draft): Draft => trust["namespaces"][0];

export const TRUST_CASES: readonly InvalidCase[] = [
  {
    code: "TRUST_POLICY_MISSING",
    name: "no-policy",
    parent,
    pointer: "",
    source: "trust_policy",
    why: "There is no default trust: without a policy nothing is pinned, and nothing can be accepted.",
    how: "`trust.json` was left out, and the verifier is called without one.",
    sideBytes: ["trust", null],
  },
  {
    code: "TRUST_POLICY_MISSING",
    name: "empty-policy",
    parent,
    pointer: "",
    source: "trust_policy",
    why: "A policy file of no bytes is no policy, and must not be read as one that allows everything.",
    how: "`trust.json` was emptied.",
    sideBytes: ["trust", new Uint8Array(0)],
  },
  policy(
    "misspelled-member",
    "/clock_skew_second",
    "A misspelled member must be an error and not a weaker check: the auditor meant to say something.",
    "`clock_skew_second` (without the s) was added to the policy.",
    (trust) => {
      trust["clock_skew_second"] = 10;
    },
  ),
  policy(
    "skew-above-bound",
    "/clock_skew_seconds",
    "A clock skew above 300 seconds would make every time rule meaningless, so no policy may ask for it.",
    "`clock_skew_seconds` was set to 301.",
    (trust) => {
      trust["clock_skew_seconds"] = 301;
    },
  ),
  policy(
    "nothing-pinned",
    "/namespaces",
    "A policy that pins no namespace trusts nobody, and is refused rather than read as trusting everybody.",
    "`namespaces` was emptied.",
    (trust) => {
      trust["namespaces"] = [];
    },
  ),
  policy(
    "no-root",
    "/namespaces/0/roots",
    "A namespace without a root key pins nothing.",
    "`roots` of the namespace was emptied.",
    (trust) => {
      namespaceOf(trust)["roots"] = [];
    },
  ),
  policy("no-log", "/tlog/logs", "Without a ledger nothing can be dated.", "`logs` was emptied.", (trust) => {
    trust["tlog"]["logs"] = [];
  }),
  policy(
    "one-key-is-log-and-witness",
    "/tlog",
    "A log that is its own witness adds nothing to its own word, so no key may be both.",
    "The key of witness-1 was replaced by the log's key under the witness's name.",
    (trust) => {
      const name = witness(1).key.name;
      trust["tlog"]["witnesses"][0].vkey = witnessNoteSigner(name, logSigner().signer).key.vkey;
    },
  ),
  policy(
    "undefined-quorum",
    "/tlog",
    "A quorum that nothing defines could never be judged.",
    "`quorum` was set to a name that no witness or group has.",
    (trust) => {
      trust["tlog"]["quorum"] = "three-of-three";
    },
  ),
  policy(
    "top-delegator-outside",
    "/namespaces/0/top_delegators/1",
    "An agent whose DNS name the namespace may not bear cannot start its delegation chains.",
    "An agent of another organisation was added to `top_delegators`.",
    (trust) => {
      namespaceOf(trust)["top_delegators"].push("@ai:agents.example.net/planner");
    },
  ),
  policy(
    "wrong-type",
    "/type",
    "Another document cannot stand in for the policy.",
    "`type` was set to another version.",
    (trust) => {
      trust["type"] = "TrustPolicyV2";
    },
  ),
  {
    ...policy("repeated-member", "/require_session_close", "", "", () => undefined),
    why: "Of two members with one name, readers could take either, so neither is taken.",
    how: "The policy is one line of JSON in which `require_session_close` stands twice.",
    sideBytes: ["trust", encodeUtf8('{"require_session_close":true,"require_session_close":false}')],
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "time-without-zone",
    parent,
    pointer: "/at",
    source: "arguments",
    why: "A verification time that is not RFC 3339 in UTC has no one reading.",
    how: "The `Z` of the verification time was taken away.",
    at: "2026-11-02T12:00:00",
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "time-not-in-calendar",
    parent,
    pointer: "/at",
    source: "arguments",
    why: "A day that no calendar has is no instant.",
    how: "The verification time was set to 30 February.",
    at: "2027-02-30T12:00:00Z",
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "expectation-misspelled",
    parent: "expectations-met",
    pointer: "/tools",
    source: "expectations",
    why: "A misspelled expectation would never be asked, and the auditor would believe that it was answered.",
    how: "`tools` was added to the expectations.",
    side: [
      "expectations",
      (asked) => {
        asked["tools"] = "shell.run";
      },
    ],
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "expectations-ask-nothing",
    parent: "expectations-met",
    pointer: "",
    source: "expectations",
    why: "Expectations that ask nothing are a mistake: a report would say that they were met.",
    how: "Every question was taken out of the expectations.",
    side: ["expectations", (asked) => ({ protocol: asked["protocol"], type: asked["type"] })],
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "supplement-of-another-namespace",
    parent: "supplement-newer-list",
    pointer: "/namespace_id",
    source: "supplement",
    why: "A supplement speaks for one namespace, and this one is not for the namespace of the bundle.",
    how: "`namespace_id` of the supplement was changed.",
    side: [
      "supplement",
      (newer) => {
        newer["namespace_id"] = "net.example";
      },
    ],
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "supplement-of-another-version",
    parent: "supplement-newer-list",
    pointer: "/type",
    source: "supplement",
    why: "A supplement that cannot be read is not left out: the auditor meant it to be looked at.",
    how: "`type` of the supplement was set to another version.",
    side: [
      "supplement",
      (newer) => {
        newer["type"] = "SupplementV2";
      },
    ],
  },
  {
    code: "TRUST_INPUT_INVALID",
    name: "heads-name-a-log-twice",
    parent: "known-heads",
    pointer: "",
    source: "heads",
    why: "Two known heads of one log contradict each other, so neither can be relied on.",
    how: "The head of the log was added a second time, with another root.",
    side: [
      "heads",
      (heads) => {
        heads["logs"].push({ ...heads["logs"][0], root: testDigest("another root") });
      },
    ],
  },
  {
    code: "TRUST_NAMESPACE_NOT_PINNED",
    name: "another-namespace-pinned",
    parent,
    pointer: "/namespace_id",
    why: "The policy pins a root for another namespace only. A root speaks for its own namespace and no other.",
    how: "`namespace_id` in the policy was changed.",
    side: [
      "trust",
      (trust) => {
        namespaceOf(trust)["namespace_id"] = "net.example";
        namespaceOf(trust)["top_delegators"] = [agentId("planner")];
      },
    ],
  },
];
