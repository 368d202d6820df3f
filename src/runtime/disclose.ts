/** Layer 8: from openings to the disclosures of a bundle. */
import type { Disclosure } from "../bundle/format.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { commitmentOf } from "../statements/commitment.js";
import { evidenceTree } from "../tree/merkle.js";
import type { Opening, Openings } from "./action.js";

/** Which parts of an action to show. */
export interface Shown {
  readonly input: boolean;
  readonly output: boolean;
  readonly evidence: boolean;
}

/** The disclosures of one receipt's chosen parts; an evidence item comes with its path in the action tree. */
export function discloseAction(receiptDigest: string, openings: Openings, shown: Shown): Disclosure[] {
  const disclose = ({ salt, value }: Opening): Disclosure => ({ receipt_digest: receiptDigest, salt, value });
  const disclosures: Disclosure[] = [];
  if (shown.input) disclosures.push(disclose(openings.input));
  if (shown.output) disclosures.push(disclose(openings.output));
  if (!shown.evidence || openings.evidence.length === 0) return disclosures;
  const tree = evidenceTree(openings.evidence.map(leafOf));
  for (const [index, item] of openings.evidence.entries()) {
    const path = tree.inclusionProof(index).map(encodeHex);
    disclosures.push({
      ...disclose(item),
      inclusion: { leaf_index: index, tree_size: tree.size, audit_path: path },
    });
  }
  return disclosures;
}

function leafOf({ salt, value }: Opening): Uint8Array {
  const commitment = commitmentOf(decodeHex(salt) ?? new Uint8Array(), value);
  return decodeHex(commitment) ?? new Uint8Array();
}
