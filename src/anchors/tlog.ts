/**
 * Layer 5: is this entry in a pinned log, and who says so (docs/SPEC.md, "Anchor", type `tlog`)?
 */

import { equalBytes } from "../encoding/bytes.js";
import { encodeHex } from "../encoding/hex.js";
import { leafHash } from "../tree/merkle.js";
import { rootFromInclusion } from "../tree/proof.js";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.js";
import { parseNote, type SignedNote } from "./note.js";
import { checkNoteSignature } from "./note-signature.js";
import { parseTlogProof } from "./tlog-proof.js";
import { NO_QUORUM, type Operator, quorumMet, type TlogPolicy, type TlogTrust } from "./tlog-trust.js";

export type { Operator, TlogTrust } from "./tlog-trust.js";

/** A pinned witness whose cosignature verified. */
export interface Cosigner {
  /** The label of the witness in the trust description. */
  readonly name: string;
  /** Seconds since 1970; 0 when the witness dates nothing. */
  readonly time: number;
  readonly operator: Operator;
}

export interface CheckedTlogProof {
  readonly kind: "checked";
  readonly origin: string;
  /** "own" when any of the log's keys that signed is pinned as such. */
  readonly operator: Operator;
  /** Tree size and root (`0x` hex) of the signed checkpoint, and the place of the entry in that tree. */
  readonly size: number;
  readonly root: string;
  readonly index: number;
  /** One for each witness, in the order of the trust description. */
  readonly cosigners: readonly Cosigner[];
  /** True with the quorum "none". */
  readonly quorumMet: boolean;
  /**
   * Milliseconds since 1970: the smallest t at which the cosignatures dated no later than t meet the quorum. Null when
   * the quorum is "none", is not met, or is met only by counting an undated cosignature.
   */
  readonly time: number | null;
}

export type TlogOutcome =
  | { readonly kind: "unpinned"; readonly origin: string | null }
  | {
      readonly kind: "wrong";
      readonly code: "ANCHOR_PROOF_INVALID" | "ANCHOR_ENTRY_MISMATCH";
      readonly detail: string;
    }
  | CheckedTlogProof;

/**
 * Checks a C2SP tlog-proof against the entry bytes that the caller built itself. `unpinned`: the text is well-formed,
 * and its checkpoint is of an origin that the trust description does not have. `wrong`: anything else that does not
 * verify, the line of any pinned key included. A quorum that is not met is no fault here; the outcome says so.
 * Never throws. `trust` must have passed `checkTlogTrust`. Does not compare times with anything.
 */
export function checkTlogProof(proof: string, entry: Uint8Array, trust: TlogTrust): TlogOutcome {
  const parsed = parseTlogProof(proof);
  if (parsed === null) return invalid("the text is not a well-formed C2SP tlog-proof of version 1");
  const note = parseNote(parsed.checkpoint);
  if (note === null) return invalid("the checkpoint in the proof is not a well-formed signed note");
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint === null) return invalid("the signed text in the proof is not a well-formed checkpoint");
  if (!trust.logs.some((log) => log.origin === checkpoint.origin)) {
    return { kind: "unpinned", origin: checkpoint.origin };
  }

  const log = checkLogSignatures(note, checkpoint, trust);
  if (typeof log === "string") return invalid(log);
  const cosigners = checkCosignatures(note, trust);
  if (typeof cosigners === "string") return invalid(cosigners);

  // The checkpoint is now known to be the log's, so its size and root may be used; the proof brings neither.
  const { size, root, origin } = checkpoint;
  const { index, path } = parsed;
  const computed = rootFromInclusion({ leafHash: leafHash(entry), index, size, path });
  if (computed === null) {
    return invalid(`${path.length} hashes cannot lead from leaf ${index} to the root of ${size} leaves`);
  }
  if (!equalBytes(computed, root)) {
    // A genuine proof of another entry ends here: its path folds, but not from this leaf.
    return {
      kind: "wrong",
      code: "ANCHOR_ENTRY_MISMATCH",
      detail: "the proof does not lead from this entry to the signed root",
    };
  }
  return {
    kind: "checked",
    origin,
    operator: log.operator,
    size,
    root: encodeHex(root),
    index,
    cosigners,
    quorumMet: quorumMet(trust, new Set(cosigners.map((cosigner) => cosigner.name))),
    time: quorumTime(trust, cosigners),
  };
}

function invalid(detail: string): TlogOutcome {
  return { kind: "wrong", code: "ANCHOR_PROOF_INVALID", detail };
}

/** Verifies the lines of all pinned log keys; a sentence when one is wrong or none is by this origin's log. */
function checkLogSignatures(
  note: SignedNote,
  checkpoint: Checkpoint,
  trust: TlogTrust,
): { readonly operator: Operator } | string {
  const operators: Operator[] = [];
  for (const log of trust.logs) {
    const outcome = checkNoteSignature(note, log.key);
    if (outcome.kind === "wrong")
      return `the signature line of the pinned log key "${log.key.name}" does not verify`;
    // The key of another pinned log says nothing about this origin, even where it verifies.
    if (outcome.kind === "verified" && log.origin === checkpoint.origin) operators.push(log.operator);
  }
  if (operators.length === 0) {
    return `the checkpoint claims the pinned origin "${checkpoint.origin}" and has no signature line by its pinned key`;
  }
  return { operator: operators.includes("own") ? "own" : "independent" };
}

/** Verifies the lines of all pinned witnesses; a sentence when one is wrong. Absent lines are no fault. */
function checkCosignatures(note: SignedNote, trust: TlogTrust): Cosigner[] | string {
  const cosigners: Cosigner[] = [];
  for (const { name, key, operator } of trust.witnesses) {
    const outcome = checkNoteSignature(note, key);
    if (outcome.kind === "wrong")
      return `the cosignature line of the pinned witness "${name}" does not verify`;
    if (outcome.kind === "verified") cosigners.push({ name, time: outcome.time ?? 0, operator });
  }
  return cosigners;
}

/** See `CheckedTlogProof.time`. */
function quorumTime(policy: TlogPolicy, cosigners: readonly Cosigner[]): number | null {
  if (policy.quorum === NO_QUORUM) return null;
  const dated = cosigners.filter((cosigner) => cosigner.time > 0).sort((a, b) => a.time - b.time);
  const counting = new Set<string>();
  for (const { name, time } of dated) {
    counting.add(name);
    if (quorumMet(policy, counting)) return time * 1000;
  }
  return null;
}
