/** The numbered steps of the checks, read from docs/SPEC.md. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One numbered step, or a sentence between steps that judges something (`1.9+`: behind step 9 of check 1). */
export interface Step {
  /** `2.14`; `tlog-proof.3`, `referenced.1` and the like for the steps that checks refer to. */
  readonly id: string;
  /** White space is one space. */
  readonly text: string;
  /** Failure codes in the order of the text. */
  readonly codes: readonly string[];
}

const SPEC = readFileSync(fileURLToPath(new URL("../../docs/SPEC.md", import.meta.url)), "utf8");

const SECTIONS: readonly (readonly [heading: string, prefix: string])[] = [
  ["## Reading bytes", "reading"],
  ["## Closed schemas", "schemas"],
  ["### Referenced", "referenced"],
  ["## Evidence tree", "audit-path"],
  ...Array.from({ length: 11 }, (_, check) => [`### Check ${check}`, `${check}`] as const),
  ["### tlog-proof", "tlog-proof"],
  ["### Time rules of anchors", "time-rules"],
];

/** Every step of the sections above, in their order. */
export function specSteps(): readonly Step[] {
  return SECTIONS.flatMap(([heading, prefix]) => stepsOf(sectionOf(heading), prefix));
}

function sectionOf(heading: string): readonly string[] {
  const lines = SPEC.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`docs/SPEC.md has no section ${heading}`);
  const length = lines.slice(start + 1).findIndex((line) => /^#{2,3} /.test(line));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
}

function stepsOf(lines: readonly string[], prefix: string): readonly Step[] {
  const texts = new Map<string, string>();
  let id = `${prefix}.0+`;
  for (const line of lines) {
    const numbered = /^(\d+)\. /.exec(line);
    if (numbered !== null) id = `${prefix}.${numbered[1]}`;
    // A paragraph at the margin behind a step is no part of it.
    else if (line !== "" && !line.startsWith(" ") && !id.endsWith("+")) id = `${id}+`;
    texts.set(id, `${texts.get(id) ?? ""} ${line.trim()}`);
  }
  return [...texts]
    .map(([name, text]) => ({
      id: name,
      text: text.replace(/\s+/g, " ").trim(),
      codes: [
        ...new Set(
          text.match(
            /\b(?:TRUST|FORMAT|IDENTITY|DELEGATION|REVOCATION|RECEIPT|DAG|EVIDENCE|ANCHOR|ATTESTATION|EXPECTATION)_[A-Z_]+\b/g,
          ),
        ),
      ],
    }))
    .filter((step) => step.codes.length > 0 || /\.\d+$/.test(step.id));
}
