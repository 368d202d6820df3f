/** Check 2, IDENTITY: roots, the line of rotations, and identity records. */
import { at, DAY, MINUTE, testDigest, testKey } from "../keys.js";
import { added, casesFrom, type InvalidCase, resigned, signedBy, tampered } from "./invalid.js";

const entry = casesFrom("one-receipt");

function rotation(
  name: string,
  pointer: string,
  why: string,
  how: string,
  made: Partial<InvalidCase>,
): InvalidCase {
  return entry("IDENTITY_ROTATION_INVALID", name, pointer, why, how, { parent: "rotation-forward", ...made });
}

const ROOTS: readonly InvalidCase[] = [
  entry(
    "IDENTITY_ROOT_UNKNOWN",
    "certificate-by-a-stranger",
    "/agent_key_certificates/0",
    "Anybody can make a root and an agent certificate under it; only pinned roots, and those reached from them, count.",
    "The agent's certificate was issued and signed by a root that nobody pins.",
    {
      world: {
        statements: {
          "agent:planner": {
            draft: (certificate) => {
              certificate["issuer_key_id"] = "root-9";
            },
            key: testKey("root-9"),
          },
        },
      },
    },
  ),
  entry(
    "IDENTITY_ROOT_UNKNOWN",
    "another-root-pinned",
    "/agent_key_certificates/0",
    "The auditor pins another root for this namespace than the one that signed.",
    "The pinned root of the policy was replaced.",
    {
      side: [
        "trust",
        (trust) => {
          const root = trust["namespaces"][0].roots[0];
          root.key_id = "root-9";
          root.public_key = testKey("root-9").spki;
        },
      ],
    },
  ),
  rotation(
    "new-root-did-not-sign",
    "/root_rotations/0",
    "A rotation needs both signatures: without the new root's, the old one could appoint a key whose holder never agreed.",
    "`new_root_signature` was replaced by the old root's signature.",
    tampered("rotation:1", (statement) => {
      statement["new_root_signature"] = statement["signature"];
    }),
  ),
  rotation(
    "old-root-did-not-sign",
    "/root_rotations/0",
    "A rotation needs both signatures: without the old root's, anybody could appoint themselves.",
    "A stranger signed in the old root's place.",
    signedBy("rotation:1", "root-9"),
  ),
  rotation(
    "number-skipped",
    "/root_rotations/0",
    "Rotations form one line; one that does not start where the pinned root stands leads nowhere.",
    "`rotation_number` was set to 2 and signed again by both.",
    resigned("rotation:1", (statement) => {
      statement["rotation_number"] = 2;
    }),
  ),
  rotation(
    "forked",
    "/root_rotations/1",
    "Two rotations with one number are two lines: the old root told two stories.",
    "A second rotation with number 1 was made, which takes effect half a day earlier.",
    added("rotation", (world) => world.rotation(1, -4 * DAY, -3.5 * DAY)),
  ),
  rotation(
    "retired-root-returns",
    "/root_rotations/1",
    "A retired root never returns: whoever stole it in the meantime would be root again.",
    "A second rotation, signed by both, leads back from root-1 to root-0.",
    {
      world: {
        statements: {
          "rotation:2": {
            draft: (statement, world) => {
              statement["new_root_key_id"] = "root-0";
              statement["new_root_public_key"] = world.key("root-0").spki;
            },
          },
        },
        steps: { rotation: (world) => world.rotation(2, -3 * DAY, -2.5 * DAY) },
      },
    },
  ),
  rotation(
    "certificate-before-its-root",
    "/agent_key_certificates/0",
    "A new root speaks from the moment it takes effect; what it dates before that it could not have signed then.",
    "The agent's certificate, signed by the new root, was dated before the rotation took effect.",
    resigned("agent:planner", (certificate) => {
      certificate["issued_at"] = at(-3 * DAY - 1);
    }),
  ),
  rotation(
    "effective-before-issued",
    "/root_rotations/0",
    "A rotation cannot take effect before it was made.",
    "`effective_at` was set to a day before `issued_at` and signed again by both.",
    resigned("rotation:1", (statement) => {
      statement["effective_at"] = at(-5 * DAY);
    }),
  ),
  rotation(
    "older-pin-contradicts-the-line",
    "/root_rotations/0",
    "The auditor pinned another key as the older root than the rotation says it was.",
    "The older of the two pinned roots was replaced.",
    {
      parent: "both-roots-pinned",
      side: [
        "trust",
        (trust) => {
          const root = trust["namespaces"][0].roots[0];
          root.key_id = "root-9";
          root.public_key = testKey("root-9").spki;
        },
      ],
    },
  ),
  rotation(
    "known-with-another-digest",
    "/namespaces/0/root_rotation",
    "The verifier has seen another rotation with this number: the line is forked.",
    "The digest in the known heads was changed.",
    {
      parent: "known-rotation",
      source: "heads",
      side: [
        "heads",
        (heads) => {
          heads["namespaces"][0].root_rotation.digest = testDigest("another rotation");
        },
      ],
    },
  ),
  rotation(
    "behind-a-known-rotation",
    "/namespaces/0/root_rotation",
    "The verifier knows of a later rotation, so the root shown here may have been replaced because it was stolen.",
    "The known heads name rotation 2; the bundle shows rotation 1.",
    {
      parent: "known-rotation",
      source: "heads",
      side: [
        "heads",
        (heads) => {
          heads["namespaces"][0].root_rotation.number = 2;
        },
      ],
    },
  ),
  entry(
    "IDENTITY_AGENT_OUTSIDE_NAMESPACE",
    "partners-name-not-pinned",
    "/agent_key_certificates/1",
    "A root cannot name another organisation's agent: the DNS names its agents may bear are pinned.",
    "The partner's name was taken out of `agent_domains`.",
    {
      parent: "two-domains",
      side: [
        "trust",
        (trust) => {
          trust["namespaces"][0].agent_domains.pop();
        },
      ],
    },
  ),
  entry(
    "IDENTITY_AGENT_OUTSIDE_NAMESPACE",
    "subdomain",
    "/agent_key_certificates/1",
    "DNS names are compared whole: pinning a domain pins none below it.",
    "The policy pins `example.net` where the coder bears `partner.example.net`.",
    {
      parent: "two-domains",
      side: [
        "trust",
        (trust) => {
          trust["namespaces"][0].agent_domains[1] = "example.net";
        },
      ],
    },
  ),
];

const RECORDS: readonly InvalidCase[] = [
  entry(
    "IDENTITY_RECORD_MISSING",
    "no-record",
    "/receipts/0",
    "Without a record nothing says that the agent was known by this key when it acted.",
    "All identity records were taken out.",
    {
      bundle: (bundle) => {
        bundle["identity_records"] = [];
      },
    },
  ),
  entry(
    "IDENTITY_RECORD_MISSING",
    "record-ends-before-the-action",
    "/receipts/0",
    "The record must cover the receipt; windows are half-open, so its end is outside.",
    "The record ends at the very instant of the receipt.",
    resigned("record:planner", (record) => {
      record["not_after"] = at(5 * MINUTE);
    }),
  ),
  entry(
    "IDENTITY_RECORD_MISSING",
    "record-issued-later",
    "/receipts/0",
    "A record counts for what happened after it was issued: one made up later must not cover the past.",
    "The record was issued five minutes after the receipt, with the same window.",
    resigned("record:planner", (record) => {
      record["issued_at"] = at(10 * MINUTE);
    }),
  ),
  entry(
    "IDENTITY_CERTIFICATE_MISSING",
    "no-agent-certificate",
    "/delegations/0",
    "The key behind a delegation is found by the certificate it names, and that is not here.",
    "The agent's certificate was taken out.",
    {
      bundle: (bundle) => {
        bundle["agent_key_certificates"] = [];
      },
    },
  ),
  entry(
    "IDENTITY_CERTIFICATE_MISSING",
    "close-lists-an-absent-certificate",
    "/session_closes/0",
    "A close names every certificate the runtime used; one of them is not shown, so what it signed is not either.",
    "The close lists a certificate more, which is not in the bundle, before the runtime's own, and was signed again.",
    {
      parent: "session-without-seal",
      ...resigned("close:rt-1", (close) => {
        close["runtime_key_certificate_digests"].unshift(testDigest("a certificate elsewhere"));
      }),
    },
  ),
  entry(
    "IDENTITY_CERTIFICATE_NOT_LISTED",
    "newer-record-drops-it",
    "/receipts/0",
    "The highest-numbered record in force counts, and it no longer lists the certificate that was used.",
    "A record number 2 was made, a day before the session, that lists another certificate.",
    {
      world: {
        statements: {
          "record:planner:2": {
            draft: (record) => {
              record["agent_key_certificate_digests"] = [testDigest("the agent's next certificate")];
            },
          },
        },
        steps: { receipts: (world) => world.record("record:planner:2", "planner", 2, [], -DAY) },
      },
    },
  ),
];

export const ROOT_CASES: readonly InvalidCase[] = [...ROOTS, ...RECORDS];
