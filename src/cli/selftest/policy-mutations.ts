/** Changes of a trust policy, each of which makes it unusable: a verifier that reads around one pins less than it says. */

import { canonicalBytes } from "../../encoding/jcs.js";
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { trustPolicy } from "../../verifier/trust-policy.js";
import { jsonSchemaOf } from "../json-schema.js";
import {
  asArray,
  asObject,
  changedAt,
  descendants,
  type Path,
  pointerOf,
  withUnknownMember,
} from "./edit.js";

export interface PolicyMutation {
  readonly kind: string;
  readonly pointer: string;
  readonly bytes: Uint8Array;
}

const CUTS = 8;

/** All of them. `policy` is the parsed value of `bytes`, which the verifier reads without a fault. */
export function policyMutations(policy: JsonValue, bytes: Uint8Array): readonly PolicyMutation[] {
  const objects: readonly Path[] = [
    [],
    ...[...descendants(policy)]
      .filter(({ value }) => typeof value === "object" && !Array.isArray(value))
      .map(({ path }) => path),
  ];
  const change = (
    kind: string,
    path: Path,
    to: (value: JsonValue) => JsonValue | undefined,
  ): PolicyMutation => ({
    kind,
    pointer: pointerOf(path),
    bytes: canonicalBytes(changedAt(policy, path, to)),
  });
  const cuts = Array.from({ length: CUTS }, (_, step) => Math.floor((bytes.length * step) / CUTS));
  return [
    ...objects.map((path) => change("policy member added", path, withUnknownMember)),
    ...objects.flatMap((path) =>
      requiredMembers(path).map((name) => change("policy member left out", [...path, name], () => undefined)),
    ),
    ...cuts.map((length) => ({ kind: "policy cut", pointer: "", bytes: bytes.subarray(0, length) })),
  ];
}

/** The members that the closed schema requires of the object at a path, as its JSON Schema says. */
function requiredMembers(path: Path): readonly string[] {
  let schema: JsonObject = jsonSchemaOf(trustPolicy);
  for (const step of path) {
    const next = typeof step === "number" ? schema["items"] : asObject(schema["properties"])[step];
    schema = asObject(next);
  }
  return asArray(schema["required"]).map(String);
}
