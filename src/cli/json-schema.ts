/** A closed schema as JSON Schema (2020-12): shape and spelling. That a date exists, or a key is good, it cannot say. */
import type { JsonObject } from "../encoding/json-value.js";
import * as LIMITS from "../limits.js";
import type { Schema, Shape } from "../statements/schema.js";

const HEX = "[0-9a-f]";
const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const DNS_NAME = `${LABEL}(\\.${LABEL})*`;

/** What the kinds of text look like, by what a decoder says it expected; a kind that is not here is any text. */
const TEXTS: Readonly<Record<string, JsonObject>> = {
  "0x and 64 lowercase hex digits": { pattern: `^0x${HEX}{64}$` },
  "0x and lowercase hex digits": { pattern: `^0x(?:${HEX}{2})*$` },
  "0x and 16 to 144 lowercase hex digits": { pattern: `^0x(?:${HEX}{2}){8,72}$` },
  "the SubjectPublicKeyInfo of an uncompressed P-256 or an Ed25519 key, as 0x hex": {
    pattern: `^0x(?:3059301306072a8648ce3d020106082a8648ce3d03010703420004${HEX}{128}|302a300506032b6570032100${HEX}{64})$`,
  },
  "an RFC 3339 time in UTC with Z, in whole seconds or milliseconds": {
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{3})?Z$",
  },
  "1 to 128 printable ASCII characters": { pattern: "^[!-~]{1,128}$" },
  "1 to 128 printable ASCII characters without *, and osa. only as osa.denied": {
    pattern: "^(?!osa\\.(?!denied$))[!-)+-~]{1,128}$",
  },
  "a lower-case DNS name": { pattern: `^${DNS_NAME}$`, maxLength: 253 },
  "@ai: a lower-case DNS name and /segments": {
    pattern: `^@ai:${DNS_NAME}(/(?!\\.{1,2}(/|$))[A-Za-z0-9._-]+)+$`,
    maxLength: LIMITS.maxAgentIdCharacters,
  },
  [`1 to ${LIMITS.maxMediaTypeCharacters} printable ASCII characters`]: {
    pattern: `^[!-~]{1,${LIMITS.maxMediaTypeCharacters}}$`,
  },
  [`1 to ${LIMITS.maxReasonCharacters} characters`]: { minLength: 1, maxLength: LIMITS.maxReasonCharacters },
  "1 to 128 printable characters": { minLength: 1, maxLength: 128 },
  "a checkpoint origin line": { minLength: 1, maxLength: LIMITS.maxOriginCharacters },
  "a proof": { minLength: 1, maxLength: LIMITS.maxAnchorProofCharacters },
  // RFC 6901 section 3.
  "a JSON Pointer": { pattern: "^(?:/(?:[^~/]|~[01])*)*$" },
};

/** By the identity of the shape, which a schema shares with those that `optional` and `refine` make of it. */
const written = new WeakMap<Shape, JsonObject>();

/** The same object each time it is asked for the same shape. */
export function jsonSchemaOf({ shape }: Schema<unknown>): JsonObject {
  const known = written.get(shape);
  if (known !== undefined) return known;
  const made = write(shape);
  written.set(shape, made);
  return made;
}

function write(shape: Shape): JsonObject {
  if ("text" in shape) return { type: "string", ...TEXTS[shape.text] };
  if ("allowed" in shape) {
    const { allowed } = shape;
    return allowed.length === 1 ? { const: allowed[0] ?? "" } : { enum: [...allowed] };
  }
  if ("minimum" in shape) return { type: "integer", minimum: shape.minimum, maximum: shape.maximum };
  if ("orNull" in shape) return { anyOf: [{ type: "null" }, jsonSchemaOf(shape.orNull)] };
  if ("kind" in shape) return shape.kind === "any" ? {} : { type: shape.kind };
  if ("item" in shape) {
    const { minimum = 0, maximum, unique } = shape.bounds;
    return {
      type: "array",
      items: jsonSchemaOf(shape.item),
      maxItems: maximum,
      ...(minimum > 0 ? { minItems: minimum } : {}),
      ...(unique === true ? { uniqueItems: true } : {}),
    };
  }
  const members = Object.entries(shape.members);
  return {
    type: "object",
    properties: Object.fromEntries(members.map(([name, member]) => [name, jsonSchemaOf(member)])),
    required: members.filter(([, member]) => member.optional !== true).map(([name]) => name),
    additionalProperties: false,
  };
}
