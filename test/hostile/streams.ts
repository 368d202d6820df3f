/** Changes of bundles in their streaming form: each must get the report of the bundle that the changed stream stands for. */
import { decodeBundle } from "../../src/bundle/decode.js";
import { encodeStream } from "../../src/bundle/stream-writer.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { OsaProofError } from "../../src/errors.js";
import { linesOf, streamFault, withTrailer } from "../support/streams.js";
import type { Fixture } from "./fixtures.js";
import type { Choose } from "./sweep.js";

export class StreamSweep {
  readonly faults: string[] = [];
  /** Streams that were compared, by what was done to them. */
  readonly kinds = new Map<string, number>();

  get cases(): number {
    return [...this.kinds.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A changed bundle in one piece; there is nothing to compare when it has no streaming form. */
  bundle(fixture: Fixture, bytes: Uint8Array, what: string): void {
    const stream = streamOf(bytes);
    if (stream !== null) this.#compare(fixture, stream, "values changed", what);
  }

  /** Every line left out, doubled, moved and flipped in one bit here and there, under a trailer that fits it. */
  lines(fixture: Fixture, choose: Choose): void {
    const stream = streamOf(fixture.bundle);
    if (stream === null) return;
    const lines = linesOf(stream);
    for (const [at, line] of lines.entries()) {
      const [before, behind] = [lines.slice(0, at), lines.slice(at + 1)];
      const next = behind[0];
      const made: [kind: string, lines: readonly Uint8Array[]][] = [
        ["line left out", [...before, ...behind]],
        ["line doubled", [...before, line, line, ...behind]],
        ["lines cut off", before],
      ];
      if (next !== undefined) made.push(["line moved", [...before, next, line, ...behind.slice(1)]]);
      for (let byte = at % STEP; byte < line.length; byte += STEP) {
        const bit = [0x01, 0x20, 0x80][byte % 3] ?? 1;
        made.push(["byte flipped", [...before, line.with(byte, (line[byte] ?? 0) ^ bit), ...behind]]);
      }
      for (const [kind, changed] of made) {
        if (choose()) this.#compare(fixture, withTrailer(changed), kind, `line ${at}`);
      }
    }
  }

  #compare(fixture: Fixture, stream: Uint8Array, kind: string, what: string): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    const fault = streamFault(stream, fixture.trust ?? new Uint8Array(), fixture.options);
    if (fault !== null) this.faults.push(`${fixture.name}: ${kind} ${what}: ${fault}`);
  }
}

/** Between two bytes of a line that are flipped. */
const STEP = 61;

function streamOf(bytes: Uint8Array): Uint8Array | null {
  try {
    return concatBytes(...encodeStream(decodeBundle(bytes)));
  } catch (error) {
    if (error instanceof OsaProofError) return null;
    throw error;
  }
}
