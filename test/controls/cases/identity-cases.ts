/** Check 2. */
import { added, resigned, signedBy } from "../../support/cases/invalid.js";
import { at, DAY, MINUTE, testDigest } from "../../support/keys.js";
import { pinnedRoot } from "../../support/trust.js";
import type { World } from "../../support/world.js";
import { type ControlCase, derived, together, told } from "./control-case.js";
import { closed, setAll } from "./stories.js";

const FORWARD = "rotation-forward";

/** A second rotation that takes effect at this second; what comes after is signed by the newest root. */
const secondRotation = (effective: number) =>
  added("rotation", async (world) => {
    await world.rotation(2, -4 * DAY, effective);
    world.root = "root-2";
  });

const ROTATIONS: readonly ControlCase[] = [
  derived(
    "IDENTITY_ROTATION_INVALID",
    "issuer-is-another-key",
    FORWARD,
    "`issuer_key_id` of the rotation names a key of nobody; both roots signed.",
    resigned("rotation:1", setAll({ issuer_key_id: "root-9" })),
  ),
  derived(
    "IDENTITY_ROTATION_INVALID",
    "label-of-another-algorithm",
    FORWARD,
    "The rotation between two P-256 keys is labelled Ed25519.",
    resigned("rotation:1", setAll({ signing_algorithm: "ED25519" })),
  ),
  derived(
    "IDENTITY_ROTATION_INVALID",
    "retired-root-returns-later",
    FORWARD,
    "After everything was anchored a second rotation leads back to the first root.",
    together(
      resigned("rotation:2", (statement, world) => {
        statement["new_root_key_id"] = "root-0";
        statement["new_root_public_key"] = world.key("root-0").spki;
      }),
      added("rotation", (world) => world.rotation(2, 60 * MINUTE, 90 * MINUTE)),
    ),
  ),
  derived(
    "IDENTITY_ROTATION_INVALID",
    "in-effect-before-the-one-before",
    FORWARD,
    "The second rotation takes effect half a day before the first; the third root signed everything after that.",
    secondRotation(-3.5 * DAY),
  ),
  derived(
    "IDENTITY_ROTATION_INVALID",
    "out-of-order-at-the-pinned-root",
    FORWARD,
    "The same, with the root between the two rotations pinned, so that each is the first in its direction.",
    {
      ...secondRotation(-3.5 * DAY),
      side: [
        "trust",
        (trust) => {
          trust["namespaces"][0].roots = [pinnedRoot("root-1", 1)];
        },
      ],
    },
  ),
  derived(
    "IDENTITY_ROTATION_INVALID",
    "leads-nowhere",
    "one-receipt",
    "A rotation between two roots that nothing rests on, and that the pinned one does not lead to.",
    added("receipts", (world) => world.rotation(5, -4 * DAY, -3 * DAY)),
  ),
];

/** The statement names a root that is not on the line, and the pinned root signed it. */
const namesAStranger = (label: string) => resigned(label, setAll({ issuer_key_id: "root-9" }));

const CERTIFICATES: readonly ControlCase[] = [
  derived(
    "IDENTITY_ROOT_UNKNOWN",
    "certificate-names-a-stranger",
    "one-receipt",
    "The agent's certificate names a root of nobody; the pinned root signed it.",
    namesAStranger("agent:planner"),
  ),
  derived(
    "IDENTITY_ROOT_UNKNOWN",
    "record-names-a-stranger",
    "one-receipt",
    "The agent's record names a root of nobody; the pinned root signed it.",
    namesAStranger("record:planner"),
  ),
  derived(
    "IDENTITY_WINDOW_INVALID",
    "record-of-no-instant",
    "one-receipt",
    "A second record of the agent, which counts at no time since its window is empty.",
    together(
      resigned("record:empty", (record) => {
        record["not_after"] = record["not_before"];
      }),
      added("receipts", (world) => world.record("record:empty", "planner", 2, ["agent:planner"])),
    ),
  ),
  derived(
    "IDENTITY_ISSUER_MISMATCH",
    "runtime-certificate-of-another-key",
    "one-receipt",
    "`issuer_key_id` of the runtime's certificate names another key of nobody; the agent's key signed.",
    resigned("runtime:rt-1", setAll({ issuer_key_id: "planner-key-2" })),
  ),
  derived(
    "IDENTITY_ISSUER_MISMATCH",
    "runtime-certificate-label",
    "one-receipt",
    "The runtime's certificate is labelled Ed25519 and signed by the agent's P-256 key.",
    resigned("runtime:rt-1", setAll({ signing_algorithm: "ED25519" })),
  ),
  derived(
    "IDENTITY_WINDOW_INVALID",
    "runtime-certificate-before-its-agents",
    "one-receipt",
    "The runtime's certificate begins a minute before the agent's; all that was done lies in both.",
    together(
      resigned("agent:planner", setAll({ not_before: at(0) })),
      resigned("runtime:rt-1", setAll({ not_before: at(-MINUTE), not_after: at(20 * MINUTE) })),
    ),
  ),
  derived(
    "IDENTITY_ISSUED_AFTER_USE",
    "runtime-certificate-before-its-agents",
    "one-receipt",
    "The agent's certificate was issued four minutes after the runtime's, and no later than the delegation.",
    together(
      resigned("agent:planner", setAll({ issued_at: at(4 * MINUTE) })),
      resigned("delegation:rt-1", setAll({ issued_at: at(4 * MINUTE) })),
    ),
  ),
];

const EXTRA = "runtime:extra";

/** In scope `causal` the close lists a certificate more, which signed nothing. */
function withExtra(
  code: ControlCase["code"],
  name: string,
  why: string,
  draft: (certificate: Record<string, unknown>, world: World) => void,
): ControlCase {
  const changes = {
    statements: { [EXTRA]: { draft } },
    steps: {
      runtimes: (world: World) => world.runtime("rt-1", "planner", { key: "extra-key", label: EXTRA }),
    },
  };
  return told(code, name, why, () => closed({ changes, certificates: [EXTRA, "runtime:rt-1"] }));
}

const EXTRAS: readonly ControlCase[] = [
  withExtra(
    "IDENTITY_ISSUER_MISMATCH",
    "runtime-certificate-under-another",
    "A certificate that only a close lists names a runtime's certificate as its agent's.",
    (certificate, world) => {
      certificate["agent_key_certificate_digest"] = world.digest("runtime:rt-1");
    },
  ),
  withExtra(
    "IDENTITY_CERTIFICATE_MISSING",
    "runtime-certificate-under-none",
    "A certificate that only a close lists names an agent's certificate that is not in the bundle.",
    (certificate) => {
      certificate["agent_key_certificate_digest"] = testDigest("a certificate elsewhere");
    },
  ),
  withExtra(
    "IDENTITY_WINDOW_INVALID",
    "runtime-certificate-of-no-instant",
    "A certificate that only a close lists has an empty window.",
    (certificate) => {
      certificate["not_after"] = certificate["not_before"];
    },
  ),
];

/** The second runtime's certificate, with another key or id than its own. */
const secondRuntime = (values: (world: World) => Record<string, unknown>) =>
  resigned("runtime:rt-2", (certificate, world) => {
    Object.assign(certificate, values(world));
  });

const CONFLICTS: readonly ControlCase[] = [
  derived(
    "IDENTITY_CONFLICT",
    "one-id-for-two-runtimes",
    "session-without-seal",
    "The second runtime's certificate gives its key the id of the first one's; everything is signed by the key certified.",
    together(
      secondRuntime(() => ({ runtime_key_id: "rt-1-key" })),
      ...["receipt:3", "receipt:4", "close:rt-2"].map((label) => signedBy(label, "rt-2-key")),
    ),
  ),
  derived(
    "IDENTITY_CONFLICT",
    "one-key-for-two-runtimes",
    "session-without-seal",
    "The second runtime's certificate holds the first one's key, under its one id.",
    secondRuntime((world) => ({ runtime_key_id: "rt-1-key", public_key: world.key("rt-1-key").spki })),
  ),
  derived(
    "IDENTITY_CONFLICT",
    "agents-key-of-two-ids",
    "fork-and-merge",
    "The coder's key is certified a second time, for the coder, under another id. Both certificates are on its record.",
    together(
      resigned("agent:coder:2", (certificate, world) => {
        certificate["public_key"] = world.key("coder-key").spki;
      }),
      {
        world: {
          statements: {
            "delegation:rt-2": {
              draft: (delegation, world) => {
                delegation["agent_key_certificate_digest"] = world.digest("agent:coder:2");
                delegation["issuer_key_id"] = "coder-key-b";
              },
            },
          },
        },
      },
      added("agents", async (world) => {
        await world.agentCertificate("agent:coder:2", "coder", "coder-key-b");
        await world.record("record:coder:2", "coder", 2, ["agent:coder", "agent:coder:2"]);
      }),
    ),
  ),
];

const USES: readonly ControlCase[] = [
  derived(
    "IDENTITY_CERTIFICATE_MISSING",
    "delegation-under-none",
    "one-receipt",
    "The delegation names an agent's certificate that is not in the bundle; the agent's key signed it.",
    resigned(
      "delegation:rt-1",
      setAll({ agent_key_certificate_digest: testDigest("a certificate elsewhere") }),
    ),
  ),
  derived(
    "IDENTITY_ISSUED_AFTER_USE",
    "delegation-before-its-certificate",
    "one-receipt",
    "The agent's certificate was issued four minutes after the delegation, and no later than the runtime's certificate.",
    together(
      resigned("agent:planner", setAll({ issued_at: at(4 * MINUTE) })),
      resigned("runtime:rt-1", setAll({ issued_at: at(4 * MINUTE) })),
    ),
  ),
  derived(
    "IDENTITY_RECORD_MISSING",
    "no-record-of-a-delegator",
    "max-actions",
    "The planner did nothing itself but delegate, and its record was taken out.",
    {
      bundle: (bundle) => {
        bundle["identity_records"] = bundle["identity_records"].filter((record: { agent_id: string }) =>
          record.agent_id.endsWith("/coder"),
        );
      },
    },
  ),
  told(
    "IDENTITY_ISSUER_MISMATCH",
    "close-lists-an-agents-certificate",
    "The close lists the agent's certificate besides the runtime's.",
    () =>
      closed({
        changes: resigned("close:rt-1", (close, world) => {
          close["runtime_key_certificate_digests"].unshift(world.digest("agent:planner"));
        }).world,
      }),
  ),
  told(
    "IDENTITY_CERTIFICATE_MISSING",
    "causal-close-lists-an-absent-one",
    "The close lists a certificate that is not in the bundle besides the runtime's.",
    () =>
      closed({
        changes: resigned("close:rt-1", (close) => {
          close["runtime_key_certificate_digests"].unshift(testDigest("a certificate elsewhere"));
        }).world,
      }),
  ),
  told(
    "IDENTITY_ISSUED_AFTER_USE",
    "close-before-its-certificate",
    "The close is signed by a second key of the runtime, whose certificate was issued five minutes later.",
    () =>
      closed({
        certificates: ["runtime:rt-1", "runtime:rt-1:2"],
        changes: together(
          resigned("runtime:rt-1:2", setAll({ issued_at: at(20 * MINUTE) })),
          added("runtimes", (world) =>
            world.runtime("rt-1", "planner", { key: "rt-1-key-2", label: "runtime:rt-1:2" }),
          ),
        ).world,
      }),
  ),
  derived(
    "IDENTITY_RECORD_MISSING",
    "record-ends-before-the-close",
    "session-without-seal",
    "The agent's record ends between the last receipt and the closes.",
    resigned("record:planner", setAll({ not_after: at(10 * MINUTE) })),
  ),
  derived(
    "IDENTITY_RECORD_MISSING",
    "no-record-at-an-agents-close",
    "agent-close",
    "Of two records one ends before the agent's close and the other begins after it; the seal is covered again.",
    together(
      resigned("record:planner", setAll({ not_after: at(40 * MINUTE) })),
      resigned("record:planner:2", setAll({ not_before: at(48 * MINUTE) })),
      added("receipts", (world) => world.record("record:planner:2", "planner", 2, ["agent:planner"])),
    ),
  ),
  derived(
    "IDENTITY_RECORD_MISSING",
    "record-ends-before-the-seal",
    "whole-session",
    "The agent's record ends between the closes and the seal.",
    resigned("record:planner", setAll({ not_after: at(18 * MINUTE) })),
  ),
];

export const IDENTITY_CASES: readonly ControlCase[] = [
  ...ROTATIONS,
  ...CERTIFICATES,
  ...EXTRAS,
  ...CONFLICTS,
  ...USES,
];
