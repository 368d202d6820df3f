/** What is kept of the receipts that a claim is about: the answers to an auditor's questions (docs/SPEC.md, "Check 10"). */
import type { Disclosure } from "../bundle/format.js";
import { sha256Hex } from "../crypto/digest.js";
import { decodeHex } from "../encoding/hex.js";
import { detached, encodeUtf8 } from "../encoding/utf8.js";
import type { ActionStatus } from "../statements/commitment.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { DigestList } from "../tree/digest-list.js";
import type { ReceiptTable } from "./receipt-table.js";

/** A disclosed output, by what can be asked about it. */
export interface ShownOutput {
  readonly status: ActionStatus | undefined;
  /** The digest by which a file is compared: of raw bytes, of a blob, or of the UTF-8 of a JSON string; else null. */
  readonly sha256: string | null;
}

export class Targets {
  readonly #digests: DigestList;
  /** By position of the receipt. */
  readonly #tools = new Map<number, string>();
  readonly #outputs = new Map<number, ShownOutput>();

  constructor(digests: readonly string[]) {
    this.#digests = new DigestList(digests.length);
    for (const digest of digests) this.#digests.addHex(digest);
  }

  /** Keeps what is asked of a target; for any other receipt does nothing. */
  meet(
    receipts: ReceiptTable,
    position: number,
    receipt: ActionReceiptV3,
    shown: Iterable<Disclosure>,
  ): void {
    if (this.#digests.findIn(receipts.digests, position) < 0) return;
    this.#tools.set(position, detached(receipt.tool));
    for (const { value } of shown) {
      if (value.kind !== "output") continue;
      this.#outputs.set(position, { status: value.status, sha256: contentDigest(value) });
    }
  }

  toolOf(position: number): string | undefined {
    return this.#tools.get(position);
  }

  outputOf(position: number): ShownOutput | undefined {
    return this.#outputs.get(position);
  }
}

function contentDigest(value: Disclosure["value"]): string | null {
  if (value.blob !== undefined) return detached(value.blob.sha256);
  if (value.bytes !== undefined) return sha256Hex(decodeHex(value.bytes) ?? new Uint8Array(0));
  return typeof value.json === "string" ? sha256Hex(encodeUtf8(value.json)) : null;
}
