/** `osa-proof verify BUNDLE --trust FILE`: the auditor's decision, as a report and an exit code. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { canonicalBytes } from "../../encoding/jcs.js";
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { formatTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import type { ParallelOptions } from "../../parallel/verify-parallel.js";
import type { VerifyOptions as Questions } from "../../verifier/check-trust.js";
import { explainReport } from "../../verifier/explain-report.js";
import type { VerificationReportV1 } from "../../verifier/report.js";
import { verifyBundle } from "../../verifier/verify.js";
import type { Pieces } from "../../verifier/verify-stream.js";
import { parseCount } from "../arguments.js";
import { type BundleInput, openInput } from "../bundle-input.js";
import type { CommandContext, Register } from "../command.js";
import { digestOfFile, readInput, STANDARD_INPUT } from "../input.js";
import { withKept } from "../kept-file.js";
import { jsonText, paint, printable, writeLines } from "../print.js";

interface VerifyOptions {
  readonly trust: string;
  readonly at?: string;
  readonly revocations?: string;
  readonly expectations?: string;
  readonly heads?: string;
  readonly state?: string;
  readonly json?: true;
  readonly threads?: number;
  readonly expectNamespace?: string;
  readonly expectMission?: string;
  readonly expectSession?: string;
  readonly expectAgent?: string;
  readonly expectTool?: string;
  readonly expectTarget?: readonly string[];
  readonly expectScope?: string;
  readonly expectStatus?: string;
  readonly expectOutput?: string;
}

/** Threads take longer to start than smaller bundles to verify. */
const WORTH_THREADS_BYTES = 4_000_000;

function isWorthThreads(bundle: BundleInput): boolean {
  return bundle.kind === "stream" || bundle.bytes.length >= WORTH_THREADS_BYTES;
}

async function verify(context: CommandContext, file: string, options: VerifyOptions): Promise<void> {
  const read = [file, options.trust, options.revocations, options.expectations, options.heads, options.state];
  if (read.filter((name) => name === STANDARD_INPUT).length > 1) {
    throw new OsaProofError("USAGE", "only one input can be - (standard input); name a file for the others");
  }
  const report = await (options.state === undefined
    ? inHeads(context, file, options)
    : inState(context, file, options, options.state));
  if (options.json) context.out(`${jsonText(report)}\n`);
  else writeLines(context, reportLines(context, report));
  context.exit(report.verdict === "ACCEPTED" ? 0 : 1);
}

interface Inputs {
  readonly bundle: BundleInput;
  readonly policy: Uint8Array;
  readonly given: Pick<Questions, "at" | "supplement" | "expectations">;
}

async function inputsOf(context: CommandContext, file: string, options: VerifyOptions): Promise<Inputs> {
  const [bundle, policy, supplement, expectations] = [
    await openInput(context, file),
    await readSide(context, "trust policy", options.trust),
    options.revocations === undefined
      ? undefined
      : await readSide(context, "supplement", options.revocations),
    await expectationsOf(context, options),
  ];
  return { bundle, policy, given: { at: options.at ?? formatTime(context.now()), supplement, expectations } };
}

/** Verifies with the known heads of a file, where one is named, and keeps those of the report there. */
function inHeads(
  context: CommandContext,
  file: string,
  options: VerifyOptions,
): Promise<VerificationReportV1> {
  return withKept(context, "known heads", options.heads, async (known) => {
    const { bundle, policy, given } = await inputsOf(context, file, options);
    const report = await verifyAny(context, options, bundle, policy, { ...given, heads: known });
    const { heads } = report;
    if (options.heads !== undefined && known === undefined) {
      const end =
        heads === null ? "and it was not made, since nothing verified in full" : "and it begins now";
      context.err(`${printable(options.heads)}: no heads were known before, ${end}\n`);
    }
    // Heads hold only what verified in full, so they are kept after a rejection too. Decoded heads are JSON by
    // construction; their interface type has no index signature to say so.
    const keep = heads === null ? null : canonicalBytes(heads as unknown as JsonValue);
    return { keep, result: report };
  });
}

async function verifyAny(
  context: CommandContext,
  { threads }: VerifyOptions,
  bundle: BundleInput,
  policy: Uint8Array,
  given: Questions,
): Promise<VerificationReportV1> {
  if (bundle.kind === "whole" && !isWorthThreads(bundle)) return verifyBundle(bundle.bytes, policy, given);
  const { verifyBundleParallel } = await import("../../parallel/verify-parallel.js");
  return verifyBundleParallel(piecesOf(context, bundle), policy, given, parallelOf(context, threads));
}

/** Verifies with the audit state of a file, and keeps the one that follows there. */
function inState(
  context: CommandContext,
  file: string,
  options: VerifyOptions,
  stateFile: string,
): Promise<VerificationReportV1> {
  return withKept(context, "audit state", stateFile, async (before) => {
    const { bundle, policy, given } = await inputsOf(context, file, options);
    const { continueAudit } = await import("../../audit/continue-audit.js");
    const threads = isWorthThreads(bundle) ? options.threads : 1;
    const audited = await continueAudit(piecesOf(context, bundle), policy, given, {
      state: before ?? null,
      ...parallelOf(context, threads),
    });
    const { report, known, missing, state } = audited;
    const name = printable(stateFile);
    if (before === undefined) context.err(`${name}: no state was kept before, and it begins now\n`);
    else context.err(`${name}: the signatures of ${known} receipts were known\n`);
    if (missing !== null && missing > 0)
      context.err(`${name}: ${missing} receipts that were accepted before are not in this bundle\n`);
    return { keep: state, result: report };
  });
}

function parallelOf(context: CommandContext, threads: number | undefined): ParallelOptions {
  return { threads, onNote: (note) => context.err(`osa-proof: ${note}\n`) };
}

function piecesOf(context: CommandContext, bundle: BundleInput): Uint8Array | Pieces {
  return bundle.kind === "whole" ? bundle.bytes : withProgress(context, bundle);
}

/** The pieces of a stream, with a line on a terminal's stderr that says how much of it has been read. */
async function* withProgress(
  context: CommandContext,
  { pieces, size }: Extract<BundleInput, { kind: "stream" }>,
): AsyncGenerator<Uint8Array> {
  const { showBytes } = await import("../progress.js");
  const progress = showBytes(context, "verifying", size);
  try {
    for await (const piece of pieces) {
      yield piece;
      progress.step(piece.length);
    }
  } finally {
    progress.end();
  }
}

/** The explanation with its first line and headings in colour, where there is colour. */
export function reportLines(context: CommandContext, report: VerificationReportV1): readonly string[] {
  const [verdict = "", ...rest] = explainReport(report).map(printable);
  return [
    paint(context, report.verdict === "ACCEPTED" ? "good" : "bad", verdict),
    ...rest.map((line) => (line.startsWith(" ") ? line : paint(context, "heading", line))),
  ];
}

/** A side input whole: unlike the bundle it has a digest in the report, which must be of all its bytes. */
async function readSide(context: CommandContext, what: string, file: string): Promise<Uint8Array> {
  const bytes = await readInput(context, what, file);
  if (bytes.length <= LIMITS.maxBundleBytes) return bytes;
  throw new OsaProofError("IO_FAILED", `${what} ${printable(file)} is longer than any input may be`);
}

/** The bytes of an ExpectationsV1: the file given, or one made from the --expect options; undefined when nothing is asked. */
async function expectationsOf(
  context: CommandContext,
  options: VerifyOptions,
): Promise<Uint8Array | undefined> {
  const asked: Record<string, JsonValue | undefined> = {
    namespace_id: options.expectNamespace,
    mission_id: options.expectMission,
    session_id: options.expectSession,
    agent_id: options.expectAgent,
    tool: options.expectTool,
    target_receipt_digests: options.expectTarget,
    scope: options.expectScope,
    status: options.expectStatus,
    output_sha256:
      options.expectOutput === undefined
        ? undefined
        : await digestOfFile(context, "expected output", options.expectOutput),
  };
  const given = Object.entries(asked).filter(
    (member): member is [string, JsonValue] => member[1] !== undefined,
  );
  if (options.expectations !== undefined) {
    if (given.length === 0) return readSide(context, "expectations", options.expectations);
    throw new OsaProofError(
      "USAGE",
      "--expectations and the --expect options exclude each other; give one kind",
    );
  }
  if (given.length === 0) return undefined;
  const made: JsonObject = { protocol: "OSA_PROOF_V3", type: "ExpectationsV1", ...Object.fromEntries(given) };
  return canonicalBytes(made);
}

/** Refuses an option given twice, of which one would silently not count. */
function once(value: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError("It was given twice.");
  return value;
}

function single(flags: string, description: string, choices: readonly string[] = []): Option {
  return new Option(flags, description).argParser((value: string, before: string | undefined) => {
    if (choices.length > 0 && !choices.includes(value)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
    }
    return once(value, before);
  });
}

function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("verify")
    .description("decide a bundle under your trust policy: exit 0 accepted, 1 rejected, 2 no report")
    .argument("<bundle>", "the bundle, or - for standard input")
    .addOption(single("--trust <file>", "your trust policy").makeOptionMandatory())
    .addOption(single("--at <time>", "verify as of this time, RFC 3339 UTC (default: now)"))
    .addOption(
      single(
        "--revocations <file>",
        "a supplement: newer revocation lists and root rotations, and that logs continue what --heads or --state know",
      ),
    )
    .addOption(single("--heads <file>", "known heads, kept from one verification to the next"))
    .addOption(
      single(
        "--state <file>",
        "audit state, kept from one verification to the next: signatures accepted before are not checked again",
      ).conflicts("heads"),
    )
    .addOption(single("--expectations <file>", "what the bundle must answer, as a file"))
    .addOption(single("--expect-namespace <id>", "the namespace it must be of"))
    .addOption(single("--expect-mission <id>", "the mission it must be of"))
    .addOption(single("--expect-session <id>", "the session of every target"))
    .addOption(single("--expect-agent <agent_id>", "the agent of every target"))
    .addOption(single("--expect-tool <name>", "the tool of every target"))
    .option("--expect-target <digest>", "a target; give all of them (repeatable)", collected)
    .addOption(single("--expect-scope <scope>", "the scope of the claim", ["session", "causal"]))
    .addOption(
      single("--expect-status <status>", "the disclosed status of every target", [
        "completed",
        "failed",
        "denied",
        "interrupted",
      ]),
    )
    .addOption(single("--expect-output <file>", "the file that the disclosed output must be"))
    .addOption(
      new Option(
        "--threads <count>",
        "threads that check signatures of a large bundle (default: one for each core, up to 4)",
      ).argParser(parseCount),
    )
    .option("--json", "print the report as JSON")
    .action((file: string, options: VerifyOptions) => verify(context, file, options));
};
