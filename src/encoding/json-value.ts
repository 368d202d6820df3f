/**
 * Layer 1: the closed type of everything that can stand in a JSON text.
 *
 * The parsers of this folder make objects with a null prototype, so that `__proto__`, `constructor` and the
 * like are ordinary names and nothing is inherited. Makers may also pass plain objects.
 */

/** A value of RFC 8259. Numbers are finite doubles. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; the order of its members means nothing. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}
