/** Runs controls: the fixture is rejected, and accepted when its one rule is off. */
import { Builds, type VerifyBundle } from "./build.js";
import { inputsOfFixture, judge, validInputs } from "./fixtures.js";
import type { Rule } from "./rule.js";

export interface Control {
  readonly rule: Rule;
  readonly fixture: string;
}

/** A line of the table, and what is wrong with the control. */
export interface Outcome {
  readonly line: string;
  readonly fault: string | null;
}

export function controlsOf(rules: readonly Rule[]): readonly Control[] {
  return rules.flatMap((rule) => rule.fixtures.map((fixture) => ({ rule, fixture })));
}

/** What the first failure says, as one text. */
function verdictOf(verify: VerifyBundle, inputs: Parameters<typeof judge>[1]): string {
  const { verdict, first_failure: first } = judge(verify, inputs);
  if (verdict === "ACCEPTED") return "accepted";
  return first === null ? "not evaluated" : first.code;
}

export class ControlRun {
  readonly builds: Builds = new Builds();

  async judge({ rule, fixture }: Control): Promise<Outcome> {
    const inputs = await inputsOfFixture(fixture);
    const base = await this.builds.base();
    const first = judge(base, inputs).first_failure ?? undefined;
    const found = verdictOf(await this.builds.without(rule.off), inputs);
    const wanted = rule.net === undefined ? "accepted" : (rule.net.code ?? "not evaluated");
    const told = rule.net === undefined ? found : `${found}: ${rule.net.why}`;
    const line = `${rule.step} ${rule.says} | ${fixture} | ${told}`;
    if (first?.code !== fixture.split("/")[0]) {
      return { line, fault: `${line}\nwith every rule on: ${first?.code ?? "accepted"}` };
    }
    if (rule.as !== undefined && !first?.message.includes(`(${rule.as})`)) {
      return { line, fault: `${line}\nits message does not name ${rule.as}: ${first?.message}` };
    }
    if (found === wanted) return { line, fault: null };
    const report = judge(await this.builds.without(rule.off), inputs);
    return { line, fault: `${line}\nexpected ${wanted}: ${JSON.stringify(report.first_failure)}` };
  }

  /** The accepted fixtures that a build without this rule rejects: then the alteration did more than it should. */
  async harm({ off }: Rule): Promise<readonly string[]> {
    const verify = await this.builds.without(off);
    return validInputs().flatMap(({ name, inputs }) => {
      const found = verdictOf(verify, inputs);
      return found === "accepted" ? [] : [`${off.file}: ${off.fragment}\n${name}: ${found}`];
    });
  }
}
