/** A C2SP transparency log with its witnesses, held in memory. */
import { formatCheckpoint } from "../../src/anchors/checkpoint.js";
import { formatNote, type NoteSignature } from "../../src/anchors/note.js";
import { formatTlogProof, type TlogProof } from "../../src/anchors/tlog-proof.js";
import type { Anchor } from "../../src/bundle/format.js";
import {
  cosignCheckpoint,
  logNoteSigner,
  type NoteSigner,
  signCheckpoint,
  witnessNoteSigner,
} from "../../src/collect/note-signer.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { evidenceTree } from "../../src/tree/merkle.js";
import type { LogConsistency, LogHead } from "../../src/verifier/inputs.js";
import { testKey, unixSeconds } from "./keys.js";

export const LOG_ORIGIN = "log.example.org/evidence";
export const UNPINNED_ORIGIN = "log.example.net/elsewhere";

export function logSigner(origin: string = LOG_ORIGIN): NoteSigner {
  return logNoteSigner(origin, testKey(`log ${origin}`, "ED25519").signer);
}

export function witness(number: number): NoteSigner {
  const name = `witness-${number}.example.com`;
  return witnessNoteSigner(name, testKey(name, "ED25519").signer);
}

/** How one anchor is made. `cosigners` pairs the number of a witness with its time; undefined is undated. */
export interface AnchorMaking {
  entry: Uint8Array;
  cosigners: { witness: number; time: number | undefined }[];
  /** Puts other entries in the log in place of this one; the proof stays the one for this place. */
  logged?: Uint8Array;
  /** Changes the text before log and witnesses sign it. */
  checkpoint?: (text: string) => string;
  /** Changes the signature lines. */
  lines?: (lines: NoteSignature[]) => NoteSignature[];
  /** Changes the finished proof. */
  proof?: (proof: TlogProof) => TlogProof;
  text?: (text: string) => string;
}

export class MemoryLog {
  readonly origin: string;
  readonly #entries: Uint8Array[];

  constructor(origin: string = LOG_ORIGIN) {
    this.origin = origin;
    // Entries of other people, so that no place is 0 and no path empty.
    this.#entries = ["first", "second", "third"].map((text) => encodeUtf8(`entry of somebody else: ${text}`));
  }

  /** What a verifier remembers of this log as it is now. */
  head(): LogHead {
    const tree = evidenceTree(this.#entries);
    return { origin: this.origin, size: tree.size, root: encodeHex(tree.root) };
  }

  /** The proof that the log as it is now begins with its first entries. */
  continued(oldSize: number): LogConsistency {
    const tree = evidenceTree(this.#entries);
    const hashes = tree.consistencyProof(oldSize).map(encodeHex);
    return { origin: this.origin, old_size: oldSize, new_size: tree.size, hashes };
  }

  /** Puts the entry into the log and gives the proof of it under the checkpoint that holds it. */
  async anchor(making: AnchorMaking): Promise<Anchor> {
    const index = this.#entries.push(making.logged ?? making.entry) - 1;
    const tree = evidenceTree(this.#entries);
    const plain = formatCheckpoint({
      origin: this.origin,
      size: tree.size,
      root: tree.root,
      extensions: [],
    });
    const text = making.checkpoint?.(plain) ?? plain;
    const lines = [await signCheckpoint(logSigner(this.origin), text)];
    for (const { witness: number, time } of making.cosigners) {
      const seconds = time === undefined ? 0 : unixSeconds(time);
      lines.push(await cosignCheckpoint(witness(number), text, seconds));
    }
    const proof: TlogProof = {
      index,
      path: tree.inclusionProof(index),
      checkpoint: formatNote(text, making.lines?.(lines) ?? lines),
      extra: null,
    };
    const whole = formatTlogProof(making.proof?.(proof) ?? proof);
    return { type: "tlog", proof: making.text?.(whole) ?? whole };
  }
}
