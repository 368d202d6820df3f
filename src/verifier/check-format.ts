/** Check 1, FORMAT: strict bytes, closed schemas, one run, and nothing that rides along (docs/SPEC.md, "Check 1"). */
import { ReceiptSource } from "#receipts";
import { decodeParsed, parseEither } from "../bundle/codec.js";
import {
  type ContentsBesideReceipts,
  contentsBesideReceipts,
  groupBy,
  type Placed,
} from "../bundle/contents.js";
import { type Disclosure, type ProofBundleV3, proofBundle } from "../bundle/format.js";
import { isStream } from "../bundle/stream-beginning.js";
import type { JsonValue } from "../encoding/json-value.js";
import type { FailureCode } from "../errors.js";
import { identifier, PROTOCOL } from "../statements/fields.js";
import { Faults, isObject } from "../statements/schema.js";
import { isPinned } from "./check-trust.js";
import { FormatRules } from "./format-rules.js";
import { isBytes } from "./inputs.js";
import { ProvenLeaves, type ShownTree } from "./proven-leaves.js";
import { ReceiptColumns } from "./receipt-columns.js";
import { ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";
import { instant } from "./run.js";
import { Leaves, NO_LEAF, ShownLeaves } from "./shown-leaves.js";
import { takeBatch } from "./take-batch.js";
import type { Trust } from "./trust-policy.js";

/** A bundle whose format holds, with its parts in the forms in which checks look at them. */
export interface Opened {
  readonly bundle: ProofBundleV3;
  readonly contents: ContentsBesideReceipts;
  readonly source: ReceiptSource;
  readonly receipts: ReceiptTable;
  readonly leaves: Leaves;
  readonly trees: readonly ShownTree[];
  /** Disclosures by the digest of the receipt that they open, in array order. */
  readonly disclosures: ReadonlyMap<string, readonly Placed<Disclosure>[]>;
}

const STREAM_DETAIL =
  "a bundle in its streaming form, which this call does not take; hand it to verifyStream, or to osa-proof verify";

/**
 * Opens the bundle, or records why it cannot be; also where TRUST learns which namespace is meant. What is found on
 * the way for later checks goes to `late`.
 */
export function checkFormat(bytes: unknown, trust: Trust, findings: Findings, late: Findings): Opened | null {
  const fail = (code: FailureCode, pointer: string, detail: string): null => {
    findings.fail("FORMAT", code, { pointer }, detail);
    return null;
  };
  if (!isBytes(bytes)) return fail("FORMAT_SYNTAX_INVALID", "", "expected the bytes of a bundle");
  if (isStream(bytes)) return fail("FORMAT_SYNTAX_INVALID", "", STREAM_DETAIL);
  const parsed = parseEither(bytes, trust.maxBundleBytes);
  if (parsed.faults.length === 0 && isOfUnpinnedNamespace(parsed.value, trust, findings)) return null;
  const decoded = decodeParsed(proofBundle, parsed, parsed.known);
  for (const fault of decoded.faults) fail(fault.code, fault.pointer, fault.detail);
  findings.countUnlisted("FORMAT", decoded.faultCount - decoded.faults.length);
  const bundle = decoded.value;
  if (bundle === undefined) return null;
  if (bundle.receipts.length > trust.maxReceipts) {
    return fail("FORMAT_TOO_LARGE", "/receipts", `expected at most ${trust.maxReceipts} receipts`);
  }
  const contents = contentsBesideReceipts(bundle);
  const rules = new FormatRules(bundle, trust, findings);
  rules.judgeChain(contents);
  const source = new ReceiptSource(bundle.receipts, bytes, parsed.readings);
  const receipts = tableOf(source, rules, late);
  const leaves = new Leaves(receipts, contents.closes, contents.seals);
  const trees = contents.trees.map((tree) => shownTree(tree, leaves, late));
  const disclosures = groupBy(contents.disclosures, ({ value }) => value.receipt_digest);
  for (const ofOne of disclosures.values()) rules.judgeDisclosures(ofOne);
  const disclosed = Uint32Array.from(contents.disclosures, ({ value }) => {
    const position = receipts.digests.find(value.receipt_digest);
    return position < 0 ? NO_LEAF : position;
  });
  rules.judgeWhole({ contents, receipts, leaves, trees, disclosed });
  if (findings.hasFailed("FORMAT")) return null;
  return { bundle, contents, source, receipts, leaves, trees, disclosures };
}

/** True, and recorded, when the value is a bundle of a namespace for which nothing is pinned. */
function isOfUnpinnedNamespace(value: JsonValue | undefined, trust: Trust, findings: Findings): boolean {
  if (value === undefined || !isObject(value)) return false;
  const { protocol, type, namespace_id: namespace } = value;
  if (protocol !== PROTOCOL || type !== "ProofBundleV3" || !isIdentifier(namespace)) return false;
  return !isPinned(namespace, trust, findings);
}

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && identifier.decode(value, "", new Faults()) !== undefined;
}

/** Receipts may stand in any order, so they are one batch. */
function tableOf(source: ReceiptSource, rules: FormatRules, late: Findings): ReceiptTable {
  const batch = new ReceiptColumns(undefined, source.statements.length);
  for (const receipt of source.statements) {
    const position = batch.add(receipt, instant(receipt.issued_at), (target, offset) =>
      source.writeDigest(receipt, target, offset),
    );
    rules.judgeReceipt(batch, position);
  }
  const receipts = new ReceiptTable(batch.bindings, batch.count);
  takeBatch(receipts, batch.columns, false, rules, late);
  return receipts;
}

function shownTree(tree: ContentsBesideReceipts["trees"][number], all: Leaves, late: Findings): ShownTree {
  const { leaves, proofs = [] } = tree.value;
  const shown = new ShownLeaves(all, (leaves ?? proofs).length);
  if (leaves !== undefined) {
    for (const leaf of leaves) shown.add(leaf);
    return { head: tree, shown, proven: null };
  }
  for (const proof of proofs) shown.add(proof.statement_digest);
  return { head: tree, shown, proven: new ProvenLeaves(tree, late) };
}
