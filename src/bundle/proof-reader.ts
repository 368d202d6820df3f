/**
 * The short way for an inclusion proof whose text in a bundle is its canonical form already, like that for receipts
 * (`statements/receipt-reader.ts`): it answers only where the long way would give the same value without a fault.
 * Proofs of one tree share most of their hashes with the one before, whose text is then compared and not read.
 */
import type { Recognised } from "../encoding/json.js";
import { emptyObject, type JsonObject } from "../encoding/json-value.js";
import { integerEnd } from "../encoding/plain-integer.js";
import * as LIMITS from "../limits.js";
import { digest } from "../statements/fields.js";
import { Faults } from "../statements/schema.js";

/** A proof found in a text: a `TreeProof` that its schema would take. */
export interface ReadProof extends Recognised {
  readonly value: JsonObject;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY_CLOSE = 0x5d;
/** `0x` and 64 digits. */
const DIGEST_TEXT = 66;
const [PATH, INDEX, STATEMENT, END] = ['{"audit_path":[', ',"leaf_index":', ',"statement_digest":', "}"];

/** Reads proofs out of one text, one after the other. */
export class ProofReader {
  readonly #text: string;
  #at = 0;
  /** The last accepted hash at each place of a path. */
  readonly #last: string[] = [];

  /** `text` is ASCII. */
  constructor(text: string) {
    this.#text = text;
  }

  /** The proof whose canonical text begins at `start`; null when there is none. */
  read(start: number): ReadProof | null {
    this.#at = start;
    const path = this.#takes(PATH) ? this.#path() : undefined;
    if (path === undefined || !this.#takes(INDEX)) return null;
    const index = this.#integer();
    if (index === undefined || !this.#takes(STATEMENT)) return null;
    const statement = this.#digest(undefined);
    if (statement === undefined || !this.#takes(END)) return null;
    const value = emptyObject();
    value["statement_digest"] = statement;
    value["leaf_index"] = index;
    value["audit_path"] = path;
    return { value, end: this.#at, values: 4 + path.length };
  }

  #takes(wanted: string): boolean {
    if (!this.#text.startsWith(wanted, this.#at)) return false;
    this.#at += wanted.length;
    return true;
  }

  /** From behind the bracket. */
  #path(): readonly string[] | undefined {
    const path: string[] = [];
    if (this.#takes("]")) return path;
    while (path.length < LIMITS.maxAuditPathHashes) {
      const hash = this.#digest(this.#last[path.length]);
      if (hash === undefined) return undefined;
      this.#last[path.length] = hash;
      path.push(hash);
      const next = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (next === ARRAY_CLOSE) return path;
      if (next !== COMMA) return undefined;
    }
    return undefined;
  }

  /** With its quotes; `last` is one that was accepted before. */
  #digest(last: string | undefined): string | undefined {
    const start = this.#at + 1;
    const end = start + DIGEST_TEXT;
    if (this.#text.charCodeAt(this.#at) !== QUOTE || this.#text.charCodeAt(end) !== QUOTE) return undefined;
    this.#at = end + 1;
    if (last !== undefined && this.#text.startsWith(last, start)) return last;
    return digest.decode(this.#text.slice(start, end), "", new Faults());
  }

  #integer(): number | undefined {
    const start = this.#at;
    this.#at = integerEnd(this.#text, start);
    return this.#at < 0 ? undefined : Number(this.#text.slice(start, this.#at));
  }
}
