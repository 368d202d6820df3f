/** What a fuzz target is, and what several of them use. */
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";

export interface FuzzTarget {
  readonly name: string;
  /** Inputs that the search starts from: valid ones, so that it begins behind the first refusal. */
  readonly seeds: () => Promise<readonly Uint8Array[]>;
  /** Texts or bytes that mean something to this parser. */
  readonly tokens: readonly (string | Uint8Array)[];
  readonly maxBytes: number;
  /** Throws when an invariant is broken; anything that a parser throws is one as well. */
  readonly run: (input: Uint8Array) => void;
}

/** Throws with `broken` unless it holds. */
export function hold(condition: boolean, broken: string): void {
  if (!condition) throw new Error(broken);
}

/** A target over text: bytes that are not UTF-8 are read as one character each. */
export function textTarget(
  target: Omit<FuzzTarget, "run" | "seeds"> & {
    readonly run: (text: string) => void;
    readonly seeds: () => Promise<readonly string[]> | readonly string[];
  },
): FuzzTarget {
  return {
    ...target,
    seeds: async () => (await target.seeds()).map(encodeUtf8),
    run: (input) => target.run(decodeUtf8(input) ?? Buffer.from(input).toString("latin1")),
  };
}
