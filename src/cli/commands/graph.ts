/** `osa-proof graph BUNDLE`: the receipts of a bundle as a picture. Nothing in it is verified. */
import { type Command, Option } from "commander";
import { decodeBundle } from "../../bundle/codec.js";
import { isThere, writeFileDurably } from "../../collect/files.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import type { CommandContext, Register } from "../command.js";
import { dotText } from "../graph/dot.js";
import { mermaidText } from "../graph/mermaid.js";
import { type ReceiptGraph, receiptGraph } from "../graph/model.js";
import { svgText } from "../graph/svg.js";
import { pathOf, readInput } from "../input.js";
import { counted, printable } from "../print.js";

const WRITERS: Readonly<Record<string, (graph: ReceiptGraph) => string>> = {
  mermaid: mermaidText,
  dot: dotText,
  svg: svgText,
};

interface GraphOptions {
  readonly format: string;
  readonly output?: string;
  readonly force?: true;
}

async function graph(context: CommandContext, file: string, options: GraphOptions): Promise<void> {
  const drawn = receiptGraph(decodeBundle(await readInput(context, "bundle", file)));
  // commander has refused every other format.
  const text = WRITERS[options.format]?.(drawn) ?? "";
  if (options.output === undefined) {
    context.out(text);
    return;
  }
  const path = pathOf(context, options.output);
  if (!options.force && (await isThere(path))) {
    throw new OsaProofError(
      "USAGE",
      `${options.output} is there already; name another file, or replace it with --force`,
    );
  }
  await writeFileDurably(path, encodeUtf8(text));
  context.err(`${printable(options.output)}: ${counted(drawn.nodes.length, "receipt")}, nothing verified\n`);
}

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("graph")
    .description("draw the receipts of a bundle; verifies nothing")
    .argument("<bundle>", "the bundle, or - for standard input")
    .addOption(
      new Option("--format <format>", "how to write it").choices(Object.keys(WRITERS)).default("mermaid"),
    )
    .option("-o, --output <file>", "write to a file instead of standard output")
    .option("--force", "replace the file if there is one")
    .action((file: string, options: GraphOptions) => graph(context, file, options));
};
