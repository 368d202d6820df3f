/** Changes of an anchor on a pinned log, each of which must be refused, whether or not other anchors are good. */
import { formatNote, parseNote } from "../../anchors/note.js";
import { formatTlogProof, parseTlogProof, type TlogProof } from "../../anchors/tlog-proof.js";
import { parseVerifierKey } from "../../anchors/verifier-key.js";
import type { JsonValue } from "../../encoding/json-value.js";
import type { VerificationReportV1 } from "../../verifier/report.js";
import { asArray, type Path, pointerOf, valueAt } from "./edit.js";
import { type Mutation, mutationsOf } from "./mutation.js";

/** All of them. The report tells which anchors are on a pinned log, `vkeys` which lines of a note are pinned. */
export function anchorMutations(
  bundle: JsonValue,
  report: VerificationReportV1,
  vkeys: readonly string[],
): readonly Mutation[] {
  const change = mutationsOf(bundle);
  const pinned = new Set(
    report.times.flatMap(({ pointer, source }) => (source === "bundle" ? [pointer] : [])),
  );
  const lines = new Set(
    vkeys.map((vkey) => {
      const key = parseVerifierKey(vkey);
      return key === null ? "" : `${key.name}+${key.keyId}`;
    }),
  );
  return anchorPaths(bundle)
    .filter((path) => pinned.has(pointerOf(path)))
    .flatMap((path) => {
      const proof = valueAt(bundle, [...path, "proof"]);
      return proofTexts(typeof proof === "string" ? proof : "", lines).map((text) =>
        change(
          "anchor changed",
          ["ANCHOR_PROOF_INVALID", "ANCHOR_ENTRY_MISMATCH"],
          [...path, "proof"],
          () => text,
        ),
      );
    });
}

function anchorPaths(bundle: JsonValue): readonly Path[] {
  return ["evidence_trees", "revocation_lists"].flatMap((name) =>
    asArray(valueAt(bundle, [name])).flatMap((_, index) =>
      asArray(valueAt(bundle, [name, index, "anchors"])).map((__, anchor) => [
        name,
        index,
        "anchors",
        anchor,
      ]),
    ),
  );
}

/** Texts of the proof with one thing changed. */
function proofTexts(text: string, lines: ReadonlySet<string>): readonly string[] {
  const proof = parseTlogProof(text);
  const note = proof === null ? null : parseNote(proof.checkpoint);
  if (proof === null || note === null) return [];
  const withNote = (changed: Partial<typeof note>): TlogProof => ({
    ...proof,
    checkpoint: formatNote(changed.text ?? note.text, changed.signatures ?? note.signatures),
  });
  const [origin = "", size = "", ...others] = note.text.split("\n");
  const proofs: readonly TlogProof[] = [
    // Beyond the tree: a place inside it might truly hold the same entry, logged twice.
    { ...proof, index: Number(size) },
    ...proof.path.map((_, at) => ({
      ...proof,
      path: proof.path.map((hash, index) => (index === at ? flippedBit(hash) : hash)),
    })),
    { ...proof, path: [...proof.path, new Uint8Array(32)] },
    withNote({ text: [origin, String(Number(size) + 1), ...others].join("\n") }),
    ...note.signatures
      .filter(({ name, keyId }) => lines.has(`${name}+${keyId}`))
      .map((line) =>
        withNote({
          signatures: note.signatures.map((other) =>
            other === line ? { ...line, signature: flippedBit(line.signature) } : other,
          ),
        }),
      ),
  ];
  return [...proofs.map(formatTlogProof), `x${text}`];
}

function flippedBit(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  // A place inside the hash or the S of a signature, of which the last byte has fixed bits.
  const at = Math.max(0, changed.length - 3);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
