/**
 * What a claim refers to. The packer keeps exactly this, and the verifier refuses anything else
 * (docs/SPEC.md, "Referenced").
 */
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { type Binding, Bindings } from "./bindings.js";
import {
  byDigest,
  type Contents,
  groupBy,
  type Identified,
  runtimeKeyName,
  shownLeaves,
} from "./contents.js";
import type { ClaimScope } from "./format.js";

/** Members of {@link Contents}, by object identity. */
export type Referenced = ReadonlySet<object>;

/** Receipts named by the claim, with all their ancestors that are present; iterative. */
export function claimedReceipts(
  receipts: readonly Identified<ActionReceiptV3>[],
  claim: { readonly scope: ClaimScope; readonly targets: readonly string[] },
  known: ReadonlyMap<string, Identified<ActionReceiptV3>> = byDigest(receipts),
): ReadonlySet<Identified<ActionReceiptV3>> {
  const found = new Set<Identified<ActionReceiptV3>>();
  const open: Identified<ActionReceiptV3>[] = [];
  const visit = (receipt: Identified<ActionReceiptV3> | undefined): void => {
    if (receipt === undefined || found.has(receipt)) return;
    found.add(receipt);
    open.push(receipt);
  };
  for (const target of claim.targets) visit(known.get(target));
  if (claim.scope === "session") {
    const sessions = new Set([...found].map((receipt) => receipt.statement.session_id));
    for (const receipt of receipts) if (sessions.has(receipt.statement.session_id)) visit(receipt);
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const parent of next.statement.parent_receipt_digests) visit(known.get(parent));
  }
  return found;
}

/** Everything in the contents that the claim refers to, directly or through what it refers to. */
export function referenced(
  contents: Contents,
  claim: { readonly scope: ClaimScope; readonly targets: readonly string[] },
): Referenced {
  const known = byDigest(contents.receipts);
  const receipts = claimedReceipts(contents.receipts, claim, known);
  const bindings = new Bindings();
  for (const { statement } of receipts) bindings.numberOf(statement);
  const kept = referencedBeside(contents, bindings.all);
  for (const receipt of receipts) kept.add(receipt);
  const leaves = new Set(
    [...receipts, ...contents.closes, ...contents.seals]
      .filter((leaf) => kept.has(leaf))
      .map((leaf) => leaf.digest),
  );
  keep(kept, contents.trees, (tree) => shownLeaves(tree.value).some((leaf) => leaves.has(leaf)));
  keep(kept, contents.disclosures, ({ value }) => {
    const receipt = known.get(value.receipt_digest);
    return receipt !== undefined && receipts.has(receipt);
  });
  return kept;
}

/** What the claimed receipts refer to by what they have in common; trees and disclosures are not among it. */
export function referencedBeside(
  contents: Omit<Contents, "receipts" | "trees" | "disclosures">,
  claimed: readonly Binding[],
): Set<object> {
  const kept = new Set<object>([...contents.rotations, ...contents.lists]);
  const delegations = keepDelegations(
    contents.delegations,
    new Set(claimed.map((binding) => binding.delegation_digest)),
    kept,
  );
  const runtimes = new Set(claimed.map((binding) => binding.runtime_id));
  const sessions = new Set(claimed.map((binding) => binding.session_id));
  const closes = keep(kept, contents.closes, (close) => runtimes.has(close.statement.runtime_id));
  const seals = keep(kept, contents.seals, (seal) => sessions.has(seal.statement.session_id));

  const keyNames = new Set(claimed.map(runtimeKeyName));
  const namedByClose = new Set(closes.flatMap((close) => close.statement.runtime_key_certificate_digests));
  const runtimeCertificates = keep(
    kept,
    contents.runtimeCertificates,
    (certificate) =>
      keyNames.has(runtimeKeyName(certificate.statement)) || namedByClose.has(certificate.digest),
  );
  const namedCertificates = new Set<string | undefined>(
    [...runtimeCertificates, ...delegations, ...closes, ...seals].map(
      (bearer) => bearer.statement.agent_key_certificate_digest,
    ),
  );
  keep(kept, contents.agentCertificates, (certificate) => namedCertificates.has(certificate.digest));
  const agents = new Set([
    ...claimed.map((binding) => binding.agent_id),
    ...[...delegations, ...closes, ...seals].map((bearer) => bearer.statement.agent_id),
  ]);
  keep(kept, contents.identityRecords, (record) => agents.has(record.statement.agent_id));

  const policies = new Set([
    ...claimed.map((binding) => binding.policy_digest),
    ...delegations.map((delegation) => delegation.statement.policy_digest),
  ]);
  keep(kept, contents.policies, (policy) => policies.has(policy.digest));
  const attested = new Set(
    runtimeCertificates.map((certificate) => certificate.statement.attestation_digest),
  );
  keep(kept, contents.attestations, (attestation) => attested.has(attestation.digest));
  return kept;
}

/** Adds the wanted items to what is kept, and gives them. */
function keep<T extends object>(
  kept: Set<object>,
  items: readonly T[],
  wanted: (item: T) => boolean,
): readonly T[] {
  const chosen = items.filter(wanted);
  for (const item of chosen) kept.add(item);
  return chosen;
}

/** The named delegations and, through their parents, the chains above them. */
function keepDelegations(
  delegations: Contents["delegations"],
  named: ReadonlySet<string>,
  kept: Set<object>,
): readonly Contents["delegations"][number][] {
  const known = groupBy(delegations, (delegation) => delegation.digest);
  const chosen: Contents["delegations"][number][] = [];
  const open = [...named];
  for (let digest = open.pop(); digest !== undefined; digest = open.pop()) {
    for (const delegation of known.get(digest) ?? []) {
      if (kept.has(delegation)) continue;
      kept.add(delegation);
      chosen.push(delegation);
      const parent = delegation.statement.parent_delegation_digest;
      if (parent !== undefined) open.push(parent);
    }
  }
  return chosen;
}
