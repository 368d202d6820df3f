/** `osa-proof bundle`: packs what an auditor needs to decide about chosen receipts. */
import { type Command, Option } from "commander";
import { assembleBundle, type BundleClaim, type ProofMaterial } from "../../bundle/assemble.js";
import { encodeBundle } from "../../bundle/codec.js";
import type { Disclosure, ProofBundleV3 } from "../../bundle/format.js";
import { isStream } from "../../bundle/stream-beginning.js";
import { encodeStream } from "../../bundle/stream-writer.js";
import { joinBytes } from "../../encoding/bytes.js";
import { formatTime } from "../../encoding/time.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import { verifyBundle } from "../../verifier/verify.js";
import { verifyStream } from "../../verifier/verify-stream.js";
import { collectDigest } from "../arguments.js";
import type { CommandContext, Register } from "../command.js";
import { compressed } from "../compress.js";
import { disclosuresFor, parseDisclosure } from "../disclosure.js";
import { pathOf } from "../input.js";
import { outputFile } from "../output.js";
import { byteSize, counted, jsonText, printable, writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  fileText,
  TRUST_FILE,
  type Workspace,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import { currentSupplement, listsToShow } from "../workspace-authority.js";
import type { State } from "../workspace-state.js";

interface BundleOptions extends WorkspaceOptions {
  readonly output: string;
  readonly session?: string;
  readonly target?: readonly string[];
  readonly scope: string;
  readonly disclose?: readonly string[];
  readonly cbor?: true;
  readonly stream?: true;
  readonly compress?: string;
  readonly force?: true;
  readonly json?: true;
}

/** Without a word about it only the items that say that a receipt was recorded from a file are shown. */
const DEFAULT_DISCLOSURE: readonly string[] = ["notices"];

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("bundle"))
    .description("pack a bundle that an auditor verifies offline")
    .requiredOption("-o, --output <file>", "where to write it")
    .option("--session <id>", "the session it is about (default: the newest)")
    .option("--target <digest...>", "receipts it is about (default: the last of the session)", collectDigest)
    .option(
      "--scope <scope>",
      "session: the whole session; causal: the targets and what they came after",
      "session",
    )
    .option(
      "--disclose <what...>",
      "all, inputs, outputs, evidence, notices (only: recorded, not witnessed), none, or DIGEST or DIGEST:input, :output, :evidence (default: notices)",
    )
    .option("--cbor", "write the compact binary form")
    .option("--stream", "write the streaming form: lines that are verified in little memory, however many")
    .addOption(new Option("--compress <how>", "compress the streaming form").choices(["gzip", "zstd"]))
    .option("--force", "replace the file if there is one")
    .option("--json", "print what was made as JSON")
    .action((options: BundleOptions) => bundle(context, options));
};

async function bundle(context: CommandContext, options: BundleOptions): Promise<void> {
  const { scope } = options;
  if (scope !== "session" && scope !== "causal") {
    throw new OsaProofError("USAGE", `--scope: expected session or causal, found ${scope}`);
  }
  if (options.session !== undefined && options.target !== undefined) {
    throw new OsaProofError("USAGE", "--session and --target exclude each other; give one");
  }
  if (options.stream && options.cbor) {
    throw new OsaProofError("USAGE", "--stream and --cbor exclude each other; give one");
  }
  if (options.compress !== undefined && !options.stream) {
    throw new OsaProofError("USAGE", "--compress goes with --stream");
  }
  const wanted = parseDisclosure(options.disclose ?? DEFAULT_DISCLOSURE);
  const file = await outputFile(context, "-o", options.output, options.force === true);
  await withWorkspace(context, options, async (workspace) => {
    const { state } = workspace;
    const claim: BundleClaim = { scope, targets: options.target ?? [defaultTarget(state, options.session)] };
    requireReady(state, claim);
    const bare = assemble(materialOf(state, []), claim);
    const disclosures = await disclosuresFor(workspace, bare, wanted);
    const made = { ...bare, disclosures };
    const bytes = options.stream
      ? joinBytes([...encodeStream(made)])
      : encodeBundle(made, options.cbor ? "cbor" : "json");
    const written = options.compress === undefined ? bytes : await compressed(bytes, options.compress);
    await file.write(written);
    report(context, workspace, options, made, written.length);
    await warnWhenRejected(context, workspace, bytes);
  });
}

/** Says what the workspace's own trust policy makes of the bundle, so that nobody hears of it from an auditor first. */
async function warnWhenRejected(
  context: CommandContext,
  workspace: Workspace,
  bytes: Uint8Array,
): Promise<void> {
  const policy = encodeUtf8(fileText(await workspace.trust()));
  const given = {
    at: formatTime(context.now()),
    supplement: encodeUtf8(fileText(currentSupplement(workspace))),
  };
  const { first_failure: first } = isStream(bytes)
    ? await verifyStream([bytes], policy, given)
    : verifyBundle(bytes, policy, given);
  if (first === null) return;
  const name = workspace.shown(TRUST_FILE);
  context.err(
    `osa-proof: ${name} rejects this bundle, ${first.code} at ${printable(first.pointer)}: ${printable(first.message)} An auditor's own policy may decide otherwise.\n`,
  );
}

/** The newest receipt, or the newest of one session. */
function defaultTarget(state: State, session: string | undefined): string {
  const last = state.receipts.findLast(
    ({ statement }) => session === undefined || statement.session_id === session,
  );
  if (last !== undefined) return last.digest;
  if (session !== undefined) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `session ${session} has no receipt in this workspace; see osa-proof status`,
    );
  }
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    "there is no receipt yet; make some with osa-proof record or exec",
  );
}

/** What can be said in this workspace's own words before the packer looks closer. */
function requireReady(state: State, { scope, targets }: BundleClaim): void {
  const receipts = new Map(state.receipts.map((item) => [item.digest, item.statement]));
  const sessions = new Set<string>();
  for (const target of targets) {
    const receipt = receipts.get(target);
    if (receipt === undefined) {
      throw new OsaProofError(
        "WORKSPACE_INVALID",
        `receipt ${target} is not in this workspace; check --target`,
      );
    }
    sessions.add(receipt.session_id);
  }
  if (scope !== "session") return;
  if (sessions.size > 1) {
    throw new OsaProofError(
      "USAGE",
      `the targets are of ${sessions.size} sessions; make a bundle for each, or use --scope causal`,
    );
  }
  const closed = new Set(state.closes.map(({ statement }) => statement.runtime_id));
  const open = state.receipts.find(
    ({ statement }) => sessions.has(statement.session_id) && !closed.has(statement.runtime_id),
  )?.statement;
  if (open === undefined) return;
  throw new OsaProofError(
    "BUNDLE_INCOMPLETE",
    `runtime ${open.runtime_id} of session ${open.session_id} is still open; run osa-proof close and osa-proof seal first, or use --scope causal`,
  );
}

function materialOf(state: State, disclosures: readonly Disclosure[]): ProofMaterial {
  const statements = <T>(items: readonly { readonly statement: T }[]): readonly T[] =>
    items.map(({ statement }) => statement);
  return {
    identity_records: statements(state.identityRecords),
    root_rotations: statements(state.rotations),
    agent_key_certificates: statements(state.agentCertificates),
    runtime_key_certificates: statements(state.runtimeCertificates),
    delegations: statements(state.delegations),
    policies: state.policies,
    receipts: statements(state.receipts),
    session_closes: statements(state.closes),
    session_seals: statements(state.seals),
    evidence_trees: state.trees,
    revocation_lists: listsToShow(state),
    attestations: [],
    disclosures,
  };
}

function assemble(material: ProofMaterial, claim: BundleClaim): ProofBundleV3 {
  try {
    return assembleBundle(material, claim);
  } catch (error) {
    if (!(error instanceof OsaProofError) || error.code !== "BUNDLE_INCOMPLETE") throw error;
    throw new OsaProofError("BUNDLE_INCOMPLETE", `${error.message}; run osa-proof seal first`, {
      cause: error,
    });
  }
}

function report(
  context: CommandContext,
  workspace: Workspace,
  options: BundleOptions,
  made: ProofBundleV3,
  size: number,
): void {
  if (options.json) {
    const result = {
      file: pathOf(context, options.output),
      size,
      encoding: options.cbor ? "cbor" : "json",
      namespace_id: made.namespace_id,
      mission_id: made.mission_id,
      claim: made.claim,
      receipt_count: made.receipts.length,
      disclosure_count: made.disclosures.length,
    };
    context.out(`${jsonText(result)}\n`);
    return;
  }
  writeLines(context, [
    `${printable(options.output)}: ${counted(made.receipts.length, "receipt")}, scope ${made.claim.scope}, ${counted(made.disclosures.length, "disclosure")}, ${byteSize(size)}.`,
    `Next: osa-proof verify ${printable(options.output)} --trust ${workspace.shown(TRUST_FILE)}`,
  ]);
}
