/** Trust policies of the fixture world. */
import type { PinnedRoot, TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { testKey } from "./keys.js";
import { LOG_ORIGIN, logSigner, witness } from "./log.js";

export const NAMESPACE = "org.example";
export const DOMAIN = "agents.example.org";

/** The agent_id of a short name; a whole agent_id stands for itself. */
export function agentId(name: string): string {
  return name.startsWith("@ai:") ? name : `@ai:${DOMAIN}/${name}`;
}

export function pinnedRoot(label: string, rotationNumber: number): PinnedRoot {
  const key = testKey(label);
  return { key_id: label, public_key: key.spki, rotation_number: rotationNumber };
}

/** One namespace, its first root, one log of its own and a quorum of two of three independent witnesses. */
export function basePolicy(change: Partial<TrustPolicyV1> = {}): TrustPolicyV1 {
  return {
    protocol: "OSA_PROOF_V3",
    type: "TrustPolicyV1",
    namespaces: [
      {
        namespace_id: NAMESPACE,
        roots: [pinnedRoot("root-0", 0)],
        agent_domains: [DOMAIN],
        top_delegators: [agentId("planner")],
        minimum_revocation_list_number: 1,
      },
    ],
    accepted_algorithms: ["ECDSA_P256", "ED25519"],
    tlog: {
      logs: [{ origin: LOG_ORIGIN, vkey: logSigner().key.vkey, operator: "own" }],
      witnesses: [1, 2, 3].map((number) => ({
        name: `witness-${number}`,
        vkey: witness(number).key.vkey,
        operator: "independent",
      })),
      groups: [{ name: "two-of-three", threshold: 2, members: ["witness-1", "witness-2", "witness-3"] }],
      quorum: "two-of-three",
    },
    require_session_close: false,
    require_session_seal: false,
    ...change,
  };
}

/** The policy with its one namespace changed. */
export function withNamespace(
  policy: TrustPolicyV1,
  change: Partial<TrustPolicyV1["namespaces"][number]>,
): TrustPolicyV1 {
  return { ...policy, namespaces: policy.namespaces.map((namespace) => ({ ...namespace, ...change })) };
}
