/**
 * The one line of a runtime in which its receipts are numbered and signed. Branches of a session share it: they differ
 * in what an action came after, and not in the sequence.
 */
import { formatTime, parseTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import { statementDigest } from "../../statements/canonical.js";
import type { ActionStatus } from "../../statements/commitment.js";
import type { ActionReceiptV3 } from "../../statements/receipt.js";
import { createSessionClose, type SessionCloseV1 } from "../../statements/session.js";
import { type ActionContent, signAction } from "../action.js";
import type { Journal } from "../journal/journal.js";
import {
  type CertifiedKey,
  type Mandate,
  outsideWindow,
  refused,
  requireCertifiedKey,
  requireSameRuntime,
} from "./authority.js";

/** A key this close to its end is renewed before it signs; one that lives two minutes or less, in its last quarter. */
const RENEWAL_MARGIN_MS = 30_000;
/** A clock that was set back by less goes on from the last receipt's time; by more, it has to be set right. */
const CLOCK_STEP_MS = 5_000;

/** Milliseconds since 1970. */
export type Clock = () => number;
export type Renew = () => Promise<CertifiedKey>;

/** A receipt that is durable. */
export interface Recorded {
  readonly receipt: ActionReceiptV3;
  /** What later receipts name it by. */
  readonly digest: string;
}

/** Leave to record one action, taken before it runs. It is used up by `sign` or given back by `release`. */
export interface Permit {
  readonly mandate: Mandate;
  readonly tool: string;
}

export interface SignedContent {
  readonly input: ActionContent;
  readonly output: ActionContent;
  readonly status: ActionStatus;
  readonly parents: readonly string[];
  readonly evidence?: readonly ActionContent[];
  readonly actionId?: string;
}

export class Recorder {
  readonly journal: Journal;
  readonly #mandates: readonly Mandate[];
  readonly #clock: Clock;
  readonly #renew: Renew | null;
  #key: CertifiedKey;
  #sequence: number;
  #last: { readonly digest: string; readonly issuedAt: string } | null;
  readonly #usedKeyIds: Set<string>;
  readonly #certificates = new Map<string, string>();
  /** Permits whose number is not taken yet. */
  readonly #reserved = new Set<Permit>();
  /** Permits whose receipt is not durable yet. */
  readonly #running = new Set<Permit>();
  #whenIdle: () => void = () => undefined;
  #line: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | null = null;

  constructor(
    journal: Journal,
    key: CertifiedKey,
    mandates: readonly Mandate[],
    clock: Clock,
    renew: Renew | null,
  ) {
    this.journal = journal;
    this.#mandates = mandates;
    this.#clock = clock;
    this.#renew = renew;
    this.#key = key;
    const { last, usedKeyIds, certificates } = journal.state;
    this.#last = last;
    this.#sequence = last?.sequence ?? 0;
    this.#usedKeyIds = new Set(usedKeyIds);
    for (const statement of certificates) this.#remember(statement);
  }

  /** Stores what is new of certificate and delegations before anything is signed under them. */
  async begin(): Promise<void> {
    await this.#install(this.#key);
    const stored = new Set(this.journal.state.delegations.map(statementDigest));
    for (const { delegation, context } of this.#mandates) {
      if (!stored.has(context.delegation_digest)) await this.journal.addDelegation(delegation);
    }
  }

  /** Receipts so far. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Asks whether an action may run now, and keeps a number free for it. @throws OsaProofError ACTION_REFUSED */
  async permit(tool: string): Promise<Permit> {
    if (this.#ending !== null) throw refused("the session is closed, and signs nothing more");
    const mandate = this.#mandateFor(tool, this.#clock());
    const permit = { mandate, tool };
    this.#reserved.add(permit);
    this.#running.add(permit);
    try {
      await this.#inLine(() => this.#currentKey(this.#clock()));
    } catch (error) {
      this.release(permit);
      throw error;
    }
    return permit;
  }

  release(permit: Permit): void {
    this.#reserved.delete(permit);
    this.#running.delete(permit);
    if (this.#running.size === 0) this.#whenIdle();
  }

  /** Numbers, signs and stores. Resolves when the receipt is durable. @throws OsaProofError */
  async sign(permit: Permit, content: SignedContent): Promise<Recorded> {
    try {
      const { recorded, stored } = await this.#inLine(() => this.#signNext(permit, content));
      await stored;
      return recorded;
    } finally {
      this.release(permit);
    }
  }

  /** Takes a new key; receipts from here on are signed with it. @throws OsaProofError ARGUMENT_INVALID, JOURNAL_FAILED */
  async renewWith(key: CertifiedKey): Promise<void> {
    const checked = requireCertifiedKey(key);
    requireSameRuntime("certificate", checked.certificate, this.#key.certificate);
    await this.#inLine(() => this.#install(checked));
  }

  /** Waits for the actions that run, and refuses others from now on. */
  end(): Promise<void> {
    this.#ending ??= new Promise((resolve) => {
      this.#whenIdle = resolve;
      if (this.#running.size === 0) resolve();
    });
    return this.#ending;
  }

  /** Signs the runtime's last word; null when it did nothing. Call `end` first. @throws OsaProofError */
  async close(): Promise<SessionCloseV1 | null> {
    const last = this.#last;
    if (last === null) return null;
    const time = this.#time();
    const { signer, certificate } = await this.#currentKey(time);
    this.#usedKeyIds.delete(signer.keyId);
    this.#usedKeyIds.add(signer.keyId);
    const { namespace_id, agent_id, runtime_id, session_id } = certificate;
    const close = await createSessionClose(
      {
        namespace_id,
        agent_id,
        runtime_id,
        session_id,
        issued_at: formatTime(time),
        final_sequence: this.#sequence,
        receipt_count: this.#sequence,
        last_receipt_digest: last.digest,
        runtime_key_certificate_digests: [...this.#usedKeyIds].flatMap(
          (keyId) => this.#certificates.get(keyId) ?? [],
        ),
        closed_by: "runtime",
      },
      signer,
    );
    await this.journal.end(close);
    return close;
  }

  async #signNext(
    permit: Permit,
    content: SignedContent,
  ): Promise<{ readonly recorded: Recorded; readonly stored: Promise<void> }> {
    const now = this.#time();
    const { delegation, context } = permit.mandate;
    // The action may have taken longer than its delegation holds.
    const late = outsideWindow("the delegation", delegation, now);
    if (late !== null) throw refused(`${permit.tool} cannot be recorded: ${late}`);
    const { signer } = await this.#currentKey(now);
    const { receipt, digest, openings } = await signAction({
      signer,
      context,
      sequence: this.#sequence + 1,
      tool: permit.tool,
      now,
      ...content,
    });
    this.#sequence += 1;
    this.#reserved.delete(permit);
    this.#last = { digest, issuedAt: receipt.issued_at };
    this.#usedKeyIds.add(signer.keyId);
    const stored = this.journal.append(receipt, openings);
    // Whoever signs waits for it; in between it must not count as a failure that nobody looks at.
    stored.catch(() => undefined);
    return { recorded: { receipt, digest }, stored };
  }

  /** The first delegation that allows this now. @throws OsaProofError ACTION_REFUSED with the reason of the last */
  #mandateFor(tool: string, now: number): Mandate {
    let reason = `no delegation lists the tool ${tool}`;
    for (const mandate of this.#mandates) {
      const { delegation } = mandate;
      if (!delegation.tools.includes(tool)) continue;
      const outside = outsideWindow("the delegation", delegation, now);
      if (outside === null && this.#hasRoom(delegation.max_actions)) return mandate;
      reason = outside ?? "all actions that the delegation allows are taken";
    }
    throw refused(`${tool} is refused: ${reason}`);
  }

  /**
   * `max_actions` bounds the sequence (docs/SPEC.md, "Delegation"). Whoever has a permit may be the last to sign, so one
   * more is given only when then nobody's bound is passed.
   */
  #hasRoom(maxActions: number | undefined): boolean {
    const bounds = [...this.#reserved].map(({ mandate }) => mandate.delegation.max_actions);
    const last = this.#sequence + this.#reserved.size + 1;
    return [maxActions, ...bounds].every((bound) => bound === undefined || last <= bound);
  }

  /** The time of what is signed now, never before what was signed last. @throws OsaProofError ACTION_REFUSED */
  #time(): number {
    const now = this.#clock();
    const last = this.#last === null ? now : (parseTime(this.#last.issuedAt) ?? now);
    if (last - now <= CLOCK_STEP_MS) return Math.max(now, last);
    throw refused(
      `the clock says ${formatTime(now)}, and the last receipt was made at ${formatTime(last)}; set the clock right`,
    );
  }

  /** A key whose certificate holds at this time, renewed when that ends soon. @throws OsaProofError ACTION_REFUSED */
  async #currentKey(now: number): Promise<CertifiedKey> {
    const { not_before: from, not_after: until } = this.#key.certificate;
    const end = parseTime(until) ?? 0;
    const margin = Math.min(RENEWAL_MARGIN_MS, (end - (parseTime(from) ?? 0)) / 4);
    const outside = outsideWindow("the certificate of the runtime key", this.#key.certificate, now);
    if (this.#renew !== null && now >= end - margin) {
      try {
        const renewed = requireCertifiedKey(await this.#renew());
        requireSameRuntime("certificate", renewed.certificate, this.#key.certificate);
        await this.#install(renewed);
      } catch (cause) {
        // As long as the key holds, a renewal that fails is tried again with the next action.
        if (outside !== null) throw refused(`${outside}, and it could not be renewed`, cause);
        if (cause instanceof OsaProofError && cause.code === "JOURNAL_FAILED") throw cause;
      }
      const still = outsideWindow("the certificate of the runtime key", this.#key.certificate, now);
      if (still !== null) throw refused(still);
    } else if (outside !== null) {
      throw refused(`${outside}; give the session a new key with renewWith`);
    }
    return this.#key;
  }

  /** The certificate is durable before its key signs, or nobody could check what it signed. */
  async #install(key: CertifiedKey): Promise<void> {
    const digest = statementDigest(key.certificate);
    const known = this.#certificates.get(key.certificate.runtime_key_id);
    if (known !== undefined && known !== digest) {
      throw new OsaProofError(
        "ARGUMENT_INVALID",
        `certificate at /runtime_key_id: ${key.certificate.runtime_key_id} has another certificate already; a runtime key has one`,
        { pointer: "/runtime_key_id" },
      );
    }
    if (known === undefined) {
      await this.journal.addCertificate(key.certificate);
      this.#remember(key.certificate);
    }
    this.#key = key;
  }

  #remember(certificate: CertifiedKey["certificate"]): void {
    this.#certificates.set(certificate.runtime_key_id, statementDigest(certificate));
  }

  /** One after the other, in the order of asking. */
  #inLine<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#line.then(action);
    this.#line = done.catch(() => undefined);
    return done;
  }
}
