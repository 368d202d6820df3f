/**
 * Layer 5: the bytes that go into an outside ledger (docs/SPEC.md, "Anchor").
 *
 * A verifier builds them itself from what it is checking and never reads them from anywhere, so a proof that was made
 * for something else cannot fit. `tree_size` is among them because an inclusion path alone does not bind it.
 */
import { canonicalBytes } from "../encoding/jcs.js";

export type AnchorSubject = "evidence_root" | "revocation_list";

export interface AnchorSubjectData {
  readonly namespaceId: string;
  readonly subject: AnchorSubject;
  /** The evidence root or the digest of the revocation list, `0x` and 64 hex digits. */
  readonly digest: string;
  /** Leaves of the evidence tree; 1 for a revocation list. */
  readonly treeSize: number;
}

/** RFC 8785 bytes of the AnchorEntryV1. The members must have the forms their own statements demand. */
export function anchorEntryBytes(data: AnchorSubjectData): Uint8Array {
  return canonicalBytes({
    protocol: "OSA_PROOF_V3",
    type: "AnchorEntryV1",
    namespace_id: data.namespaceId,
    subject: data.subject,
    digest: data.digest,
    tree_size: data.treeSize,
  });
}
