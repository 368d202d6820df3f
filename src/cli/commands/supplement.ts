/** `osa-proof supplement`: what auditors give their verifier beside bundles that they have already. */
import type { Command } from "commander";
import { parseCheckpoint } from "../../anchors/checkpoint.js";
import { parseNote } from "../../anchors/note.js";
import { parseTlogProof } from "../../anchors/tlog-proof.js";
import type { Anchor } from "../../bundle/format.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import type { LogConsistency } from "../../verifier/inputs.js";
import { parseCount } from "../arguments.js";
import type { CommandContext, Register } from "../command.js";
import { outputFile } from "../output.js";
import { writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  fileText,
  type Workspace,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import { currentSupplement } from "../workspace-authority.js";

interface SupplementOptions extends WorkspaceOptions {
  readonly output: string;
  readonly knownSize?: number;
  readonly force?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("supplement"))
    .description(
      "write what is newer than older bundles: revocation lists, rotations, the log's continuation",
    )
    .requiredOption("-o, --output <file>", "where to write it")
    .option(
      "--known-size <count>",
      "show that the log continues the one of this size, which an auditor's known heads name",
      parseCount,
    )
    .option("--force", "replace the file if there is one")
    .action((options: SupplementOptions) => write(context, options));
};

async function write(context: CommandContext, options: SupplementOptions): Promise<void> {
  const file = await outputFile(context, "--output", options.output, options.force === true);
  await withWorkspace(context, options, async (workspace) => {
    const supplement = currentSupplement(workspace);
    const { knownSize } = options;
    const continued =
      knownSize === undefined ? {} : { log_consistency: await continuations(workspace, knownSize) };
    await file.write(encodeUtf8(fileText({ ...supplement, ...continued })));
    writeLines(context, [`Wrote ${options.output}: osa-proof verify takes it as --revocations.`]);
  });
}

/** From the known size to that of every checkpoint that the workspace's anchors are under. */
async function continuations(workspace: Workspace, knownSize: number): Promise<readonly LogConsistency[]> {
  const { trees, listAnchors } = workspace.state;
  const anchors = [...trees, ...listAnchors].flatMap((item) => item.anchors);
  const sizes = new Set(anchors.flatMap(checkpointSize).filter((size) => size > knownSize));
  const log = await workspace.log();
  const { published } = await log.size();
  if (knownSize > published) {
    throw new OsaProofError(
      "USAGE",
      `--known-size ${knownSize}: the log of this workspace has ${published} entries, so nobody knows more of it`,
    );
  }
  const made: LogConsistency[] = [];
  for (const size of [...sizes].sort((a, b) => a - b)) made.push(await log.consistency(knownSize, size));
  return made;
}

function checkpointSize({ proof }: Anchor): number | readonly [] {
  const note = parseNote(parseTlogProof(proof)?.checkpoint ?? "");
  return (note === null ? null : parseCheckpoint(note.text))?.size ?? [];
}
