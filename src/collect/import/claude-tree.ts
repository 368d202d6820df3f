/**
 * Layer 8: what came before what in a Claude Code transcript.
 *
 * Each line names the line it follows (`parentUuid`); a person who goes back to an earlier place starts another
 * branch from there. A subagent's lines are a tree of their own (`isSidechain`, newer ones with `agentId`): it forks
 * from the call that started it, and its end joins that call's group when that call has its result.
 */
import type { JsonValue } from "../../encoding/json-value.js";
import type { CallList, Group } from "./call-list.js";
import { memberOf } from "./source.js";

/** One line of a transcript: only what matters here; the rest of the line is not looked at. */
export interface ClaudeEntry {
  readonly type: string;
  readonly uuid?: string | null | undefined;
  readonly parentUuid?: string | null | undefined;
  readonly isSidechain?: boolean | null | undefined;
  readonly agentId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly timestamp?: string | null | undefined;
  readonly toolUseResult?: JsonValue | undefined;
  readonly message: {
    readonly id?: string | null | undefined;
    readonly content: string | readonly JsonValue[];
  };
}

/** Names of the tool that starts a subagent. */
const STARTERS: ReadonlySet<string> = new Set(["Agent", "Task"]);

/** One line of conversation: the main one, or a subagent's. */
interface Chain {
  /** The last calls in it; null before the first. */
  last: Group | null;
  /** Groups by the id of the message whose calls they are. */
  readonly groups: Map<string, Group>;
}

/** Where a line stands. */
export interface Place {
  readonly chain: Chain;
  /** The last calls before whatever follows this line. */
  before: Group | null;
  /** The calls of this line itself, when it has some. */
  own: Group | null;
}

interface Starter {
  readonly index: number;
  readonly group: Group;
  readonly prompt: JsonValue | undefined;
  chain: Chain | null;
}

export class SessionTree {
  readonly #calls: CallList;
  readonly #main: Chain = { last: null, groups: new Map() };
  readonly #places = new Map<string, Place>();
  readonly #agents = new Map<string, Chain>();
  readonly #starters = new Map<number, Starter>();
  #lastSide: Chain | null = null;

  constructor(calls: CallList) {
    this.#calls = calls;
  }

  /** To be called once for each line, in their order. */
  enter(entry: ClaudeEntry): Place {
    const parent = typeof entry.parentUuid === "string" ? this.#places.get(entry.parentUuid) : undefined;
    const chain = entry.isSidechain === true ? this.#sideChain(entry, parent) : this.#main;
    // A line whose parent is not in the file goes on from what was last recorded in its chain.
    const before = parent !== undefined && parent.chain === chain ? parent.before : chain.last;
    const place: Place = { chain, before, own: null };
    if (typeof entry.uuid === "string") this.#places.set(entry.uuid, place);
    return place;
  }

  /** The group of the calls of this message: a message may be spread over several lines. */
  groupFor(place: Place, messageId: string | null | undefined): Group {
    const { groups } = place.chain;
    const known = typeof messageId === "string" ? groups.get(messageId) : place.own;
    const group = known ?? this.#calls.after(place.before);
    if (typeof messageId === "string") groups.set(messageId, group);
    place.own = group;
    place.before = group;
    place.chain.last = group;
    return group;
  }

  /** To be called after a call was added to its group. */
  noteCall(index: number, group: Group, tool: string, prompt: JsonValue | undefined): void {
    if (STARTERS.has(tool)) this.#starters.set(index, { index, group, prompt, chain: null });
  }

  /** To be called when a call has its result: a subagent that it started has then ended. */
  noteResult(index: number): void {
    const starter = this.#starters.get(index);
    // A subagent that called nothing ends where it began.
    for (const end of starter?.chain?.last?.tips ?? []) {
      if (end !== index) starter?.group.tips.push(end);
    }
  }

  #sideChain(entry: ClaudeEntry, parent: Place | undefined): Chain {
    const agent = typeof entry.agentId === "string" ? entry.agentId : null;
    const known = agent === null ? this.#sideOf(entry, parent) : this.#agents.get(agent);
    const chain = known ?? this.#startChain(entry);
    if (agent !== null) this.#agents.set(agent, chain);
    this.#lastSide = chain;
    return chain;
  }

  /** The chain of a line without an agent's id; undefined for the first line of a chain. */
  #sideOf(entry: ClaudeEntry, parent: Place | undefined): Chain | undefined {
    if (parent !== undefined && parent.chain !== this.#main) return parent.chain;
    return typeof entry.parentUuid === "string" && parent === undefined
      ? (this.#lastSide ?? undefined)
      : undefined;
  }

  #startChain(entry: ClaudeEntry): Chain {
    const free = [...this.#starters.values()].filter((starter) => starter.chain === null);
    const prompt = promptOf(entry);
    // The prompt is what links the two; without that, the oldest subagent still at work.
    const starter =
      free.find((one) => prompt !== null && one.prompt === prompt) ??
      free.find((one) => !this.#calls.isAnswered(one.index));
    const last = starter === undefined ? this.#main.last : { parents: [], tips: [starter.index] };
    const chain: Chain = { last, groups: new Map() };
    if (starter !== undefined) starter.chain = chain;
    return chain;
  }
}

function promptOf(entry: ClaudeEntry): string | null {
  const { content } = entry.message;
  if (typeof content === "string") return content;
  for (const block of content) {
    const text = memberOf(block, "text");
    if (typeof text === "string") return text;
  }
  return null;
}
