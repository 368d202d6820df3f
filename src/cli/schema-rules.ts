/**
 * Rules over several members, as JSON Schema. The decoders keep them in functions (`refine`), which print
 * nothing; each rule here says the same as the function beside its shape, and tests hold them equal.
 */
import { anchor, disclosure, evidenceTreeShape } from "../bundle/format.js";
import type { JsonObject, JsonValue } from "../encoding/json-value.js";
import { committedValue } from "../statements/commitment.js";
import { sessionClose } from "../statements/session.js";
import { jsonSchemaOf } from "./json-schema.js";

function has(member: string, value: JsonValue): JsonObject {
  return { properties: { [member]: { const: value } }, required: [member] };
}

function requires(member: string): JsonObject {
  return { required: [member] };
}

function forbids(member: string): JsonObject {
  return { not: { required: [member] } };
}

function when(condition: JsonObject, then: JsonObject, otherwise?: JsonObject): JsonObject {
  return otherwise === undefined ? { if: condition, then } : { if: condition, then, else: otherwise };
}

const hexProof: JsonObject = { properties: { proof: { pattern: "^0x(?:[0-9a-f]{2})*$" } } };

/** Further keywords of a shape, by the identity of its JSON. */
export const SCHEMA_RULES: ReadonlyMap<JsonObject, JsonObject> = new Map<JsonObject, JsonObject>([
  [
    jsonSchemaOf(sessionClose),
    when(
      has("closed_by", "agent"),
      requires("agent_key_certificate_digest"),
      forbids("agent_key_certificate_digest"),
    ),
  ],
  [
    jsonSchemaOf(committedValue),
    {
      oneOf: [requires("json"), requires("bytes"), requires("blob")],
      ...when(has("kind", "output"), requires("status"), forbids("status")),
    },
  ],
  [
    jsonSchemaOf(disclosure),
    when(
      { properties: { value: has("kind", "evidence") }, required: ["value"] },
      requires("inclusion"),
      forbids("inclusion"),
    ),
  ],
  [
    jsonSchemaOf(evidenceTreeShape),
    {
      allOf: [
        when(has("mode", "complete"), requires("leaves"), forbids("leaves")),
        when(has("mode", "inclusion"), requires("proofs"), forbids("proofs")),
      ],
    },
  ],
  [
    jsonSchemaOf(anchor),
    when({ properties: { type: { enum: ["rfc3161", "opentimestamps"] } }, required: ["type"] }, hexProof),
  ],
]);
