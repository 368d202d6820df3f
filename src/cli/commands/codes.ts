/** `osa-proof codes`: the closed table of failure codes, with what each means and what to do. */
import type { Command } from "commander";
import { CHECKS, type CheckName, checkOf, FAILURE_CODES, type FailureCode } from "../../errors.js";
import { ADVICE } from "../../failure-codes.js";
import type { CommandContext, Register } from "../command.js";
import { jsonText, paint, writeLines } from "../print.js";

/** One row of the table. `check` is null for the code that any check can give. */
export interface CodeEntry {
  readonly code: FailureCode;
  readonly check: CheckName | null;
  readonly meaning: string;
  readonly advice: string;
}

/** The table as `codes --json` prints it; docs/SPEC.md, "Failure codes". */
export interface FailureCodesV1 {
  readonly protocol: "OSA_PROOF_V3";
  readonly type: "FailureCodesV1";
  readonly codes: readonly CodeEntry[];
}

/** Every failure code in the order that decides `first_failure`. */
export function failureCodes(): FailureCodesV1 {
  // Object.keys of a const table gives exactly its own keys.
  const codes = Object.keys(FAILURE_CODES) as FailureCode[];
  return {
    protocol: "OSA_PROOF_V3",
    type: "FailureCodesV1",
    codes: codes.map((code) => ({
      code,
      check: checkOf(code),
      meaning: FAILURE_CODES[code],
      advice: ADVICE[code],
    })),
  };
}

function lines(context: CommandContext): readonly string[] {
  const { codes } = failureCodes();
  const group = (title: string, check: CheckName | null): readonly string[] => [
    paint(context, "heading", title),
    ...codes
      .filter((entry) => entry.check === check)
      .flatMap(({ code, meaning, advice }) => [
        `  ${code}: ${meaning}`,
        `    ${paint(context, "faint", advice)}`,
      ]),
  ];
  return [
    ...CHECKS.flatMap((check, number) => group(`Check ${number}, ${check}`, check)),
    ...group("Any check", null),
  ];
}

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("codes")
    .description("print every failure code: its check, what it means and what to do")
    .option("--json", "print the table as JSON")
    .action((options: { json?: true }) => {
      if (options.json) context.out(`${jsonText(failureCodes())}\n`);
      else writeLines(context, lines(context));
    });
};
