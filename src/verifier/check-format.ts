/** Check 1, FORMAT: strict bytes, closed schemas, one run, and nothing that rides along (docs/SPEC.md, "Check 1"). */
import { decodeParsed, parseEither } from "../bundle/codec.js";
import { byDigest, type Contents, contentsOf, groupBy } from "../bundle/contents.js";
import { type ProofBundleV3, proofBundle } from "../bundle/format.js";
import { referenced } from "../bundle/references.js";
import type { FailureCode } from "../errors.js";
import { LIMITS } from "../limits.js";
import { identifier, PROTOCOL } from "../statements/fields.js";
import { Faults, isObject } from "../statements/schema.js";
import { isBytes } from "./inputs.js";
import type { Findings } from "./report.js";
import type { Run } from "./run.js";
import type { Trust } from "./trust-policy.js";

export interface Opened {
  readonly bundle: ProofBundleV3;
  readonly contents: Contents;
  readonly receiptByDigest: Run["receiptByDigest"];
}

/** Opens the bundle, or records why it cannot be; also where TRUST learns which namespace is meant. */
export function checkFormat(bytes: unknown, trust: Trust, findings: Findings): Opened | null {
  const fail = (code: FailureCode, pointer: string, detail: string, digest?: string): null => {
    findings.fail("FORMAT", code, digest === undefined ? { pointer } : { pointer, digest }, detail);
    return null;
  };
  if (!isBytes(bytes)) return fail("FORMAT_SYNTAX_INVALID", "", "expected the bytes of a bundle");
  const parsed = parseEither(bytes, trust.maxBundleBytes);
  if (parsed.faults.length === 0 && parsed.value !== undefined && isObject(parsed.value)) {
    const { protocol, type, namespace_id: namespace } = parsed.value;
    if (
      protocol === PROTOCOL &&
      type === "ProofBundleV3" &&
      isIdentifier(namespace) &&
      !trust.namespaces.has(namespace)
    ) {
      findings.fail(
        "TRUST",
        "TRUST_NAMESPACE_NOT_PINNED",
        { pointer: "/namespace_id" },
        `the policy pins no root for namespace ${namespace}`,
      );
      return null;
    }
  }
  const decoded = decodeParsed(proofBundle, parsed, parsed.readings);
  for (const fault of decoded.faults) fail(fault.code, fault.pointer, fault.detail);
  findings.countUnlisted("FORMAT", decoded.faultCount - decoded.faults.length);
  const bundle = decoded.value;
  if (bundle === undefined) return null;
  if (bundle.receipts.length > trust.maxReceipts) {
    return fail("FORMAT_TOO_LARGE", "/receipts", `expected at most ${trust.maxReceipts} receipts`);
  }
  const contents = contentsOf(bundle, { bytes, readings: parsed.readings });
  checkRecordCount(contents, fail);
  checkAlgorithms(bundle, contents, trust, fail);
  if (bundle.receipts.length === 0) fail("FORMAT_EMPTY", "/receipts", "there is no receipt");
  if (bundle.claim.targets.length === 0) fail("FORMAT_EMPTY", "/claim/targets", "there is no target");
  checkOneRun(bundle, contents, fail);
  checkRepeats(contents, fail);
  const receiptByDigest = byDigest(contents.receipts);
  const kept = referenced(contents, bundle.claim, receiptByDigest);
  for (const item of allItems(contents)) {
    if (!kept.has(item))
      fail("FORMAT_UNREFERENCED", item.pointer, "nothing in the claim refers to this", digestOf(item));
  }
  return findings.hasFailed("FORMAT") ? null : { bundle, contents, receiptByDigest };
}

type Fail = (code: FailureCode, pointer: string, detail: string, digest?: string) => null;
type Item = { readonly pointer: string; readonly digest?: string };

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && identifier.decode(value, "", new Faults()) !== undefined;
}

function digestOf(item: Item): string | undefined {
  return item.digest;
}

function allItems(contents: Contents): readonly Item[] {
  return Object.values(contents).flat() as readonly Item[];
}

/** Records are searched by time for each receipt, so their number for one agent is bounded. */
function checkRecordCount(contents: Contents, fail: Fail): void {
  for (const records of groupBy(contents.identityRecords, (record) => record.statement.agent_id).values()) {
    if (records.length <= LIMITS.maxRecordsPerAgent) continue;
    fail(
      "FORMAT_TOO_LARGE",
      "/identity_records",
      `expected at most ${LIMITS.maxRecordsPerAgent} records of one agent`,
    );
  }
}

/** Every signed statement, whatever its kind. */
function signedItems(contents: Contents): readonly {
  readonly pointer: string;
  readonly digest: string;
  readonly statement: { readonly namespace_id: string; readonly signing_algorithm: "ECDSA_P256" | "ED25519" };
}[] {
  return [
    ...contents.identityRecords,
    ...contents.rotations,
    ...contents.agentCertificates,
    ...contents.runtimeCertificates,
    ...contents.delegations,
    ...contents.receipts,
    ...contents.closes,
    ...contents.seals,
    ...contents.lists,
  ];
}

/** The policy decides which algorithms are looked at, before any cryptography runs. */
function checkAlgorithms(bundle: ProofBundleV3, contents: Contents, trust: Trust, fail: Fail): void {
  for (const { pointer, digest, statement } of signedItems(contents)) {
    if (trust.acceptedAlgorithms.has(statement.signing_algorithm)) {
      if (statement.namespace_id === bundle.namespace_id) continue;
      fail(
        "FORMAT_MIXED_RUN",
        `${pointer}/namespace_id`,
        "it is of another namespace than the bundle",
        digest,
      );
      continue;
    }
    fail(
      "FORMAT_ALGORITHM_NOT_ACCEPTED",
      `${pointer}/signing_algorithm`,
      `the policy does not accept ${statement.signing_algorithm}`,
      digest,
    );
  }
}

/** One mission in the bundle, and in scope `session` one session for all targets. */
function checkOneRun(bundle: ProofBundleV3, contents: Contents, fail: Fail): void {
  for (const { pointer, digest, statement } of [...contents.receipts, ...contents.delegations]) {
    if (statement.mission_id === bundle.mission_id) continue;
    fail("FORMAT_MIXED_RUN", `${pointer}/mission_id`, "it is of another mission than the bundle", digest);
  }
  if (bundle.claim.scope !== "session") return;
  const targets = new Set(bundle.claim.targets);
  const sessions = new Set(
    contents.receipts
      .filter(({ digest }) => targets.has(digest))
      .map(({ statement }) => statement.session_id),
  );
  if (sessions.size > 1)
    fail("FORMAT_MIXED_RUN", "/claim/targets", "scope session allows targets of one session only");
}

/** The later one of two equal statements, trees, anchors or openings is named. */
function checkRepeats(contents: Contents, fail: Fail): void {
  const repeat = <T extends Item>(items: readonly T[], nameOf: (item: T) => string): void => {
    const seen = new Set<string>();
    for (const item of items) {
      const name = nameOf(item);
      if (seen.has(name))
        fail("FORMAT_DUPLICATE_STATEMENT", item.pointer, "it stands in the bundle twice", digestOf(item));
      seen.add(name);
    }
  };
  const { trees, disclosures, ...digested } = contents;
  for (const items of Object.values(digested))
    repeat(items as readonly { pointer: string; digest: string }[], (item) => item.digest);
  repeat(trees, ({ value }) => `${value.root} ${value.tree_size}`);
  repeat(
    disclosures,
    ({ value }) => `${value.receipt_digest} ${value.value.kind} ${value.inclusion?.leaf_index ?? ""}`,
  );
  for (const { anchors, pointer } of [
    ...trees.map((tree) => ({ anchors: tree.value.anchors, pointer: `${tree.pointer}/anchors` })),
    ...contents.lists.map((list) => ({
      anchors: list.anchors,
      pointer: list.pointer.replace(/list$/, "anchors"),
    })),
  ]) {
    const placed = anchors.map((anchor, index) => ({ ...anchor, pointer: `${pointer}/${index}` }));
    repeat(placed, (anchor) => `${anchor.type} ${anchor.proof}`);
  }
}
