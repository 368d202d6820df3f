/**
 * The short way to a signed receipt for a runtime that signs one after the other: the members that stay the same from
 * one receipt to the next are checked and written once.
 *
 * Anything out of the ordinary (a member that is missing, not known or refused by its schema) is not judged here and
 * takes the long way, `signReceipt`. So this must answer only where the long way would give the same receipt; tests
 * hold the two together.
 */
import type { Signer } from "../crypto/signer.js";
import { writeJcs, writeMember } from "../encoding/jcs.js";
import type { JsonValue } from "../encoding/json-value.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { type UnsignedStatement, unsignedText } from "./canonical.js";
import * as fields from "./fields.js";
import { algorithmsOf, requireSigner, type Signed, signAtOnce, signChecked } from "./maker.js";
import { type ActionReceiptDraft, type ActionReceiptV3, receiptMembers, signReceipt } from "./receipt.js";
import { Faults, type Schema } from "./schema.js";

/** What a runtime says anew with each action. */
const CHANGING = [
  "action_id",
  "evidence_merkle_root",
  "input_commitment",
  "issued_at",
  "output_commitment",
  "parent_receipt_digests",
  "receipt_id",
  "sequence",
  "tool",
] as const;

type Changing = (typeof CHANGING)[number];

/** The members of one action. */
export type ReceiptAction = Pick<ActionReceiptDraft, Changing>;

/** The other members of a draft, which stay the same from one action of a runtime to the next. */
export type ReceiptContext = Omit<ActionReceiptDraft, Changing>;

const CONTEXT = [
  "namespace_id",
  "agent_id",
  "runtime_id",
  "session_id",
  "mission_id",
  "delegation_digest",
  "policy_digest",
] as const satisfies readonly (keyof ReceiptContext)[];

/** The members that stay the same: those of the context, and what the protocol and the signer fill in. */
type Lasting = Omit<ActionReceiptV3, Changing | "signature">;

const MEMBERS: readonly (readonly [name: string, schema: Schema<unknown>])[] =
  Object.entries<Schema<unknown>>(receiptMembers);

/** In the order of RFC 8785, which for these names is that of their bytes. */
const NAMES_IN_ORDER: readonly string[] = MEMBERS.map(([name]) => name).sort();

/** Canonical text with gaps: `pieces[i]` stands before the value of the member `gaps[i]`, and `end` behind the last. */
interface GappedText {
  readonly pieces: readonly string[];
  readonly gaps: readonly Changing[];
  readonly end: string;
}

/** What was accepted last, and the text that it puts before and behind the signature. */
interface Accepted {
  readonly context: ReceiptContext;
  readonly keyId: string;
  readonly lasting: Lasting;
  readonly before: GappedText;
  readonly after: GappedText;
}

let accepted: Accepted | null = null;

/**
 * `signReceipt` of context and action together, without a promise when the signer needs none.
 * @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED, or rejects with one
 */
export function signReceiptOf(
  context: ReceiptContext,
  action: ReceiptAction,
  signer: Signer,
): Signed<ActionReceiptV3> | Promise<Signed<ActionReceiptV3>> {
  requireSigner(signer);
  const begun = begin(context, action, signer);
  if (begun === null) return signReceipt({ ...context, ...action }, signer);
  const signature = signAtOnce(signer, begun.signedText);
  if (signature !== null) return begun.signedWith(signature);
  return signChecked(signer, encodeUtf8(begun.signedText)).then(begun.signedWith);
}

/** A receipt that lacks only its signature. */
interface Begun {
  readonly signedText: string;
  readonly signedWith: (signature: string) => Signed<ActionReceiptV3>;
}

function begin(context: ReceiptContext, given: ReceiptAction, signer: Signer): Begun | null {
  const known = acceptedContext(context, signer);
  const action = checkedAction(given);
  if (known === null || action === null) return null;
  const { signedText, digestWith }: UnsignedStatement = unsignedText(
    filled(known.before, action),
    filled(known.after, action),
  );
  return {
    signedText,
    signedWith: (signature) => ({
      statement: receiptOf(known.lasting, action, signature),
      digest: digestWith(signature),
    }),
  };
}

/** The action with its parents sorted, in an object of our own; null when a schema refuses a member. */
function checkedAction(given: ReceiptAction): ReceiptAction | null {
  const parents: unknown = given.parent_receipt_digests;
  if (!Array.isArray(parents)) return null;
  const action = { ...given, parent_receipt_digests: [...parents].sort() };
  const faults = new Faults();
  for (const name of CHANGING) {
    if (receiptMembers[name].decode(action[name], "", faults) === undefined) return null;
  }
  return action;
}

function acceptedContext(context: ReceiptContext, signer: Signer): Accepted | null {
  if (accepted !== null && isSame(context, signer, accepted)) return accepted;
  const found = accept(context, signer);
  if (found !== null) accepted = found;
  return found;
}

function isSame(context: ReceiptContext, signer: Signer, last: Accepted): boolean {
  if (signer.keyId !== last.keyId || signer.algorithm !== last.lasting.signing_algorithm) return false;
  const names = ownNames(context);
  if (names === null) return false;
  const [now, then] = [context as Record<string, unknown>, last.context as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(then, name) && now[name] === then[name]);
}

/** The names of a context that has as many members as it should, and none with a symbol; else null. */
function ownNames(context: unknown): readonly string[] | null {
  if (typeof context !== "object" || context === null) return null;
  if (Object.getOwnPropertySymbols(context).length > 0) return null;
  const names = Object.keys(context);
  return names.length === CONTEXT.length ? names : null;
}

function accept(context: ReceiptContext, signer: Signer): Accepted | null {
  if (ownNames(context) === null) return null;
  const own = { ...context };
  const lasting: Lasting = {
    ...own,
    protocol: fields.PROTOCOL,
    runtime_key_id: signer.keyId,
    ...algorithmsOf(signer),
  };
  const members = lasting as unknown as Readonly<Record<string, JsonValue>>;
  const isChanging = (name: string): boolean => name === "signature" || CHANGING.some((it) => it === name);
  const names = MEMBERS.filter(([name]) => !isChanging(name));
  if (Object.keys(members).length !== names.length) return null;
  const faults = new Faults();
  for (const [name, schema] of names) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined || schema.decode(value, "", faults) === undefined) return null;
  }
  const signature = NAMES_IN_ORDER.indexOf("signature");
  return {
    context: own,
    keyId: signer.keyId,
    lasting,
    before: gapped(NAMES_IN_ORDER.slice(0, signature), members, ""),
    after: gapped(NAMES_IN_ORDER.slice(signature + 1), members, ","),
  };
}

/** The text of these members, `first` before the first and a comma before each other. */
function gapped(
  names: readonly string[],
  members: Readonly<Record<string, JsonValue>>,
  first: string,
): GappedText {
  const pieces: string[] = [];
  const gaps: Changing[] = [];
  let text = first;
  for (const [index, name] of names.entries()) {
    if (index > 0) text += ",";
    const changing = CHANGING.find((it) => it === name);
    const value = members[name];
    if (changing !== undefined) {
      pieces.push(`${text}"${name}":`);
      gaps.push(changing);
      text = "";
    } else if (value !== undefined) {
      text += writeMember(name, value);
    }
  }
  return { pieces, gaps, end: text };
}

function filled({ pieces, gaps, end }: GappedText, action: ReceiptAction): string {
  let text = "";
  for (let i = 0; i < gaps.length; i += 1) text += `${pieces[i]}${writeJcs(action[gaps[i] as Changing])}`;
  return text + end;
}

/** In the order of the schema, as a decoded receipt has its members. */
function receiptOf(lasting: Lasting, action: ReceiptAction, signature: string): ActionReceiptV3 {
  return {
    protocol: lasting.protocol,
    receipt_id: action.receipt_id,
    namespace_id: lasting.namespace_id,
    agent_id: lasting.agent_id,
    runtime_id: lasting.runtime_id,
    runtime_key_id: lasting.runtime_key_id,
    session_id: lasting.session_id,
    mission_id: lasting.mission_id,
    action_id: action.action_id,
    sequence: action.sequence,
    parent_receipt_digests: action.parent_receipt_digests,
    delegation_digest: lasting.delegation_digest,
    policy_digest: lasting.policy_digest,
    tool: action.tool,
    input_commitment: action.input_commitment,
    output_commitment: action.output_commitment,
    evidence_merkle_root: action.evidence_merkle_root,
    issued_at: action.issued_at,
    digest_algorithm: lasting.digest_algorithm,
    canonicalization: lasting.canonicalization,
    signing_algorithm: lasting.signing_algorithm,
    signature,
  };
}
