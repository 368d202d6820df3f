/** One thread of work in a session: what its actions came after. */

import { formatTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import { type ActionStatus, actionStatus } from "../../statements/commitment.js";
import { DENIED_TOOL } from "../../statements/fields.js";
import { requireShape } from "../../statements/maker.js";
import { receiptMembers } from "../../statements/receipt.js";
import { type ActionContent, requireContent } from "../action.js";
import { newId } from "../entropy.js";
import { begunCall } from "../journal/journal-format.js";
import { requireMembers } from "../members.js";
import { contentOf } from "./content.js";
import type { Clock, Permit, Recorded, Recorder, SignedContent } from "./recorder.js";

/** An action that was done elsewhere and is recorded now. */
export interface RecordOptions {
  readonly tool: string;
  readonly input: ActionContent;
  readonly output: ActionContent;
  /** "completed" when absent. */
  readonly status?: ActionStatus;
  /** Digests of the receipts it came after, at most 64; the branch's heads when absent. */
  readonly parents?: readonly string[];
  readonly evidence?: readonly ActionContent[];
  /** The id that a retry repeats; a new one when absent. */
  readonly actionId?: string;
}

/** What is known of a call besides tool and input. */
export interface RunOptions<T> {
  readonly parents?: readonly string[];
  readonly evidence?: readonly ActionContent[];
  /** More evidence, out of the result. */
  readonly evidenceOf?: (result: T) => readonly ActionContent[];
  readonly actionId?: string;
  /** Whether a result that was returned says that the tool failed; "completed" when absent. */
  readonly statusOf?: (result: T) => ActionStatus;
  /** What is committed as output; {@link contentOf} of the result when absent. */
  readonly outputOf?: (result: T) => ActionContent;
  /** Called when the receipt is durable, before the result is given back. */
  readonly onRecorded?: Observer;
}

/** What a session tells of each receipt once it is durable, in the asynchronous context of the call. */
export type Observer = (recorded: Recorded) => void;

/** What all branches of one session share. */
export interface Shared {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly observer: Observer | null;
}

export class Branch {
  readonly #shared: Shared;
  #heads: readonly string[];

  /** @internal Made by `openSession` and `fork`. */
  constructor(shared: Shared, heads: readonly string[]) {
    this.#shared = shared;
    this.#heads = heads;
  }

  /** Digests of the receipts of this branch that nothing in it came after yet, oldest first. */
  get heads(): readonly string[] {
    return this.#heads;
  }

  /**
   * Signs and stores a receipt for an action that was done. Resolves when it is durable.
   * @throws OsaProofError ACTION_REFUSED (outside the delegation), JOURNAL_FAILED (not stored), ARGUMENT_INVALID,
   *   VALUE_NOT_JSON, SIGNER_FAILED; nothing is recorded then
   */
  async record(options: RecordOptions): Promise<Recorded> {
    requireMembers("options", options, RECORD_NAMES);
    const { tool, status = "completed", parents, ...rest } = options;
    const after = this.#parents(parents);
    const permit = await this.#shared.recorder.permit(tool);
    return this.#sign(permit, { ...rest, status, parents: after });
  }

  /**
   * Runs a tool and records what came of it: completed, failed when it throws, interrupted when it throws an
   * `AbortError`. Gives back what it returned, or throws what it threw, after the receipt is durable. A call that is
   * refused does not run; where a delegation lists `osa.denied`, a receipt of that kind says so.
   * @throws OsaProofError ACTION_REFUSED, JOURNAL_FAILED: then the result of a tool that ran is not given back
   */
  async run<T>(
    tool: string,
    input: unknown,
    action: () => T | Promise<T>,
    options: RunOptions<T> = {},
  ): Promise<T> {
    requireMembers("options", options, RUN_NAMES);
    const { parents, evidence, actionId = newId("action") } = options;
    const after = this.#parents(parents);
    // What the caller got wrong is found before the tool runs.
    requireShape(parentDigests, after, "options.parents");
    for (const item of evidence ?? []) requireContent("evidence", item);
    const call = requireShape(begunCall, { action_id: actionId, tool, begun_at: this.#now() }, "call");
    const permit = await this.#permitOrDeny(tool, input, parents);
    const what = { input: contentOf(input), parents: after, actionId, evidence: [...(evidence ?? [])] };
    const finish = async (output: ActionContent, status: ActionStatus): Promise<void> => {
      await this.#sign(permit, { ...what, output, status }, options.onRecorded);
    };
    let result: T;
    try {
      await this.#shared.recorder.journal.begin(call);
    } catch (error) {
      this.#shared.recorder.release(permit);
      throw error;
    }
    try {
      result = await action();
    } catch (thrown) {
      await finish(contentOf({ error: describe(thrown) }), isAbort(thrown) ? "interrupted" : "failed");
      throw thrown;
    }
    const { output, status, more } = outcomeOf(result, options);
    what.evidence.push(...more);
    await finish(output, status);
    return result;
  }

  /**
   * Records that a call was refused and did not run, under the tool `osa.denied`; null when no delegation lists that
   * tool or has room for it.
   * @throws OsaProofError JOURNAL_FAILED, SIGNER_FAILED
   */
  async deny(
    tool: string,
    input: unknown,
    reason: string,
    parents?: readonly string[],
  ): Promise<Recorded | null> {
    const after = this.#parents(parents);
    let permit: Permit;
    try {
      permit = await this.#shared.recorder.permit(DENIED_TOOL);
    } catch (error) {
      if (error instanceof OsaProofError && error.code === "ACTION_REFUSED") return null;
      throw error;
    }
    return this.#sign(permit, {
      input: contentOf({ tool, input }),
      output: contentOf({ reason }),
      status: "denied",
      parents: after,
    });
  }

  /** A branch that begins where this one stands. It shares key, sequence and journal. */
  fork(): Branch {
    return new Branch(this.#shared, this.#heads);
  }

  /** What comes next in this branch came after all that was recorded in the others. */
  merge(...branches: readonly Branch[]): void {
    this.#heads = [...new Set([...this.#heads, ...branches.flatMap((branch) => branch.heads)])];
  }

  /** More than 64 heads are joined by and by: each action names the oldest. */
  #parents(given: readonly string[] | undefined): readonly string[] {
    return given ?? this.#heads.slice(0, LIMITS.maxParentsPerReceipt);
  }

  async #permitOrDeny(tool: string, input: unknown, parents?: readonly string[]): Promise<Permit> {
    try {
      return await this.#shared.recorder.permit(tool);
    } catch (error) {
      if (error instanceof OsaProofError && error.code === "ACTION_REFUSED") {
        await this.deny(tool, input, error.message, parents);
      }
      throw error;
    }
  }

  #now(): string {
    return formatTime(this.#shared.clock());
  }

  async #sign(permit: Permit, content: SignedContent, onRecorded?: Observer): Promise<Recorded> {
    const recorded = await this.#shared.recorder.sign(permit, content);
    const { receipt, digest } = recorded;
    const joined = new Set(receipt.parent_receipt_digests);
    this.#heads = [...this.#heads.filter((head) => !joined.has(head)), digest];
    for (const tell of [onRecorded, this.#shared.observer]) {
      try {
        tell?.(recorded);
      } catch {
        // What watches has no say: the receipt is there.
      }
    }
    return recorded;
  }
}

const RECORD_NAMES: ReadonlySet<string> = new Set([
  "tool",
  "input",
  "output",
  "status",
  "parents",
  "evidence",
  "actionId",
] satisfies readonly (keyof RecordOptions)[]);

const RUN_NAMES: ReadonlySet<string> = new Set([
  "parents",
  "evidence",
  "evidenceOf",
  "actionId",
  "statusOf",
  "outputOf",
  "onRecorded",
] satisfies readonly (keyof RunOptions<unknown>)[]);

/** Should the caller's own reading of the result fail, the result is recorded as it is. */
function outcomeOf<T>(result: T, { outputOf, statusOf, evidenceOf }: RunOptions<T>): Outcome {
  try {
    const output = (outputOf ?? contentOf)(result);
    requireContent("output", output);
    const more = evidenceOf?.(result) ?? [];
    for (const item of more) requireContent("evidence", item);
    return { output, status: requireShape(actionStatus, statusOf?.(result) ?? "completed", "status"), more };
  } catch {
    return { output: contentOf(result), status: "completed", more: [] };
  }
}

interface Outcome {
  readonly output: ActionContent;
  readonly status: ActionStatus;
  readonly more: readonly ActionContent[];
}

const { parent_receipt_digests: parentDigests } = receiptMembers;

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError";
}

/** Name, message and code of what was thrown; any other value as it is. */
function describe(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const code = "code" in thrown ? { code: thrown.code } : {};
  return { name: thrown.name, message: thrown.message, ...code };
}
