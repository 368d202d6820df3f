/** ActionReceiptV3: one action of one runtime, signed by its ephemeral key (docs/SPEC.md, "Receipt"). */
import type { Signer } from "../crypto/signer.js";
import * as LIMITS from "../limits.js";
import * as fields from "./fields.js";
import { algorithmsOf, requireSigner, type Signed, signWithDigest } from "./maker.js";
import { acceptKnown, array, integer, type Members, object, type Schema } from "./schema.js";

export interface ActionReceiptV3 extends fields.Algorithms {
  readonly protocol: typeof fields.PROTOCOL;
  readonly receipt_id: string;
  readonly namespace_id: string;
  readonly agent_id: string;
  readonly runtime_id: string;
  readonly runtime_key_id: string;
  readonly session_id: string;
  readonly mission_id: string;
  readonly action_id: string;
  readonly sequence: number;
  readonly parent_receipt_digests: readonly string[];
  readonly delegation_digest: string;
  readonly policy_digest: string;
  readonly tool: string;
  readonly input_commitment: string;
  readonly output_commitment: string;
  readonly evidence_merkle_root: string;
  readonly issued_at: string;
  readonly signature: string;
}

/** The members of the closed schema, each with its own. */
export const receiptMembers: Members<ActionReceiptV3> = {
  protocol: fields.protocol,
  receipt_id: fields.identifier,
  namespace_id: fields.identifier,
  agent_id: fields.agentId,
  runtime_id: fields.identifier,
  runtime_key_id: fields.identifier,
  session_id: fields.identifier,
  mission_id: fields.identifier,
  action_id: fields.identifier,
  sequence: integer(1),
  parent_receipt_digests: array(fields.digest, { maximum: LIMITS.maxParentsPerReceipt, unique: true }),
  delegation_digest: fields.digest,
  policy_digest: fields.digest,
  tool: fields.toolName,
  input_commitment: fields.digest,
  output_commitment: fields.digest,
  evidence_merkle_root: fields.digest,
  issued_at: fields.time,
  ...fields.algorithms,
  signature: fields.signature,
};

export const actionReceipt: Schema<ActionReceiptV3> = acceptKnown(object<ActionReceiptV3>(receiptMembers));

/** What a runtime says about one action; the protocol, key and algorithm members come from the signer. */
export type ActionReceiptDraft = Omit<
  ActionReceiptV3,
  "protocol" | "runtime_key_id" | "signature" | keyof fields.Algorithms
>;

/**
 * Signs one receipt with the runtime's key. Parents are sorted; nothing else is filled in or changed.
 * Does not check the delegation or the sequence: that is the caller's (or the session's) part.
 * @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED
 */
export async function createActionReceipt(
  draft: ActionReceiptDraft,
  signer: Signer,
): Promise<ActionReceiptV3> {
  return (await signReceipt(draft, signer)).statement;
}

/** Like {@link createActionReceipt}, and gives the receipt's digest too. */
export async function signReceipt(
  draft: ActionReceiptDraft,
  signer: Signer,
): Promise<Signed<ActionReceiptV3>> {
  requireSigner(signer);
  const parents: unknown = draft.parent_receipt_digests;
  return signWithDigest(
    actionReceipt,
    {
      ...draft,
      // What is no array goes to the schema as it is, which names it.
      parent_receipt_digests: Array.isArray(parents) ? [...parents].sort() : draft.parent_receipt_digests,
      protocol: fields.PROTOCOL,
      runtime_key_id: signer.keyId,
      ...algorithmsOf(signer),
    },
    signer,
    "receipt",
  );
}
