/**
 * The same changes in the auditor's own inputs. They may ask for less and so be accepted; but what breaks their form
 * is refused before the bundle is looked at, an input that does not count is refused, and nothing ends without a
 * typed code.
 */
import { parseJson } from "../../src/encoding/json.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { decodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { changesOf } from "./changes.js";
import { type Fixture, VALID, verifyAs } from "./fixtures.js";
import { layOut, splice } from "./layout.js";
import { rawChangesOf } from "./raw-bytes.js";
import { type Choose, type Counts, countsOf, faultOf } from "./sweep.js";

const SIDES = ["trust", "expectations", "supplement", "heads"] as const;
type Side = (typeof SIDES)[number];

/** Kinds of change after which no input has its form. */
const BREAKING: ReadonlySet<string> = new Set([
  "wrong type",
  "member added",
  "member duplicated",
  "member renamed",
  "array nested",
  "object emptied",
]);

export class Sides {
  readonly faults: string[] = [];
  /** By side and kind of change. "Harmless" is accepted: the auditor asks something else, which this bundle answers. */
  readonly kinds = new Map<string, Counts>();
  readonly #seen = new Set<string>();

  /** All side inputs of a fixture, but for the bytes that an earlier one has in the same place. */
  run(fixture: Fixture, choose: Choose): void {
    for (const side of SIDES) {
      const bytes = inputOf(fixture, side);
      const name = `${side} ${bytes === undefined ? "" : decodeUtf8(bytes)}`;
      if (bytes === undefined || this.#seen.has(name)) continue;
      this.#seen.add(name);
      const value = parsed(bytes);
      const layout = layOut(value, "json");
      for (const change of changesOf(value)) {
        const replaced = choose() ? change.bytes("json") : null;
        if (replaced === null) continue;
        // The one member that may be null.
        const nullable = change.detail === "null" && change.pointer.endsWith("/previous_list_digest");
        const breaking = BREAKING.has(change.kind) && !nullable;
        this.#judge(fixture, side, splice(layout, change.at, replaced), change, breaking);
      }
      for (const raw of rawChangesOf(bytes)) {
        const changed = { ...raw, pointer: "" };
        if (choose()) this.#judge(fixture, side, raw.bytes, changed, isCut(raw));
      }
    }
  }

  #judge(
    fixture: Fixture,
    side: Side,
    bytes: Uint8Array,
    change: { readonly kind: string; readonly detail: string; readonly pointer: string },
    breaking: boolean,
  ): void {
    const what = `${fixture.name} ${side}: ${change.kind} ${change.detail} ${change.pointer}`;
    const counts = countsOf(this.kinds, `${side}: ${change.kind}`);
    const changed =
      side === "trust"
        ? { ...fixture, trust: bytes }
        : { ...fixture, options: { ...fixture.options, [side]: bytes } };
    const report = verifyAs(changed, fixture.bundle);
    const fault = faultOf(report);
    if (fault !== null) this.faults.push(`${what}: ${fault}`);
    if (report.verdict === "ACCEPTED") counts.harmless++;
    else counts.rejected++;
    if (breaking && report.first_failure?.check !== "TRUST") {
      const outcome = report.first_failure?.code ?? "ACCEPTED";
      this.faults.push(`${what}: ${outcome}, expected a code of TRUST`);
    }
  }
}

/** Bytes that end early or begin late; a hole in the middle may by chance leave an input. */
function isCut({ kind, detail }: { readonly kind: string; readonly detail: string }): boolean {
  return kind === "bytes cut" && (detail.startsWith("to ") || detail.startsWith("first "));
}

function inputOf(fixture: Fixture, side: Side): Uint8Array | undefined {
  return side === "trust" ? fixture.trust : fixture.options[side];
}

function parsed(bytes: Uint8Array): JsonValue {
  const { value } = parseJson(bytes, { maxBytes: bytes.length, maxDepth: LIMITS.maxDepth });
  if (value === undefined) throw new Error("an input of an accepted case must parse");
  return value;
}

export function sweepSides(choose: Choose): Sides {
  const sides = new Sides();
  for (const fixture of VALID) sides.run(fixture, choose);
  return sides;
}
