/** What neighbouring receipts have in common, kept once: who acted, under which key and under which delegation. */
import type { SigningAlgorithm } from "../crypto/keys.js";
import { detached } from "../encoding/utf8.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";

/** The members of a receipt that say under which authority it stands. */
export type Binding = Pick<
  ActionReceiptV3,
  | "namespace_id"
  | "agent_id"
  | "runtime_id"
  | "runtime_key_id"
  | "session_id"
  | "mission_id"
  | "delegation_digest"
  | "policy_digest"
> & { readonly signing_algorithm: SigningAlgorithm };

/** Numbers the different bindings of many receipts, of which most have that of the one before. */
export class Bindings {
  /** In the order in which they were first met. */
  readonly all: Binding[] = [];
  readonly #byName = new Map<string, number>();
  #last = -1;

  /** The number of a receipt's binding: its index in `all`. */
  numberOf(receipt: Binding): number {
    const last = this.all[this.#last];
    if (last === undefined || !isSame(last, receipt)) this.#last = this.#find(receipt);
    return this.#last;
  }

  #find(receipt: Binding): number {
    const binding = bindingOf(receipt);
    // No member can hold a space, so the joined text has one reading.
    const name = Object.values(binding).join(" ");
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    this.#byName.set(name, this.all.length);
    return this.all.push(binding) - 1;
  }
}

function isSame(a: Binding, b: Binding): boolean {
  return (
    a.delegation_digest === b.delegation_digest &&
    a.runtime_key_id === b.runtime_key_id &&
    a.runtime_id === b.runtime_id &&
    a.session_id === b.session_id &&
    a.agent_id === b.agent_id &&
    a.policy_digest === b.policy_digest &&
    a.mission_id === b.mission_id &&
    a.namespace_id === b.namespace_id &&
    a.signing_algorithm === b.signing_algorithm
  );
}

/** A copy that keeps nothing of the text that the receipt was read from. */
function bindingOf(receipt: Binding): Binding {
  return {
    namespace_id: detached(receipt.namespace_id),
    agent_id: detached(receipt.agent_id),
    runtime_id: detached(receipt.runtime_id),
    runtime_key_id: detached(receipt.runtime_key_id),
    session_id: detached(receipt.session_id),
    mission_id: detached(receipt.mission_id),
    delegation_digest: detached(receipt.delegation_digest),
    policy_digest: detached(receipt.policy_digest),
    signing_algorithm: receipt.signing_algorithm,
  };
}
