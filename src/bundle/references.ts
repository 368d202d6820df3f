/**
 * What a claim refers to. The packer keeps exactly this, and the verifier refuses anything else
 * (docs/SPEC.md, "Referenced").
 */
import type { ActionReceiptV3 } from "../statements/receipt.js";
import {
  byDigest,
  type Contents,
  groupBy,
  type Identified,
  isSameRuntimeKey,
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
  known: ReadonlyMap<string, Identified<ActionReceiptV3>> = byDigest(contents.receipts),
): Referenced {
  const kept = new Set<object>([...contents.rotations, ...contents.lists]);
  const receipts = claimedReceipts(contents.receipts, claim, known);
  const keep = <T extends object>(items: Iterable<T>, wanted: (item: T) => boolean): readonly T[] => {
    const chosen = [...items].filter(wanted);
    for (const item of chosen) kept.add(item);
    return chosen;
  };
  const values = (read: (receipt: ActionReceiptV3) => string): ReadonlySet<string> => {
    const all = new Set<string>();
    let last = "";
    for (const { statement } of receipts) {
      const value = read(statement);
      // Most receipts have the value of the one before.
      if (value !== last || all.size === 0) all.add(value);
      last = value;
    }
    return all;
  };

  for (const receipt of receipts) kept.add(receipt);
  const delegations = keepDelegations(
    contents,
    values((receipt) => receipt.delegation_digest),
    kept,
  );
  const runtimes = values((receipt) => receipt.runtime_id);
  const sessions = values((receipt) => receipt.session_id);
  const closes = keep(contents.closes, (close) => runtimes.has(close.statement.runtime_id));
  const seals = keep(contents.seals, (seal) => sessions.has(seal.statement.session_id));

  const keyNames = runtimeKeyNames(receipts);
  const namedByClose = new Set(closes.flatMap((close) => close.statement.runtime_key_certificate_digests));
  const runtimeCertificates = keep(
    contents.runtimeCertificates,
    (certificate) =>
      keyNames.has(runtimeKeyName(certificate.statement)) || namedByClose.has(certificate.digest),
  );
  const namedCertificates = new Set<string | undefined>(
    [...runtimeCertificates, ...delegations, ...closes, ...seals].map(
      (bearer) => bearer.statement.agent_key_certificate_digest,
    ),
  );
  keep(contents.agentCertificates, (certificate) => namedCertificates.has(certificate.digest));
  const agents = new Set(
    [...receipts, ...delegations, ...closes, ...seals].map((bearer) => bearer.statement.agent_id),
  );
  keep(contents.identityRecords, (record) => agents.has(record.statement.agent_id));

  const policies = new Set([...receipts, ...delegations].map((bearer) => bearer.statement.policy_digest));
  keep(contents.policies, (policy) => policies.has(policy.digest));
  const attested = new Set(
    runtimeCertificates.map((certificate) => certificate.statement.attestation_digest),
  );
  keep(contents.attestations, (attestation) => attested.has(attestation.digest));

  const leaves = new Set([...receipts, ...closes, ...seals].map((leaf) => leaf.digest));
  keep(contents.trees, (tree) => shownLeaves(tree.value).some((leaf) => leaves.has(leaf)));
  keep(contents.disclosures, ({ value }) => {
    const receipt = known.get(value.receipt_digest);
    return receipt !== undefined && receipts.has(receipt);
  });
  return kept;
}

function runtimeKeyNames(receipts: Iterable<Identified<ActionReceiptV3>>): ReadonlySet<string> {
  const names = new Set<string>();
  let last: ActionReceiptV3 | undefined;
  for (const { statement } of receipts) {
    if (last === undefined || !isSameRuntimeKey(last, statement)) names.add(runtimeKeyName(statement));
    last = statement;
  }
  return names;
}

/** The named delegations and, through their parents, the chains above them. */
function keepDelegations(
  contents: Contents,
  named: ReadonlySet<string>,
  kept: Set<object>,
): readonly Contents["delegations"][number][] {
  const known = groupBy(contents.delegations, (delegation) => delegation.digest);
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
