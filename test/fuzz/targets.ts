import type { FuzzTarget } from "./target.js";
import { ANCHOR_TARGETS } from "./targets-anchors.js";
import { CRYPTO_TARGETS } from "./targets-crypto.js";
import { ENCODING_TARGETS } from "./targets-encoding.js";
import { VERIFIER_TARGETS } from "./targets-verifier.js";

export const TARGETS: readonly FuzzTarget[] = [
  ...ENCODING_TARGETS,
  ...CRYPTO_TARGETS,
  ...ANCHOR_TARGETS,
  ...VERIFIER_TARGETS,
];
