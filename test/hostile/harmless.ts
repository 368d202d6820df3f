/**
 * The reviewed list of changes that do not matter. A changed bundle that is still ACCEPTED is read again and compared
 * with the one it was made from; each top-level member that differs must have a reason here, or the sweep fails. A
 * reason that no case needs fails it too.
 */
import { parseEither } from "../../src/bundle/codec.js";
import { canonicalJson } from "../../src/encoding/jcs.js";
import type { JsonObject, JsonValue } from "../../src/encoding/json-value.js";
import { isGenuine } from "./anchors.js";
import { type Fixture, VALID } from "./fixtures.js";
import { isArray } from "./layout.js";

interface Difference {
  /** The top-level member of the bundle. */
  readonly name: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly fixture: Fixture;
}

interface Harmless {
  readonly reason: string;
  readonly holds: (difference: Difference) => boolean;
}

/** Each with what is left to the packer, and why the verdict cannot be wrong for it. The first that holds is named. */
const REASONS: readonly Harmless[] = [
  {
    reason:
      "order: the statements have their own order (sequence, parents, numbers); that of these arrays says nothing",
    holds: ({ before, after }) => canonicalJson(sorted(before)) === canonicalJson(sorted(after)),
  },
  {
    reason:
      "anchors: those that are left or were brought in are whole, verify by themselves and date the root in time",
    holds: ({ name, before, after, fixture }) =>
      (name === "evidence_trees" || name === "revocation_lists") &&
      canonicalJson(sorted(withoutAnchors(before))) === canonicalJson(sorted(withoutAnchors(after))) &&
      anchorsOf(after).every((anchor) => isGenuine(anchor, fixture)),
  },
  {
    reason:
      "policies: preimages of digests that are signed, each checked against its digest; they may be withheld",
    holds: ({ name, after }) => name === "policies" && areMade(name, after),
  },
  {
    reason: "disclosures: each opens a signed commitment by itself; any may be withheld",
    holds: ({ name, after }) => name === "disclosures" && areMade(name, after),
  },
  {
    reason:
      "attestations: this policy requires none, so they are reported as not counted, whatever their type",
    holds: ({ name, before, after }) =>
      name === "attestations" && canonicalJson(documentsOf(after)) === canonicalJson(documentsOf(before)),
  },
  {
    reason:
      "lists: each is signed; which are shown is the packer's choice as long as one is fresh (SPEC, Check 4)",
    holds: ({ name, after }) => name === "revocation_lists" && areMade(name, after),
  },
  {
    reason: "rotations: each is signed by both roots and binds whoever shows it (SPEC, Root rotation)",
    holds: ({ name, after }) => name === "root_rotations" && areMade(name, after),
  },
  {
    reason: "trees: every leaf still stands under a dated root; the earliest time counts",
    holds: ({ name, after }) => name === "evidence_trees" && areMade(name, after),
  },
  {
    reason: "certificates: the agent signed this one for the same runtime, key and time as well",
    holds: ({ name, after }) => name === "runtime_key_certificates" && areMade(name, after),
  },
  {
    reason: "attestations: this policy requires none, so none is judged; any may be withheld",
    holds: ({ name, after }) => name === "attestations" && areMade(name, after),
  },
  {
    reason: "disclosures: an action tree proves membership; position and count of its items are not proven",
    holds: ({ name, before, after }) =>
      name === "disclosures" && canonicalJson(withoutPlaces(before)) === canonicalJson(withoutPlaces(after)),
  },
  {
    reason:
      "claim: the packer's own word; what it names is proved all the same, and the report says which scope",
    holds: ({ name }) => name === "claim",
  },
];

const SPELLING =
  "spelling: the same value in other white space, escapes or, in free JSON, digits; nothing is hashed as it stands";

/** The elements of all accepted bundles, anchors apart: what somebody made and signed. */
const made = new Map<string, Set<string>>();
for (const { value } of VALID) {
  for (const [name, member] of Object.entries(value ?? {})) {
    const known = made.get(name) ?? new Set();
    made.set(name, known);
    if (isArray(member)) for (const item of member) known.add(canonicalJson(withoutAnchors(item)));
  }
}

function areMade(name: string, items: JsonValue): boolean {
  return isArray(items) && items.every((item) => made.get(name)?.has(canonicalJson(withoutAnchors(item))));
}

/** With `anchors` emptied, at the top of the value or of the elements of an array. */
function withoutAnchors(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return value.map(withoutAnchors);
  return "anchors" in value ? { ...value, anchors: [] } : value;
}

function anchorsOf(value: JsonValue): readonly JsonValue[] {
  if (!isArray(value)) return [];
  return value.flatMap((item) => {
    const anchors = typeof item === "object" && item !== null && "anchors" in item ? item["anchors"] : [];
    return anchors !== undefined && isArray(anchors) ? anchors : [];
  });
}

/** Disclosures without the place that an item has in its action tree; the path stays. */
function withoutPlaces(disclosures: JsonValue): JsonValue {
  if (!isArray(disclosures)) return null;
  return disclosures.map((item) => {
    const { inclusion, ...rest } = item as JsonObject;
    return { ...rest, path: (inclusion as JsonObject | undefined)?.["audit_path"] ?? null };
  });
}

function documentsOf(attestations: JsonValue): JsonValue {
  if (!isArray(attestations)) return null;
  return attestations.map((item) => (item as JsonObject)["document"] ?? null);
}

/** The value with every array whose order says nothing in one order. Statements keep theirs: it is signed. */
function sorted(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return inOrder(value.map(sortedMembers));
  return sortedMembers(value);
}

const UNORDERED: ReadonlySet<string> = new Set(["targets", "anchors", "proofs"]);

function sortedMembers(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || isArray(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    UNORDERED.has(name) && isArray(member) ? inOrder(member) : member,
  ]);
  return Object.fromEntries(entries);
}

function inOrder(items: readonly JsonValue[]): readonly JsonValue[] {
  return items
    .map((item) => ({ item, text: canonicalJson(item) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item);
}

/** Why this accepted bundle may be accepted; null when the list has no reason for it. */
export function harmlessReason(bytes: Uint8Array, fixture: Fixture): readonly string[] | null {
  const { value, faults } = parseEither(bytes, bytes.length);
  if (!isObject(value) || faults.length > 0 || !isObject(fixture.value)) return null;
  const before = fixture.value;
  const reasons: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(value)])) {
    const [old, changed] = [before[name], value[name]];
    if (old === undefined || changed === undefined) return null;
    if (canonicalJson(old) === canonicalJson(changed)) continue;
    const difference = { name, before: old, after: changed, fixture };
    const reason = REASONS.find(({ holds }) => holds(difference))?.reason;
    if (reason === undefined) return null;
    reasons.push(reason);
  }
  return reasons.length === 0 ? [SPELLING] : reasons;
}

function isObject(value: JsonValue | null | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isArray(value);
}

export const ALL_REASONS: readonly string[] = [SPELLING, ...REASONS.map(({ reason }) => reason)];
