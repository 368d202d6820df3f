/** What a bundle says about itself, counted and sorted. Nothing is verified. */
import { encodeBundle } from "../bundle/codec.js";
import type { Disclosure, ProofBundleV3 } from "../bundle/format.js";
import { canonicalStatement } from "../statements/canonical.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";

export interface AgentSummary {
  readonly agent_id: string;
  readonly runtimes: readonly {
    readonly runtime_id: string;
    readonly session_id: string;
    readonly receipts: number;
    readonly closed_by: "runtime" | "agent" | null;
  }[];
}

/** A disclosed value beside the receipt it opens. */
export interface DisclosureSummary {
  readonly receipt_digest: string;
  /** Null when the receipt is not in the bundle. */
  readonly tool: string | null;
  readonly value: Disclosure["value"];
}

/** Printed by `inspect --json`. */
export interface InspectionV1 {
  readonly protocol: "OSA_PROOF_V3";
  readonly type: "InspectionV1";
  /** Always false: this is what the bundle says, not what is so. */
  readonly verified: false;
  readonly namespace_id: string;
  readonly mission_id: string;
  readonly scope: "session" | "causal";
  readonly targets: readonly string[];
  readonly receipts: number;
  readonly first_issued_at: string | null;
  readonly last_issued_at: string | null;
  readonly agents: readonly AgentSummary[];
  readonly tools: readonly { readonly tool: string; readonly receipts: number }[];
  readonly delegations: readonly {
    readonly delegation_id: string;
    readonly agent_id: string;
    readonly to: string;
    readonly tools: readonly string[];
    readonly not_after: string;
  }[];
  readonly evidence_trees: readonly {
    readonly root: string;
    readonly tree_size: number;
    readonly mode: "complete" | "inclusion";
    readonly shown_leaves: number;
    readonly anchors: readonly string[];
  }[];
  readonly revocation_lists: readonly {
    readonly list_number: number;
    readonly issued_at: string;
    readonly not_after: string;
    readonly entries: number;
    readonly anchors: readonly string[];
  }[];
  readonly root_rotations: number;
  readonly session_seals: number;
  readonly policies: number;
  readonly attestations: readonly string[];
  readonly disclosures: readonly DisclosureSummary[];
  readonly bytes: { readonly given: number; readonly json: number; readonly cbor: number };
}

/** Looks into a decoded bundle; `givenBytes` is the size of the file it came from. */
export function inspectBundle(bundle: ProofBundleV3, givenBytes: number): InspectionV1 {
  const times = bundle.receipts.map((receipt) => receipt.issued_at).sort(byText);
  const digests = new Map(
    bundle.receipts.map((receipt) => [canonicalStatement(receipt).digest, receipt.tool]),
  );
  return {
    protocol: "OSA_PROOF_V3",
    type: "InspectionV1",
    verified: false,
    namespace_id: bundle.namespace_id,
    mission_id: bundle.mission_id,
    scope: bundle.claim.scope,
    targets: bundle.claim.targets,
    receipts: bundle.receipts.length,
    first_issued_at: times[0] ?? null,
    last_issued_at: times.at(-1) ?? null,
    agents: agentsOf(bundle),
    tools: [...countBy(bundle.receipts, (receipt) => receipt.tool)]
      .map(([tool, receipts]) => ({ tool, receipts }))
      .sort((a, b) => b.receipts - a.receipts || byText(a.tool, b.tool)),
    delegations: bundle.delegations.map((delegation) => ({
      delegation_id: delegation.delegation_id,
      agent_id: delegation.agent_id,
      to: delegation.delegate_agent_id ?? delegation.runtime_id,
      tools: delegation.tools,
      not_after: delegation.not_after,
    })),
    evidence_trees: bundle.evidence_trees.map((tree) => ({
      root: tree.root,
      tree_size: tree.tree_size,
      mode: tree.mode,
      shown_leaves: tree.leaves?.length ?? tree.proofs?.length ?? 0,
      anchors: tree.anchors.map((anchor) => anchor.type),
    })),
    revocation_lists: bundle.revocation_lists.map(({ list, anchors }) => ({
      list_number: list.list_number,
      issued_at: list.issued_at,
      not_after: list.not_after,
      entries: list.entries.length,
      anchors: anchors.map((anchor) => anchor.type),
    })),
    root_rotations: bundle.root_rotations.length,
    session_seals: bundle.session_seals.length,
    policies: bundle.policies.length,
    attestations: bundle.attestations.map((attestation) => attestation.type),
    disclosures: bundle.disclosures.map((disclosure) => ({
      receipt_digest: disclosure.receipt_digest,
      tool: digests.get(disclosure.receipt_digest) ?? null,
      value: disclosure.value,
    })),
    bytes: {
      given: givenBytes,
      json: encodeBundle(bundle, "json").length,
      cbor: encodeBundle(bundle, "cbor").length,
    },
  };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function countBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** Every runtime that signed a receipt or has a certificate here, under the agent it says it is of. */
function agentsOf(bundle: ProofBundleV3): readonly AgentSummary[] {
  interface Runtime {
    readonly agent_id: string;
    readonly runtime_id: string;
    readonly session_id: string;
  }
  const key = ({ agent_id: agent, runtime_id: runtime, session_id: session }: Runtime): string =>
    `${agent} ${runtime} ${session}`;
  const bearers: readonly Runtime[] = [...bundle.receipts, ...bundle.runtime_key_certificates];
  const runtimes = new Map(bearers.map((bearer) => [key(bearer), bearer]));
  const receipts = countBy<ActionReceiptV3>(bundle.receipts, key);
  const closes = new Map(bundle.session_closes.map((close) => [key(close), close.closed_by]));
  const names = new Set([
    ...bundle.identity_records.map((record) => record.agent_id),
    ...[...runtimes.values()].map((runtime) => runtime.agent_id),
  ]);
  return [...names].sort(byText).map((agent) => ({
    agent_id: agent,
    runtimes: [...runtimes.values()]
      .filter((runtime) => runtime.agent_id === agent)
      .sort((a, b) => byText(key(a), key(b)))
      .map((runtime) => ({
        runtime_id: runtime.runtime_id,
        session_id: runtime.session_id,
        receipts: receipts.get(key(runtime)) ?? 0,
        closed_by: closes.get(key(runtime)) ?? null,
      })),
  }));
}
