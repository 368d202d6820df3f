/**
 * The conductor: decides one bundle under one trust policy at one instant (docs/SPEC.md, "Verification").
 * It reads like the list of checks; each check is a module of its own.
 */
import { byDigest, type Contents, identify, identifyLists } from "../bundle/contents.js";
import type { CheckName } from "../errors.js";
import { Checkpoints } from "./anchored.js";
import { type AnchorFindings, checkAnchor, judgeAllAnchors } from "./check-anchor.js";
import { checkAttestation } from "./check-attestation.js";
import { checkDag } from "./check-dag.js";
import { checkDelegation } from "./check-delegation.js";
import { checkEvidence } from "./check-evidence.js";
import { checkExpectation } from "./check-expectation.js";
import { checkFormat, type Opened } from "./check-format.js";
import { checkIdentity } from "./check-identity.js";
import { checkReceipts } from "./check-receipt.js";
import { checkRevocation, isInTimeOfRoot, type SoundList } from "./check-revocation.js";
import {
  checkTrust,
  digestsOf,
  type InputDigests,
  NO_DIGESTS,
  readOptions,
  type TrustInputs,
  type VerifyOptions,
} from "./check-trust.js";
import { DOES_NOT_PROVE } from "./explain.js";
import { movedHeads } from "./heads.js";
import type { Identity } from "./identity.js";
import type { KnownHeadsV1, SupplementV1 } from "./inputs.js";
import { type CheckResult, Findings, type VerificationReportV1, verdictOf } from "./report.js";
import { KeyRing, type Run } from "./run.js";

/**
 * Verifies a bundle. Synchronous and pure: no network, no clock but `options.at`, no environment.
 *
 * @param bundle bytes of a ProofBundleV3, JSON or CBOR
 * @param trustPolicy bytes of the auditor's TrustPolicyV1 JSON; never taken from the bundle
 * @returns the report; `verdict` is ACCEPTED or REJECTED. Never throws on bad input.
 */
export function verifyBundle(
  bundle: Uint8Array,
  trustPolicy: Uint8Array,
  options: VerifyOptions,
): VerificationReportV1 {
  const findings = new Findings();
  const given = readOptions(options) ?? {};
  let opened: Opened | null = null;
  let heads: KnownHeadsV1 | null = null;
  const guard = new Guard(findings);
  const inputs = guard.run("TRUST", () => checkTrust(trustPolicy, given, findings));
  if (inputs) {
    opened = guard.run("FORMAT", () => checkFormat(bundle, inputs.trust, findings), "open") ?? null;
    // A namespace that is not pinned fails TRUST, and the run ends before FORMAT has judged the bundle.
    if (!findings.hasFailed("TRUST")) findings.ran("FORMAT");
    const run = opened === null ? null : guard.run("TRUST", () => prepare(opened, inputs, findings));
    if (run) heads = runChecks(run, guard);
  }
  const digests = guard.run("TRUST", () => digestsOf(trustPolicy, given), "open");
  return assembleReport(findings.results(), findings, opened, digests, given.at, heads);
}

/** Checks 2 to 10, in order. All of them run, whatever the ones before have found. */
function runChecks(run: Run, guard: Guard): KnownHeadsV1 | null {
  const anchors = guard.run("ANCHOR", () => judgeAllAnchors(run, new Checkpoints()), "open");
  const identity = guard.run("IDENTITY", () => checkIdentity(run));
  if (!identity || !anchors) return null;
  guard.run("DELEGATION", () => checkDelegation(run, identity));
  const lists = guard.run("REVOCATION", () => checkRevocation(run, identity, anchors.lists));
  const runtimes = guard.run("RECEIPT", () => checkReceipts(run, identity));
  const ends = guard.run("DAG", () => checkDag(run, identity));
  const trees = guard.run("EVIDENCE", () => checkEvidence(run));
  if (!lists || !runtimes || !ends || !trees) return null;
  guard.run("ANCHOR", () => checkAnchor(run, identity, runtimes, ends, trees, anchors));
  const closers = [...ends.closedBy.values()].flatMap(({ runtime }) => runtime ?? []);
  guard.runOptional("ATTESTATION", () => checkAttestation(run, new Set([...runtimes.values(), ...closers])));
  guard.runOptional("EXPECTATION", () => checkExpectation(run));
  if (run.failed.size > 0 && !run.findings.hasAnyFailure()) {
    // A statement that was set aside without a reason must never pass: that would be a fault of a check.
    run.findings.fail(
      "ANCHOR",
      "INTERNAL_FAULT",
      { pointer: "" },
      "a statement failed without a recorded reason",
    );
  }
  return headsAfter(run, identity, lists, anchors);
}

function headsAfter(
  run: Run,
  identity: Identity,
  lists: readonly SoundList[],
  anchors: AnchorFindings,
): KnownHeadsV1 {
  return movedHeads({
    given: run.heads,
    namespaceId: run.namespace.namespace_id,
    lists: lists
      .filter((list) => {
        const anchored = anchors.lists.get(list.item);
        return !run.failed.has(list.item) && anchored?.time !== null && isInTimeOfRoot(list, anchored);
      })
      .map(({ item }) => item),
    rotations: identity.line.rotations.filter((rotation) => !run.failed.has(rotation)),
    checkpoints: anchors.checkpoints,
  });
}

/** The one boundary that turns an unexpected exception into a rejection. */
class Guard {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Runs a check; `open` leaves it unfinished because another part of it follows. */
  run<T>(check: CheckName, body: () => T, ending: "done" | "open" = "done"): T | undefined {
    try {
      const result = body();
      if (ending === "done") this.#findings.ran(check);
      return result;
    } catch {
      // The exception's text may hold parts of hostile input or of secrets, so it is not repeated.
      this.#findings.fail(check, "INTERNAL_FAULT", { pointer: "" }, "an unexpected error ended this check");
      return undefined;
    }
  }

  /** A check that rests when nothing was required or asked: then it stays NOT_EVALUATED. */
  runOptional(check: CheckName, body: () => boolean): void {
    const judged = this.run(check, body, "open");
    if (judged === true) this.#findings.ran(check);
  }
}

/** Joins bundle and supplement; null when the supplement is for another namespace. */
function prepare(opened: Opened | null, inputs: TrustInputs, findings: Findings): Run | null {
  const namespace = inputs.trust.namespaces.get(opened?.bundle.namespace_id ?? "");
  if (opened === null || namespace === undefined) return null;
  const { supplement } = inputs;
  if (supplement !== null && !isFor(supplement, opened.bundle.namespace_id)) {
    findings.fail(
      "TRUST",
      "TRUST_INPUT_INVALID",
      { pointer: "/namespace_id", source: "supplement" },
      "it is for another namespace than the bundle",
    );
    return null;
  }
  if (supplement !== null && !hasAcceptedAlgorithms(supplement, inputs.trust, findings)) return null;
  const { contents } = opened;
  const rotations = joinByDigest(
    contents.rotations,
    (supplement?.root_rotations ?? []).map((rotation, index) =>
      identify(rotation, `/root_rotations/${index}`),
    ),
  );
  // A list that the bundle has too is kept: the supplement may bring an anchor that the bundle lacks.
  const newerLists = identifyLists(supplement?.revocation_lists ?? [], "/revocation_lists");
  return {
    trust: inputs.trust,
    namespace,
    at: inputs.at,
    bundle: opened.bundle,
    contents,
    receiptByDigest: opened.receiptByDigest,
    rotations: rotations.all,
    lists: [...contents.lists, ...newerLists],
    certificateRoles: certificateRoles(contents),
    keys: new KeyRing(),
    expectations: inputs.expectations,
    heads: inputs.heads,
    findings,
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

function certificateRoles(contents: Contents): Run["certificateRoles"] {
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

function assembleReport(
  checks: readonly CheckResult[],
  findings: Findings,
  opened: Opened | null,
  digests: InputDigests | undefined,
  at: unknown,
  heads: KnownHeadsV1 | null,
): VerificationReportV1 {
  const claim = opened?.bundle.claim;
  return {
    protocol: "OSA_PROOF_V3",
    type: "VerificationReportV1",
    verdict: verdictOf(checks),
    first_failure: checks.flatMap((check) => check.failures)[0] ?? null,
    namespace_id: opened?.bundle.namespace_id ?? null,
    mission_id: opened?.bundle.mission_id ?? null,
    scope: claim?.scope ?? null,
    targets: claim?.targets ?? [],
    receipt_count: opened?.contents.receipts.length ?? 0,
    verified_at: typeof at === "string" ? at : null,
    ...(digests ?? NO_DIGESTS),
    checks,
    times: findings.times,
    not_counted: findings.notCounted,
    notes: [...findings.notes],
    does_not_prove: [...DOES_NOT_PROVE],
    heads,
  };
}
