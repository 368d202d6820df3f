/**
 * Which characters of the compiled sources have run, by the precise block coverage of V8. A script is a bitmap with one
 * byte for each character, so what counts as new does not depend on how V8 merges neighbouring blocks.
 */
import { type Profiler, Session } from "node:inspector";

interface ScriptMap {
  readonly ran: Uint8Array;
  /** Offsets at which some block begins or ends. */
  readonly borders: Set<number>;
}

export class Coverage {
  readonly #session = new Session();
  readonly #scripts = new Map<string, ScriptMap>();
  readonly #isCounted: (url: string) => boolean;

  constructor(isCounted: (url: string) => boolean) {
    this.#isCounted = isCounted;
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** What ran since the last call; counters start again at zero. The call is synchronous in one's own process. */
  take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = [];
    this.#session.post("Profiler.takePreciseCoverage", (error, answer) => {
      if (error !== null) throw error;
      taken = answer.result.filter(({ url }) => this.#isCounted(url));
    });
    return taken;
  }

  /** True when something ran that never ran before. Notes it when `keep` is set. */
  isNew(taken: readonly Profiler.ScriptCoverage[], keep: boolean): boolean {
    let found = false;
    for (const script of taken) {
      for (const { ranges } of script.functions) {
        found = this.#mark(script.url, ranges, keep) || found;
        if (found && !keep) return true;
      }
    }
    return found;
  }

  /** Blocks that have run: stretches between two neighbouring borders. */
  blocks(): number {
    let count = 0;
    for (const { ran, borders } of this.#scripts.values()) {
      for (const border of borders) if (ran[border] === 1) count += 1;
    }
    return count;
  }

  /** Forgets everything. */
  reset(): void {
    this.#scripts.clear();
    this.take();
  }

  /** Ranges of one function come from the outside in: an inner one says more about its characters than an outer one. */
  #mark(url: string, ranges: readonly Profiler.CoverageRange[], keep: boolean): boolean {
    const whole = ranges[0];
    if (whole === undefined || whole.count === 0) return false;
    const script = this.#scriptOf(url, whole.endOffset);
    const now = new Uint8Array(whole.endOffset - whole.startOffset);
    for (const { startOffset, endOffset, count } of ranges) {
      now.fill(count > 0 ? 1 : 0, startOffset - whole.startOffset, endOffset - whole.startOffset);
      if (keep) script.borders.add(startOffset).add(endOffset);
    }
    let found = false;
    for (let i = 0; i < now.length; i++) {
      const place = whole.startOffset + i;
      if (now[i] !== 1 || script.ran[place] === 1) continue;
      if (!keep) return true;
      found = true;
      script.ran[place] = 1;
    }
    return found;
  }

  #scriptOf(url: string, length: number): ScriptMap {
    const known = this.#scripts.get(url);
    if (known !== undefined && known.ran.length >= length) return known;
    const ran = new Uint8Array(Math.max(length, 1 << 15));
    ran.set(known?.ran ?? []);
    const made = { ran, borders: known?.borders ?? new Set<number>() };
    this.#scripts.set(url, made);
    return made;
  }
}
