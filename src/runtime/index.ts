/** Public entry `osa-proof/runtime`: signing in an agent runtime. Random values, the clock and private keys live here. */
export type {
  ActionContent,
  ActionContext,
  ActionOptions,
  Opening,
  Openings,
  SignedAction,
} from "./action.js";
export { signAction } from "./action.js";
export { systemClock } from "./clock.js";
export type { Shown } from "./disclose.js";
export { discloseAction } from "./disclose.js";
export { newId, newSalt } from "./entropy.js";
export type { ExternalSignerOptions } from "./external-signer.js";
export { createExternalSigner } from "./external-signer.js";
export type { LocalSignerOptions } from "./local-signer.js";
export { createLocalSigner } from "./local-signer.js";
export type { NodeSignerOptions } from "./node-signer.js";
export { createNodeSigner } from "./node-signer.js";
export { generatePrivateKey } from "./private-key.js";
export type { WebCryptoKeyPair } from "./webcrypto-signer.js";
export { createWebCryptoSigner, generateWebCryptoSigner } from "./webcrypto-signer.js";
