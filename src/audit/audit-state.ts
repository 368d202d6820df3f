/** What an auditor keeps from one verification to the next (docs/SPEC.md, "Audit state"). */
import type { PublicKey } from "../crypto/keys.js";
import * as LIMITS from "../limits.js";
import { DigestList } from "../tree/digest-list.js";
import { Numbers } from "../tree/numbers.js";
import type { KnownHeadsV1 } from "../verifier/inputs.js";
import { DIGEST_BYTES, type ReceiptView } from "../verifier/receipt-columns.js";
import type { KnownSignatures } from "../verifier/signatures-elsewhere.js";
import type { SignedReceipts } from "../verifier/standing.js";
import { type AcceptedReceipts, readState, writeState } from "./state-format.js";

/**
 * Receipts that were accepted, each with the key under which its signature has verified. A digest covers every byte of its
 * receipt, the signature included: so that it verifies under this key is true whenever and for whomever it is asked.
 */
export class AuditState implements KnownSignatures {
  heads: KnownHeadsV1 | null = null;
  readonly #digests = new DigestList();
  readonly #thumbprints: string[] = [];
  /** By position of the digest: which of the thumbprints. */
  readonly #keys = new Numbers();
  readonly #byThumbprint = new Map<string, number>();

  /** @throws OsaProofError STATE_INVALID on bytes that no state was written in. */
  static read(bytes: Uint8Array): AuditState {
    const state = new AuditState();
    readState(bytes, {
      heads: (heads) => {
        state.heads = heads;
      },
      accepted: (thumbprint, digests) => {
        const key = state.#keyOf(thumbprint);
        for (let at = 0; at < digests.length; at += DIGEST_BYTES) state.#add(digests, at, key);
      },
    });
    return state;
  }

  get count(): number {
    return this.#digests.count;
  }

  has(receipts: Pick<ReceiptView, "findIn">, position: number, key: PublicKey): boolean {
    const found = receipts.findIn(this.#digests, position);
    return found >= 0 && this.#thumbprints[this.#keys.all[found] ?? -1] === key.thumbprint;
  }

  /** Takes the receipts of a bundle that was accepted. */
  add({ digests, keyOf }: SignedReceipts): void {
    for (let position = 0; position < digests.count; position += 1) {
      const key = keyOf(position);
      // All that were accepted have one.
      if (key !== null) this.#add(digests.bytesAt(position), 0, this.#keyOf(key.thumbprint));
    }
  }

  /** How many of its receipts are not among these. */
  missingFrom({ digests }: SignedReceipts): number {
    let missing = 0;
    for (let position = 0; position < this.count; position += 1)
      if (digests.findIn(this.#digests, position) < 0) missing += 1;
    return missing;
  }

  encode(): Uint8Array {
    return writeState(this.heads, this.#lines());
  }

  /** A receipt that is there under another key stays so: it will be checked again, under the key that it has then. */
  #add(from: Uint8Array, offset: number, key: number): void {
    if (this.#digests.findBytes(from, offset) >= 0) return;
    this.#digests.add(from, offset);
    this.#keys.add(key);
  }

  #keyOf(thumbprint: string): number {
    const known = this.#byThumbprint.get(thumbprint);
    if (known !== undefined) return known;
    const key = this.#thumbprints.push(thumbprint) - 1;
    this.#byThumbprint.set(thumbprint, key);
    return key;
  }

  /** Receipts of one key stand together, in the order in which they were accepted. */
  *#lines(): Generator<AcceptedReceipts, void, undefined> {
    const positions = this.#thumbprints.map(() => new Numbers());
    for (const [position, key] of this.#keys.all.entries()) positions[key]?.add(position);
    for (const [key, thumbprint] of this.#thumbprints.entries()) {
      const all = positions[key]?.all ?? new Uint32Array();
      for (let from = 0; from < all.length; from += LIMITS.maxDigestsPerLine) {
        const some = all.subarray(from, from + LIMITS.maxDigestsPerLine);
        yield { key_thumbprint: thumbprint, receipts: Array.from(some, (at) => this.#digests.hexAt(at)) };
      }
    }
  }
}
