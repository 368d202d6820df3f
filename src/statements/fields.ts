/** The field kinds that statements share, each with its one spelling (docs/SPEC.md, "Conventions"). */

import { parsePublicKey, type SigningAlgorithm } from "../crypto/keys.js";
import { decodeHex, isHex } from "../encoding/hex.js";
import { parseTime } from "../encoding/time.js";
import * as LIMITS from "../limits.js";
import { oneOf, type Schema, text, version } from "./schema.js";

export const PROTOCOL = "OSA_PROOF_V3";

/** SHA-256 as `0x` and 64 lowercase hex digits. */
export const digest: Schema<string> = text("0x and 64 lowercase hex digits", (value) => isHex(value, 32));

/** Exactly 32 bytes as `0x` hex. */
export const salt: Schema<string> = digest;

/** Any bytes as `0x` hex. */
export const hexBytes: Schema<string> = text("0x and lowercase hex digits", (value) => isHex(value));

/** A signature: 8 to 72 bytes. Whether the bytes are strict is judged where the key is known. */
export const signature: Schema<string> = text(
  "0x and 16 to 144 lowercase hex digits",
  (value) => isHex(value) && value.length >= 18 && value.length <= 146,
);

/** SubjectPublicKeyInfo DER of a P-256 or Ed25519 key that our own rules accept. */
export const publicKey: Schema<string> = text(
  "the SubjectPublicKeyInfo of an uncompressed P-256 or an Ed25519 key, as 0x hex",
  (value) => {
    const bytes = decodeHex(value);
    return bytes !== null && parsePublicKey(bytes) !== null;
  },
);

/** RFC 3339, UTC, `Z`, whole seconds or milliseconds. */
export const time: Schema<string> = text(
  "an RFC 3339 time in UTC with Z, in whole seconds or milliseconds",
  (value) => parseTime(value) !== null,
);

function isPrintableAscii(value: string): boolean {
  if (value.length < 1 || value.length > LIMITS.maxIdentifierCharacters) return false;
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit < 0x21 || unit > 0x7e) return false;
  }
  return true;
}

/** 1 to 128 printable ASCII characters without space, compared byte for byte. */
export const identifier: Schema<string> = text("1 to 128 printable ASCII characters", isPrintableAscii);

/** The tool of a call that was refused because its own tool is out of scope. */
export const DENIED_TOOL = "osa.denied";

/** An identifier without `*`, so that no name can be read as a pattern; `osa.` is reserved for this protocol. */
export const toolName: Schema<string> = text(
  "1 to 128 printable ASCII characters without *, and osa. only as osa.denied",
  (value) =>
    isPrintableAscii(value) && !value.includes("*") && (!value.startsWith("osa.") || value === DENIED_TOOL),
);

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const PATH_SEGMENT = /^[A-Za-z0-9._-]+$/;

/** A lower-case DNS name of one or more labels, at most 253 characters. */
export function isDnsName(value: string): boolean {
  return value.length <= 253 && value.split(".").every((label) => DNS_LABEL.test(label));
}

/** The DNS name of a well-formed agent_id. */
export function agentDomain(agentId: string): string {
  return agentId.slice("@ai:".length, agentId.indexOf("/"));
}

/** `@ai:<dns-name>/<segment>…`; no `.` or `..` segment and no trailing slash. */
export function isAgentId(value: string): boolean {
  if (!value.startsWith("@ai:") || value.length > LIMITS.maxAgentIdCharacters) return false;
  const [domain, ...segments] = value.slice("@ai:".length).split("/");
  if (domain === undefined || !isDnsName(domain) || segments.length === 0) return false;
  return segments.every((segment) => PATH_SEGMENT.test(segment) && segment !== "." && segment !== "..");
}

export const dnsName: Schema<string> = text("a lower-case DNS name", isDnsName);

export const agentId: Schema<string> = text("@ai: a lower-case DNS name and /segments", isAgentId);

export const protocol: Schema<typeof PROTOCOL> = version(PROTOCOL);
export const signingAlgorithm: Schema<SigningAlgorithm> = oneOf("ECDSA_P256", "ED25519");

/** The three algorithm members that every signed statement carries inside its signed bytes. */
export interface Algorithms {
  readonly digest_algorithm: "SHA-256";
  readonly canonicalization: "RFC8785_JCS";
  readonly signing_algorithm: SigningAlgorithm;
}

export const algorithms: {
  readonly digest_algorithm: Schema<"SHA-256">;
  readonly canonicalization: Schema<"RFC8785_JCS">;
  readonly signing_algorithm: Schema<SigningAlgorithm>;
} = {
  digest_algorithm: oneOf("SHA-256"),
  canonicalization: oneOf("RFC8785_JCS"),
  signing_algorithm: signingAlgorithm,
};

/** What every statement but the receipt carries. */
export interface Issued<T extends string> extends Algorithms {
  readonly protocol: typeof PROTOCOL;
  readonly type: T;
  readonly namespace_id: string;
  readonly issued_at: string;
  readonly issuer_key_id: string;
  readonly signature: string;
}

/** The common members of a typed statement, as schema members. */
export function issued<const T extends string>(
  type: T,
): { readonly [K in keyof Issued<T>]: Schema<Issued<T>[K]> } {
  return {
    protocol,
    type: version(type),
    namespace_id: identifier,
    issued_at: time,
    issuer_key_id: identifier,
    ...algorithms,
    signature,
  };
}
