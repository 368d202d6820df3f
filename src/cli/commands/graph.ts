/** `osa-proof graph BUNDLE`: the receipts of a bundle as a picture. Nothing in it is verified. */
import { type Command, Option } from "commander";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { readBundle } from "../bundle-input.js";
import type { CommandContext, Register } from "../command.js";
import { dotText } from "../graph/dot.js";
import { mermaidText } from "../graph/mermaid.js";
import { type ReceiptGraph, receiptGraph } from "../graph/model.js";
import { svgText } from "../graph/svg.js";
import { openBundle } from "../open-bundle.js";
import { outputFile } from "../output.js";
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
  const out =
    options.output === undefined
      ? null
      : await outputFile(context, "-o", options.output, options.force === true);
  const drawn = receiptGraph(openBundle(file, await readBundle(context, file)));
  // commander has refused every other format.
  const text = WRITERS[options.format]?.(drawn) ?? "";
  if (out === null) {
    context.out(text);
    return;
  }
  await out.write(encodeUtf8(text));
  context.err(
    `${printable(options.output ?? "")}: ${counted(drawn.nodes.length, "receipt")}, nothing verified\n`,
  );
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
