/** The verification of a bundle in one piece, in steps: open, judge the receipts, report. */
import { checkDisclosures } from "./check-evidence.js";
import { checkFormat, type Opened } from "./check-format.js";
import { checkReuse } from "./check-receipt.js";
import { checkTrust, digestsOf, readOptions, type VerifyOptions } from "./check-trust.js";
import { type Begun, beginChecks, endChecks } from "./checks.js";
import { Guard } from "./guard.js";
import type { KnownHeadsV1 } from "./inputs.js";
import { prepareRun } from "./prepare.js";
import { assembleReport, Findings, type InputDigests, type VerificationReportV1 } from "./report.js";
import type { Run } from "./run.js";
import { NO_LEAF } from "./shown-leaves.js";
import type { SignaturesElsewhere } from "./signatures-elsewhere.js";
import type { SignedReceipts } from "./standing.js";

/** A bundle whose receipts can be judged. */
interface Ready {
  readonly run: Run;
  readonly begun: Begun;
}

export class WholeVerification {
  /** Of the inputs as they were when they were read. */
  readonly #digests: InputDigests | undefined;
  readonly #given: NonNullable<ReturnType<typeof readOptions>>;
  readonly #early = new Findings();
  readonly #late = new Findings();
  readonly #guard = new Guard(this.#late);
  readonly #opened: Opened | null;
  readonly #ready: Ready | null;

  /** Runs all checks before those of receipts. */
  constructor(
    bundle: Uint8Array,
    policy: Uint8Array,
    options: VerifyOptions,
    elsewhere: SignaturesElsewhere,
  ) {
    this.#given = readOptions(options) ?? {};
    const early = this.#early;
    const guard = new Guard(early);
    this.#digests = guard.run("TRUST", () => digestsOf(policy, this.#given));
    const inputs = guard.run("TRUST", () => checkTrust(policy, this.#given, early)) ?? null;
    guard.ran("TRUST");
    this.#opened =
      (inputs && guard.run("FORMAT", () => checkFormat(bundle, inputs.trust, early, this.#late))) ?? null;
    // A namespace that is not pinned fails TRUST, and the run ends before FORMAT has judged the bundle.
    if (inputs !== null && !early.hasFailed("TRUST")) guard.ran("FORMAT");
    const opened = this.#opened;
    if (inputs === null || opened === null) {
      this.#ready = null;
      return;
    }
    const begin = { head: opened.bundle, contents: opened.contents, receipts: opened.receipts };
    const run = guard.run("TRUST", () => prepareRun(begin, inputs, early, this.#late));
    const begun = run ? beginChecks(run, this.#guard, elsewhere) : null;
    this.#ready = run && begun !== null ? { run, begun } : null;
  }

  /** How many receipts there are to judge. */
  get count(): number {
    return this.#ready === null ? 0 : (this.#opened?.receipts.count ?? 0);
  }

  /** Judges the receipts from one position up to, not including, another, each by itself. */
  judge(from: number, until: number): void {
    const [opened, ready] = [this.#opened, this.#ready];
    if (opened === null || ready === null) return;
    const { source, receipts } = opened;
    this.#guard.run("RECEIPT", () => {
      for (const [index, receipt] of source.statements.slice(from, until).entries())
        ready.begun.judge.judge(receipts, from + index, receipt, () => source.signedBytes(receipt));
    });
  }

  /** Notes that the signature of a receipt does not verify. */
  failSignature(position: number): void {
    this.#guard.run("RECEIPT", () => this.#ready?.begun.judge.failSignature(position));
  }

  /** The report, when all receipts have been judged. Call it once. */
  report(): VerificationReportV1 {
    const [opened, ready] = [this.#opened, this.#ready];
    const heads = opened === null || ready === null ? null : this.#judgeWhole(opened, ready);
    return assembleReport({
      early: this.#early,
      late: this.#late,
      head: opened?.bundle ?? null,
      receiptCount: opened?.receipts.count ?? 0,
      digests: this.#digests,
      at: this.#given.at,
      heads,
    });
  }

  /** Receipts and the keys that signed them, once the report has accepted; null where nothing could be judged. */
  get signed(): SignedReceipts | null {
    return this.#ready?.begun.standings.signedReceipts() ?? null;
  }

  /** All of the checks run, whatever the ones before have found. */
  #judgeWhole(opened: Opened, { run, begun }: Ready): KnownHeadsV1 | null {
    const { contents, source, receipts, leaves, trees, disclosures } = opened;
    const guard = this.#guard;
    guard.run("RECEIPT", () => checkReuse(run));
    guard.run("EVIDENCE", () => {
      for (const [at, { shown, proven }] of trees.entries()) {
        for (const [index, proof] of (contents.trees[at]?.value.proofs ?? []).entries())
          proven?.add(proof, shown.leaves[index] ?? NO_LEAF);
      }
      for (const [digest, shown] of disclosures) {
        const receipt = source.statements[receipts.digests.find(digest)];
        if (receipt !== undefined) checkDisclosures(run.findings, receipt, () => digest, shown);
      }
      for (const target of run.claim.targets) {
        const position = receipts.digests.find(target);
        const receipt = source.statements[position];
        const shown = disclosures.get(target) ?? [];
        if (receipt !== undefined) run.targets.meet(receipts, position, receipt, shown);
      }
    });
    return endChecks(run, begun, leaves, trees, guard);
  }
}
