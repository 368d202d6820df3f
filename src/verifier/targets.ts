/** What is kept of the receipts that a claim is about: the answers to an auditor's questions (docs/SPEC.md, "Check 10"). */
import type { Placed } from "../bundle/contents.js";
import type { Disclosure } from "../bundle/format.js";
import { sha256Hex } from "../crypto/digest.js";
import { decodeHex } from "../encoding/hex.js";
import { detached, encodeUtf8 } from "../encoding/utf8.js";
import type { ActionStatus } from "../statements/commitment.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { NamedDigests } from "../tree/digest-list.js";
import type { ReceiptView } from "./receipt-columns.js";

/** A disclosed output, by what can be asked about it. */
export interface ShownOutput {
  readonly status: ActionStatus | undefined;
  /** The digest by which a file is compared: of raw bytes, of a blob, or of the UTF-8 of a JSON string; else null. */
  readonly sha256: string | null;
}

/** What is kept of one target. */
export interface TargetAnswers {
  readonly tool: string;
  readonly output: ShownOutput | null;
}

export class Targets {
  readonly #digests: NamedDigests;
  /** By the target's place in the claim. */
  readonly #answers = new Map<number, TargetAnswers>();

  constructor(digests: readonly string[]) {
    this.#digests = new NamedDigests(digests.length);
    for (const digest of digests) this.#digests.addHex(digest);
  }

  /** Keeps what is asked of a target; for any other receipt does nothing. */
  meet(
    receipts: ReceiptView,
    position: number,
    receipt: ActionReceiptV3,
    shown: Iterable<Placed<Disclosure>>,
  ): void {
    const target = receipts.findIn(this.#digests, position);
    if (target < 0) return;
    let output: ShownOutput | null = null;
    for (const { value } of shown) {
      const { kind, status } = value.value;
      if (kind === "output") output = { status, sha256: contentDigest(value.value) };
    }
    this.#answers.set(target, { tool: detached(receipt.tool), output });
  }

  /** By the target's place in the claim; undefined when it was not met. */
  answersOf(target: number): TargetAnswers | undefined {
    return this.#answers.get(target);
  }
}

function contentDigest(value: Disclosure["value"]): string | null {
  if (value.blob !== undefined) return detached(value.blob.sha256);
  if (value.bytes !== undefined) return sha256Hex(decodeHex(value.bytes) ?? new Uint8Array(0));
  return typeof value.json === "string" ? sha256Hex(encodeUtf8(value.json)) : null;
}
