/** `osa-proof selftest`: would this verifier, on this machine, have caught a lie? */
import { type Command, InvalidArgumentError } from "commander";
import { backend } from "#backend";
import { encodeBundle } from "../../bundle/codec.js";
import { isStream } from "../../bundle/stream-beginning.js";
import { sha256Hex } from "../../crypto/digest.js";
import { formatTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import { verifyBundle } from "../../verifier/verify.js";
import { parseCount, parseInstant } from "../arguments.js";
import { readBundle } from "../bundle-input.js";
import type { CommandContext, Register } from "../command.js";
import { readInput } from "../input.js";
import { openBundle } from "../open-bundle.js";
import { packageVersion } from "../packaged.js";
import { counted, jsonText, paint, printable, table, writeLines } from "../print.js";
import { type Control, type Inputs, packagedControls } from "../selftest/controls.js";
import {
  type ControlCount,
  listed,
  type SelftestBundle,
  type SelftestFailure,
  type SelftestReportV1,
} from "../selftest/report.js";
import { runPackaged, runPolicy } from "../selftest/run.js";
import { defaultCopies, runBundle } from "../selftest/run-bundle.js";

interface SelftestOptions {
  readonly trust?: string;
  readonly bundle?: string;
  readonly at?: string;
  readonly revocations?: string;
  readonly heads?: string;
  readonly expectations?: string;
  readonly changes?: number;
  readonly json?: true;
}

/** Options that say how a bundle is judged, and so mean nothing without one. */
const WITH_BUNDLE = ["at", "revocations", "heads", "expectations", "changes"] as const;

/** What the auditor gave, read before anything runs. */
interface Given {
  readonly trust: Uint8Array;
  readonly inputs: Inputs | null;
}

async function selftest(context: CommandContext, options: SelftestOptions): Promise<void> {
  const given = await read(context, options);
  const { digest, controls } = packagedControls();
  const failures: SelftestFailure[] = [];
  const packaged = runPackaged(verifyBundle, controls, failures);
  // A verifier that is wrong about the packaged controls is not asked any further.
  const sound = failures.length === 0;
  const ownPolicy = given && {
    digest: sha256Hex(given.trust),
    controls: sound ? runPolicy(verifyBundle, given.trust, controls, failures) : [],
  };
  const ownBundle =
    given?.inputs == null
      ? null
      : {
          ...describe(given.inputs),
          controls: sound ? bundleCounts(context, options, given.inputs, controls, failures) : [],
        };
  const report: SelftestReportV1 = {
    protocol: "OSA_PROOF_V3",
    type: "SelftestReportV1",
    result: failures.length === 0 ? "PASSED" : "FAILED",
    verifier: { name: "osa-proof", version: packageVersion(), backend: backend.name },
    platform: { runtime: `node ${process.version}`, system: `${process.platform} ${process.arch}` },
    run_at: formatTime(context.now()),
    controls_digest: digest,
    accepted_controls: packaged.accepted,
    rejected_controls: packaged.rejected,
    trust_policy: ownPolicy,
    bundle: ownBundle,
    failure_count: failures.length,
    failures: listed(failures),
  };
  if (options.json) context.out(`${jsonText(report)}\n`);
  else writeLines(context, reportLines(context, report));
  context.exit(report.result === "PASSED" ? 0 : 1);
}

/** @throws OsaProofError USAGE, IO_FAILED */
async function read(context: CommandContext, options: SelftestOptions): Promise<Given | null> {
  const idle = WITH_BUNDLE.find((name) => options.bundle === undefined && options[name] !== undefined);
  if (idle !== undefined) throw new OsaProofError("USAGE", `--${idle} needs --bundle`);
  if (options.trust === undefined) {
    if (options.bundle === undefined) return null;
    throw new OsaProofError("USAGE", "--bundle needs --trust, the policy that accepts it");
  }
  const side = async (what: string, file: string | undefined): Promise<Uint8Array | undefined> =>
    file === undefined ? undefined : readInput(context, what, file);
  const trust = await readInput(context, "trust policy", options.trust);
  if (options.bundle === undefined) return { trust, inputs: null };
  const given = await readBundle(context, options.bundle);
  // Controls change parts of a bundle in one piece.
  const bundle = isStream(given) ? encodeBundle(openBundle(options.bundle, given)) : given;
  return {
    trust,
    inputs: {
      bundle,
      trust,
      at: options.at ?? formatTime(context.now()),
      supplement: await side("supplement", options.revocations),
      // Unlike verify, this never writes heads: nothing is learned from a copy.
      heads: await side("known heads", options.heads),
      expectations: await side("expectations", options.expectations),
    },
  };
}

function describe(inputs: Inputs): Omit<SelftestBundle, "controls"> {
  const digestOf = (bytes: Uint8Array | undefined): string | null =>
    bytes === undefined ? null : sha256Hex(bytes);
  return {
    digest: sha256Hex(inputs.bundle),
    verified_at: inputs.at,
    expectations_digest: digestOf(inputs.expectations),
    supplement_digest: digestOf(inputs.supplement),
    heads_digest: digestOf(inputs.heads),
  };
}

function bundleCounts(
  context: CommandContext,
  options: SelftestOptions,
  inputs: Inputs,
  controls: readonly Control[],
  failures: SelftestFailure[],
): readonly ControlCount[] {
  const published = controls.find(({ code }) => code === null)?.inputs.trust ?? new Uint8Array();
  const limit = options.changes ?? defaultCopies(inputs.bundle.length);
  return runBundle(verifyBundle, inputs, published, limit, failures, (done, total) => {
    if (context.progress && (done % 50 === 0 || done === total))
      context.err(`\r${done} of ${total} changed copies${done === total ? "\n" : ""}`);
  });
}

function reportLines(context: CommandContext, report: SelftestReportV1): readonly string[] {
  const { verifier, platform } = report;
  const row = ({ kind, available, run, as_expected }: ControlCount): string[] => [
    kind,
    `${as_expected} of ${run}`,
    run < available ? `(${available} possible)` : "",
  ];
  const section = (title: string, counts: readonly ControlCount[]): readonly string[] => [
    paint(context, "heading", title),
    ...table(counts.map(row)),
  ];
  const own = (title: string, counts: readonly ControlCount[] | undefined): readonly string[] => {
    if (counts === undefined) return [];
    return counts.length > 0 ? section(title, counts) : [paint(context, "bad", `${title}: not tried`)];
  };
  const passed = report.result === "PASSED";
  return [
    paint(context, passed ? "good" : "bad", `SELF-TEST ${report.result}`),
    `osa-proof ${verifier.version}, ${verifier.backend}, ${platform.runtime}, ${platform.system}, ${report.run_at}`,
    ...section("Packaged cases that must be accepted", [report.accepted_controls]),
    ...section(
      "Packaged lies, by the check that must reject them",
      report.rejected_controls.filter(({ run }) => run > 0),
    ),
    ...own(`Under trust policy ${report.trust_policy?.digest}`, report.trust_policy?.controls),
    ...own(
      `Changed copies of bundle ${report.bundle?.digest}, as of ${report.bundle?.verified_at}`,
      report.bundle?.controls,
    ),
    ...(passed ? [] : failureLines(context, report)),
  ];
}

/** A person needs no more of them to know; the JSON report lists more. */
const SHOWN_FAILURES = 20;

function failureLines(context: CommandContext, report: SelftestReportV1): readonly string[] {
  const { failure_count: count } = report;
  const shown = report.failures.slice(0, SHOWN_FAILURES);
  const part = count > shown.length ? `; the first ${shown.length}` : "";
  return [
    paint(
      context,
      "bad",
      `${counted(count, "control")} came out wrong. Do not rely on this verifier${part}:`,
    ),
    ...shown.map(({ control, pointer, expected, found }) =>
      printable(
        `  ${control}${pointer === "" ? "" : ` at ${pointer}`}: expected ${expected}, found ${found}`,
      ),
    ),
  ];
}

/** Refuses an option given twice, of which one would silently not count. */
function once<T>(parse: (value: string) => T): (value: string, before: T | undefined) => T {
  return (value, before) => {
    if (before !== undefined) throw new InvalidArgumentError("It was given twice.");
    return parse(value);
  };
}

const asGiven = once((value) => value);

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("selftest")
    .description("show that this verifier rejects lies: exit 0 passed, 1 a wrong verdict, 2 could not run")
    .option("--trust <file>", "your trust policy: what published keys sign must not pass it", asGiven)
    .option(
      "--bundle <file>",
      "a bundle that the policy accepts: changed copies of it must be rejected",
      asGiven,
    )
    .option(
      "--at <time>",
      "judge the bundle as of this time, RFC 3339 UTC (default: now)",
      once(parseInstant),
    )
    .option("--revocations <file>", "the supplement that the bundle is accepted with", asGiven)
    .option("--heads <file>", "the known heads that it is accepted with; they are not written", asGiven)
    .option("--expectations <file>", "the expectations that it meets", asGiven)
    .option(
      "--changes <number>",
      "how many changed copies, about (default: 1000, fewer of a large bundle)",
      once(parseCount),
    )
    .option("--json", "print the report as JSON")
    .action((options: SelftestOptions) => selftest(context, options));
};
