/** Check 2, IDENTITY: certificates, and names that are used for two things. */
import { at, DAY, MINUTE, testKey } from "../keys.js";
import type { StatementChange } from "../world.js";
import { added, casesFrom, type InvalidCase, resigned, signedBy, tampered } from "./invalid.js";

const entry = casesFrom("one-receipt");

const CERTIFICATES: readonly InvalidCase[] = [
  entry(
    "IDENTITY_ISSUER_MISMATCH",
    "runtime-certificate-of-another-agent",
    "/runtime_key_certificates/1",
    "An agent certifies its own runtimes and no other agent's.",
    "The certificate of the coder's runtime names the planner's agent certificate, and the planner's key signed it.",
    {
      parent: "fork-and-merge",
      world: {
        statements: {
          "runtime:rt-2": {
            draft: (certificate, world) => {
              certificate["agent_key_certificate_digest"] = world.digest("agent:planner");
              certificate["issuer_key_id"] = "planner-key";
            },
            key: testKey("planner-key"),
          },
        },
      },
    },
  ),
  entry(
    "IDENTITY_ISSUER_MISMATCH",
    "label-of-another-algorithm",
    "/agent_key_certificates/0",
    "The key decides the algorithm, and the label must agree with it.",
    "The agent's certificate is labelled Ed25519 and signed by the P-256 root.",
    resigned("agent:planner", (certificate) => {
      certificate["signing_algorithm"] = "ED25519";
    }),
  ),
  entry(
    "IDENTITY_ISSUER_MISMATCH",
    "runtime-certificate-as-agents",
    "/delegations/0",
    "A runtime key is no agent key: else a stolen runtime key could delegate to itself.",
    "The delegation names the runtime's certificate as its agent's, and the runtime key signed it.",
    {
      world: {
        statements: {
          "delegation:rt-1": {
            draft: (delegation, world) => {
              delegation["agent_key_certificate_digest"] = world.digest("runtime:rt-1");
              delegation["issuer_key_id"] = "rt-1-key";
            },
            key: testKey("rt-1-key"),
          },
        },
        // Named by the runtime's certificate still, so nothing is left over.
      },
    },
  ),
  entry(
    "IDENTITY_ISSUER_MISMATCH",
    "agents-close-by-a-runtime",
    "/session_closes/1",
    "The close of a crashed runtime is its agent's word. A runtime key that signs one in the agent's name could cut the tail.",
    "The agent's close names a runtime certificate as the agent's, and that runtime's key signed it.",
    {
      parent: "agent-close",
      world: {
        statements: {
          "close:rt-2": {
            draft: (close, world) => {
              close["agent_key_certificate_digest"] = world.digest("runtime:rt-1");
              close["issuer_key_id"] = "rt-1-key";
            },
            key: testKey("rt-1-key"),
          },
        },
      },
    },
  ),
  entry(
    "IDENTITY_ISSUER_MISMATCH",
    "seal-by-a-runtime",
    "/session_seals/0",
    "A seal is the agent's word that no runtime was left out; a runtime cannot give it.",
    "The seal names a runtime certificate as the agent's, and that runtime's key signed it.",
    {
      parent: "whole-session",
      world: {
        statements: {
          "seal:planner": {
            draft: (seal, world) => {
              seal["agent_key_certificate_digest"] = world.digest("runtime:rt-1");
              seal["issuer_key_id"] = "rt-1-key";
            },
            key: testKey("rt-1-key"),
          },
        },
      },
    },
  ),
  entry(
    "IDENTITY_SIGNATURE_INVALID",
    "agent-certificate",
    "/agent_key_certificates/0",
    "The certificate names the pinned root, and that root did not sign it.",
    "A stranger signed the agent's certificate.",
    signedBy("agent:planner", "root-9"),
  ),
  entry(
    "IDENTITY_SIGNATURE_INVALID",
    "runtime-certificate",
    "/runtime_key_certificates/0",
    "The certificate names the agent's key, and that key did not sign it.",
    "The runtime's own key signed its certificate.",
    signedBy("runtime:rt-1", "rt-1-key"),
  ),
  entry(
    "IDENTITY_SIGNATURE_INVALID",
    "stretched-runtime-certificate",
    "/runtime_key_certificates/0",
    "A signature covers every member: a window stretched afterwards is not what the agent signed.",
    "`not_before` of the runtime's certificate was moved after it was signed.",
    tampered("runtime:rt-1", (certificate) => {
      certificate["not_before"] = at(1);
    }),
  ),
  entry(
    "IDENTITY_SIGNATURE_INVALID",
    "identity-record",
    "/identity_records/0",
    "The record names the pinned root, and that root did not sign it.",
    "The agent's own key signed its record.",
    signedBy("record:planner", "planner-key"),
  ),
  entry(
    "IDENTITY_SIGNATURE_INVALID",
    "rotation-changed-after-signing",
    "/root_rotations/0",
    "Neither root signed this rotation as it stands.",
    "`effective_at` was moved after both had signed.",
    {
      parent: "rotation-forward",
      ...tampered("rotation:1", (statement) => {
        statement["effective_at"] = at(-3 * DAY - 60);
      }),
    },
  ),
];

const byRoot: StatementChange = {
  draft: (statement) => {
    statement["issuer_key_id"] = "root-0";
  },
  key: testKey("root-0"),
};

const CONFLICTS: readonly InvalidCase[] = [
  entry(
    "IDENTITY_CONFLICT",
    "record-number-twice",
    "/identity_records/1",
    "One number names one record, or the root could show each auditor another.",
    "A second record with number 1 was made a day later.",
    added("receipts", (world) => world.record("record:again", "planner", 1, ["agent:planner"], -DAY)),
  ),
  entry(
    "IDENTITY_CONFLICT",
    "key-id-of-two-keys",
    "/runtime_key_certificates/1",
    "A key id names one key, or a revocation by id would hit the wrong one.",
    "The certificate of the second runtime gives its key the id of the first one's.",
    {
      parent: "session-without-seal",
      ...resigned("runtime:rt-2", (certificate) => {
        certificate["runtime_key_id"] = "rt-1-key";
      }),
    },
  ),
  entry(
    "IDENTITY_CONFLICT",
    "key-of-two-ids",
    "/runtime_key_certificates/1",
    "A key has one id: certified again under a new name it would look like another.",
    "The certificate of the second runtime holds the first one's key under another id.",
    {
      parent: "session-without-seal",
      ...resigned("runtime:rt-2", (certificate, world) => {
        certificate["public_key"] = world.key("rt-1-key").spki;
      }),
    },
  ),
  entry(
    "IDENTITY_CONFLICT",
    "agent-key-as-runtime-key",
    "/runtime_key_certificates/0",
    "A key has one role: an agent key that lives in a KMS must not sign receipts in a sandbox.",
    "The agent certified its own key as the runtime's.",
    resigned("runtime:rt-1", (certificate, world) => {
      certificate["runtime_key_id"] = "planner-key";
      certificate["public_key"] = world.key("planner-key").spki;
    }),
  ),
  entry(
    "IDENTITY_CONFLICT",
    "runtime-key-certified-twice",
    "/runtime_key_certificates/1",
    "A runtime key has one certificate; a second would stretch its life beyond the bound.",
    "The second certificate of the runtime is for its first key.",
    {
      parent: "key-renewal",
      ...resigned("runtime:rt-1:2", (certificate, world) => {
        certificate["runtime_key_id"] = "rt-1-key";
        certificate["public_key"] = world.key("rt-1-key").spki;
      }),
    },
  ),
  entry(
    "IDENTITY_CONFLICT",
    "runtime-of-two-agents",
    "/runtime_key_certificates/2",
    "A `runtime_id` belongs to one agent and one session, or its sequence would be two.",
    "The coder certified a runtime under the planner's `runtime_id`, and its receipt is a target as well.",
    {
      parent: "fork-and-merge",
      ...added("receipts", async (world) => {
        await world.runtime("rt-1", "coder", { key: "rt-1-key-of-coder", label: "runtime:of-coder" });
        await world.delegation("of-coder", "coder", "rt-1", { parent: "to-coder" });
        await world.receipt("5", {
          runtime: "rt-1",
          certificate: "runtime:of-coder",
          delegation: "of-coder",
          sequence: 4,
          time: 10 * MINUTE,
        });
        world.targets.push("5");
      }),
    },
  ),
  entry(
    "IDENTITY_WINDOW_INVALID",
    "runtime-key-lives-too-long",
    "/runtime_key_certificates/0",
    "A runtime key lives half an hour at most unless the policy says otherwise.",
    "The runtime's certificate was made for 1,801 seconds.",
    resigned("runtime:rt-1", (certificate) => {
      certificate["not_after"] = at(30 * MINUTE + 1);
    }),
  ),
  entry(
    "IDENTITY_CONFLICT",
    "root-key-as-agent-key",
    "/agent_key_certificates/0",
    "A key has one role: the root's key stays offline and must not sign delegations.",
    "The root certified its own key as the agent's, and signed the runtime's certificate and the delegation with it.",
    {
      world: {
        statements: {
          "agent:planner": {
            draft: (certificate, world) => {
              certificate["agent_key_id"] = "root-0";
              certificate["public_key"] = world.key("root-0").spki;
            },
          },
          "runtime:rt-1": byRoot,
          "delegation:rt-1": byRoot,
        },
      },
    },
  ),
  entry(
    "IDENTITY_WINDOW_INVALID",
    "policy-allows-less",
    "/runtime_key_certificates/0",
    "The auditor decides how long a runtime key may live.",
    "The policy allows ten minutes.",
    {
      side: [
        "trust",
        (trust) => {
          trust["max_runtime_key_lifetime_seconds"] = 600;
        },
      ],
    },
  ),
  entry(
    "IDENTITY_WINDOW_INVALID",
    "outside-the-agents-window",
    "/runtime_key_certificates/0",
    "A runtime key cannot outlive the agent key that vouches for it.",
    "The agent's certificate ends ten minutes after the session began.",
    resigned("agent:planner", (certificate) => {
      certificate["not_after"] = at(10 * MINUTE);
    }),
  ),
  entry(
    "IDENTITY_WINDOW_INVALID",
    "empty",
    "/agent_key_certificates/0",
    "A window that holds no instant certifies nothing.",
    "The agent's certificate ends where it begins.",
    resigned("agent:planner", (certificate) => {
      certificate["not_after"] = certificate["not_before"];
    }),
  ),
  entry(
    "IDENTITY_ISSUED_AFTER_USE",
    "runtime-certificate",
    "/receipts/0",
    "A certificate cannot support what was signed before it was made.",
    "The runtime's certificate was issued ten minutes after the receipt, with the same window.",
    resigned("runtime:rt-1", (certificate) => {
      certificate["issued_at"] = at(15 * MINUTE);
    }),
  ),
  entry(
    "IDENTITY_ISSUED_AFTER_USE",
    "agent-certificate",
    "/delegations/0",
    "A certificate cannot support what was signed before it was made.",
    "The agent's certificate was issued four minutes after the delegation and the runtime's certificate.",
    resigned("agent:planner", (certificate) => {
      certificate["issued_at"] = at(4 * MINUTE);
    }),
  ),
];

export const CERTIFICATE_CASES: readonly InvalidCase[] = [...CERTIFICATES, ...CONFLICTS];
