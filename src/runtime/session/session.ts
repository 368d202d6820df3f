/** A session: one runtime at work, from its first action to its last word. */
import { OsaProofError } from "../../errors.js";
import type { DelegationV1 } from "../../statements/delegation.js";
import type { RuntimeKeyCertificateV1 } from "../../statements/identity.js";
import type { SessionCloseV1 } from "../../statements/session.js";
import { systemClock } from "../clock.js";
import { openJournal } from "../journal/journal.js";
import type { Recovered } from "../journal/recover.js";
import { diskStorage, type Storage } from "../journal/storage.js";
import { requireMembers } from "../members.js";
import { type CertifiedKey, requireCertifiedKey, requireMandate } from "./authority.js";
import { Branch, type Observer, type Shared } from "./branch.js";
import { type Clock, Recorder, type Renew } from "./recorder.js";

export interface SessionOptions extends CertifiedKey {
  /** What the runtime may do; several when its tools are spread over them. */
  readonly delegation: DelegationV1 | readonly DelegationV1[];
  /** Directory of the journal; made where there is none. */
  readonly journal: string;
  /** The platform's clock when absent. */
  readonly clock?: Clock;
  /** Gives a new key and certificate of the same runtime when the old certificate ends in less than 30 seconds. */
  readonly renew?: Renew;
  /** Told of each receipt once it is durable. */
  readonly observer?: Observer;
}

export class Session extends Branch {
  /** What the journal held when it was opened; look at `unfinished` and `cutBytes` after a crash. */
  readonly recovered: Recovered;
  readonly #recorder: Recorder;

  /** @internal Made by {@link openSession}. */
  constructor(shared: Shared) {
    super(shared, shared.recorder.journal.state.heads);
    this.#recorder = shared.recorder;
    this.recovered = shared.recorder.journal.state.recovered;
  }

  /** Receipts so far, those found in the journal included. */
  get sequence(): number {
    return this.#recorder.sequence;
  }

  /** Goes on with another key of this runtime. @throws OsaProofError ARGUMENT_INVALID, JOURNAL_FAILED */
  async renewWith(key: CertifiedKey): Promise<void> {
    await this.#recorder.renewWith(key);
  }

  /**
   * Waits for the calls that run, refuses others, signs the runtime's last word and lets go of the journal. Null when
   * nothing was recorded. When it throws, the journal can be opened again, and the session closed then.
   * @throws OsaProofError ACTION_REFUSED, JOURNAL_FAILED, SIGNER_FAILED
   */
  async close(): Promise<SessionCloseV1 | null> {
    await this.#recorder.end();
    try {
      return await this.#recorder.close();
    } finally {
      await this.#recorder.journal.close();
    }
  }

  /** Waits for the calls that run and lets go of the journal; the session can be opened again and goes on. */
  async suspend(): Promise<void> {
    await this.#recorder.end();
    await this.#recorder.journal.close();
  }
}

/**
 * Opens a session on a journal, new or left by an earlier process of the same runtime.
 * @throws OsaProofError ARGUMENT_INVALID, JOURNAL_LOCKED, JOURNAL_INVALID, JOURNAL_FAILED, IO_FAILED
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  return openSessionOn(diskStorage, options);
}

/** {@link openSession} on any storage; for tests. */
export async function openSessionOn(storage: Storage, options: SessionOptions): Promise<Session> {
  requireMembers("options", options, OPTION_NAMES);
  const { journal: directory, clock = systemClock, renew = null, observer = null } = options;
  if (typeof directory !== "string" || directory === "") {
    throw new OsaProofError("ARGUMENT_INVALID", "options at /journal: expected a directory", {
      pointer: "/journal",
    });
  }
  const key = requireCertifiedKey(options);
  const given = Array.isArray(options.delegation) ? options.delegation : [options.delegation];
  const mandates = given.map((item: DelegationV1) => requireMandate(item, key.certificate));
  const [first] = mandates;
  const other = mandates.find((item) => item.context.mission_id !== first?.context.mission_id);
  if (first === undefined || other !== undefined) {
    throw new OsaProofError(
      "ARGUMENT_INVALID",
      "options at /delegation: expected at least one, all of one mission",
      { pointer: "/delegation" },
    );
  }
  const journal = await openJournal(directory, headerOf(key.certificate, first.context.mission_id), storage);
  try {
    const recorder = new Recorder(journal, key, mandates, clock, renew);
    await recorder.begin();
    return new Session({ recorder, clock, observer });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

function headerOf(
  { namespace_id, agent_id, runtime_id, session_id }: RuntimeKeyCertificateV1,
  mission_id: string,
): Parameters<typeof openJournal>[1] {
  return {
    format: "osa-proof-journal-1",
    namespace_id,
    agent_id,
    runtime_id,
    session_id,
    mission_id,
  };
}

const OPTION_NAMES: ReadonlySet<string> = new Set([
  "signer",
  "certificate",
  "delegation",
  "journal",
  "clock",
  "renew",
  "observer",
] satisfies readonly (keyof SessionOptions)[]);
