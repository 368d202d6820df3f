/** What a case is on disk: the inputs of one verification, each as its exact bytes. */
import { encodeBundle } from "../../../src/bundle/codec.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import { at } from "../keys.js";
import type { Story } from "../stories.js";

/** Null where the case gives no such input. */
export interface Inputs {
  readonly bundle: Uint8Array;
  readonly trust: Uint8Array | null;
  readonly expectations: Uint8Array | null;
  readonly supplement: Uint8Array | null;
  readonly heads: Uint8Array | null;
  readonly at: string;
}

export function jsonFile(value: unknown): Uint8Array {
  return encodeUtf8(`${JSON.stringify(value, null, 2)}\n`);
}

export function inputsOf(story: Story, encoding: "json" | "cbor", indent = 0): Inputs {
  const side = (value: unknown): Uint8Array | null => (value === undefined ? null : jsonFile(value));
  return {
    bundle: indent === 0 ? encodeBundle(story.bundle, encoding) : jsonFile(story.bundle),
    trust: jsonFile(story.trust),
    expectations: side(story.expectations),
    supplement: side(story.supplement),
    heads: side(story.heads),
    at: at(story.at),
  };
}
