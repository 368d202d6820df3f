/** `osa-proof schema [NAME]`: the JSON Schemas of everything this protocol reads and writes. */
import type { Command } from "commander";
import { OsaProofError } from "../../errors.js";
import type { CommandContext, Register } from "../command.js";
import { paint, short, table, writeLines } from "../print.js";
import { SCHEMAS, schemaText } from "../schemas.js";

/** Accepts the name of the file, with or without `.json`, and the name of the type. */
function find(name: string): (typeof SCHEMAS)[number] {
  const wanted = name.endsWith(".json") ? name.slice(0, -".json".length) : name;
  const found = SCHEMAS.find((entry) => entry.name === wanted || entry.title === wanted);
  if (found !== undefined) return found;
  throw new OsaProofError(
    "USAGE",
    `there is no schema "${short(name, 60)}"; expected one of ${SCHEMAS.map((entry) => entry.name).join(", ")}`,
  );
}

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("schema")
    .description("list the JSON Schemas, or print one")
    .argument("[name]", "the schema to print")
    .action((name: string | undefined) => {
      if (name !== undefined) {
        context.out(schemaText(find(name)));
        return;
      }
      writeLines(context, [
        paint(context, "heading", "JSON Schemas (2020-12); print one with: osa-proof schema NAME"),
        ...table(SCHEMAS.map((entry) => [entry.name, entry.title, entry.description])),
      ]);
    });
};
