/** Public entry `osa-proof/collect`: getting entries into a ledger and proofs out of it. */
export type { AnchorSubject, AnchorSubjectData } from "../anchors/anchor-entry.js";
export { anchorEntryBytes } from "../anchors/anchor-entry.js";
export {
  createLocalLog,
  type LocalLog,
  type LocalLogOptions,
  type LocalWitnessConfig,
  openLocalLog,
} from "./local-log.js";
