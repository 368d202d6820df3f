/** Leaves out of rejected bundles whatever can be left out: no verdict may improve but by the written exceptions. */

import { parseEither } from "../../src/bundle/codec.js";
import { canonicalJson } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { type Change, changesOf } from "./changes.js";
import { type Fixture, verifyAs } from "./fixtures.js";
import { exceptionFor } from "./improvements.js";
import { layOut, splice } from "./layout.js";
import { type Choose, faultOf } from "./sweep.js";

const REMOVALS: ReadonlySet<string> = new Set([
  "member deleted",
  "element removed",
  "array emptied",
  "object emptied",
]);

function* removalsOf(bundle: JsonValue): Generator<Change> {
  for (const change of changesOf(bundle)) {
    if (REMOVALS.has(change.kind)) yield change;
    if (change.kind === "proof line" && change.detail.endsWith(" removed")) yield change;
  }
}

/** The removal takes back the change that made the case: what is left is the accepted bundle it was made from. */
export const UNDONE = "what is left is the accepted bundle that the case was made from";

export class Removals {
  readonly faults: string[] = [];
  readonly reasons = new Map<string, number>();
  cases = 0;

  /** `parent` is the accepted fixture that this rejected one was made from. */
  run(fixture: Fixture, parent: Fixture, choose: Choose): void {
    const first = verifyAs(fixture, fixture.bundle).first_failure;
    const { supplement, ...others } = fixture.options;
    if (supplement !== undefined) {
      const excuse = (): string | null => exceptionFor(first?.code, "/supplement");
      this.#judge(fixture, fixture.bundle, "supplement", excuse, others);
    }
    const { value } = fixture;
    if (typeof value !== "object" || value === null) return;
    const layout = layOut(value, "json");
    const good = parent.value === null ? "" : canonicalJson(parent.value);
    for (const change of removalsOf(value)) {
      const bytes = choose() ? change.bytes("json") : null;
      if (bytes === null) continue;
      const changed = splice(layout, change.at, bytes);
      const excuse = (): string | null =>
        isText(changed, good) ? UNDONE : exceptionFor(first?.code, change.pointer);
      this.#judge(
        fixture,
        changed,
        `${change.kind} ${change.detail} ${change.pointer}`,
        excuse,
        fixture.options,
      );
    }
  }

  #judge(
    fixture: Fixture,
    bytes: Uint8Array,
    what: string,
    excuse: () => string | null,
    options: Fixture["options"],
  ): void {
    this.cases++;
    const report = verifyAs(fixture, bytes, options);
    const fault = faultOf(report);
    if (fault !== null) this.faults.push(`${fixture.name} without ${what}: ${fault}`);
    if (report.verdict !== "ACCEPTED") return;
    const reason = excuse();
    if (reason === null) this.faults.push(`${fixture.name} without ${what}: ACCEPTED`);
    else this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}

function isText(bytes: Uint8Array, text: string): boolean {
  const { value } = parseEither(bytes, bytes.length);
  return value !== undefined && canonicalJson(value) === text;
}
