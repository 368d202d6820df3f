/** What the receipts of one binding rest on: their runtime key and their chain of delegations, looked up once. */

import type { Binding } from "../bundle/bindings.js";
import { byDigest, type Identified } from "../bundle/contents.js";
import type { PublicKey } from "../crypto/keys.js";
import * as LIMITS from "../limits.js";
import type { DelegationV1 } from "../statements/delegation.js";
import type { DigestList } from "../tree/digest-list.js";
import {
  type AgentCertificate,
  type Identity,
  type RuntimeCertificate,
  runtimeOfReceipt,
} from "./identity.js";
import { type Run, type Span, spanOf } from "./run.js";

export type Delegation = Identified<DelegationV1>;

export interface Standing {
  readonly binding: Binding;
  /** The one runtime key certificate that fits, if it is sound by check IDENTITY. */
  readonly runtime: RuntimeCertificate | null;
  /** Of its certificate. */
  readonly runtimeSpan: Span;
  /** False when it has failed since: in a conflict of names, or by a revocation. */
  readonly runtimeHolds: boolean;
  /** The delegation, unless it is absent or failed before check DELEGATION. */
  readonly delegation: Delegation | null;
  readonly delegationSpan: Span;
  /** False when it failed in check DELEGATION, which is reported there. */
  readonly delegationHolds: boolean;
  /** The delegation and those above it, as far as they are present, the lowest first. */
  readonly chain: readonly Delegation[];
  /** The sound agent key certificate of each delegation of the chain; null where there is none. */
  readonly chainAgents: readonly (AgentCertificate | null)[];
  /** Every sound agent key certificate that it rests on. */
  readonly agents: readonly AgentCertificate[];
}

/** Receipts of an accepted bundle, and the key under which the signature of each has verified. */
export interface SignedReceipts {
  /** By position. */
  readonly digests: DigestList;
  readonly keyOf: (position: number) => PublicKey | null;
}

/** Makes each standing when its first receipt comes; all that it is made from must have been judged. */
export class Standings {
  readonly #run: Run;
  readonly #identity: Identity;
  readonly #failedBefore: ReadonlySet<object>;
  readonly #delegations: ReadonlyMap<string, Delegation>;
  readonly #known: (Standing | undefined)[] = [];

  /** `failedBefore`: the statements that had failed before check DELEGATION. */
  constructor(run: Run, identity: Identity, failedBefore: ReadonlySet<object>) {
    this.#run = run;
    this.#identity = identity;
    this.#failedBefore = failedBefore;
    this.#delegations = byDigest(run.contents.delegations);
  }

  /** The standing of a binding by its number. */
  get(number: number): Standing {
    const known = this.#known[number];
    if (known !== undefined) return known;
    const binding = this.#run.receipts.bindings.all[number];
    // Numbers come from the table itself.
    const made = this.#make(binding as Binding);
    this.#known[number] = made;
    return made;
  }

  /** Runtime keys that hold, of all receipts. */
  soundRuntimes(): Iterable<RuntimeCertificate> {
    const standings = this.#run.receipts.bindings.all.map((_, number) => this.get(number));
    return standings.flatMap(({ runtime, runtimeHolds }) =>
      runtime !== null && runtimeHolds ? runtime : [],
    );
  }

  /** Of a bundle that was accepted. */
  signedReceipts(): SignedReceipts {
    const { receipts } = this.#run;
    return {
      digests: receipts.digests,
      keyOf: (position) => this.get(receipts.bindingAt(position)).runtime?.key ?? null,
    };
  }

  #make(binding: Binding): Standing {
    const runtime = runtimeOfReceipt(this.#identity, binding);
    const chain: Delegation[] = [];
    let link = this.#delegations.get(binding.delegation_digest);
    for (; link !== undefined && chain.length < LIMITS.maxDelegationDepth; ) {
      chain.push(link);
      link = this.#delegations.get(link.statement.parent_delegation_digest ?? "");
    }
    const chainAgents = chain.map(
      ({ statement }) => this.#identity.agentCertificates.get(statement.agent_key_certificate_digest) ?? null,
    );
    const [lowest] = chain;
    const delegation = lowest === undefined || this.#failedBefore.has(lowest) ? null : lowest;
    return {
      binding,
      runtime,
      runtimeSpan: spanOf(runtime?.item.statement),
      runtimeHolds: runtime !== null && !this.#run.failed.has(runtime.item),
      delegation,
      delegationSpan: spanOf(delegation?.statement),
      delegationHolds: delegation !== null && !this.#run.failed.has(delegation),
      chain,
      chainAgents,
      agents: [...new Set([runtime?.agent ?? null, ...chainAgents])].filter((agent) => agent !== null),
    };
  }
}
