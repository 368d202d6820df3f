/**
 * Layer 1: the closed type of everything that can stand in a JSON text.
 *
 * The parsers of this folder make objects that inherit nothing, so that `__proto__`, `constructor` and the
 * like are ordinary names. Makers may also pass plain objects.
 */

/** A value of RFC 8259. Numbers are finite doubles. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; the order of its members means nothing. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** The prototype of parsed objects: empty for ever, and without a prototype of its own. */
const NOTHING: object = Object.freeze(Object.create(null));

/**
 * An object that inherits nothing. A prototype of null would say the same, but engines then keep each object as a
 * hash table of its own: reading receipts would take twice as long for it.
 */
export function emptyObject(): Record<string, JsonValue> {
  return new EmptyObject();
}

// A constructor call is what lets the engine share one layout among objects of one shape.
const EmptyObject = function (this: object) {} as unknown as new () => Record<string, JsonValue>;
EmptyObject.prototype = NOTHING;

/** True for the prototypes that a JSON object may have: none, that of our parsers, or that of plain objects. */
export function isJsonPrototype(prototype: unknown): boolean {
  return prototype === null || prototype === NOTHING || prototype === Object.prototype;
}
