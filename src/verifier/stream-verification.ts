/**
 * The verification of a bundle in its streaming form: takes its parts one by one and ends in the report that the same
 * bundle in one piece would get (docs/SPEC.md, "Streaming form").
 */
import { Bindings } from "../bundle/bindings.js";
import { addPart, type Placed } from "../bundle/contents.js";
import type { EvidenceTreeHead, TreeProof } from "../bundle/format.js";
import type { EntryName, Part, StreamFaults } from "../bundle/stream-reader.js";
import type { Fault } from "../statements/schema.js";
import { Numbers } from "../tree/numbers.js";
import { checkReuse } from "./check-receipt.js";
import {
  checkTrust,
  digestsOf,
  isPinned,
  readOptions,
  type TrustInputs,
  type VerifyOptions,
} from "./check-trust.js";
import { endChecks } from "./checks.js";
import { Guard } from "./guard.js";
import type { KnownHeadsV1 } from "./inputs.js";
import { ProvenLeaves, type ShownTree } from "./proven-leaves.js";
import type { Columns } from "./receipt-columns.js";
import { ReceiptTable } from "./receipt-table.js";
import { assembleReport, Findings, type InputDigests, type VerificationReportV1 } from "./report.js";
import { Leaves, ShownLeaves } from "./shown-leaves.js";
import type { SignaturesElsewhere } from "./signatures-elsewhere.js";
import type { SignedReceipts } from "./standing.js";
import { type BlockFindings, type BlockRun, isRefused, type JudgedBlock, refuse } from "./stream-blocks.js";
import { type Started, StreamChain } from "./stream-chain.js";
import { takeBatch } from "./take-batch.js";
import { Targets } from "./targets.js";

export class StreamVerification implements StreamFaults {
  /** The most bytes that the policy lets a stream have; 0 when the policy cannot be used. */
  readonly maxBytes: number;
  readonly #elsewhere: SignaturesElsewhere;
  /** Of the inputs as they were when they were read. */
  readonly #digests: InputDigests | undefined;
  readonly #given: NonNullable<ReturnType<typeof readOptions>>;
  readonly #inputs: TrustInputs | undefined;
  /** TRUST, and what ended the reading. */
  readonly #early = new Findings();
  readonly #joined = new Findings();
  /** Of blocks, of single lines, and of the whole. */
  readonly findings: BlockFindings = { schema: new Findings(), format: new Findings(), late: new Findings() };
  readonly #chain = new StreamChain();
  readonly #receipts = new ReceiptTable(new Bindings());
  readonly #trees: ShownTree[] = [];
  readonly #disclosed = new Numbers();
  #started: Started | null = null;
  #leaves: Leaves | null = null;
  #isOver = false;

  constructor(policy: Uint8Array, options: VerifyOptions, elsewhere: SignaturesElsewhere) {
    this.#elsewhere = elsewhere;
    this.#given = readOptions(options) ?? {};
    const guard = new Guard(this.#early);
    this.#digests = guard.run("TRUST", () => digestsOf(policy, this.#given));
    this.#inputs = guard.run("TRUST", () => checkTrust(policy, this.#given, this.#early)) ?? undefined;
    guard.ran("TRUST");
    this.maxBytes = this.#inputs?.trust.maxStreamBytes ?? 0;
    this.#isOver = this.#inputs === undefined;
  }

  /** True when nothing that may come matters any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Bindings of the receipts taken so far: blocks that are read here are numbered alike. */
  get bindings(): Bindings {
    return this.#receipts.bindings;
  }

  end(fault: Fault): void {
    if (!this.#isOver) refuse(this.#early, fault, 1);
    this.#isOver = true;
  }

  schema(fault: Fault, count: number): void {
    refuse(this.findings.schema, fault, count);
  }

  /**
   * Does what a part asks for. An exception, which only a fault of this verifier can make, is a rejection and the end.
   */
  guarded(body: () => void): void {
    let isDone = false;
    new Guard(this.#early).run("FORMAT", () => {
      body();
      isDone = true;
    });
    if (!isDone) this.#isOver = true;
  }

  /** Takes a part that is no block of receipts. */
  take(part: Exclude<Part, { kind: "receipts" }>): void {
    if (this.#isOver || this.#inputs === undefined) return;
    if (part.kind === "entry") {
      this.#takeEntry(part.name, part.index, part.value);
      return;
    }
    this.#chain.header = part.value;
    if (!isPinned(part.value.namespace_id, this.#inputs.trust, this.#early)) this.#isOver = true;
  }

  #takeEntry(name: EntryName, index: number, value: unknown): void {
    // Each value has been decoded by the schema of its line's name.
    switch (name) {
      case "targets":
        for (const digest of value as readonly string[]) this.#chain.targets.push(digest);
        break;
      case "evidence_trees":
        this.#takeTree({ value: value as EvidenceTreeHead, pointer: `/${name}/${index}` });
        break;
      case "leaves":
        for (const leaf of value as readonly string[]) this.#trees.at(-1)?.shown.add(leaf);
        break;
      case "proofs":
        this.#takeProof(value as TreeProof);
        break;
      default:
        addPart(this.#chain.contents, name, index, value);
    }
  }

  #takeTree(head: Placed<EvidenceTreeHead>): void {
    const proven = head.value.mode === "inclusion" ? new ProvenLeaves(head, this.findings.late) : null;
    const all = this.#allLeaves();
    const shown = new ShownLeaves(all, Math.min(head.value.tree_size, all.count));
    this.#trees.push({ head, shown, proven });
  }

  #takeProof(proof: TreeProof): void {
    const tree = this.#trees.at(-1);
    const leaf = tree?.shown.add(proof.statement_digest);
    if (leaf !== undefined && !isRefused(this.findings)) tree?.proven?.add(proof, leaf);
  }

  #allLeaves(): Leaves {
    this.#leaves ??= new Leaves(this.#receipts, this.#chain.contents.closes, this.#chain.contents.seals);
    return this.#leaves;
  }

  #start(): Started | null {
    if (this.#started === null && this.#inputs !== undefined) {
      const { format, late } = this.findings;
      const findings = { format, late, joined: this.#joined };
      this.#started = this.#chain.start(this.#inputs, this.#receipts, findings, this.#elsewhere);
    }
    return this.#started;
  }

  /** What blocks are judged by, once all that receipts rest on has been taken; null when there is nothing to judge by. */
  blockRun(): BlockRun | null {
    const started = this.#start();
    if (started === null) return null;
    const { rules, run, begun } = started;
    return {
      rules,
      judge: begun?.judge ?? null,
      targets: run?.targets ?? new Targets([]),
      findings: this.findings,
    };
  }

  /** Takes a block that was judged; blocks come in their order. */
  absorb(columns: Columns, { disclosed, ended }: JudgedBlock): void {
    const started = this.#start();
    if (this.#isOver || started === null) return;
    const first = this.#receipts.count;
    takeBatch(this.#receipts, columns, true, started.rules, this.findings.late);
    const { digests } = this.#receipts;
    // Of a receipt that stands twice, the first is the one that counts.
    for (const position of disclosed) this.#disclosed.add(digests.findIn(digests, first + position));
    const most = this.#inputs?.trust.maxReceipts ?? 0;
    // One too many came before what ended the block.
    if (this.#receipts.count > most)
      this.end({
        code: "FORMAT_TOO_LARGE",
        pointer: "/receipts",
        detail: `expected at most ${most} receipts`,
      });
    else if (ended !== null) this.end(ended);
  }

  /** Notes that the signature of a receipt that was taken does not verify. */
  failSignature(position: number): void {
    this.#started?.begun?.judge.failSignature(position);
  }

  /** The report, when the reader has come to its end. */
  report(): VerificationReportV1 {
    const guard = new Guard(this.#early);
    const heads = this.#isOver ? null : (guard.run("FORMAT", () => this.#judgeWhole(guard)) ?? null);
    const isOpen = !this.#early.hasFailed("FORMAT") && !this.#isOver;
    return assembleReport({
      early: this.#early,
      late: this.findings.late,
      head: isOpen ? (this.#started?.head ?? null) : null,
      receiptCount: isOpen ? this.#receipts.count : 0,
      digests: this.#digests,
      at: this.#given.at,
      heads,
    });
  }

  /** Receipts and the keys that signed them, once the report has accepted; null where nothing could be judged. */
  get signed(): SignedReceipts | null {
    return this.#started?.begun?.standings.signedReceipts() ?? null;
  }

  /** Of what was found on the way, the failures of the first step of FORMAT that has any are its failures. */
  #judgeWhole(guard: Guard): KnownHeadsV1 | null {
    const started = this.#start();
    const { schema, format, late } = this.findings;
    guard.ran("FORMAT");
    if (schema.hasAnyFailure() || started === null) {
      this.#early.absorb(schema);
      return null;
    }
    const { contents } = this.#chain;
    // Before all else, since it lets go of what takes a third of the memory.
    if (started.run !== null) checkReuse(started.run);
    const leaves = this.#allLeaves();
    const parts = {
      contents,
      receipts: this.#receipts,
      leaves,
      trees: this.#trees,
      disclosed: this.#disclosed.all,
    };
    started.rules.judgeWhole(parts);
    this.#early.absorb(format.hasAnyFailure() ? format : this.#joined);
    const { run, begun } = started;
    if (this.#early.hasAnyFailure() || run === null || begun === null) return null;
    return endChecks(run, begun, leaves, this.#trees, new Guard(late));
  }
}
