/** Which openings go into a bundle: what `--disclose` says. */
import type { Disclosure, ProofBundleV3 } from "../bundle/format.js";
import type { JsonValue } from "../encoding/json-value.js";
import { OsaProofError } from "../errors.js";
import { discloseAction, type Shown } from "../runtime/disclose.js";
import type { Workspace } from "./workspace.js";
import { readOpenings } from "./workspace-state.js";

type Part = keyof Shown;
const PARTS: readonly Part[] = ["input", "output", "evidence"];
const NOTHING: Shown = { input: false, output: false, evidence: false };
const WORDS: Readonly<Record<string, Shown>> = {
  all: { input: true, output: true, evidence: true },
  inputs: { ...NOTHING, input: true },
  outputs: { ...NOTHING, output: true },
  evidence: { ...NOTHING, evidence: true },
  none: NOTHING,
};

/** Parts to show of every receipt, and more of single ones. */
export interface Wanted {
  readonly everywhere: Shown;
  readonly byReceipt: ReadonlyMap<string, Shown>;
  /** Show of every receipt the evidence item that says it was recorded from a file, and no digest of that file. */
  readonly notices: boolean;
}

function join(a: Shown, b: Shown): Shown {
  return { input: a.input || b.input, output: a.output || b.output, evidence: a.evidence || b.evidence };
}

/** Reads the words of `--disclose`. @throws OsaProofError USAGE */
export function parseDisclosure(words: readonly string[]): Wanted {
  let everywhere = NOTHING;
  const byReceipt = new Map<string, Shown>();
  const notices = words.includes("notices");
  for (const word of words) {
    if (word === "notices") continue;
    const common = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (common !== undefined) {
      everywhere = join(everywhere, common);
      continue;
    }
    const [, digest = "", part] = /^(0x[0-9a-f]{64})(?::([a-z]+))?$/.exec(word) ?? [];
    const one = PARTS.find((name) => name === part);
    if (digest === "" || (part !== undefined && one === undefined)) {
      throw new OsaProofError(
        "USAGE",
        `--disclose ${word}: expected all, inputs, outputs, evidence, notices, none, or a receipt's digest, alone or with :input, :output or :evidence`,
      );
    }
    const shown =
      one === undefined ? { input: true, output: true, evidence: true } : { ...NOTHING, [one]: true };
    byReceipt.set(digest, join(byReceipt.get(digest) ?? NOTHING, shown));
  }
  if (words.includes("none") && words.length > 1) {
    throw new OsaProofError("USAGE", "--disclose none: stands alone");
  }
  return { everywhere, byReceipt, notices };
}

function isNotice(json: JsonValue | undefined): boolean {
  return typeof json === "object" && json !== null && "recorded_from" in json;
}

/** Openings of the receipts in the bundle, as far as they are to be shown. */
export async function disclosuresFor(
  { directory, state }: Workspace,
  bundle: ProofBundleV3,
  wanted: Wanted,
): Promise<readonly Disclosure[]> {
  const ids = new Set(bundle.receipts.map((receipt) => receipt.receipt_id));
  const shown = state.receipts.filter(({ statement }) => ids.has(statement.receipt_id));
  const inside = new Set(shown.map(({ digest }) => digest));
  const stray = [...wanted.byReceipt.keys()].find((digest) => !inside.has(digest));
  if (stray !== undefined) {
    throw new OsaProofError(
      "USAGE",
      `--disclose ${stray}: this receipt is not in the bundle; check the digest`,
    );
  }
  const openings = await readOpenings(directory);
  return shown.flatMap(({ statement, digest }) => {
    const parts = join(wanted.everywhere, wanted.byReceipt.get(digest) ?? NOTHING);
    const opening = openings.get(statement.receipt_id);
    if (opening !== undefined) {
      const all = discloseAction(digest, opening, { ...parts, evidence: parts.evidence || wanted.notices });
      return parts.evidence
        ? all
        : all.filter(({ value }) => value.kind !== "evidence" || isNotice(value.json));
    }
    if (!wanted.notices && !parts.input && !parts.output && !parts.evidence) return [];
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `the openings of receipt ${digest} are not in this workspace; restore openings.jsonl, or use --disclose none`,
    );
  });
}
