/** Layer 8: one finished action becomes a signed receipt, and the openings of what the receipt commits to. */
import type { Signer } from "../crypto/signer.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import type { JsonValue } from "../encoding/json-value.js";
import { formatTime } from "../encoding/time.js";
import { OsaProofError } from "../errors.js";
import {
  type ActionStatus,
  type BlobReference,
  type Commitment,
  type CommittedValue,
  commit,
  commitSmall,
  NO_EVIDENCE_ROOT,
} from "../statements/commitment.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import { signReceiptOf } from "../statements/receipt-writer.js";
import { merkleRoot } from "../tree/merkle.js";
import { systemClock } from "./clock.js";
import { newActionRandoms, takeSalt } from "./entropy.js";
import { requireMembers } from "./members.js";

/**
 * What an action read, wrote or left as evidence. `json` must be what canonical JSON gives back unchanged; anything
 * else goes as the exact `bytes`, and what is large by `blob`.
 */
export type ActionContent =
  | { readonly json: JsonValue }
  | { readonly bytes: Uint8Array }
  | { readonly blob: BlobReference };

/** What stays the same from one action of a runtime to the next: the members of the delegation it acts under. */
export interface ActionContext {
  readonly namespace_id: string;
  readonly agent_id: string;
  readonly runtime_id: string;
  readonly session_id: string;
  readonly mission_id: string;
  readonly delegation_digest: string;
  readonly policy_digest: string;
}

export interface ActionOptions {
  /** The runtime key that the runtime's certificate names. */
  readonly signer: Signer;
  readonly context: ActionContext;
  /** 1 for the first receipt of the runtime, then one more each time; taken now, at the moment of signing. */
  readonly sequence: number;
  /** Digests of the receipts this action came after; at most 64. */
  readonly parents: readonly string[];
  readonly tool: string;
  readonly input: ActionContent;
  readonly output: ActionContent;
  readonly status: ActionStatus;
  readonly evidence?: readonly ActionContent[];
  /** A new random one when absent. A retry may repeat the one of the action it repeats. */
  readonly actionId?: string;
  /** Milliseconds since 1970; the platform's clock when absent. */
  readonly now?: number;
}

/** What opens one commitment. Secret until disclosed. */
export type Opening = Omit<Commitment, "commitment">;

/** All openings of one receipt; evidence in the order of its action tree. */
export interface Openings {
  readonly receipt_id: string;
  readonly input: Opening;
  readonly output: Opening;
  readonly evidence: readonly Opening[];
}

export interface SignedAction {
  readonly receipt: ActionReceiptV3;
  /** What later receipts name this one by. */
  readonly digest: string;
  readonly openings: Openings;
}

/**
 * Commits to input, output and evidence with fresh salts and signs the receipt. Store receipt and openings before
 * anybody sees them: signing the same sequence again is equivocation. Does not check the delegation.
 * @throws OsaProofError ARGUMENT_INVALID, VALUE_NOT_JSON, SIGNER_FAILED
 */
export async function signAction(options: ActionOptions): Promise<SignedAction> {
  requireMembers("options", options, OPTION_NAMES);
  const { signer, context, sequence, parents, tool, status, evidence = [] } = options;
  if (!Array.isArray(evidence)) {
    throw new OsaProofError("ARGUMENT_INVALID", "evidence: expected an array", { pointer: "/evidence" });
  }
  const { receiptId, actionId, inputSalt, outputSalt } = newActionRandoms();
  const input = committed("input", receiptId, options.input, inputSalt);
  const output = committed("output", receiptId, options.output, outputSalt, { status });
  const items = evidence.map((item) => committed("evidence", receiptId, item, takeSalt()));
  const signing = signReceiptOf(
    context,
    {
      receipt_id: receiptId,
      action_id: options.actionId ?? actionId,
      sequence,
      parent_receipt_digests: parents,
      tool,
      input_commitment: input.commitment,
      output_commitment: output.commitment,
      evidence_merkle_root: evidenceRoot(items),
      issued_at: formatTime(options.now ?? systemClock()),
    },
    signer,
  );
  const signed = signing instanceof Promise ? await signing : signing;
  return {
    receipt: signed.statement,
    digest: signed.digest,
    openings: {
      receipt_id: receiptId,
      input: opening(input),
      output: opening(output),
      evidence: items.map(opening),
    },
  };
}

function evidenceRoot(items: readonly Commitment[]): string {
  if (items.length === 0) return NO_EVIDENCE_ROOT;
  return encodeHex(merkleRoot(items.map((item) => decodeHex(item.commitment) ?? new Uint8Array())));
}

function opening({ salt, value }: Commitment): Opening {
  return { salt, value };
}

const OPTION_NAMES: ReadonlySet<string> = new Set([
  "signer",
  "context",
  "sequence",
  "parents",
  "tool",
  "input",
  "output",
  "status",
  "evidence",
  "actionId",
  "now",
] satisfies readonly (keyof ActionOptions)[]);
const CONTENT_NAMES: ReadonlySet<string> = new Set(["json", "bytes", "blob"]);

/** Refuses what {@link signAction} would refuse later. @throws OsaProofError ARGUMENT_INVALID, VALUE_NOT_JSON */
export function requireContent(kind: CommittedValue["kind"], content: ActionContent): void {
  const status: Pick<CommittedValue, "status"> = kind === "output" ? { status: "completed" } : {};
  committed(kind, "receipt", content, new Uint8Array(32), status);
}

/** `more` is what an output has besides. */
function committed(
  kind: CommittedValue["kind"],
  receiptId: string,
  content: ActionContent,
  salt: Uint8Array,
  more: Pick<CommittedValue, "status"> = {},
): Commitment {
  requireMembers(kind, content, CONTENT_NAMES);
  if ("json" in content && !("bytes" in content) && !("blob" in content)) {
    const small = commitSmall(kind, receiptId, content.json, salt, more.status);
    if (small !== null) return small;
  }
  if ("bytes" in content && !(content.bytes instanceof Uint8Array)) {
    const pointer = "/bytes";
    throw new OsaProofError("ARGUMENT_INVALID", `${kind} at ${pointer}: expected a Uint8Array`, { pointer });
  }
  // Two contents at once go on to the schema, which refuses them: none is dropped in silence.
  const value: CommittedValue = {
    kind,
    receipt_id: receiptId,
    ...("json" in content ? { json: content.json } : {}),
    ...("bytes" in content ? { bytes: encodeHex(content.bytes) } : {}),
    ...("blob" in content ? { blob: content.blob } : {}),
    ...more,
  };
  return commit(value, salt);
}
