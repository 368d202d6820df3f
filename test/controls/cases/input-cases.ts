import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import { added, resigned } from "../../support/cases/invalid.js";
import { MINUTE, testDigest } from "../../support/keys.js";
import { type ControlCase, derived, together } from "./control-case.js";
import { withText } from "./reading-cases.js";
import { replaceIn, setAll, trustWith } from "./stories.js";

const TRUST: readonly ControlCase[] = [
  derived(
    "TRUST_POLICY_INVALID",
    "member-again",
    "one-receipt",
    "A member of the policy stands twice. A reader that keeps the first does not see the second.",
    {
      edit: (inputs) => ({
        ...inputs,
        trust: replaceIn(
          inputs.trust,
          '"require_session_close": false,',
          '"require_session_close": false,\n"require_session_close": true,',
        ),
      }),
    },
  ),
  derived(
    "TRUST_INPUT_INVALID",
    "33-october",
    "one-receipt",
    "No calendar has the day; counted on from the first it is the day of the session.",
    { at: "2026-10-33T12:00:00Z" },
  ),
  derived(
    "TRUST_INPUT_INVALID",
    "misspelled-option",
    "one-receipt",
    "The expectations are passed under a name that the library does not know, and so would never be asked.",
    { edit: (inputs) => ({ ...inputs, options: { expectation: encodeUtf8("{}") } }) },
  ),
  derived(
    "TRUST_INPUT_INVALID",
    "heads-with-a-member-twice",
    "known-heads",
    "A member of the known heads stands twice. A reader that keeps the first does not see the second.",
    {
      edit: (inputs) => ({
        ...inputs,
        heads: replaceIn(inputs.heads, '"namespaces":', '"type": "KnownHeadsV1", "namespaces":'),
      }),
    },
  ),
  derived(
    "TRUST_INPUT_INVALID",
    "supplement-list-of-another-namespace",
    "supplement-newer-list",
    "The list in the supplement is of another namespace, signed by this one's root.",
    { take: "supplement", ...resigned("list:2", setAll({ namespace_id: "net.example" })) },
  ),
];

const SHAPES: readonly ControlCase[] = [
  derived(
    "FORMAT_MISSING_MEMBER",
    "receipt-without-action-id",
    "one-receipt",
    "The receipt has no `action_id`, a member that no other rule looks at.",
    resigned("receipt:1", (receipt) => {
      delete receipt["action_id"];
    }),
  ),
  derived(
    "FORMAT_WRONG_TYPE",
    "action-id-as-number",
    "one-receipt",
    "The receipt's `action_id`, which no other rule looks at, is a number.",
    resigned("receipt:1", setAll({ action_id: 7 })),
  ),
  derived(
    "FORMAT_VALUE_INVALID",
    "space-in-an-action-id",
    "one-receipt",
    "The receipt's `action_id`, which no other rule looks at, has a space.",
    resigned("receipt:1", setAll({ action_id: "action 1" })),
  ),
  derived(
    "FORMAT_VALUE_INVALID",
    "seal-over-no-close",
    "one-receipt",
    "A seal names no close, and none is shown.",
    added("receipts", (world) => world.seal("planner", [], 15 * MINUTE)),
  ),
  derived(
    "FORMAT_VALUE_INVALID",
    "known-parent-twice",
    "fork-and-merge",
    "The second receipt names its parent, which is in the bundle, twice.",
    resigned("receipt:2", (receipt) => {
      receipt["parent_receipt_digests"].push(receipt["parent_receipt_digests"][0]);
    }),
  ),
  derived(
    "FORMAT_TOO_LARGE",
    "too-many-anchors",
    "one-receipt",
    "The tree has 64 different anchors beside the good one, on a ledger that nobody pins.",
    {
      bundle: (bundle) => {
        for (let place = 0; place < 64; place += 1) withText(`proof ${place}`)(bundle);
      },
    },
  ),
  derived(
    "TRUST_POLICY_INVALID",
    "limits-as-an-array",
    "one-receipt",
    "`limits`, all of whose members are optional, is an empty array.",
    trustWith({ limits: [] }),
  ),
];

const RUN: readonly ControlCase[] = [
  derived(
    "FORMAT_TOO_LARGE",
    "too-many-records",
    "one-receipt",
    "1,001 records of the agent, each good.",
    added("receipts", async (world) => {
      for (let number = 2; number <= 1_001; number += 1) {
        await world.record(`record:${number}`, "planner", number, ["agent:planner"]);
      }
    }),
  ),
  derived(
    "FORMAT_EMPTY",
    "nothing-shown",
    "one-receipt",
    "Neither receipt nor target, and nothing that would then be unreferenced.",
    {
      bundle: (bundle) => {
        for (const [name, value] of Object.entries(bundle)) {
          if (Array.isArray(value) && name !== "revocation_lists") bundle[name] = [];
        }
        bundle["claim"].targets = [];
      },
    },
  ),
  derived(
    "FORMAT_MIXED_RUN",
    "ancestor-of-another-mission",
    "session-with-an-older-ancestor",
    "An ancestor is of another mission, and so is the delegation that it acted under.",
    {
      world: {
        statements: {
          "delegation:rt-0": { draft: setAll({ mission_id: "mission-8" }) },
          "receipt:0": { draft: setAll({ mission_id: "mission-8" }) },
        },
      },
    },
  ),
  derived(
    "FORMAT_MIXED_RUN",
    "child-of-another-mission",
    "fork-and-merge",
    "The planner's delegation to the coder is for another mission than the coder's own.",
    resigned("delegation:to-coder", setAll({ mission_id: "mission-8" })),
  ),
  derived(
    "FORMAT_DUPLICATE_STATEMENT",
    "attestation-twice",
    "attestation-carried",
    "The attestation stands twice, under two types.",
    {
      bundle: (bundle) => {
        bundle["attestations"].push({ ...bundle["attestations"][0], type: "sev_snp" });
      },
    },
  ),
  derived(
    "FORMAT_DUPLICATE_STATEMENT",
    "two-items-at-one-place",
    "disclosures",
    "Two items of one action are shown at one place. Their paths hold: for the last of three, a path of two leads to the root as well.",
    {
      ...added("receipts", (world) => world.disclose("1", "evidence 1")),
      bundle: (bundle) => {
        const { inclusion } = bundle["disclosures"][3];
        Object.assign(inclusion, { leaf_index: 1, tree_size: 2 });
      },
    },
  ),
  derived(
    "FORMAT_ALGORITHM_NOT_ACCEPTED",
    "list-of-a-supplement",
    "supplement-newer-list",
    "The policy accepts P-256 only; the list of the supplement is labelled Ed25519.",
    {
      take: "supplement",
      ...resigned("list:2", setAll({ signing_algorithm: "ED25519" })),
      edit: (inputs) => ({
        ...inputs,
        trust: replaceIn(inputs.trust, '"ECDSA_P256",\n    "ED25519"', '"ECDSA_P256"'),
      }),
    },
  ),
];

const UNREFERENCED: readonly ControlCase[] = [
  derived(
    "FORMAT_UNREFERENCED",
    "end-of-another-session",
    "one-receipt",
    "A close and a seal of a session that no receipt is of.",
    together(
      resigned("close:rt-2", setAll({ last_receipt_digest: testDigest("a receipt elsewhere") })),
      added("receipts", async (world) => {
        await world.runtime("rt-2", "planner", { session: "session-2" });
        await world.close("rt-2", "1", 15 * MINUTE);
        await world.seal("planner", ["rt-2"], 16 * MINUTE, "session-2");
      }),
    ),
  ),
  derived(
    "FORMAT_UNREFERENCED",
    "record-of-another-agent",
    "one-receipt",
    "A record of an agent that did nothing here, listing the certificate of the one that did.",
    added("receipts", (world) => world.record("record:coder", "coder", 1, ["agent:planner"])),
  ),
  derived(
    "FORMAT_UNREFERENCED",
    "tree-of-nothing-shown",
    "one-receipt",
    "A tree in mode `inclusion` that proves a statement which is not in the bundle.",
    {
      bundle: (bundle) => {
        const statement = `0x${"11".repeat(32)}`;
        bundle["evidence_trees"].push({
          root: `0x${"22".repeat(32)}`,
          tree_size: 1,
          mode: "inclusion",
          proofs: [{ statement_digest: statement, leaf_index: 0, audit_path: [] }],
          anchors: [],
        });
      },
    },
  ),
];

export const INPUT_CASES: readonly ControlCase[] = [...TRUST, ...SHAPES, ...RUN, ...UNREFERENCED];
