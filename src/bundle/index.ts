/** The bundle format: types, assembly, encodings and disclosure. */

export type { BundleClaim, ProofMaterial, SealedTree } from "./assemble.js";
export { assembleBundle, withholdDisclosures } from "./assemble.js";
export type { BundleEncoding } from "./codec.js";
export { BUNDLE_MEDIA_TYPES, encodeBundle, encodingOf } from "./codec.js";
export { decodeBundle } from "./decode.js";
export type {
  Anchor,
  AnchoredRevocationList,
  AnchorType,
  Attestation,
  AttestationType,
  ClaimScope,
  Disclosure,
  EvidenceTreeV1,
  InclusionPath,
  ProofBundleV3,
  TreeProof,
} from "./format.js";
export { proofBundle } from "./format.js";
export { isStream } from "./stream-beginning.js";
export { decodeStream } from "./stream-decode.js";
export { encodeStream } from "./stream-writer.js";
