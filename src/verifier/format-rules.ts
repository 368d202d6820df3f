/**
 * What check FORMAT asks of a bundle whose parts have all been read: one run, nothing twice, and nothing that rides
 * along (docs/SPEC.md, "Check 1", from step 4 on). Parts may come one after the other: what the receipts rest on, then
 * the receipts, then the rest.
 */
import type { ContentsBesideReceipts } from "../bundle/contents.js";
import { groupBy } from "../bundle/contents.js";
import type { Disclosure, ProofBundleV3 } from "../bundle/format.js";
import { referencedBeside } from "../bundle/references.js";
import type { SigningAlgorithm } from "../crypto/keys.js";
import type { FailureCode } from "../errors.js";
import * as LIMITS from "../limits.js";
import { type ClaimedReceipts, claimedReceipts } from "./claimed-receipts.js";
import type { ShownTree } from "./proven-leaves.js";
import type { ReceiptPlace, ReceiptView } from "./receipt-columns.js";
import type { ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";
import type { Leaves } from "./shown-leaves.js";
import type { Trust } from "./trust-policy.js";

/** What a bundle says of itself, outside any signature. */
export type BundleHead = Pick<ProofBundleV3, "namespace_id" | "mission_id" | "claim">;

/** All parts of a bundle, in the forms in which the rules look at them. */
export interface Parts {
  readonly contents: ContentsBesideReceipts;
  readonly receipts: ReceiptTable;
  readonly leaves: Leaves;
  readonly trees: readonly ShownTree[];
  /** The position of the receipt that each disclosure opens, `NO_LEAF` when it is not there. */
  readonly disclosed: Uint32Array;
}

interface Signed {
  readonly pointer: string;
  readonly digest: string;
  readonly statement: { readonly namespace_id: string; readonly signing_algorithm: SigningAlgorithm };
}

interface Item {
  readonly pointer: string;
  readonly digest?: string;
}

export class FormatRules {
  readonly #head: BundleHead;
  readonly #trust: Trust;
  readonly #findings: Findings;

  constructor(head: BundleHead, trust: Trust, findings: Findings) {
    this.#head = head;
    this.#trust = trust;
    this.#findings = findings;
  }

  /** Of what the receipts rest on: its algorithms, before any cryptography runs, its mission and its bounds. */
  judgeChain(contents: ContentsBesideReceipts): void {
    this.#checkRecordCount(contents);
    const { identityRecords, rotations, agentCertificates, runtimeCertificates } = contents;
    const { delegations, lists, policies, attestations } = contents;
    for (const item of [...identityRecords, ...rotations, ...agentCertificates, ...runtimeCertificates])
      this.#checkRun(item);
    for (const item of [...delegations, ...lists]) this.#checkRun(item);
    for (const { pointer, digest, statement } of delegations) {
      if (statement.mission_id !== this.#head.mission_id) this.#failMission({ pointer, digest });
    }
    for (const items of [identityRecords, rotations, agentCertificates, runtimeCertificates])
      this.#checkDigests(items);
    for (const items of [delegations, lists, policies, attestations]) this.#checkDigests(items);
  }

  /** Of one receipt. */
  judgeReceipt(receipts: ReceiptView, position: number): void {
    const binding = receipts.bindings.all[receipts.bindingAt(position)];
    if (binding === undefined) return;
    const { namespace_id: namespace, signing_algorithm: algorithm, mission_id: mission } = binding;
    if (!this.#trust.acceptedAlgorithms.has(algorithm) || namespace !== this.#head.namespace_id)
      this.#checkRun({ ...receipts.placeOf(position), statement: binding });
    if (mission !== this.#head.mission_id) this.#failMission(receipts.placeOf(position));
  }

  /** Of a receipt whose digest another one before it has. */
  judgeRepeated(place: ReceiptPlace): void {
    this.#failRepeat(place);
  }

  /** Of the disclosures of one receipt. */
  judgeDisclosures(disclosures: readonly { readonly value: Disclosure; readonly pointer: string }[]): void {
    if (disclosures.length < 2) return;
    this.#checkRepeats(
      disclosures,
      ({ value }) => `${value.value.kind} ${value.inclusion?.leaf_index ?? ""}`,
    );
  }

  /** Of everything else, when all parts are there. */
  judgeWhole(parts: Parts): void {
    const { contents, receipts, trees } = parts;
    const { claim } = this.#head;
    for (const item of [...contents.closes, ...contents.seals]) this.#checkRun(item);
    if (receipts.count === 0) this.#fail("FORMAT_EMPTY", { pointer: "/receipts" }, "there is no receipt");
    if (claim.targets.length === 0)
      this.#fail("FORMAT_EMPTY", { pointer: "/claim/targets" }, "there is no target");
    for (const items of [contents.closes, contents.seals]) this.#checkDigests(items);
    const heads = trees.map(({ head }) => head);
    this.#checkRepeats(heads, ({ value }) => `${value.root} ${value.tree_size}`);
    this.#checkAnchorRepeats([
      ...heads.map(({ value, pointer }) => ({ anchors: value.anchors, pointer: `${pointer}/anchors` })),
      ...contents.lists.map(({ anchors, pointer }) => ({
        anchors,
        pointer: pointer.replace(/list$/, "anchors"),
      })),
    ]);
    const claimed = claimedReceipts(receipts, claim);
    if (claim.scope === "session" && claimed.sessions.size > 1) {
      const detail = "scope session allows targets of one session only";
      this.#fail("FORMAT_MIXED_RUN", { pointer: "/claim/targets" }, detail);
    }
    this.#judgeReferences(parts, claimed);
  }

  /** Nothing rides along. */
  #judgeReferences(parts: Parts, claimed: ClaimedReceipts): void {
    const { contents, receipts, leaves, trees, disclosed } = parts;
    const kept = referencedBeside(contents, claimed.bindings);
    const isKept = (leaf: number): boolean => {
      const end = leaves.endAt(leaf);
      return end === undefined ? claimed.flags[leaf] === 1 : kept.has(end);
    };
    for (let position = 0; position < receipts.count; position += 1)
      if (claimed.flags[position] !== 1) this.#failUnreferenced(receipts.placeOf(position));
    for (const { head, shown } of trees) if (!shown.leaves.some(isKept)) this.#failUnreferenced(head);
    for (const [index, receipt] of disclosed.entries())
      if (!isKept(receipt)) this.#failUnreferenced({ pointer: `/disclosures/${index}` });
    const { trees: _trees, disclosures: _disclosures, ...beside } = contents;
    for (const item of Object.values(beside).flat() as readonly Item[])
      if (!kept.has(item)) this.#failUnreferenced(item);
  }

  #fail(code: FailureCode, { pointer, digest }: Item, detail: string): void {
    this.#findings.fail("FORMAT", code, digest === undefined ? { pointer } : { pointer, digest }, detail);
  }

  #failRepeat(item: Item): void {
    this.#fail("FORMAT_DUPLICATE_STATEMENT", item, "it stands in the bundle twice");
  }

  #failUnreferenced(item: Item): void {
    this.#fail("FORMAT_UNREFERENCED", item, "nothing in the claim refers to this");
  }

  #failMission({ pointer, digest }: Item & { readonly digest: string }): void {
    const place = { pointer: `${pointer}/mission_id`, digest };
    this.#fail("FORMAT_MIXED_RUN", place, "it is of another mission than the bundle");
  }

  /** Records are searched by time for each receipt, so their number for one agent is bounded. */
  #checkRecordCount(contents: ContentsBesideReceipts): void {
    for (const records of groupBy(contents.identityRecords, ({ statement }) => statement.agent_id).values()) {
      if (records.length <= LIMITS.maxRecordsPerAgent) continue;
      const detail = `expected at most ${LIMITS.maxRecordsPerAgent} records of one agent`;
      this.#fail("FORMAT_TOO_LARGE", { pointer: "/identity_records" }, detail);
    }
  }

  /** The policy decides which algorithms are looked at; one bundle is of one namespace. */
  #checkRun({ pointer, digest, statement }: Signed): void {
    const { signing_algorithm: algorithm, namespace_id: namespace } = statement;
    if (!this.#trust.acceptedAlgorithms.has(algorithm)) {
      const place = { pointer: `${pointer}/signing_algorithm`, digest };
      this.#fail("FORMAT_ALGORITHM_NOT_ACCEPTED", place, `the policy does not accept ${algorithm}`);
    } else if (namespace !== this.#head.namespace_id) {
      const place = { pointer: `${pointer}/namespace_id`, digest };
      this.#fail("FORMAT_MIXED_RUN", place, "it is of another namespace than the bundle");
    }
  }

  #checkDigests(items: readonly (Item & { readonly digest: string })[]): void {
    this.#checkRepeats(items, ({ digest }) => digest);
  }

  /** The later one of two equal items is named. */
  #checkRepeats<T extends Item>(items: readonly T[], nameOf: (item: T) => string): void {
    const met = new Set<string>();
    for (const item of items) {
      const name = nameOf(item);
      if (met.has(name)) this.#failRepeat(item);
      met.add(name);
    }
  }

  #checkAnchorRepeats(
    all: readonly {
      readonly anchors: readonly { readonly type: string; readonly proof: string }[];
      readonly pointer: string;
    }[],
  ): void {
    for (const { anchors, pointer } of all) {
      const placed = anchors.map((anchor, index) => ({ ...anchor, pointer: `${pointer}/${index}` }));
      this.#checkRepeats(placed, ({ type, proof }) => `${type} ${proof}`);
    }
  }
}
