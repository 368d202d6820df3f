/** Brings together what a run is about before its checks begin (docs/SPEC.md, "Check 0", step 7). */
import { byDigest, type ContentsBesideReceipts, identify, identifyList } from "../bundle/contents.js";
import type { TrustInputs } from "./check-trust.js";
import type { BundleHead } from "./format-rules.js";
import type { SupplementV1 } from "./inputs.js";
import type { ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";
import { KeyRing, type Run } from "./run.js";
import { Targets } from "./targets.js";

/** What a run is about: the bundle's head, what its receipts rest on, and its receipts, as far as they are read. */
export interface Begin {
  readonly head: BundleHead;
  readonly contents: ContentsBesideReceipts;
  readonly receipts: ReceiptTable;
}

/** Joins bundle and supplement; null when the supplement is for another namespace. Checks report to `late`. */
export function prepareRun(
  begin: Begin,
  inputs: TrustInputs,
  findings: Findings,
  late: Findings,
): Run | null {
  const { head, contents, receipts } = begin;
  const namespace = inputs.trust.namespaces.get(head.namespace_id);
  if (namespace === undefined) return null;
  const { supplement } = inputs;
  if (supplement !== null && !isFor(supplement, head.namespace_id)) {
    findings.fail(
      "TRUST",
      "TRUST_INPUT_INVALID",
      { pointer: "/namespace_id", source: "supplement" },
      "it is for another namespace than the bundle",
    );
    return null;
  }
  if (supplement !== null && !hasAcceptedAlgorithms(supplement, inputs.trust, findings)) return null;
  const rotations = joinByDigest(
    contents.rotations,
    (supplement?.root_rotations ?? []).map((rotation, index) =>
      identify(rotation, `/root_rotations/${index}`),
    ),
  );
  // A list that the bundle has too is kept: the supplement may bring an anchor that the bundle lacks.
  const newerLists = (supplement?.revocation_lists ?? []).map((entry, index) =>
    identifyList(entry, `/revocation_lists/${index}`),
  );
  return {
    trust: inputs.trust,
    namespace,
    at: inputs.at,
    namespaceId: head.namespace_id,
    missionId: head.mission_id,
    claim: head.claim,
    contents,
    receipts,
    targets: new Targets(head.claim.targets),
    rotations: rotations.all,
    lists: [...contents.lists, ...newerLists],
    certificateRoles: certificateRoles(contents),
    keys: new KeyRing(),
    expectations: inputs.expectations,
    heads: inputs.heads,
    logConsistency: supplement?.log_consistency ?? null,
    findings: late,
    supplementItems: new Set<object>([...rotations.added, ...newerLists]),
    failed: new Set(),
  };
}

function isFor(supplement: SupplementV1, namespaceId: string): boolean {
  const statements = [...supplement.root_rotations, ...supplement.revocation_lists.map(({ list }) => list)];
  return (
    supplement.namespace_id === namespaceId &&
    statements.every((statement) => statement.namespace_id === namespaceId)
  );
}

/** The policy's algorithms hold for the supplement as for the bundle. */
function hasAcceptedAlgorithms(
  supplement: SupplementV1,
  trust: TrustInputs["trust"],
  findings: Findings,
): boolean {
  const placed = [
    ...supplement.root_rotations.map((statement, index) => ({ statement, at: `/root_rotations/${index}` })),
    ...supplement.revocation_lists.map(({ list }, index) => ({
      statement: list,
      at: `/revocation_lists/${index}/list`,
    })),
  ].filter(({ statement }) => !trust.acceptedAlgorithms.has(statement.signing_algorithm));
  for (const { statement, at } of placed) {
    const place = { pointer: `${at}/signing_algorithm`, source: "supplement" } as const;
    const detail = `the policy does not accept ${statement.signing_algorithm}`;
    findings.fail("FORMAT", "FORMAT_ALGORITHM_NOT_ACCEPTED", place, detail);
  }
  return placed.length === 0;
}

function certificateRoles(contents: ContentsBesideReceipts): Run["certificateRoles"] {
  return new Map([
    ...contents.agentCertificates.map(({ digest }) => [digest, "agent"] as const),
    ...contents.runtimeCertificates.map(({ digest }) => [digest, "runtime"] as const),
  ]);
}

/** The first list, then those of the second whose digest it does not have. */
function joinByDigest<T extends { readonly digest: string }>(
  first: readonly T[],
  second: readonly T[],
): { readonly all: readonly T[]; readonly added: readonly T[] } {
  const known = byDigest(first);
  const added = [...byDigest(second).values()].filter((item) => !known.has(item.digest));
  return { all: [...first, ...added], added };
}
