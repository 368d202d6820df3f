/** How every statement is made: check the closed schema, sign the canonical bytes, check the signature. */
import { type PublicKey, parsePublicKey } from "../crypto/keys.js";
import { verifySignature } from "../crypto/signature.js";
import { isTrusted, type Signer, signAtOnceOf } from "../crypto/signer.js";
import { encodeHex } from "../encoding/hex.js";
import { isJsonValue } from "../encoding/jcs.js";
import { parseTime } from "../encoding/time.js";
import { encodeUtf8, withUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import { unsignedStatement } from "./canonical.js";
import type { Algorithms } from "./fields.js";
import { Faults, type Schema } from "./schema.js";

/** Stands in the signature's place while the rest of a draft is checked; never leaves this file. */
const PLACEHOLDER = `0x${"00".repeat(8)}`;

/** The algorithm members for a signer's key type. */
export function algorithmsOf(signer: Signer): Algorithms {
  return {
    digest_algorithm: "SHA-256",
    canonicalization: "RFC8785_JCS",
    signing_algorithm: signer.algorithm,
  };
}

/** Refuses what is no signer at all, so that a wrong argument gets a typed error. @throws OsaProofError ARGUMENT_INVALID */
export function requireSigner(signer: Signer): void {
  const given: unknown = signer;
  const usable =
    typeof given === "object" &&
    given !== null &&
    typeof signer.keyId === "string" &&
    typeof signer.sign === "function" &&
    signer.publicKey instanceof Uint8Array;
  if (!usable) {
    throw new OsaProofError(
      "ARGUMENT_INVALID",
      "signer: expected an object with keyId, algorithm, publicKey and sign",
    );
  }
}

/**
 * Decodes a caller's value by a closed schema.
 * @throws OsaProofError ARGUMENT_INVALID with the pointer of the first fault.
 */
export function requireShape<T>(schema: Schema<T>, value: unknown, what: string): T {
  const into = new Faults();
  if (!isJsonValue(value)) {
    throw new OsaProofError("ARGUMENT_INVALID", `${what}: expected plain JSON data`);
  }
  const decoded = schema.decode(value, "", into);
  const [first] = into.first();
  if (decoded === undefined || first !== undefined) {
    const where = first?.pointer === "" || first === undefined ? "" : ` at ${first.pointer}`;
    throw new OsaProofError("ARGUMENT_INVALID", `${what}${where}: ${first?.detail ?? "not well formed"}`, {
      pointer: first?.pointer ?? "",
    });
  }
  return decoded;
}

/** Parsed once for each signer: a runtime signs thousands of receipts with one. */
const signerKeys = new WeakMap<Signer, PublicKey>();

function signerKey(signer: Signer): PublicKey {
  const known = signerKeys.get(signer);
  if (known !== undefined) return known;
  const key = parsePublicKey(signer.publicKey);
  if (key === null || key.algorithm !== signer.algorithm) {
    throw new OsaProofError(
      "SIGNER_FAILED",
      `signer ${signer.keyId}: its public key is not a usable ${signer.algorithm} key`,
    );
  }
  signerKeys.set(signer, key);
  return key;
}

/** What a verifier would refuse in every such statement, as a pointer and a clause; null when nothing. */
export type Rule<T> = (statement: T) => { readonly pointer: string; readonly detail: string } | null;

/** @throws OsaProofError ARGUMENT_INVALID when the rule finds something */
export function requireRule<T>(rule: Rule<T>, statement: T, what: string): void {
  const found = rule(statement);
  if (found === null) return;
  throw new OsaProofError("ARGUMENT_INVALID", `${what} at ${found.pointer}: ${found.detail}`, {
    pointer: found.pointer,
  });
}

/** A window that holds at least one instant. */
export const hasInstant: Rule<{ readonly not_before: string; readonly not_after: string }> = (window) => {
  const [from, until] = [parseTime(window.not_before), parseTime(window.not_after)];
  if (from !== null && until !== null && from < until) return null;
  return { pointer: "/not_after", detail: "expected a time after not_before" };
};

/** @throws OsaProofError the signer's own, or SIGNER_FAILED around whatever else it throws */
async function signatureOf(signer: Signer, message: Uint8Array): Promise<Uint8Array> {
  try {
    return await signer.sign(message);
  } catch (cause) {
    if (cause instanceof OsaProofError) throw cause;
    throw new OsaProofError("SIGNER_FAILED", `signer ${signer.keyId}: it refused to sign`, { cause });
  }
}

/** Signs bytes and refuses a signature that does not verify, so that a broken signer is found at once. */
export async function signChecked(signer: Signer, message: Uint8Array): Promise<string> {
  const key = signerKey(signer);
  const signature = await signatureOf(signer, message);
  const isGood =
    signature instanceof Uint8Array && (isTrusted(signer) || verifySignature(key, message, signature));
  if (!isGood) {
    throw new OsaProofError(
      "SIGNER_FAILED",
      `signer ${signer.keyId}: its signature does not verify under its own key`,
    );
  }
  return encodeHex(signature);
}

/** {@link signChecked} of a text by a signer that waits for nobody; null where only a promise is to be had. */
export function signAtOnce(signer: Signer, text: string): string | null {
  const sign = signAtOnceOf(signer);
  if (sign === null) return null;
  signerKey(signer);
  return encodeHex(withUtf8(NO_BYTES, text, sign));
}

const NO_BYTES = new Uint8Array(0);

/** A new statement and what other statements will name it by. */
export interface Signed<T> {
  readonly statement: T;
  readonly digest: string;
}

/**
 * Makes a signed statement out of all its members but `signature`.
 * @throws OsaProofError ARGUMENT_INVALID (shape) or SIGNER_FAILED.
 */
export async function signWithDigest<T extends { readonly signature: string }>(
  schema: Schema<T>,
  unsigned: Omit<T, "signature">,
  signer: Signer,
  what: string,
  rule: Rule<T> = () => null,
): Promise<Signed<T>> {
  const shaped = requireShape(schema, { ...unsigned, signature: PLACEHOLDER }, what);
  requireRule(rule, shaped, what);
  const { signedText, digestWith } = unsignedStatement(shaped);
  const signature = await signChecked(signer, encodeUtf8(signedText));
  return { statement: { ...shaped, signature }, digest: digestWith(signature) };
}

/** Like {@link signWithDigest}, for those who need the statement only. */
export async function signStatement<T extends { readonly signature: string }>(
  schema: Schema<T>,
  unsigned: Omit<T, "signature">,
  signer: Signer,
  what: string,
  rule: Rule<T> = () => null,
): Promise<T> {
  return (await signWithDigest(schema, unsigned, signer, what, rule)).statement;
}
