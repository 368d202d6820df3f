/**
 * The short way for a receipt whose text in a bundle is its canonical form already, which is how bundles are
 * written: one pass gives the checked statement, and the text itself is what was hashed and signed.
 *
 * Anything else (a space, an escape, another order of members, a value that the closed schema refuses) is not read
 * here at all and takes the long way. So this must answer only where the long way would give the same statement
 * without a fault; tests hold the two together.
 */
import { emptyObject, type JsonValue } from "../encoding/json-value.js";
import { integerEnd } from "../encoding/plain-integer.js";
import { type ActionReceiptV3, receiptMembers } from "./receipt.js";
import { Faults, type Schema } from "./schema.js";

/** A receipt found in a text. Offsets are those of the text, which is ASCII, and so of its bytes. */
export interface ReadReceipt {
  readonly statement: ActionReceiptV3;
  readonly start: number;
  /** The first offset behind it. */
  readonly end: number;
  /** `"signature":"…",`: what the signed bytes leave out. */
  readonly signatureStart: number;
  readonly signatureEnd: number;
  /** JSON values in it, itself and its names not counted twice: what a limit on values counts. */
  readonly values: number;
}

/** Receipts that were read the short way, by their statement: they are checked, and their bytes are canonical. */
export type Readings = ReadonlyMap<object, ReadReceipt>;

const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY_CLOSE = 0x5d;
/** Longer than any text of a receipt. */
const LONGEST_TEXT = 512;

interface Member {
  readonly name: string;
  /** What stands before the value: the bracket or comma, the name and, for texts, the first quote. */
  readonly opening: string;
  readonly kind: "text" | "integer" | "texts";
  readonly schema: Schema<unknown>;
}

const KINDS: Readonly<Record<string, Member["kind"]>> = {
  sequence: "integer",
  parent_receipt_digests: "texts",
};
const OPENINGS = { text: '"', integer: "", texts: "[" } as const;

/** In the order of RFC 8785, which for these names is that of their bytes. */
const MEMBERS: readonly Member[] = Object.entries<Schema<unknown>>(receiptMembers)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, schema], index) => {
    const kind = KINDS[name] ?? "text";
    return { name, schema, kind, opening: `${index === 0 ? "{" : ","}"${name}":${OPENINGS[kind]}` };
  });

const NO_TEXTS: readonly string[] = [];

/**
 * A receipt whose members are there, in their order, and get their values later; it inherits nothing, like all that is
 * parsed. An object that gets one member after the other is made anew by the engine every few of them.
 */
const EmptyReceipt = function (this: { -readonly [K in keyof ActionReceiptV3]: ActionReceiptV3[K] }) {
  this.action_id = "";
  this.agent_id = "";
  this.canonicalization = "RFC8785_JCS";
  this.delegation_digest = "";
  this.digest_algorithm = "SHA-256";
  this.evidence_merkle_root = "";
  this.input_commitment = "";
  this.issued_at = "";
  this.mission_id = "";
  this.namespace_id = "";
  this.output_commitment = "";
  this.parent_receipt_digests = NO_TEXTS;
  this.policy_digest = "";
  this.protocol = "OSA_PROOF_V3";
  this.receipt_id = "";
  this.runtime_id = "";
  this.runtime_key_id = "";
  this.sequence = 0;
  this.session_id = "";
  this.signature = "";
  this.signing_algorithm = "ECDSA_P256";
  this.tool = "";
} as unknown as new () => Record<string, JsonValue>;
EmptyReceipt.prototype = Object.getPrototypeOf(emptyObject());

/** Reads receipts out of one text, one after the other. */
export class ReceiptReader {
  #text: string;
  #at = 0;
  /** Where faults go that nobody asks for: what has one is left to the long way. */
  readonly #unheard = new Faults();
  /** The last accepted text of each member: most members of neighbouring receipts are equal. */
  readonly #last: (string | undefined)[] = MEMBERS.map(() => undefined);

  /** `text` is ASCII. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Goes on with another text; what was accepted in the last one still counts. */
  reset(text: string): void {
    this.#text = text;
  }

  /** The receipt whose canonical text begins at `start`; null when there is none. */
  read(start: number): ReadReceipt | null {
    this.#at = start;
    const out = new EmptyReceipt();
    let [signatureStart, signatureEnd, values] = [start, start, 1 + MEMBERS.length];
    for (let slot = 0; slot < MEMBERS.length; slot += 1) {
      const { name, opening, kind, schema } = MEMBERS[slot] as Member;
      if (name === "signature") signatureStart = this.#at + 1;
      if (!this.#text.startsWith(opening, this.#at)) return null;
      this.#at += opening.length;
      const value =
        kind === "text" ? this.#member(slot, schema) : kind === "integer" ? this.#integer() : this.#texts();
      if (value === undefined) return null;
      if (kind !== "text" && schema.decode(value, "", this.#unheard) === undefined) return null;
      if (Array.isArray(value)) values += value.length;
      if (name === "signature") signatureEnd = this.#at + 1;
      out[name] = value;
    }
    if (!this.#text.startsWith("}", this.#at)) return null;
    // Every member of the interface was read and accepted by its own schema.
    const statement = out as unknown as ActionReceiptV3;
    return { statement, start, end: this.#at + 1, signatureStart, signatureEnd, values };
  }

  /** A text member, from behind its first quote. Equal to that of the receipt before, it is accepted already. */
  #member(slot: number, schema: Schema<unknown>): string | undefined {
    const last = this.#last[slot];
    if (last !== undefined && this.#text.startsWith(last, this.#at)) {
      const end = this.#at + last.length;
      if (this.#text.charCodeAt(end) === QUOTE) {
        this.#at = end + 1;
        return last;
      }
    }
    const value = this.#plainText();
    if (value === undefined || schema.decode(value, "", this.#unheard) === undefined) return undefined;
    this.#last[slot] = value;
    return value;
  }

  /** From behind the first quote to behind the next, with no escape between: the text stands for itself. */
  #plainText(): string | undefined {
    const start = this.#at;
    const end = this.#text.indexOf('"', start);
    if (end < 0 || end - start > LONGEST_TEXT) return undefined;
    const value = this.#text.slice(start, end);
    if (value.includes("\\")) return undefined;
    this.#at = end + 1;
    return value;
  }

  #integer(): number | undefined {
    const start = this.#at;
    this.#at = integerEnd(this.#text, start);
    return this.#at < 0 ? undefined : Number(this.#text.slice(start, this.#at));
  }

  /** An array of plain texts, from behind its bracket. */
  #texts(): readonly JsonValue[] | undefined {
    const items: string[] = [];
    if (this.#text.charCodeAt(this.#at) === ARRAY_CLOSE) {
      this.#at += 1;
      return items;
    }
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== QUOTE) return undefined;
      this.#at += 1;
      const item = this.#plainText();
      if (item === undefined) return undefined;
      items.push(item);
      const next = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (next === ARRAY_CLOSE) return items;
      if (next !== COMMA) return undefined;
    }
  }
}
