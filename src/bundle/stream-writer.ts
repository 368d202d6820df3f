/** Writes a bundle in its streaming form (docs/SPEC.md, "Streaming form"). */
import { runningDigest } from "../crypto/digest.js";
import { joinBytes } from "../encoding/bytes.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { statementDigest } from "../statements/canonical.js";
import { PROTOCOL } from "../statements/fields.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { canonicalOrder } from "../tree/order.js";
import { groupBy } from "./contents.js";
import type { ProofBundleV3 } from "./format.js";
import { type LineName, NO_COUNTS, type StreamHeader, streamLine } from "./stream-format.js";

/** Lines are given out in pieces of about this size. */
const PIECE_BYTES = 1_000_000;

/** Members of a bundle that come before its receipts, and behind them, each entry in a line. */
const BEFORE = [
  "identity_records",
  "root_rotations",
  "agent_key_certificates",
  "runtime_key_certificates",
  "delegations",
  "policies",
  "attestations",
  "revocation_lists",
] as const;
const BEHIND = ["session_closes", "session_seals"] as const;

/**
 * The lines of a bundle, a piece at a time. Receipts keep their order where each stands behind its parents, else they
 * get the order of evidence trees; each is followed by its disclosures.
 * @throws OsaProofError BUNDLE_INVALID where parents form a cycle, or a disclosure opens no receipt of the bundle
 */
export function* encodeStream(bundle: ProofBundleV3): Generator<Uint8Array, void, undefined> {
  const writer = new LineWriter();
  yield* writer.collect(lines(bundle));
  yield writer.end();
}

type Line = readonly [name: LineName | "header", value: object];

function* lines(bundle: ProofBundleV3): Generator<Line, void, undefined> {
  const header: StreamHeader = {
    protocol: PROTOCOL,
    type: "ProofStreamV3",
    namespace_id: bundle.namespace_id,
    mission_id: bundle.mission_id,
    scope: bundle.claim.scope,
  };
  yield ["header", header];
  for (const targets of inLines(bundle.claim.targets)) yield ["targets", targets];
  for (const name of BEFORE) for (const entry of bundle[name]) yield [name, entry];
  yield* receiptLines(bundle);
  for (const name of BEHIND) for (const entry of bundle[name]) yield [name, entry];
  for (const { leaves = [], proofs = [], ...head } of bundle.evidence_trees) {
    yield ["evidence_trees", head];
    for (const some of inLines(leaves)) yield ["leaves", some];
    for (const proof of proofs) yield ["proofs", proof];
  }
}

function* receiptLines(bundle: ProofBundleV3): Generator<Line, void, undefined> {
  const shown = groupBy(bundle.disclosures, (disclosure) => disclosure.receipt_digest);
  let opened = 0;
  for (const { receipt, digest } of inOrder(bundle.receipts)) {
    yield ["receipts", receipt];
    for (const disclosure of shown.get(digest) ?? []) {
      opened += 1;
      yield ["disclosures", disclosure];
    }
  }
  if (opened !== bundle.disclosures.length)
    throw new OsaProofError("BUNDLE_INVALID", "a disclosure opens a receipt that is not in the bundle");
}

interface Placed {
  readonly receipt: ActionReceiptV3;
  readonly digest: string;
}

/** Every receipt behind its parents, as far as they are there. */
function inOrder(receipts: readonly ActionReceiptV3[]): readonly Placed[] {
  const placed = receipts.map((receipt) => ({ receipt, digest: statementDigest(receipt) }));
  const all = new Set(placed.map(({ digest }) => digest));
  const met = new Set<string>();
  const isOrdered = placed.every(({ receipt, digest }) => {
    met.add(digest);
    return receipt.parent_receipt_digests.every((parent) => met.has(parent) || !all.has(parent));
  });
  if (isOrdered) return placed;
  const order = canonicalOrder(
    placed.map(({ receipt, digest }) => ({ digest, parents: receipt.parent_receipt_digests })),
  );
  if (order === null)
    throw new OsaProofError(
      "BUNDLE_INVALID",
      "receipts whose parents form a cycle have no order to stand in",
    );
  const byDigest = new Map(placed.map((item) => [item.digest, item]));
  return order.flatMap((digest) => byDigest.get(digest) ?? []);
}

function* inLines(digests: readonly string[]): Generator<readonly string[], void, undefined> {
  for (let at = 0; at < digests.length; at += LIMITS.maxDigestsPerLine)
    yield digests.slice(at, at + LIMITS.maxDigestsPerLine);
}

/** Counts and digests lines on their way out. */
class LineWriter {
  readonly #counts: Record<LineName, number> = { ...NO_COUNTS };
  readonly #digest = runningDigest();

  *collect(all: Iterable<Line>): Generator<Uint8Array, void, undefined> {
    let [piece, size]: [Uint8Array[], number] = [[], 0];
    for (const [name, value] of all) {
      const line = streamLine(name, value);
      if (name !== "header") this.#counts[name] += 1;
      this.#digest.update(line);
      piece.push(line);
      size += line.length;
      if (size < PIECE_BYTES) continue;
      yield joinBytes(piece);
      [piece, size] = [[], 0];
    }
    if (size > 0) yield joinBytes(piece);
  }

  end(): Uint8Array {
    return streamLine("trailer", { counts: this.#counts, digest: this.#digest.digest() });
  }
}
