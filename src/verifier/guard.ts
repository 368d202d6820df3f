/** The one boundary that turns an unexpected exception into a rejection. */
import type { CheckName } from "../errors.js";
import type { Findings } from "./report.js";

export class Guard {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Runs a part of a check; undefined when an exception ended it, which fails the check. */
  run<T>(check: CheckName, body: () => T): T | undefined {
    try {
      return body();
    } catch {
      // The exception's text may hold parts of hostile input or of secrets, so it is not repeated.
      this.#findings.fail(check, "INTERNAL_FAULT", { pointer: "" }, "an unexpected error ended this check");
      return undefined;
    }
  }

  /** Marks a check whose parts have all been run. */
  ran(check: CheckName): void {
    this.#findings.ran(check);
  }

  /** A check that rests when nothing was required or asked: then it stays NOT_EVALUATED. */
  runOptional(check: CheckName, body: () => boolean): void {
    if (this.run(check, body) === true) this.ran(check);
  }
}
