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
export type { BegunCall, JournalHeader } from "./journal/journal-format.js";
export type { JournalContents } from "./journal/read-journal.js";
export { readJournal } from "./journal/read-journal.js";
export type { Recovered } from "./journal/recover.js";
export type { LocalSignerOptions } from "./local-signer.js";
export { createLocalSigner } from "./local-signer.js";
export type { NodeSignerOptions } from "./node-signer.js";
export { createNodeSigner } from "./node-signer.js";
export { generatePrivateKey } from "./private-key.js";
export type { CertifiedKey } from "./session/authority.js";
export type { Branch, Observer, RecordOptions, RunOptions } from "./session/branch.js";
export { contentOf } from "./session/content.js";
export type { Recorded } from "./session/recorder.js";
export type { Session, SessionOptions } from "./session/session.js";
export { openSession } from "./session/session.js";
export type { WebCryptoKeyPair } from "./webcrypto-signer.js";
export { createWebCryptoSigner, generateWebCryptoSigner } from "./webcrypto-signer.js";
