/** What an entry of the table is: a rule of docs/SPEC.md, the fixture that only it rejects, and how it is switched off. */
import type { FailureCode } from "../../src/errors.js";
import type { Off } from "./build.js";

export interface Rule {
  /** The numbered step, as `specSteps` names it. */
  readonly step: string;
  /** Words of that step, as they stand there. */
  readonly says: string;
  /** Directories below `fixtures/invalid`; each must be accepted when the rule is off. */
  readonly fixtures: readonly string[];
  readonly off: Off;
  /** The code that the step names, where the fixture's failure wraps it in one of a side input. */
  readonly as?: FailureCode;
  /** Where the fixture is rejected still: the first code then, and why no fixture can do better. */
  readonly net?: { readonly code: FailureCode | null; readonly why: string };
}

/** A maker of rules whose source is mostly one file of the verifier. */
export function rulesOf(
  file: string,
): (
  step: string,
  says: string,
  fixtures: string | readonly string[],
  fragment: string,
  replacement: string,
  more?: Partial<Rule> & { readonly file?: string },
) => Rule {
  return (step, says, fixtures, fragment, replacement, more = {}) => {
    const { file: other, ...rest } = more;
    return {
      step,
      says,
      fixtures: typeof fixtures === "string" ? [fixtures] : fixtures,
      off: { file: other ?? file, fragment, replacement },
      ...rest,
    };
  };
}

/** The other half of a rule that a second one backs. */
export function net(code: FailureCode | null, why: string): Pick<Rule, "net"> {
  return { net: { code, why } };
}
