/** What runs in a thread: checks the signatures of batches, under keys that it is told once. */
import { parentPort } from "node:worker_threads";
import { type PublicKey, parsePublicKey } from "../crypto/keys.js";
import { invalidPlaces, type PackedSignatures } from "./signature-batch.js";

/** A batch, with the keys (SPKI) that were not sent before. */
export interface BatchMessage extends PackedSignatures {
  readonly newKeys: readonly Uint8Array[];
}

/** The places of the signatures that do not verify. */
export type BatchAnswer = readonly number[];

const keys: (PublicKey | null)[] = [];

parentPort?.on("message", (message: BatchMessage) => {
  for (const spki of message.newKeys) keys.push(parsePublicKey(spki));
  const answer: BatchAnswer = invalidPlaces(message, keys);
  parentPort?.postMessage(answer);
});
