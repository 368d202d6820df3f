/**
 * A bundle in which one signature is changed and everything that names its statement by digest follows. Without that,
 * most changes would be noticed by a name that leads nowhere, and the signature itself would never be looked at.
 */
import type { JsonObject, JsonValue } from "../../encoding/json-value.js";
import { canonicalStatement } from "../../statements/canonical.js";
import { isObject } from "../../statements/schema.js";
import {
  another,
  asObject,
  changedAt,
  descendants,
  isHexText,
  type Path,
  pointerOf,
  valueAt,
} from "./edit.js";

interface Named {
  readonly path: Path;
  readonly digest: string;
  readonly statement: JsonObject;
}

/** Gives, for the path of a signed statement, the bundle with its signature changed. Work is shared between calls. */
export function followedChanges(bundle: JsonValue, statements: readonly Path[]): (path: Path) => JsonValue {
  let ordered: readonly Named[] | undefined;
  return (path) => {
    // Made on first use: a bundle can hold many statements, of which few are tried.
    ordered ??= inOrder(bundle, statements);
    const renamed = new Map<string, string>();
    const changed = new Map<string, JsonValue>();
    for (const { path: at, digest, statement } of ordered) {
      const here = pointerOf(at) === pointerOf(path);
      const followed = replaced(statement, renamed);
      const next = here ? changedAt(followed, ["signature"], another) : followed;
      if (next === statement) continue;
      renamed.set(digest, canonicalStatement(asObject(next)).digest);
      changed.set(pointerOf(at), next);
    }
    return rebuilt(bundle, [], changed, renamed);
  };
}

/** Statements in an order in which each stands behind those that it names. */
function inOrder(bundle: JsonValue, paths: readonly Path[]): readonly Named[] {
  const named = new Map<string, Named>();
  for (const path of paths) {
    const statement = asObject(valueAt(bundle, path));
    const { digest } = canonicalStatement(statement);
    named.set(digest, { path, digest, statement });
  }
  const waiting = new Map<string, number>();
  const namedBy = new Map<string, string[]>();
  for (const { digest, statement } of named.values()) {
    const names = new Set(
      [...descendants(statement)].flatMap(({ value }) =>
        isHexText(value) && named.has(value) ? [value] : [],
      ),
    );
    waiting.set(digest, names.size);
    for (const name of names) namedBy.set(name, [...(namedBy.get(name) ?? []), digest]);
  }
  // Grows while it is walked: a digest joins once all that its statement names have.
  const order = [...named.keys()].filter((digest) => waiting.get(digest) === 0);
  for (const digest of order) {
    for (const later of namedBy.get(digest) ?? []) {
      const left = (waiting.get(later) ?? 0) - 1;
      waiting.set(later, left);
      if (left === 0) order.push(later);
    }
  }
  return order.flatMap((digest) => named.get(digest) ?? []);
}

/** The value with digests renamed; the very same value where there is none. */
function replaced(value: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  if (renamed.size === 0) return value;
  if (typeof value === "string") return renamed.get(value) ?? value;
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map((item) => replaced(item, renamed));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, replaced(member, renamed)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}

/** The bundle with changed statements in their places, and names followed everywhere else. */
function rebuilt(
  value: JsonValue,
  path: Path,
  changed: ReadonlyMap<string, JsonValue>,
  renamed: ReadonlyMap<string, string>,
): JsonValue {
  const done = changed.get(pointerOf(path));
  if (done !== undefined) return done;
  // Statements are at most three levels down: /revocation_lists/0/list.
  if (path.length > 3) return replaced(value, renamed);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) =>
      rebuilt(item, [...path, index], changed, renamed),
    );
  }
  if (!isObject(value)) return replaced(value, renamed);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, rebuilt(member, [...path, name], changed, renamed)]),
  );
}
