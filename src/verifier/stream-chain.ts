/** What the receipts of a stream rest on: the parts of it before them, and the checks of these parts. */
import { type ContentsBesideReceipts, emptyContents } from "../bundle/contents.js";
import type { StreamHeader } from "../bundle/stream-format.js";
import type { TrustInputs } from "./check-trust.js";
import { type Begun, beginChecks } from "./checks.js";
import { type BundleHead, FormatRules } from "./format-rules.js";
import { Guard } from "./guard.js";
import { prepareRun } from "./prepare.js";
import type { ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";
import type { Run } from "./run.js";
import type { SignaturesElsewhere } from "./signatures-elsewhere.js";

/** Where what is found goes. */
export interface ChainFindings {
  /** What check FORMAT asks of parts that their schemas accept. */
  readonly format: Findings;
  /** What is found when the bundle is brought together with the auditor's inputs: it counts once FORMAT has passed. */
  readonly joined: Findings;
  /** Of the checks behind FORMAT. */
  readonly late: Findings;
}

/** The checks of receipts, ready to begin. */
export interface Started {
  readonly head: BundleHead;
  readonly rules: FormatRules;
  /** Null when bundle and inputs do not go together. */
  readonly run: Run | null;
  /** Null when a check could not be run. */
  readonly begun: Begun | null;
}

export class StreamChain {
  readonly contents: ContentsBesideReceipts = emptyContents();
  readonly targets: string[] = [];
  header: StreamHeader | null = null;

  /**
   * Judges what has been taken; `receipts` is the table into which they will come. Null without a header.
   */
  start(
    inputs: TrustInputs,
    receipts: ReceiptTable,
    findings: ChainFindings,
    elsewhere: SignaturesElsewhere,
  ): Started | null {
    const { header, contents, targets } = this;
    if (header === null) return null;
    const { namespace_id, mission_id, scope } = header;
    const head = { namespace_id, mission_id, claim: { scope, targets } };
    const rules = new FormatRules(head, inputs.trust, findings.format);
    rules.judgeChain(contents);
    const joining = new Guard(findings.joined);
    const run =
      joining.run("TRUST", () =>
        prepareRun({ head, contents, receipts }, inputs, findings.joined, findings.late),
      ) ?? null;
    // The policy decides which algorithms are looked at before any cryptography runs.
    const isRefused = findings.format.hasAnyFailure();
    const begun = run === null || isRefused ? null : beginChecks(run, new Guard(findings.late), elsewhere);
    return { head, rules, run, begun };
  }
}
