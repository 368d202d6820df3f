/** Checks 3 and 4. */
import { added, type InvalidCase, resigned } from "../../support/cases/invalid.js";
import { at, DAY, HOUR, MINUTE, testKey } from "../../support/keys.js";
import { begin, type Story, story } from "../../support/story.js";
import { agentId, basePolicy, pinnedRoot, withNamespace } from "../../support/trust.js";
import { revocationEntry, World } from "../../support/world.js";
import { type ControlCase, derived, together, told } from "./control-case.js";
import { dated, setAll } from "./stories.js";

/** The delegation of the coder's runtime is signed by the planner, and says so but for what `more` changes. */
const byThePlanner = (more: (delegation: Record<string, unknown>) => void): Pick<InvalidCase, "world"> => ({
  world: {
    statements: {
      "delegation:rt-2": {
        draft: (delegation, world) => {
          delegation["agent_key_certificate_digest"] = world.digest("agent:planner");
          delegation["issuer_key_id"] = "planner-key";
          more(delegation);
        },
        key: testKey("planner-key"),
      },
    },
  },
});

const DELEGATIONS: readonly ControlCase[] = [
  derived(
    "DELEGATION_SIGNATURE_INVALID",
    "in-another-agents-name",
    "fork-and-merge",
    "The coder's delegation names the planner's certificate and key, and the planner's key signed it.",
    byThePlanner(() => undefined),
  ),
  derived(
    "DELEGATION_SIGNATURE_INVALID",
    "label-of-another-algorithm",
    "one-receipt",
    "The delegation is labelled Ed25519 and signed by the agent's P-256 key.",
    resigned("delegation:rt-1", setAll({ signing_algorithm: "ED25519" })),
  ),
  derived(
    "DELEGATION_OUTSIDE_WINDOW",
    "empty",
    "one-receipt",
    "The delegation ends where it begins.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["not_after"] = delegation["not_before"];
    }),
  ),
  derived(
    "DELEGATION_OUTSIDE_WINDOW",
    "parent-issued-after-it",
    "fork-and-merge",
    "The planner's delegation to the coder was issued five minutes after the coder's own, and before the coder's action.",
    resigned("delegation:to-coder", setAll({ issued_at: at(5 * MINUTE) })),
  ),
  derived(
    "DELEGATION_BINDING_MISMATCH",
    "child-of-another-session",
    "fork-and-merge",
    "The planner's delegation to the coder is for another session than the coder's own.",
    resigned("delegation:to-coder", setAll({ session_id: "session-2" })),
  ),
  derived(
    "DELEGATION_WIDENED",
    "bound-raised",
    "max-actions",
    "The first runtime's delegation allows five actions, its parent four. Two were done.",
    resigned("delegation:rt-1", setAll({ max_actions: 5 })),
  ),
  derived(
    "DELEGATION_BINDING_MISMATCH",
    "another-agent",
    "fork-and-merge",
    "The delegation of the coder's runtime is the planner's own, without a parent.",
    {
      ...byThePlanner((delegation) => {
        delegation["agent_id"] = agentId("planner");
        delete delegation["parent_delegation_digest"];
      }),
      bundle: (bundle) => {
        bundle["delegations"].splice(1, 1);
      },
    },
  ),
];

function listed(keyId: string, thumbprintOf: string, label = "list:1"): Pick<InvalidCase, "world"> {
  return resigned(label, (list, world) => {
    list["entries"].push(revocationEntry(keyId, world.key(thumbprintOf).thumbprint));
  });
}

/** One receipt under the first root, and what is done to roots and lists after it was anchored. */
async function underFirstRoot(after: (world: World) => Promise<void>, trust = basePolicy()): Promise<Story> {
  const world = new World();
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.tree("tree", 40 * MINUTE);
  await after(world);
  return story(world.bundle("causal", ["1"]), { trust });
}

const SOUND: readonly ControlCase[] = [
  derived(
    "REVOCATION_SIGNATURE_INVALID",
    "names-an-unknown-root",
    "one-receipt",
    "The list names a root of nobody; the pinned root signed it.",
    resigned("list:1", setAll({ issuer_key_id: "root-9" })),
  ),
  derived(
    "REVOCATION_SIGNATURE_INVALID",
    "before-its-root",
    "rotation-forward",
    "Beside the fresh list stands the one before it, which the new root dated half a day before it came into effect.",
    together(
      resigned("list:1", (list, world) => {
        list["list_number"] = 2;
        list["previous_list_digest"] = world.digest("list:old");
      }),
      added("rotation", (world) => world.list(1, -3.5 * DAY, [], "list:old")),
    ),
  ),
  derived(
    "REVOCATION_SIGNATURE_INVALID",
    "label-of-another-algorithm",
    "one-receipt",
    "The list is labelled Ed25519 and signed by the P-256 root.",
    resigned("list:1", setAll({ signing_algorithm: "ED25519" })),
  ),
];

const REVOKED: readonly ControlCase[] = [
  derived(
    "REVOCATION_KEY_REVOKED",
    "retired-root",
    "rotation-backward",
    "The new root's list, which is fresh, revokes the old root, under which everything was signed.",
    listed("root-0", "root-0", "list:2"),
  ),
  told(
    "REVOCATION_KEY_REVOKED",
    "root-in-between",
    "The third root's list revokes the second one; everything rests on the first, which only the second leads to.",
    () =>
      underFirstRoot(
        async (world) => {
          await world.rotation(1, 60 * MINUTE, 90 * MINUTE);
          await world.rotation(2, 91 * MINUTE, 92 * MINUTE);
          world.root = "root-2";
          await world.list(2, 95 * MINUTE, ["root-1"]);
        },
        withNamespace(basePolicy(), { roots: [pinnedRoot("root-2", 2)] }),
      ),
  ),
  derived(
    "REVOCATION_KEY_REVOKED",
    "by-its-id-alone",
    "one-receipt",
    "The list has the id of the runtime's key, with the thumbprint of another.",
    listed("rt-1-key", "lost-1"),
  ),
];

const FRESH: readonly ControlCase[] = [
  told(
    "REVOCATION_LIST_ROLLED_BACK",
    "back-dated-by-a-retired-root",
    "The list that reaches the pinned minimum is dated before its root was retired and was anchored after it.",
    () =>
      underFirstRoot(
        async (world) => {
          await world.rotation(1, 60 * MINUTE, 90 * MINUTE);
          await world.list(2, 80 * MINUTE, [], "list:2", 20 * MINUTE);
        },
        withNamespace(basePolicy(), { minimum_revocation_list_number: 2 }),
      ),
  ),
  derived(
    "REVOCATION_LIST_FROM_FUTURE",
    "a-minute-and-a-half-ahead",
    "one-receipt",
    "The list is dated 90 seconds after the verification time; it was anchored within the clock skew of both.",
    together(resigned("list:1", setAll({ issued_at: at(3 * HOUR + 90) })), dated("list:1", 3 * HOUR + 40)),
  ),
  told(
    "REVOCATION_KEY_REVOKED",
    "list-by-a-revoked-root",
    "The only list that is new enough for the policy is by a root that it revokes itself; nothing else rests on that root.",
    () =>
      underFirstRoot(
        async (world) => {
          await world.rotation(1, 60 * MINUTE, 90 * MINUTE);
          world.root = "root-1";
          await world.list(2, 95 * MINUTE, ["root-1"]);
        },
        basePolicy({ max_revocation_age_seconds: 2 * HOUR }),
      ),
  ),
  derived(
    "REVOCATION_LIST_NOT_ANCHORED",
    "anchored-before-its-date",
    "one-receipt",
    "The witnesses date the list's anchor two minutes before the list.",
    dated("list:1", -HOUR - 2 * MINUTE),
  ),
  derived(
    "REVOCATION_LIST_NOT_ANCHORED",
    "anchored-after-its-root",
    "one-receipt",
    "The only list is dated before its root was retired and was anchored after it.",
    together(
      resigned("list:1", setAll({ issued_at: at(80 * MINUTE) })),
      dated("list:1", 100 * MINUTE),
      added("receipts", (world) => world.rotation(1, 60 * MINUTE, 90 * MINUTE)),
    ),
  ),
];

export const AUTHORITY_CASES: readonly ControlCase[] = [...DELEGATIONS, ...SOUND, ...REVOKED, ...FRESH];
