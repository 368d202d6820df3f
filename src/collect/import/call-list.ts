/**
 * Layer 8: collects the calls of a session while a reader walks the recording, pairs them with their results and
 * keeps the order of cause: calls of one turn are a group and share its parents, what follows has all of them.
 */
import { hasNoncharacter, isWellFormed } from "../../encoding/utf8.js";
import { importProblem } from "./problem.js";
import { NOTHING, type Taken } from "./source.js";
import type { CallStatus, ImportedCall, ImportedSession, ImportFormat } from "./types.js";

/** Calls that the model asked for in one turn, none having seen the result of another. */
export interface Group {
  readonly parents: readonly number[];
  /** What comes directly before whatever follows the group: its calls, and ends of side chains that it started. */
  readonly tips: number[];
}

/** What a reader knows of a call before its result. */
export interface NewCall {
  readonly tool: string;
  readonly input: Taken;
  readonly callId?: string | null | undefined;
  readonly time?: number | undefined;
  readonly agent?: string | null | undefined;
}

interface Waiting {
  group: Group;
  calls: number[];
  /** Calls before this place have had their result. */
  next: number;
}

interface Answer {
  readonly output: Taken;
  readonly status: CallStatus;
}

export class CallList {
  readonly #calls: { readonly call: NewCall; readonly parents: readonly number[] }[] = [];
  readonly #answers = new Map<number, Answer>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #uses = new Map<string, number>();
  readonly #notes: string[] = [];

  note(sentence: string): void {
    this.#notes.push(sentence);
  }

  /** A new group behind another one; behind nothing when that is null. */
  after(before: Group | null): Group {
    return this.behind(before === null ? [] : before.tips);
  }

  /** A new group behind the given calls. */
  behind(calls: readonly number[]): Group {
    return { parents: [...new Set(calls)].sort((a, b) => a - b), tips: [] };
  }

  /** Adds a call and returns its index. A result finds it by any of `keys`. */
  add(group: Group, call: NewCall, keys: readonly string[]): number {
    const index = this.#calls.length;
    if (!isWellFormed(call.tool)) {
      throw importProblem(
        `call ${index + 1}`,
        "a tool name",
        "a lone surrogate in it",
        "correct the recording",
      );
    }
    this.#calls.push({ call, parents: group.parents });
    group.tips.push(index);
    if (call.input.reason !== undefined) this.#keptBytes(index, "input", call.input.reason);
    if (typeof call.callId === "string") this.#uses.set(call.callId, (this.#uses.get(call.callId) ?? 0) + 1);
    for (const key of keys) {
      const waiting = this.#waiting.get(key);
      if (waiting?.group === group) waiting.calls.push(index);
      else this.#waiting.set(key, { group, calls: [index], next: 0 });
    }
    return index;
  }

  /**
   * Gives a result to the call it belongs to, and returns that call's index, or null when there is none.
   *
   * Recordings use one key for several calls. A result belongs to the nearest group before it with a call of that
   * key, and inside the group to the first such call without a result. The last result of a key for all of its
   * calls would state outputs that the tools did not give.
   */
  answer(key: string, output: Taken, status: CallStatus): number | null {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      this.note(`a result for ${show(key)} has no call before it and was left out`);
      return null;
    }
    for (; waiting.next < waiting.calls.length; waiting.next++) {
      const index = waiting.calls[waiting.next] ?? 0;
      if (this.#answers.has(index)) continue;
      this.#answers.set(index, { output, status });
      if (output.reason !== undefined) this.#keptBytes(index, "output", output.reason);
      return index;
    }
    this.note(`a further result for ${show(key)} was left out: its call has one already`);
    return null;
  }

  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  isAnswered(index: number): boolean {
    return this.#answers.has(index);
  }

  /** The session as read so far. */
  finish(format: ImportFormat, sessionId?: string | null): ImportedSession {
    const calls = this.#calls.map((_, index) => this.#finished(index));
    for (const [callId, uses] of this.#uses) {
      if (uses < 2) continue;
      this.note(`${uses} calls have the id ${show(callId)}; each result went to the nearest call before it`);
    }
    if (calls.length === 0) this.note("the recording has no tool call");
    const known = isPlain(sessionId) ? { sessionId } : {};
    return { format, calls, notes: this.#notes, ...known };
  }

  #finished(index: number): ImportedCall {
    const { call, parents } = this.#calls[index] ?? { call: { tool: "", input: NOTHING }, parents: [] };
    const answer = this.#answers.get(index);
    if (answer === undefined) this.note(`${this.#name(index)} has no result: it counts as interrupted`);
    return {
      tool: call.tool,
      input: call.input.value,
      output: (answer?.output ?? NOTHING).value,
      status: answer?.status ?? "interrupted",
      parents,
      ...(isPlain(call.callId) ? { callId: call.callId } : {}),
      ...(call.time === undefined ? {} : { time: call.time }),
      ...(isPlain(call.agent) ? { agent: call.agent } : {}),
    };
  }

  #keptBytes(index: number, field: string, reason: string): void {
    this.note(`the ${field} of ${this.#name(index)} is kept as the exact bytes of the recording: ${reason}`);
  }

  #name(index: number): string {
    return `call ${index + 1} (${show(this.#calls[index]?.call.tool ?? "")})`;
  }
}

/** A text that may stand in JSON; ids that may not are left out rather than altered. */
function isPlain(text: string | null | undefined): text is string {
  return typeof text === "string" && isWellFormed(text) && !hasNoncharacter(text);
}

function show(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
