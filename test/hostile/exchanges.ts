/** Objects of two bundles exchanged: each good where it came from. */
import { canonicalJson } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { appendPointer } from "../../src/encoding/pointer.js";
import { type Change, replacement } from "./changes.js";
import { VALID } from "./fixtures.js";
import { isArray } from "./layout.js";

interface Pools {
  /** Different top-level members by name, and different elements of top-level arrays by name. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, JsonValue>>;
  readonly elements: ReadonlyMap<string, ReadonlyMap<string, JsonValue>>;
}

function poolsOf(values: readonly (JsonValue | null)[]): Pools {
  const members = new Map<string, Map<string, JsonValue>>();
  const elements = new Map<string, Map<string, JsonValue>>();
  const put = (pool: Map<string, Map<string, JsonValue>>, name: string, value: JsonValue): void => {
    const known = pool.get(name) ?? new Map();
    pool.set(name, known.set(canonicalJson(value), value));
  };
  for (const value of values) {
    for (const [name, member] of Object.entries(value ?? {})) {
      put(members, name, member);
      if (isArray(member)) for (const element of member) put(elements, name, element);
    }
  }
  return { members, elements };
}

const pools = poolsOf(VALID.map(({ value }) => value));

/** Each top-level member, element and list of anchors in the place of another that differs. */
export function* exchangesOf(bundle: JsonValue): Generator<Change> {
  for (const [name, member] of Object.entries(bundle ?? {})) {
    const pointer = appendPointer("", name);
    const own = canonicalJson(member);
    for (const [text, other] of pools.members.get(name) ?? []) {
      if (text !== own) yield replacement("member exchanged", "", pointer, other);
    }
    if (!isArray(member)) continue;
    const texts = new Set(member.map(canonicalJson));
    for (const [text, other] of pools.elements.get(name) ?? []) {
      if (texts.has(text)) continue;
      yield replacement("element brought in", "", pointer, [...member, other]);
      for (const [index, element] of member.entries()) {
        const place = appendPointer(pointer, index);
        yield replacement("element exchanged", "", place, other);
        yield* anchorsExchanged(element, other, place);
      }
    }
  }
}

function* anchorsExchanged(element: JsonValue, other: JsonValue, pointer: string): Generator<Change> {
  if (typeof element !== "object" || element === null || isArray(element) || !("anchors" in element)) return;
  if (typeof other !== "object" || other === null || isArray(other)) return;
  const anchors = other["anchors"] ?? null;
  if (canonicalJson(anchors) === canonicalJson(element["anchors"] ?? null)) return;
  yield replacement("anchors exchanged", "", `${pointer}/anchors`, anchors);
}
