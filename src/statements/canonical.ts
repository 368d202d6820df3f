/**
 * Canonical bytes of closed statements: RFC 8785 by our own writer, which needs no depth bound because a
 * closed schema has one. Tests hold it equal to the `canonicalize` package.
 */
import { sha256HexOfText } from "../crypto/digest.js";
import { isJsonValue } from "../encoding/jcs.js";
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

function write(value: JsonValue | undefined): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(",")}}`;
}

/** JCS text of a value that a closed schema has decoded; absent members are left out. */
export function canonicalText(statement: object): string {
  // A decoded statement is JSON by construction; its interface type has no index signature to say so.
  return write(statement as JsonValue);
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
    const member = `${JSON.stringify(name)}:${write(value)}`;
    whole += whole === "" ? member : `,${member}`;
    if (!SIGNATURE_MEMBERS.has(name)) signed += signed === "" ? member : `,${member}`;
  }
  return { signedBytes: encodeUtf8(`{${signed}}`), digest: sha256HexOfText(`{${whole}}`) };
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
