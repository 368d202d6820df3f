/**
 * Canonical bytes of closed statements (RFC 8785). The writer needs no depth bound here because a closed schema
 * has one.
 */
import { sha256HexOfText } from "../crypto/digest.js";
import { isJsonValue, writeJcs, writeMember } from "../encoding/jcs.js";
import type { JsonValue } from "../encoding/json-value.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import { isObject } from "./schema.js";

/** The canonical forms of one statement that has been decoded by its closed schema. */
export interface CanonicalStatement {
  /** UTF-8 of the JCS of the statement without its top-level signature members. */
  readonly signedBytes: Uint8Array;
  /** `0x` SHA-256 of the JCS of the whole statement. */
  readonly digest: string;
}

/** JCS text of a value that a closed schema has decoded; absent members are left out. */
export function canonicalText(statement: object): string {
  // A decoded statement is JSON by construction; its interface type has no index signature to say so.
  return writeJcs(statement as JsonValue);
}

const sortedNames = new Map<string, readonly string[]>();

/** Member names in JCS order, remembered per shape because receipts come by the thousand. */
function namesInOrder(statement: object): readonly string[] {
  const names = Object.keys(statement);
  const shape = names.join(",");
  const known = sortedNames.get(shape);
  if (known !== undefined) return known;
  const sorted = names.sort();
  // Statement shapes are few (optional members only), so the memory is bounded.
  sortedNames.set(shape, sorted);
  return sorted;
}

const SIGNATURE_MEMBERS: ReadonlySet<string> = new Set(["signature", "new_root_signature"]);

/**
 * Both canonical forms in one pass over the members.
 *
 * Signed bytes leave out `signature` and, in a rotation, `new_root_signature`: only at the top level.
 * The digest covers everything, signatures included (docs/SPEC.md, "Signed bytes and digests").
 */
export function canonicalStatement(statement: object): CanonicalStatement {
  let signed = "";
  let whole = "";
  for (const name of namesInOrder(statement)) {
    const value = (statement as Readonly<Record<string, JsonValue | undefined>>)[name];
    if (value === undefined) continue;
    const member = writeMember(name, value);
    whole += whole === "" ? member : `,${member}`;
    if (!SIGNATURE_MEMBERS.has(name)) signed += signed === "" ? member : `,${member}`;
  }
  return { signedBytes: encodeUtf8(`{${signed}}`), digest: sha256HexOfText(`{${whole}}`) };
}

/** What is there before the signature: the text whose UTF-8 bytes are signed, and the digest once they are signed. */
export interface UnsignedStatement {
  readonly signedText: string;
  /** `0x` SHA-256 of the JCS of the whole statement with this `signature` (hex, so it is written as it is). */
  digestWith(signature: string): string;
}

/** The canonical forms of a statement whose `signature` is not made yet; what stands in its place is not read. */
export function unsignedStatement(draft: object): UnsignedStatement {
  let before = "";
  let after = "";
  for (const name of namesInOrder(draft)) {
    const value = (draft as Readonly<Record<string, JsonValue | undefined>>)[name];
    if (value === undefined || name === "signature") continue;
    const member = writeMember(name, value);
    if (name < "signature") before += before === "" ? member : `,${member}`;
    else after += `,${member}`;
  }
  return unsignedText(before, after);
}

/** The same from the canonical text of the members before and behind the signature, `after` with its leading comma. */
export function unsignedText(before: string, after: string): UnsignedStatement {
  return {
    signedText: `{${before}${after}}`,
    digestWith: (signature) => sha256HexOfText(`{${before},"signature":"${signature}"${after}}`),
  };
}

/**
 * `0x` SHA-256 of the JCS of a statement, signatures included: what other statements name it by.
 * @throws OsaProofError ARGUMENT_INVALID for what is no JSON
 */
export function statementDigest(statement: object): string {
  if (!isJsonValue(statement) || !isObject(statement)) {
    throw new OsaProofError("ARGUMENT_INVALID", "statement: expected an object of plain JSON data");
  }
  return canonicalStatement(statement).digest;
}
