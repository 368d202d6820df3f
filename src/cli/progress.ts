/** Shows on a terminal's stderr how far long work is. */
import type { CommandContext } from "./command.js";

const STEPS = 50;
/** Work of fewer steps is over before anybody has read a line. */
const WORTH_SHOWING = 200;

export interface Progress {
  readonly step: () => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** Counts to `total`; writes nothing where stderr is no terminal or the work is short. */
export function showProgress(context: CommandContext, doing: string, total: number): Progress {
  if (!context.progress || total < WORTH_SHOWING) return { step: () => undefined, end: () => undefined };
  const every = Math.ceil(total / STEPS);
  let done = 0;
  return {
    step: () => {
      done += 1;
      if (done % every === 0) context.err(`\r${doing} ${done} of ${total}`);
    },
    end: () => context.err("\r\u001b[K"),
  };
}

/** How much is read between two lines. */
const BYTES_BETWEEN = 10_000_000;
const MEGABYTE = 1_000_000;

/** {@link showProgress} by bytes; `total` is null where it is not known. */
export function showBytes(
  context: CommandContext,
  doing: string,
  total: number | null,
): { readonly step: (bytes: number) => void; readonly end: () => void } {
  if (!context.progress) return { step: () => undefined, end: () => undefined };
  let [done, shown] = [0, 0];
  return {
    step: (bytes) => {
      done += bytes;
      if (done - shown < BYTES_BETWEEN) return;
      shown = done;
      const share = total === null ? "" : ` of ${Math.ceil(total / MEGABYTE)}`;
      context.err(`\r${doing} ${Math.floor(done / MEGABYTE)}${share} MB`);
    },
    end: () => {
      if (shown > 0) context.err("\r\u001b[K");
    },
  };
}
