/**
 * Layer 8: a witness in this process that keeps the rules of C2SP tlog-witness for one log.
 *
 * It cosigns a checkpoint only if that tree extends the largest one it has cosigned, and it remembers that one in a
 * file of its own before it answers. Its operator is whoever runs this process: reports must call it that.
 */

import { type Checkpoint, parseCheckpoint } from "../anchors/checkpoint.js";
import { LAST_COSIGNATURE_SECOND } from "../anchors/cosignature.js";
import { parseDecimal } from "../anchors/decimal.js";
import { formatNote, formatSignatureLine, parseNote, type SignedNote } from "../anchors/note.js";
import { checkNoteSignature, openNote } from "../anchors/note-signature.js";
import { parseHashLines } from "../anchors/tlog-proof.js";
import type { LogPin } from "../anchors/tlog-trust.js";
import type { VerifierKey } from "../anchors/verifier-key.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { canonicalBytes } from "../encoding/jcs.js";
import { parseJson } from "../encoding/json.js";
import type { JsonValue } from "../encoding/json-value.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { emptyRoot } from "../tree/merkle.js";
import { verifyConsistency } from "../tree/proof.js";
import { readFileIfThere, writeFileDurably } from "./files.js";
import { withLock } from "./lock.js";
import { cosignCheckpoint, type NoteSigner } from "./note-signer.js";

export interface LocalWitnessOptions {
  readonly signer: NoteSigner;
  /** Where the witness remembers the largest tree it cosigned. */
  readonly stateFile: string;
  /** The one log it cosigns. */
  readonly log: LogPin;
  readonly lockWaitMilliseconds: number;
}

/** What the witness says, with the status codes of C2SP tlog-witness: 200, 400, 403, 404, 409 or 422. */
export interface WitnessAnswer {
  readonly status: number;
  /** For 200 the cosignature line; for 409 the size it holds; else one sentence. Ends with a line end. */
  readonly body: string;
}

/** The largest tree the witness has cosigned; `note` is null until there is one. */
interface WitnessState {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string | null;
}

const NOTHING_SEEN: WitnessState = { size: 0, root: decodeHex(emptyRoot) ?? new Uint8Array(), note: null };

export class LocalWitness {
  readonly #options: LocalWitnessOptions;

  /** Touches no file. */
  constructor(options: LocalWitnessOptions) {
    this.#options = options;
  }

  get key(): VerifierKey {
    return this.#options.signer.key;
  }

  /** Makes the state file of a witness that has seen nothing, unless there is one: what is remembered stays. */
  async initialize(): Promise<void> {
    if ((await readFileIfThere(this.#options.stateFile)) === null) await this.#remember(NOTHING_SEEN);
    await this.#recall();
  }

  /** Size of the largest tree it has cosigned. Throws `LEDGER_CORRUPT` when its state file is missing or damaged. */
  async size(): Promise<number> {
    return (await this.#recall()).size;
  }

  /**
   * Answers an add-checkpoint request at a time in seconds since 1970. Refuses by an answer; throws `ARGUMENT_INVALID`
   * for a time that is not a whole second from 1 to the end of the year 9999 (0 would say "undated"),
   * `LEDGER_CORRUPT`, `SIGNER_FAILED` or `IO_FAILED`.
   */
  async addCheckpoint(request: string, nowSeconds: number): Promise<WitnessAnswer> {
    if (!Number.isSafeInteger(nowSeconds) || nowSeconds < 1 || nowSeconds > LAST_COSIGNATURE_SECOND) {
      throw new OsaProofError("ARGUMENT_INVALID", `${nowSeconds} is not a time in whole seconds since 1970`);
    }
    const { stateFile, lockWaitMilliseconds } = this.#options;
    // Comparing with what is remembered and remembering the new tree must be one step, or two requests could
    // pass the comparison and the smaller tree be remembered last.
    return withLock(`${stateFile}.lock`, lockWaitMilliseconds, () => this.#judge(request, nowSeconds));
  }

  async #judge(request: string, nowSeconds: number): Promise<WitnessAnswer> {
    const parsed = parseRequest(request);
    if (parsed === null) return answer(400, "the request is not a well-formed add-checkpoint");
    const { oldSize, path, note, checkpoint } = parsed;
    const { log } = this.#options;
    if (checkpoint.origin !== log.origin)
      return answer(404, `the origin "${checkpoint.origin}" is not known here`);
    if (checkNoteSignature(note, log.key).kind !== "verified") {
      return answer(403, `no signature by the known key of "${log.origin}" verifies`);
    }
    if (oldSize > checkpoint.size) {
      return answer(400, `a tree of ${oldSize} leaves cannot shrink to ${checkpoint.size}`);
    }
    const state = await this.#recall();
    if (oldSize !== state.size) return { status: 409, body: `${state.size}\n` };
    const { size: newSize, root: newRoot } = checkpoint;
    // Every tree extends the empty one, and no proof is needed to say so.
    const extendsOld =
      oldSize === 0
        ? path.length === 0
        : verifyConsistency({ oldSize, oldRoot: state.root, newSize, newRoot, path });
    if (!extendsOld) {
      const fault = oldSize === newSize ? "another tree of the same size" : "not an extension of the tree";
      return answer(422, `the tree of ${newSize} leaves is ${fault} that was cosigned before`);
    }
    const line = await cosignCheckpoint(this.#options.signer, note.text, nowSeconds);
    const logLines = note.signatures.filter(
      (one) => one.name === log.key.name && one.keyId === log.key.keyId,
    );
    await this.#remember({ size: newSize, root: newRoot, note: formatNote(note.text, [...logLines, line]) });
    return answer(200, formatSignatureLine(line));
  }

  async #remember(state: WitnessState): Promise<void> {
    await writeFileDurably(this.#options.stateFile, this.#stateBytes(state));
  }

  #stateBytes({ size, root, note }: WitnessState): Uint8Array {
    const { log } = this.#options;
    return canonicalBytes({
      checkpoint: note,
      log: log.key.vkey,
      origin: log.origin,
      root: encodeHex(root),
      size,
      witness: this.key.vkey,
    });
  }

  /** Reads the state. A missing file is damage and not "nothing seen": else deleting it would undo the memory. */
  async #recall(): Promise<WitnessState> {
    const bytes = await readFileIfThere(this.#options.stateFile);
    const state = bytes === null ? null : this.#parseState(bytes);
    if (state !== null) return state;
    throw new OsaProofError(
      "LEDGER_CORRUPT",
      `${this.#options.stateFile} is not the state of witness "${this.key.name}" for the log "${this.#options.log.origin}"`,
    );
  }

  #parseState(bytes: Uint8Array): WitnessState | null {
    const parsed = parseJson(bytes, { maxBytes: LIMITS.maxSideInputBytes, maxDepth: LIMITS.maxDepth });
    const value: JsonValue = parsed.value ?? null;
    if (typeof value !== "object" || value === null || !("checkpoint" in value)) return null;
    const note = value["checkpoint"];
    const state = note === null ? NOTHING_SEEN : typeof note === "string" ? this.#stateOf(note) : null;
    // Whatever else the file says must be what would be written for this note.
    if (state === null || encodeHex(this.#stateBytes(state)) !== encodeHex(bytes)) return null;
    return state;
  }

  /** The state that goes with a note signed by both the log and this witness. */
  #stateOf(note: string): WitnessState | null {
    const opened = openNote(note, [this.#options.log.key, this.key]);
    const checkpoint = opened === null ? null : parseCheckpoint(opened.text);
    if (checkpoint === null || opened?.verified.length !== 2) return null;
    return { size: checkpoint.size, root: checkpoint.root, note };
  }
}

function answer(status: number, sentence: string): WitnessAnswer {
  return { status, body: `${sentence}\n` };
}

interface AddCheckpoint {
  readonly oldSize: number;
  readonly path: readonly Uint8Array[];
  readonly note: SignedNote;
  readonly checkpoint: Checkpoint;
}

/** C2SP tlog-witness, "add-checkpoint": `old <size>`, hashes, a blank line, the signed checkpoint. */
function parseRequest(request: string): AddCheckpoint | null {
  const end = request.indexOf("\n\n");
  if (end === -1) return null;
  const [first, ...hashLines] = request.slice(0, end).split("\n");
  const oldSize = first?.startsWith("old ") ? parseDecimal(first.slice("old ".length)) : null;
  const path = parseHashLines(hashLines);
  const note = parseNote(request.slice(end + 2));
  const checkpoint = note === null ? null : parseCheckpoint(note.text);
  if (oldSize === null || path === null || note === null || checkpoint === null) return null;
  return { oldSize, path, note, checkpoint };
}
