/** Check 4, REVOCATION: a fresh, anchored list, and no revoked key in any chain. */
import { at, DAY, HOUR, MINUTE, testDigest, testKey } from "../keys.js";
import { revocationEntry, type World } from "../world.js";
import { added, casesFrom, type InvalidCase, resigned, signedBy } from "./invalid.js";

const entry = casesFrom("one-receipt");

const LIST = "/revocation_lists/0/list";
const THIRD = "/revocation_lists/2/list";

function revokes(label: string, keyId: string, name: string = keyId): Partial<InvalidCase> {
  return resigned(label, (list, world: World) => {
    list["entries"].push(revocationEntry(name, world.key(keyId).thumbprint));
  });
}

function policyWith(member: string, value: number): Partial<InvalidCase> {
  return {
    side: [
      "trust",
      (trust) => {
        trust[member] = value;
      },
    ],
  };
}

export const REVOCATION_CASES: readonly InvalidCase[] = [
  entry(
    "REVOCATION_LIST_MISSING",
    "no-list",
    "/revocation_lists",
    "Without a list nobody says that the keys are still good, and silence is no proof.",
    "The list was taken out.",
    {
      bundle: (bundle) => {
        bundle["revocation_lists"] = [];
      },
    },
  ),
  entry(
    "REVOCATION_SIGNATURE_INVALID",
    "by-a-stranger",
    LIST,
    "A list that the root did not sign says nothing about its keys.",
    "Another key signed the list; it was anchored again.",
    signedBy("list:1", "root-9"),
  ),
  entry(
    "REVOCATION_SIGNATURE_INVALID",
    "by-a-retired-root",
    "/revocation_lists/1/list",
    "A list is signed by the root of its time; after a rotation the old root, perhaps stolen, says nothing.",
    "The list after the rotation was issued and signed by the old root.",
    {
      parent: "rotation-backward",
      world: {
        statements: {
          "list:2": {
            draft: (list) => {
              list["issuer_key_id"] = "root-0";
            },
            key: testKey("root-0"),
          },
        },
      },
    },
  ),
  entry(
    "REVOCATION_KEY_REVOKED",
    "runtime-key",
    "/runtime_key_certificates/0",
    "Revoking a key voids everything it signed, whenever it signed it.",
    "The runtime's key was put on the list, which was signed and anchored again.",
    revokes("list:1", "rt-1-key"),
  ),
  entry(
    "REVOCATION_KEY_REVOKED",
    "under-another-name",
    "/runtime_key_certificates/0",
    "A key is found by its thumbprint too: certifying it again under a new name does not help.",
    "The list names the runtime's key by another id, with the right thumbprint.",
    revokes("list:1", "rt-1-key", "an-older-name"),
  ),
  entry(
    "REVOCATION_KEY_REVOKED",
    "agent-key",
    "/agent_key_certificates/0",
    "A revoked agent key takes its runtimes and delegations with it.",
    "The agent's key was put on the list.",
    revokes("list:1", "planner-key"),
  ),
  entry(
    "REVOCATION_KEY_REVOKED",
    "root-key",
    "/agent_key_certificates/0",
    "A root that revokes itself takes everything under it along.",
    "The root's key was put on the list that it signed.",
    revokes("list:1", "root-0"),
  ),
  entry(
    "REVOCATION_KEY_REVOKED",
    "by-a-supplement",
    "/runtime_key_certificates/0",
    "A bundle cannot know what was revoked after it was packed; the auditor's newer list does.",
    "The runtime's key was put on the newer list.",
    { parent: "supplement-newer-list", take: "supplement", ...revokes("list:2", "rt-1-key") },
  ),
  entry(
    "REVOCATION_KEY_REVOKED",
    "on-a-stale-list",
    "/runtime_key_certificates/0",
    "A visible revocation binds however old its list is, even where a newer list no longer has it.",
    "The runtime's key is on the second of three lists and was dropped from the third.",
    { parent: "several-lists", ...revokes("list:2", "rt-1-key") },
  ),
  entry(
    "REVOCATION_LIST_CONFLICT",
    "number-twice",
    "/revocation_lists/3/list",
    "One number names one list, or the root could show each auditor another.",
    "A second list with number 3 was made half an hour later.",
    {
      parent: "several-lists",
      ...added("receipts", (world) =>
        world.list(3, -30 * MINUTE, ["lost-1", "lost-2", "lost-3"], "list:3 again"),
      ),
    },
  ),
  entry(
    "REVOCATION_LIST_CONFLICT",
    "first-with-a-predecessor",
    LIST,
    "Only list number 1 has no predecessor; one that names some other list before it hides where the line began.",
    "`previous_list_digest` of list 1 was set.",
    resigned("list:1", (list) => {
      list["previous_list_digest"] = testDigest("list 0");
    }),
  ),
  entry(
    "REVOCATION_LIST_CONFLICT",
    "entry-dropped",
    THIRD,
    "Lists are cumulative: a key once revoked stays revoked.",
    "The third list no longer has the first entry.",
    {
      parent: "several-lists",
      ...resigned("list:3", (list) => {
        list["entries"].shift();
      }),
    },
  ),
  entry(
    "REVOCATION_LIST_CONFLICT",
    "wrong-predecessor",
    THIRD,
    "A list names the one before it, so that none can be exchanged later.",
    "`previous_list_digest` of the third list names another list than the second.",
    {
      parent: "several-lists",
      ...resigned("list:3", (list) => {
        list["previous_list_digest"] = testDigest("another list");
      }),
    },
  ),
  entry(
    "REVOCATION_LIST_CONFLICT",
    "dates-fall",
    THIRD,
    "`issued_at` never falls as the number rises.",
    "The second list is dated half an hour after the third.",
    {
      parent: "several-lists",
      ...resigned("list:2", (list) => {
        list["issued_at"] = at(-30 * MINUTE);
      }),
    },
  ),
  entry(
    "REVOCATION_LIST_CONFLICT",
    "known-with-another-digest",
    LIST,
    "The verifier has seen another list with this number: the line is forked.",
    "The digest in the known heads was changed.",
    {
      parent: "known-heads",
      side: [
        "heads",
        (heads) => {
          heads["namespaces"][0].revocation_list.digest = testDigest("another list");
        },
      ],
    },
  ),
  entry(
    "REVOCATION_LIST_ROLLED_BACK",
    "below-the-pinned-minimum",
    "/revocation_lists",
    "The auditor knows of list 2, so showing list 1 hides what 2 revoked.",
    "`minimum_revocation_list_number` was set to 2.",
    {
      side: [
        "trust",
        (trust) => {
          trust["namespaces"][0].minimum_revocation_list_number = 2;
        },
      ],
    },
  ),
  entry(
    "REVOCATION_LIST_ROLLED_BACK",
    "below-a-known-head",
    "/revocation_lists",
    "The verifier has seen list 5, so showing list 1 hides what came between.",
    "The number in the known heads was set to 5.",
    {
      parent: "known-heads",
      side: [
        "heads",
        (heads) => {
          heads["namespaces"][0].revocation_list.number = 5;
        },
      ],
    },
  ),
  entry(
    "REVOCATION_LIST_FROM_FUTURE",
    "before-the-first-list",
    LIST,
    "At the verification time this list did not exist, so it cannot say what was good then.",
    "The verification time was set to two hours before the session.",
    { at: at(-2 * HOUR) },
  ),
  entry(
    "REVOCATION_LIST_STALE",
    "older-than-a-day",
    LIST,
    "An old list does not say what was revoked since.",
    "The verification time was set to a day and a second after the list was issued.",
    { at: at(-HOUR + DAY + 1) },
  ),
  entry(
    "REVOCATION_LIST_STALE",
    "older-than-the-policy-allows",
    LIST,
    "The auditor decides how old a list may be.",
    "The policy allows one hour; the list is four hours old.",
    policyWith("max_revocation_age_seconds", HOUR),
  ),
  entry(
    "REVOCATION_LIST_STALE",
    "past-its-end",
    LIST,
    "The root itself says until when the list may be relied on, and that instant is outside.",
    "The list ends at the very verification time.",
    resigned("list:1", (list) => {
      list["not_after"] = at(3 * HOUR);
    }),
  ),
  entry(
    "REVOCATION_LIST_NOT_ANCHORED",
    "no-anchor",
    LIST,
    "A list that nobody else has seen can be made up for one auditor.",
    "The anchor of the list was taken out.",
    {
      bundle: (bundle) => {
        bundle["revocation_lists"][0].anchors = [];
      },
    },
  ),
  entry(
    "REVOCATION_LIST_NOT_ANCHORED",
    "anchored-too-late",
    LIST,
    "A list anchored long after its date may have been made up in between.",
    "The witnesses date the list's anchor more than a day after it was issued; the policy allows older lists.",
    {
      parent: "verified-a-day-later",
      world: {
        anchors: {
          "list:1": (making) => {
            making.cosigners = [1, 2, 3].map((witness) => ({ witness, time: -HOUR + DAY + witness }));
          },
        },
      },
    },
  ),
  entry(
    "REVOCATION_LIST_NOT_ANCHORED",
    "quorum-not-met",
    LIST,
    "An anchor that falls short of the quorum does not count for a list either.",
    "Only one witness cosigned the list's anchor.",
    {
      world: {
        anchors: {
          "list:1": (making) => {
            making.cosigners = making.cosigners.slice(0, 1);
          },
        },
      },
    },
  ),
];
