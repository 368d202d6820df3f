/** Check 1, FORMAT: one run, nothing twice, nothing that rides along. */
import { MINUTE, testDigest } from "../keys.js";
import type { World } from "../world.js";
import { casesFrom, type InvalidCase, resigned } from "./invalid.js";

const entry = casesFrom("one-receipt");

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
  made: Partial<InvalidCase> = {},
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

export const FORMAT_RUN_CASES: readonly InvalidCase[] = [...RUN, ...UNREFERENCED];
