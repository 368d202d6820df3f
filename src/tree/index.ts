/** Public entry `osa-proof/tree`: the RFC 6962 tree, its proofs, and the order of its leaves. */
export {
  type EvidenceTree,
  emptyRoot,
  evidenceTree,
  evidenceTreeOfDigests,
  leafHash,
  merkleRoot,
  merkleRootOfDigests,
  nodeHash,
} from "./merkle.js";
export { canonicalOrder, type OrderItem } from "./order.js";
export {
  type ConsistencyClaim,
  type InclusionClaim,
  type InclusionPath,
  rootFromInclusion,
  verifyConsistency,
  verifyInclusion,
} from "./proof.js";
